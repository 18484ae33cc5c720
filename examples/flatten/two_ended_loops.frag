#version 300 es
// A kilim built by loops of every shape.
// Two counters in one loop, steps down and by two, `for (;;)` left by `break`, `continue` in `do`, a bound from a helper's argument.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

int step_pyramid(ivec2 p, int levels) {
    int level = 0;
    for (int low = 0, high = 2 * levels; low < high; ++low, --high) {
        if (p.x < low || p.x > high) break;
        if (p.y < low || p.y > high) break;
        ++level;
    }
    return level;
}

int comb(int x) {
    int teeth = 0;
    for (int i = 0;; i += 2) {
        if (i == 12) break;
        if (x != i && x != i + 1) continue;
        teeth = i >> 1;
    }
    return teeth;
}

int meander(ivec2 p) {
    int inked = 0;
    int ring = 7;
    do {
        ring -= 2;
        int far = max(abs(p.x), abs(p.y));
        if (far != ring) continue;
        if (p.x == ring && p.y == 1 - ring / 2) continue;
        inked = ring;
    } while (ring > 1);
    return inked;
}

int crosses(ivec2 p) {
    int found = 0;
    int y = 3;
    while (y --> 0) {
        for (int x = 4; x >= 0; x -= 2) {
            ivec2 d = abs(p - ivec2(4 * x, 6 * y) - 2);
            if (d.x + d.y > 2) continue;
            found = 1 + x / 2;
            if (d.x == d.y) break;
            found += 3;
        }
        if (found > 3) return found;
    }
    return found;
}

vec3 wool(int n) {
    switch (n & 7) {
        case 0: return vec3(0.60, 0.13, 0.14);
        case 1: return vec3(0.93, 0.87, 0.73);
        case 2: return vec3(0.16, 0.23, 0.36);
        case 3: return vec3(0.86, 0.58, 0.22);
        case 4: return vec3(0.20, 0.42, 0.38);
        case 5: return vec3(0.38, 0.10, 0.20);
        case 6: return vec3(0.70, 0.40, 0.30);
    }
    return vec3(0.12, 0.10, 0.12);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 68.0;
    ivec2 at = ivec2(floor(p));
    int row = at.y / 17;
    ivec2 cell = ivec2(at.x % 17, at.y % 17);
    int n;
    if (row == 0) {
        n = step_pyramid(cell, 8) + row;
    } else if (row == 1) {
        n = meander(cell - 8);
    } else if (row == 2) {
        n = crosses(cell);
    } else {
        n = step_pyramid(cell, 4) + comb(cell.x > 8 ? 16 - cell.x : cell.x + int(time));
    }
    if (cell.y == 16) n = at.x / 2 % 2 * 2 + 1;
    vec3 c = wool(n);
    vec2 knot = fract(p) - 0.5;
    c *= 1.06 - 0.55 * dot(knot, knot);
    color = vec4(c, 1.0);
}
