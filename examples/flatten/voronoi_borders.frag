#version 300 es
// Dry earth: exact distances to the borders of cells, in two passes: the nearest point, then the bisectors around it.
// Nested loops, `out`, `continue`.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

vec2 seed(ivec2 cell) {
    int n = cell.x * 1087 + cell.y * 2749 + 177573;
    n = (n << 7) ^ n * 5701;
    int m = n * (n * 331 + 12289) + 40503;
    return vec2(float((m >> 4) & 0x3ff), float((m >> 15) & 0x3ff)) / 1023.0;
}

void nearest(vec2 f, ivec2 cell, out ivec2 to_cell, out vec2 to_point) {
    float best = 9.0;
    to_cell = ivec2(0);
    to_point = vec2(0.0);
    for (int i = 0; i < 9; ++i) {
        ivec2 step = ivec2(i % 3 - 1, i / 3 - 1);
        vec2 way = vec2(step) + seed(cell + step) - f;
        float d = dot(way, way);
        if (d >= best) continue;
        best = d;
        to_cell = step;
        to_point = way;
    }
}

float border(vec2 p, out ivec2 owner) {
    ivec2 cell = ivec2(floor(p));
    vec2 f = fract(p);
    ivec2 centre;
    vec2 to_point;
    nearest(f, cell, centre, to_point);
    owner = cell + centre;
    float least = 9.0;
    for (int y = -2; y <= 2; ++y) {
        for (int x = -2; x <= 2; ++x) {
            if (x == 0 && y == 0) continue;
            ivec2 step = centre + ivec2(x, y);
            vec2 way = vec2(step) + seed(cell + step) - f;
            vec2 between = way - to_point;
            float l = dot(between, between);
            if (l < 1e-5) continue;
            least = min(least, dot(0.5 * (way + to_point), between * inversesqrt(l)));
        }
    }
    return least;
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 5.0;
    p += 0.05 * sin(11.0 * p.yx) + 0.03 * sin(29.0 * p.yx);
    ivec2 owner, small;
    float wide = border(p, owner);
    float fine = border(3.1 * p + 4.0, small);
    float tone = seed(owner + 7).x;
    vec3 c = mix(vec3(0.66, 0.46, 0.28), vec3(0.80, 0.62, 0.42), tone);
    c *= 0.90 + 0.10 * smoothstep(0.0, 0.05, fine) + 0.06 * seed(small).y;
    c *= 0.75 + 0.25 * smoothstep(0.0, 0.30, wide);
    c = mix(vec3(0.10, 0.06, 0.04), c, smoothstep(0.015, 0.06, wide));
    color = vec4(c, 1.0);
}
