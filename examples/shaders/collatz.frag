#version 300 es
// How many steps a number needs to come down to one, by Collatz' rule; each pixel block is a number.
precision highp float;
precision highp int;

uniform vec2 resolution;
out vec4 color;

void main() {
    ivec2 cell = ivec2(gl_FragCoord.xy / resolution * 64.0);
    uint n = uint(cell.x + 64 * (63 - cell.y)) + 1u;
    int steps = 0;
    uint highest = n;
    do {
        if (n == 1u) break;
        if ((n & 1u) == 0u) {
            n >>= 1;
            ++steps;
            continue;
        }
        n = 3u * n + 1u;
        highest = max(highest, n);
        ++steps;
    } while (steps < 300);
    float t = clamp(float(steps) / 180.0, 0.0, 1.0);
    float tall = clamp(log2(float(highest)) / 20.0, 0.0, 1.0);
    vec3 paint = mix(vec3(0.08, 0.06, 0.20), vec3(0.95, 0.60, 0.25), sqrt(t));
    paint = mix(paint, vec3(0.20, 0.75, 0.80), 0.55 * (1.0 - tall));
    color = vec4(paint, 1.0);
}
