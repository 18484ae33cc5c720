#version 300 es
// A departure board: each cell's digit by a `switch` on its value, one arm for several, falling through.
// Integer digits by division, nested `if`s.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

int segments(int digit) {
    int lit = 0;
    switch (digit) {
        case 8:
            lit |= 0x10;
        case 9:
            lit |= 0x20;
        case 3:
            lit |= 0x4f;
            break;
        case 0:
            lit = 0x3f;
            break;
        case 1:
            return 0x06;
        case 2:
            return 0x5b;
        case 4:
            return 0x66;
        case 6:
            lit = 0x10;
        case 5:
            lit += 0x6d;
            break;
        case 7:
            return 0x07;
        default:
            lit = 0x40;
    }
    return lit;
}

float stroke(vec2 p, vec2 a, vec2 b) {
    vec2 d = b - a;
    float h = clamp(dot(p - a, d) / dot(d, d), 0.06, 0.94);
    return length(p - a - h * d);
}

float digit(vec2 p, int lit) {
    vec2 ends[8] = vec2[8](vec2(-1, 2), vec2(1, 2), vec2(1, 0), vec2(1, -2), vec2(-1, -2), vec2(-1, 0), vec2(-1, 2), vec2(1, 0));
    float d = 9.0;
    for (int i = 0; i < 7; ++i) {
        if ((lit >> i & 1) == 0) continue;
        vec2 from = i == 6 ? ends[5] : ends[i];
        d = min(d, stroke(p, from, ends[i + 1]));
    }
    return d;
}

int number_in(int row, int column) {
    int value = 1000 + row * 7919 % 8999 + int(time) * (row + 1);
    if (column < 3) {
        int left = 3 - column;
        int round = 3;
        while (round-- > 0) {
            value /= 10;
            if (--left == 0) break;
        }
    }
    return row == 2 && column == 1 ? -1 : value % 10;
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution * vec2(4.0, 3.0);
    int column = int(p.x);
    int row = 2 - int(p.y);
    vec2 f = 2.0 * fract(p) - 1.0;
    vec3 c = vec3(0.05, 0.055, 0.06);
    if (max(abs(f.x), abs(f.y)) < 0.93) {
        c = vec3(0.10, 0.105, 0.11) * (1.1 + 0.25 * f.y);
        if (abs(f.y) < 0.012) {
            c *= 0.3;
        } else {
            float d = digit(f * vec2(1.9, 3.1), segments(number_in(row, column)));
            vec3 ink = row == 0 ? vec3(1.0, 0.83, 0.30) : vec3(0.95, 0.94, 0.88);
            c = mix(c, ink * (f.y > 0.0 ? 1.0 : 0.88), smoothstep(0.34, 0.28, d));
        }
    }
    color = vec4(c, 1.0);
}
