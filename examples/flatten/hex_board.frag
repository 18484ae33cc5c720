#version 300 es
// A game board of hexagons: cube coordinates rounded to the nearest cell, terrain and a path over it.
// Nested ifs, an early return in a loop over an array.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const ivec2 PATH[8] = ivec2[8](ivec2(0, 0), ivec2(1, 0), ivec2(1, 1), ivec2(1, 2),
                               ivec2(2, 2), ivec2(3, 1), ivec2(3, 0), ivec2(4, 0));

ivec2 to_cell(vec2 p, out float edge) {
    vec3 cube;
    cube.x = 0.57735 * p.x - p.y / 3.0;
    cube.z = 0.66667 * p.y;
    cube.y = -cube.x - cube.z;
    vec3 near = floor(cube + 0.5);
    vec3 miss = abs(near - cube);
    if (miss.x > miss.y && miss.x > miss.z) {
        near.x = -near.y - near.z;
    } else if (miss.z > miss.y) {
        near.z = -near.x - near.y;
    }
    vec3 d = cube - near;
    if (miss.x <= miss.y || miss.x <= miss.z) {
        d.y = -d.x - d.z;
    }
    vec3 sides = abs(d.xyz - d.zxy);
    edge = 1.0 - max(sides.x, max(sides.y, sides.z));
    return ivec2(near.xz);
}

int on_path(ivec2 cell) {
    for (int i = 0; i < 8; ++i) {
        if (PATH[i] == cell + ivec2(-1, -1)) return i;
    }
    return -1;
}

vec3 terrain(ivec2 cell) {
    int n = cell.x * 7919 ^ cell.y * 104729;
    n = (n ^ (n >> 5)) * 40503 >> 6;
    int kind = n & 7;
    if (kind < 3) {
        if (kind == 0) return vec3(0.20, 0.45, 0.24);
        return vec3(0.42, 0.62, 0.30);
    }
    if (kind < 5) return vec3(0.24, 0.48, 0.66);
    return kind == 5 ? vec3(0.55, 0.50, 0.46) : vec3(0.86, 0.76, 0.50);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 11.0;
    float edge;
    ivec2 cell = to_cell(p, edge);
    vec3 c = terrain(cell);
    int stop = on_path(cell);
    if (stop >= 0) {
        float phase = fract(0.5 * time - 0.11 * float(stop));
        c = mix(c, vec3(1.0, 0.93, 0.75), 0.45 + 0.4 * (1.0 - phase));
        if (edge > 0.62) {
            c = vec3(0.80, 0.18, 0.16);
        }
    }
    c *= 0.35 + 0.65 * smoothstep(0.03, 0.09, edge);
    c *= 0.88 + 0.2 * smoothstep(0.0, 0.5, edge);
    color = vec4(c, 1.0);
}
