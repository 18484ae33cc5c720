#version 300 es
// Pipes from random tiles: arcs, crossings and dead ends.
// `switch` with several labels on one arm, a struct through `inout`, the same name in sibling scopes.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

struct Pipe {
    float distance;
    float along;
};

void closer(inout Pipe pipe, float distance, float along) {
    if (distance < pipe.distance) {
        pipe.distance = distance;
        pipe.along = along;
    }
}

void arc(inout Pipe pipe, vec2 from) {
    float angle = atan(from.y, from.x);
    closer(pipe, abs(length(from) - 0.5), angle * 2.0 / 3.14159);
}

uint roll(ivec2 cell) {
    uint n = uint(cell.x + 64) * 2654435761u + uint(cell.y + 64) * 2246822519u;
    n ^= n >> 15;
    n *= 2246822519u;
    return (n ^ (n >> 13)) >> 4;
}

Pipe tile(ivec2 cell, vec2 f) {
    Pipe pipe = Pipe(9.0, 0.0);
    switch (int(roll(cell) % 6u)) {
        case 0:
        case 1: {
            vec2 corner = f;
            arc(pipe, corner);
            arc(pipe, 1.0 - corner);
            break;
        }
        case 2:
        case 3: {
            vec2 corner = vec2(1.0 - f.x, f.y);
            arc(pipe, corner);
            arc(pipe, 1.0 - corner);
            break;
        }
        case 4:
            closer(pipe, abs(f.x - 0.5), f.y);
            if (abs(f.y - 0.5) < 0.2 || pipe.distance > 0.26) closer(pipe, abs(f.y - 0.5), f.x);
            break;
        default:
            for (int side = 0; side < 4; ++side) {
                vec2 end = vec2(0.5) + 0.5 * vec2(side < 2 ? side * 2 - 1 : 0, side < 2 ? 0 : side * 2 - 5);
                closer(pipe, max(length(f - end) - 0.12, 0.0), length(f - end));
            }
    }
    return pipe;
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 7.0;
    ivec2 cell = ivec2(floor(p));
    Pipe pipe = tile(cell, fract(p));
    vec3 c = vec3(0.93, 0.90, 0.82) - 0.04 * float((cell.x + cell.y) & 1);
    if (pipe.distance < 0.2) {
        float across = pipe.distance / 0.2;
        float rings = 0.5 + 0.5 * sin(6.2832 * (3.0 * pipe.along - time));
        c = mix(vec3(0.10, 0.38, 0.46), vec3(0.95, 0.55, 0.25), smoothstep(0.4, 0.6, rings));
        c *= 0.45 + 0.65 * sqrt(1.0 - across * across);
    } else {
        c *= 0.6 + 0.4 * smoothstep(0.2, 0.34, pipe.distance);
    }
    color = vec4(c, 1.0);
}
