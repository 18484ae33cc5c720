#version 300 es
// A herringbone floor: the board under a pixel by the distance to the diagonal of its stair.
// Integer arithmetic, `switch` on the quarter, early returns.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

struct Board {
    ivec2 id;
    vec2 at;
    bool upright;
};

Board board(vec2 p) {
    ivec2 cell = ivec2(floor(p));
    vec2 f = fract(p);
    int lane = (cell.x - cell.y) & 3;
    switch (lane) {
        case 0:
            return Board(cell, vec2(f.x, f.y), false);
        case 1:
            return Board(cell - ivec2(1, 0), vec2(f.x + 1.0, f.y), false);
        case 2:
            return Board(cell - ivec2(0, 1), vec2(f.y + 1.0, f.x), true);
        default:
            break;
    }
    return Board(cell, vec2(f.y, f.x), true);
}

float random(ivec2 id) {
    uint n = uint(id.x) * 2246822519u + uint(id.y) * 3266489917u;
    n = (n ^ (n >> 15)) * 668265263u;
    return float((n ^ (n >> 13)) & 4095u) / 4095.0;
}

float grain(vec2 p, float seed) {
    float along = p.x * 2.0 + 11.0 * seed;
    float across = p.y * 15.0 + 1.2 * sin(along) + 0.5 * sin(2.7 * along + p.y * 4.0);
    float ring = abs(fract(across * 0.5 + seed) - 0.5) * 2.0;
    return 0.7 * ring + 0.3 * abs(sin(90.0 * p.y + 3.0 * along));
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y;
    p = 6.0 * vec2(p.x + p.y, p.y - p.x);
    Board b = board(p);
    float seed = random(b.id);
    float g = grain(b.at, seed);
    vec3 light = mix(vec3(0.72, 0.50, 0.28), vec3(0.56, 0.34, 0.17), seed);
    vec3 c = light * (0.72 + 0.28 * g);
    c *= b.upright ? 0.86 : 1.02;
    vec2 edge = min(b.at, vec2(2.0, 1.0) - b.at);
    float gap = min(edge.x, edge.y);
    c *= 0.30 + 0.70 * smoothstep(0.01, 0.05, gap);
    c += 0.05 * smoothstep(0.05, 0.07, gap) * smoothstep(0.12, 0.07, gap);
    color = vec4(c, 1.0);
}
