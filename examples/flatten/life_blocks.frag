#version 300 es
// Conway's life for two generations on a small torus of cells held in a local array; how they differ is coloured.
// Three nested loops, modulo, a loop of rounds.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const int SIDE = 6;
const int CELLS = SIDE * SIDE;

void seed(out int cells[CELLS], int panel) {
    uint state = uint(panel) * 2654435761u + 12345u;
    for (int i = 0; i < CELLS; ++i) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        cells[i] = (state >> 9 & 7u) < 3u ? 1 : 0;
    }
}

int neighbours(int cells[CELLS], int x, int y) {
    int count = 0;
    for (int dy = SIDE - 1; dy <= SIDE + 1; ++dy) {
        for (int dx = SIDE - 1; dx <= SIDE + 1; ++dx) {
            if (dx == SIDE && dy == SIDE) continue;
            count += cells[(y + dy) % SIDE * SIDE + (x + dx) % SIDE];
        }
    }
    return count;
}

void step_life(inout int cells[CELLS]) {
    int next[CELLS];
    for (int y = 0; y < SIDE; ++y) {
        for (int x = 0; x < SIDE; ++x) {
            int count = neighbours(cells, x, y);
            bool alive = count == 3 || (count == 2 && cells[y * SIDE + x] == 1);
            next[y * SIDE + x] = alive ? 1 : 0;
        }
    }
    cells = next;
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 3.0;
    ivec2 panel = ivec2(floor(p));
    vec2 inside = (fract(p) - 0.06) / 0.88;
    color = vec4(0.93, 0.91, 0.86, 1.0);
    int cells[CELLS];
    seed(cells, panel.x + 3 * panel.y + 9 * int(time));
    vec2 q = clamp(inside, 0.0, 0.9999) * float(SIDE);
    int at = int(q.y) * SIDE + int(q.x);
    int history = cells[at];
    for (int generation = 0; generation < 2; ++generation) {
        step_life(cells);
        history = history * 2 + cells[at];
    }
    vec3 c;
    switch (history) {
        case 0: c = vec3(0.86, 0.83, 0.77); break;
        case 1: c = vec3(0.36, 0.66, 0.48); break;
        case 2: c = vec3(0.93, 0.74, 0.36); break;
        case 3: c = vec3(0.16, 0.45, 0.46); break;
        case 4: c = vec3(0.80, 0.74, 0.70); break;
        case 5: c = vec3(0.52, 0.36, 0.56); break;
        case 6: c = vec3(0.85, 0.42, 0.30); break;
        default: c = vec3(0.12, 0.16, 0.24);
    }
    vec2 f = abs(fract(q) - 0.5);
    float tile = max(f.x, f.y);
    if (inside == clamp(inside, 0.0, 1.0)) color.rgb = mix(vec3(0.93, 0.91, 0.86), c, smoothstep(0.47, 0.44, tile));
}
