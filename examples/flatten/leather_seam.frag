#version 300 es
// Leather with a stitched seam: cell borders give the creases, their slope by differences gives the light.
// Helpers four deep, nested loops, `out` results.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

vec2 point_in(vec2 cell) {
    uvec2 u = uvec2(ivec2(cell)) * uvec2(747796405u, 2891336453u);
    uint n = (u.x + (u.y >> 7)) ^ (u.y + (u.x << 9));
    n = (n ^ (n >> 14)) * 277803737u;
    n ^= n >> 17;
    return vec2(n & 0xffffu, n >> 16) / 65535.0;
}

void two_least(vec2 p, out float first, out float second) {
    first = 9.0;
    second = 9.0;
    vec2 cell = floor(p);
    for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
            vec2 at = cell + vec2(x, y);
            vec2 d = at + point_in(at) - p;
            float d2 = dot(d, d);
            if (d2 < first) {
                second = first;
                first = d2;
            } else if (d2 < second) {
                second = d2;
            }
        }
    }
}

float crease(vec2 p) {
    float first, second;
    two_least(p, first, second);
    return smoothstep(0.0, 0.35, sqrt(second) - sqrt(first));
}

float height(vec2 p) {
    vec2 q = p + 0.06 * sin(7.0 * p.yx);
    float h = crease(q * 17.0) + 0.35 * crease(q * 41.0 + 7.0);
    float seam = abs(p.x - 0.62);
    return 0.5 * h * smoothstep(0.01, 0.05, seam) + smoothstep(0.0, 0.08, seam);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y;
    float h = height(p);
    float step = 0.002;
    vec3 n = normalize(vec3(h - height(p + vec2(step, 0.0)), h - height(p + vec2(0.0, step)), 0.35));
    vec3 light = normalize(vec3(-0.5 + 0.3 * sin(time), 0.6, 0.7));
    float diffuse = max(dot(n, light), 0.0);
    float shine = pow(max(dot(n, normalize(light + vec3(0.0, 0.0, 1.0))), 0.0), 24.0);
    vec3 c = vec3(0.36, 0.14, 0.07) * (0.30 + 0.25 * h + 0.75 * diffuse) + 0.20 * shine;
    vec2 stitch = vec2(abs(p.x - 0.62) - 0.055, fract(p.y * 14.0) - 0.5);
    float thread = length(vec2(stitch.x * 14.0, max(abs(stitch.y) - 0.27, 0.0)));
    if (thread < 0.11) {
        c = vec3(0.92, 0.80, 0.55) * (1.05 - 5.0 * thread + 0.15 * sin(120.0 * p.y + 60.0 * p.x));
    } else {
        c *= 0.55 + 0.45 * smoothstep(0.11, 0.22, thread);
    }
    color = vec4(sqrt(clamp(c, 0.0, 1.0)), 1.0);
}
