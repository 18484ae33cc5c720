#version 300 es
// Green letters fall: glyphs of 5 x 7 bits in two ints a letter, smoothed by the distance to lit bits.
// Shifts, loops over bits, `continue`, early return.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const ivec2 GLYPHS[12] = ivec2[12](
    ivec2(0x7462e, 0x4631f), ivec2(0x0fa1f, 0x0843e), ivec2(0x7c5f1, 0x4621f), ivec2(0x1151f, 0x42108),
    ivec2(0x29fca, 0x0157e), ivec2(0x3a10e, 0x7462e), ivec2(0x46aa1, 0x44531), ivec2(0x0421f, 0x7c210),
    ivec2(0x7fe31, 0x462b5), ivec2(0x11084, 0x2109f), ivec2(0x6318c, 0x0e631), ivec2(0x3f8c6, 0x319ff));

bool bit_at(int glyph, ivec2 at) {
    if (at.x < 0 || at.x > 4 || at.y < 0 || at.y > 6) return false;
    int index = at.y * 5 + at.x;
    int word = index < 20 ? GLYPHS[glyph].x : GLYPHS[glyph].y;
    if (index >= 20) index -= 20;
    return (word >> index & 1) != 0;
}

float letter(vec2 p, int glyph) {
    ivec2 at = ivec2(floor(p));
    float nearest = 2.0;
    for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
            ivec2 cell = at + ivec2(x, y);
            if (!bit_at(glyph, cell)) continue;
            nearest = min(nearest, length(max(abs(p - vec2(cell) - 0.5) - 0.35, 0.0)));
        }
    }
    return nearest;
}

int scatter(int a, int b) {
    int n = a * 374761 + b * 668265 + 12345;
    n ^= n << 11;
    n ^= (n >> 9) & 0x7fffff;
    n *= 40503;
    return (n >> 8) & 0xffff;
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * vec2(18.0, 14.0);
    ivec2 cell = ivec2(floor(p));
    vec2 f = fract(p) * vec2(7.0, 9.0) - 1.0;
    float speed = 3.0 + float(scatter(cell.x, 3) & 3);
    float head = mod(float(scatter(cell.x, 1)) / 900.0 - speed * time, 22.0) - 2.0;
    float behind = float(cell.y) - head;
    float fade = behind < 0.0 ? 0.0 : exp(-0.22 * behind);
    vec3 c = vec3(0.005, 0.03, 0.015);
    if (fade > 0.02) {
        int turn = behind < 1.0 ? int(8.0 * time) : 0;
        float d = letter(f, scatter(cell.x + turn, cell.y) % 12);
        float ink = smoothstep(0.35, 0.15, d) + 0.25 * exp(-2.0 * d);
        vec3 glow = behind < 1.0 ? vec3(0.80, 1.0, 0.85) : vec3(0.12, 0.85, 0.30);
        c += fade * ink * glow;
    }
    c *= 0.88 + 0.12 * sin(3.14159 * gl_FragCoord.y * 0.5);
    color = vec4(c, 1.0);
}
