#version 300 es
// A maze from hashed cells: every cell opens one wall, so all ways lead out.
// Helpers in conditions, `||` and `&&` over calls, early returns.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

uint coin(ivec2 cell) {
    uint n = uint(cell.x) * 0x8da6b343u + uint(cell.y) * 0xd8163841u;
    n ^= n >> 12;
    n *= 0xcb1ab31fu;
    return n >> 31;
}

bool opens_north(ivec2 cell) {
    return coin(cell) == 0u;
}

bool wall_between(ivec2 a, ivec2 b) {
    if (b.y == a.y + 1) return !opens_north(a);
    if (a.y == b.y + 1) return !opens_north(b);
    if (b.x == a.x + 1) return opens_north(a);
    return opens_north(b);
}

float hedge(vec2 p, out float along) {
    ivec2 cell = ivec2(floor(p));
    vec2 f = fract(p) - 0.5;
    float d = 9.0;
    along = 0.0;
    for (int side = 0; side < 4; ++side) {
        ivec2 way = ivec2(0);
        way[side >> 1] = (side & 1) * 2 - 1;
        if (!wall_between(cell, cell + way)) continue;
        float from_wall = 0.5 - dot(f, vec2(way));
        if (from_wall < d) {
            d = from_wall;
            along = dot(p, vec2(way.yx));
        }
    }
    vec2 corner = 0.5 - abs(f);
    return min(d, max(corner.x, corner.y));
}

bool treasure(ivec2 cell) {
    return opens_north(cell) && !opens_north(cell - ivec2(1, 0)) && opens_north(cell - ivec2(0, 1)) && coin(cell * 7 + 3) == 1u && coin(cell * 5) == 0u;
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 12.0 + 0.3;
    float along;
    float d = hedge(p, along);
    float leaf = sin(23.0 * p.x + 3.0 * sin(17.0 * p.y)) * sin(21.0 * p.y + 2.0 * sin(19.0 * p.x));
    ivec2 cell = ivec2(floor(p));
    vec3 c = vec3(0.86, 0.78, 0.62) + 0.03 * leaf;
    if (d < 0.18 + 0.025 * leaf) {
        float height = 1.0 - d / 0.2;
        c = vec3(0.16, 0.36, 0.14) * (0.7 + 0.5 * height + 0.25 * leaf);
        c += vec3(0.10, 0.08, 0.0) * step(0.93, sin(7.0 * along + 40.0 * d));
    } else {
        c *= 0.55 + 0.45 * smoothstep(0.18, 0.34, d);
        if (treasure(cell)) {
            float coin_at = length(fract(p) - 0.5);
            if (coin_at < 0.15) c = vec3(0.98, 0.80, 0.25) * (1.0 - 0.4 * step(0.11, coin_at) + 0.1 * sin(3.0 * time));
        }
    }
    color = vec4(c, 1.0);
}
