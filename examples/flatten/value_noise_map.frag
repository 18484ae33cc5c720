#version 300 es
// A map of islands: value noise in bands of sea, beach, wood and snow, lit from the north-west.
// An `else if` ladder, a bound given by a constant argument.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float lattice(ivec2 at) {
    uint n = uint(at.x) * 3129871u ^ uint(at.y) * 116129781u;
    n = n * n * 42317861u + n * 11u;
    return float((n >> 16) & 0xffffu) / 65535.0;
}

float smooth_noise(vec2 p) {
    ivec2 cell = ivec2(floor(p));
    vec2 f = fract(p);
    vec2 s = f * f * (3.0 - 2.0 * f);
    float sum = 0.0;
    for (int corner = 0; corner < 4; ++corner) {
        ivec2 step = ivec2(corner & 1, corner >> 1);
        vec2 share = mix(1.0 - s, s, vec2(step));
        sum += share.x * share.y * lattice(cell + step);
    }
    return sum;
}

float height(vec2 p, int octaves) {
    float sum = 0.0;
    float size = 0.55;
    for (int i = 0; i < octaves; ++i) {
        sum += size * smooth_noise(p);
        p = 1.97 * p.yx + vec2(13.7, -4.1);
        size *= 0.48;
    }
    return sum;
}

vec3 ground(float h, float wet) {
    if (h < 0.42) {
        return mix(vec3(0.05, 0.16, 0.36), vec3(0.10, 0.32, 0.52), h / 0.42);
    } else if (h < 0.50) {
        return mix(vec3(0.12, 0.40, 0.56), vec3(0.40, 0.70, 0.70), (h - 0.42) / 0.08);
    } else if (h < 0.53) {
        return vec3(0.88, 0.80, 0.58);
    } else if (h < 0.66) {
        return wet > 0.5 ? vec3(0.20, 0.42, 0.17) : vec3(0.45, 0.56, 0.25);
    } else if (h < 0.76) {
        return vec3(0.45, 0.38, 0.30);
    }
    return vec3(0.95, 0.96, 0.98);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 5.0 + vec2(2.0 + 0.1 * time, 7.0);
    float h = height(p, 6);
    float towards_light = height(p + vec2(-0.05, 0.05), 4) - height(p, 4);
    float wet = height(p + 40.0, 2);
    vec3 c = ground(h, wet);
    if (h > 0.5) c *= clamp(1.0 - 7.0 * towards_light, 0.55, 1.35);
    float contour = abs(fract(h * 24.0) - 0.5);
    if (h > 0.53 && contour < 0.04) c *= 0.85;
    color = vec4(c, 1.0);
}
