#version 300 es
// Evening clouds in eight layers from far to near, each lit from one side: blending stops when nothing shines through.
// `break` by transparency, nested noise loops.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float grid(ivec2 c) {
    uint n = (uint(c.x) * 0x27d4eb2du) ^ (uint(c.y) * 0x165667b1u);
    n = (n ^ (n >> 15)) * 0x9e3779b1u;
    return float(n >> 8) * (1.0 / 16777216.0);
}

float vapour(vec2 p, int octaves) {
    float sum = 0.0;
    float size = 0.5;
    for (int i = 0; i < octaves; ++i) {
        ivec2 c = ivec2(floor(p));
        vec2 f = p - vec2(c);
        f = f * f * (3.0 - 2.0 * f);
        float low = mix(grid(c), grid(c + ivec2(1, 0)), f.x);
        float high = mix(grid(c + ivec2(0, 1)), grid(c + ivec2(1, 1)), f.x);
        sum += size * mix(low, high, f.y);
        size *= 0.5;
        p = 2.1 * p + 11.0;
    }
    return sum;
}

vec4 layer(vec2 p, float k) {
    vec2 drift = vec2(0.05 * time * (1.0 + k), 1.9 * k);
    vec2 q = p * vec2(1.3, 2.6) * (1.0 + 0.20 * k) + drift;
    float cover = 0.36 + 0.30 * smoothstep(-0.1, 0.9, p.y + 0.06 * k);
    float dense = smoothstep(cover, cover + 0.22, vapour(q, 5));
    if (dense < 0.01) return vec4(0.0);
    float lit = clamp(0.5 + 2.4 * (vapour(q, 3) - vapour(q + vec2(-0.12, -0.16), 3)), 0.0, 1.0);
    vec3 c = mix(vec3(0.38, 0.28, 0.44), vec3(1.0, 0.78, 0.58), lit);
    return vec4(mix(c, vec3(0.98, 0.62, 0.42), 0.08 * k), 0.85 * dense);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y;
    vec3 sum = vec3(0.0);
    float clear = 1.0;
    for (int i = 0; i < 8; ++i) {
        vec4 cloud = layer(p, float(i));
        sum += clear * cloud.a * cloud.rgb;
        clear *= 1.0 - cloud.a;
        if (clear < 0.03) break;
    }
    vec3 sky = mix(vec3(0.99, 0.66, 0.40), vec3(0.24, 0.36, 0.64), smoothstep(0.0, 0.85, p.y));
    float sun = length(p - vec2(0.3, 0.12));
    sky += vec3(1.0, 0.7, 0.4) * (0.5 * exp(-6.0 * sun) + smoothstep(0.065, 0.055, sun));
    vec3 c = sum + clear * sky;
    if (p.y < 0.06 + 0.02 * sin(9.0 * p.x) + 0.01 * sin(31.0 * p.x)) c = vec3(0.10, 0.07, 0.13);
    color = vec4(min(c, 1.0), 1.0);
}
