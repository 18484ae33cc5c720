#version 300 es
// A seven segment display that counts: which segment glows is a bit in a table.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const uint GLYPHS[10] = uint[10](0x3fu, 0x06u, 0x5bu, 0x4fu, 0x66u, 0x6du, 0x7du, 0x07u, 0x7fu, 0x6fu);

float bar(vec2 p, vec2 at, bool upright) {
    vec2 d = abs(p - at);
    if (upright) d = d.yx;
    return max(d.x + d.y - 0.42, d.y - 0.065);
}

float digit(vec2 p, uint value) {
    const vec2 places[7] = vec2[7](vec2(0.0, 0.9), vec2(0.45, 0.45), vec2(0.45, -0.45), vec2(0.0, -0.9),
                                   vec2(-0.45, -0.45), vec2(-0.45, 0.45), vec2(0.0, 0.0));
    float glow = 0.0;
    uint lit = GLYPHS[value];
    for (int i = 0; i < 7; ++i) {
        bool upright = i != 0 && i != 3 && i != 6;
        float d = bar(p, places[i], upright);
        float on = (lit >> i & 1u) == 1u ? 1.0 : 0.06;
        glow = max(glow, on * smoothstep(0.03, -0.03, d));
        glow += on * 0.10 * exp(-7.0 * max(d, 0.0));
    }
    return glow;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.x;
    p *= 3.6;
    p.x -= 0.15 * p.y;
    uint number = 1827u + uint(time * 10.0);
    float column = floor(clamp(p.x / 1.6 + 2.0, 0.0, 3.999));
    for (int i = 3; i > int(column); --i) number /= 10u;
    float glow = digit(vec2(p.x - (column - 1.5) * 1.6, p.y), number % 10u);
    vec3 panel = vec3(0.05, 0.03, 0.03) + 0.02 * step(0.5, fract(gl_FragCoord.y / 4.0));
    color = vec4(panel + glow * vec3(1.0, 0.22, 0.08), 1.0);
}
