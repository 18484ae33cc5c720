#version 300 es
// Camouflage from four layers of noise, each over the last where it is high enough.
// `else if` chain in a loop, a global that helpers write.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float scale;
out vec4 color;

vec3 fabric = vec3(0.55, 0.52, 0.38);
int layers = 0;

float hash(ivec2 p, int seed) {
    uint n = uint(p.x * 1619 + p.y * 31337 + seed * 6971);
    n = (n ^ (n >> 11)) * 2971215073u;
    n = (n ^ (n >> 14)) * 433494437u;
    return float(n >> 9) / 8388608.0;
}

float blotch(vec2 p, int seed) {
    vec2 f = fract(p);
    ivec2 c = ivec2(floor(p));
    vec2 s = f * f * f * (f * (6.0 * f - 15.0) + 10.0);
    float bottom = mix(hash(c, seed), hash(c + ivec2(1, 0), seed), s.x);
    float top = mix(hash(c + ivec2(0, 1), seed), hash(c + ivec2(1, 1), seed), s.x);
    return mix(bottom, top, s.y);
}

void cover(vec3 dye, float amount) {
    if (amount < 0.0) return;
    fabric = dye;
    layers++;
}

void paint(vec2 p) {
    for (int i = 0; i < 4; ++i) {
        float n = 0.65 * blotch(p * (1.0 + 0.2 * float(i)), i) + 0.35 * blotch(2.7 * p, i + 10);
        if (i == 0) {
            cover(vec3(0.36, 0.40, 0.22), n - 0.50);
        } else if (i == 1) {
            cover(vec3(0.28, 0.22, 0.13), n - 0.57);
        } else if (i == 2) {
            cover(vec3(0.16, 0.24, 0.14), n - 0.56);
        } else {
            cover(vec3(0.08, 0.09, 0.07), n - 0.66);
        }
    }
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 6.0 * scale;
    p = floor(p * 16.0) / 16.0;
    paint(p);
    float weave = mod(floor(gl_FragCoord.x * 0.5) + floor(gl_FragCoord.y * 0.5), 2.0);
    fabric *= 0.95 + 0.05 * weave + 0.02 * float(layers);
    color = vec4(sqrt(fabric), 1.0);
}
