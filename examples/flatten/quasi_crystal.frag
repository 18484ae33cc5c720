#version 300 es
// A quasi-crystal: seven plane waves that never repeat together, folded into bands.
// One array written by a loop and read by another.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const int WAVES = 7;

void fill(out float heights[WAVES], vec2 p, float phase) {
    for (int i = 0; i < WAVES; ++i) {
        float angle = 3.14159265 * float(i) / float(WAVES);
        heights[i] = 0.5 + 0.5 * cos(dot(p, vec2(cos(angle), sin(angle))) + phase);
    }
}

float folded(float heights[WAVES]) {
    float sum = 0.0;
    for (int i = 0; i < WAVES; ++i) {
        sum += heights[i];
    }
    int whole = int(sum);
    float rest = sum - float(whole);
    return (whole & 1) == 0 ? rest : 1.0 - rest;
}

float strongest(float heights[WAVES], out int which) {
    which = 0;
    for (int i = 1; i < WAVES; ++i) {
        if (heights[i] > heights[which]) {
            which = i;
        }
    }
    return heights[which];
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    float heights[WAVES];
    fill(heights, p * 32.0, time);
    float fold = folded(heights);
    int which;
    float most = strongest(heights, which);
    vec3 gold = mix(vec3(0.10, 0.06, 0.20), vec3(0.98, 0.80, 0.42), smoothstep(0.1, 0.9, fold));
    vec3 tint = 0.5 + 0.5 * cos(0.9 * float(which) + vec3(0.0, 2.0, 4.0));
    vec3 c = mix(gold, gold * tint * 1.4, 0.5 * most);
    c *= 1.15 - 0.4 * dot(p, p);
    color = vec4(c, 1.0);
}
