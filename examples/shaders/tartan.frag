#version 300 es
// Tartan: the same sequence of threads as warp and weft, in a two-over-two twill.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

struct Band {
    int threads;
    vec3 dye;
};

const vec3 GREEN = vec3(0.07, 0.24, 0.17);
const vec3 BLUE = vec3(0.09, 0.13, 0.30);
const vec3 RED = vec3(0.72, 0.11, 0.13);
const vec3 GOLD = vec3(0.90, 0.74, 0.25);
const Band SETT[6] = Band[6](
    Band(4, RED), Band(14, GREEN), Band(2, GOLD), Band(14, GREEN), Band(6, BLUE), Band(12, BLUE * 1.5));

vec3 dye_of(int thread) {
    int total = 0;
    for (int i = 0; i < SETT.length(); ++i) total += SETT[i].threads;
    // The sequence runs forth and back.
    int at = thread % (2 * total);
    if (at >= total) at = 2 * total - 1 - at;
    int i = 0;
    while (i < SETT.length() - 1 && at >= SETT[i].threads) {
        at -= SETT[i].threads;
        ++i;
    }
    return SETT[i].dye;
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 116.0;
    ivec2 thread = ivec2(p);
    bool warp_above = (thread.x + thread.y & 3) < 2;
    vec2 f = fract(p) - 0.5;
    float round_thread = 1.0 - 1.2 * (warp_above ? f.x * f.x : f.y * f.y);
    float slant = 0.93 + 0.07 * sin(3.14159 * (warp_above ? p.y : p.x));
    vec3 dye = dye_of(warp_above ? thread.x : thread.y);
    color = vec4(dye * round_thread * slant * 1.15, 1.0);
}
