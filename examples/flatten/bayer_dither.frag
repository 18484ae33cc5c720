#version 300 es
// A shaded ball and its shadow in black and white.
// Bayer's 8 x 8 matrix in a const array read at dynamic index, early returns, a ternary of vectors.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const int BAYER[64] = int[64](
    0, 32, 8, 40, 2, 34, 10, 42, 48, 16, 56, 24, 50, 18, 58, 26,
    12, 44, 4, 36, 14, 46, 6, 38, 60, 28, 52, 20, 62, 30, 54, 22,
    3, 35, 11, 43, 1, 33, 9, 41, 51, 19, 59, 27, 49, 17, 57, 25,
    15, 47, 7, 39, 13, 45, 5, 37, 63, 31, 55, 23, 61, 29, 53, 21);

float threshold(ivec2 at) {
    return (float(BAYER[(at.y & 7) * 8 + (at.x & 7)]) + 0.5) / 64.0;
}

float shade(vec2 p) {
    vec3 light = normalize(vec3(-0.6 + 0.4 * sin(time), 0.7, 0.6));
    float rest = 0.36 - dot(p, p);
    if (rest > 0.0) {
        vec3 n = vec3(p, sqrt(rest)) / 0.6;
        float lit = max(dot(n, light), 0.0);
        float bounce = 0.22 * max(-n.y, 0.0);
        return 0.04 + 0.8 * lit + bounce + 0.6 * pow(lit, 20.0);
    }
    if (p.y < -0.35) {
        vec2 foot = vec2(p.x - 0.25, (p.y + 0.62) * 3.2);
        float shadow = smoothstep(0.3, 0.75, length(foot));
        return (0.25 + 0.45 * shadow) * (1.0 + 0.5 * p.y);
    }
    return 0.35 + 0.30 * p.y + 0.10 * sin(6.0 * p.x + 3.0 * sin(2.0 * p.y));
}

void main() {
    ivec2 block = ivec2(gl_FragCoord.xy * 192.0 / resolution.y);
    vec2 p = (2.0 * (vec2(block) + 0.5) / 192.0 - vec2(resolution.x / resolution.y, 1.0));
    bool white = shade(p) > threshold(block);
    color = white ? vec4(0.93, 0.91, 0.82, 1.0) : vec4(0.13, 0.14, 0.20, 1.0);
}
