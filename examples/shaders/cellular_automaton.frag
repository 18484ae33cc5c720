#version 310 es
// Wolfram's elementary automata: nine rules, each run from one cell, whole rows at a time in the bits of a word.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

const uint RULES[9] = uint[9](30u, 90u, 110u, 54u, 150u, 60u, 22u, 73u, 126u);

uint step_row(uint row, uint rule) {
    uint left = row << 1u | row >> 31u;
    uint right = row >> 1u | row << 31u;
    uint result = 0u;
    for (uint neighbours = 0u; neighbours < 8u; ++neighbours) {
        if ((rule >> neighbours & 1u) == 0u) continue;
        uint a = (neighbours & 4u) != 0u ? left : ~left;
        uint b = (neighbours & 2u) != 0u ? row : ~row;
        uint c = (neighbours & 1u) != 0u ? right : ~right;
        result |= a & b & c;
    }
    return result;
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution * 3.0;
    ivec2 panel = ivec2(p);
    vec2 f = (fract(p) - 0.06) / 0.88;
    vec3 ground = vec3(0.11, 0.12, 0.15);
    if (any(lessThan(f, vec2(0.0))) || any(greaterThanEqual(f, vec2(1.0)))) {
        color = vec4(ground, 1.0);
        return;
    }
    int which = panel.x + 3 * (2 - panel.y);
    int generation = int((1.0 - f.y) * 32.0);
    uint row = 1u << 16;
    for (int i = 0; i < generation; ++i) row = step_row(row, RULES[which]);
    bool alive = (row >> uint(f.x * 32.0) & 1u) == 1u;
    vec3 ink = 0.6 + 0.4 * cos(0.7 * float(which) + vec3(0.0, 2.1, 4.2));
    float fill = float(bitCount(row)) / 32.0;
    color = vec4(alive ? ink * (1.1 - 0.4 * fill) : vec3(0.16, 0.17, 0.21), 1.0);
}
