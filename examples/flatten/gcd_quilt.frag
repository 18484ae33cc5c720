#version 300 es
// Greatest divisor divisors as a quilt: Euclid's algorithm for a fixed number of rounds, each division guarded by an `if`.
// Integer `%` and `/`, `out`.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

int euclid(int a, int b, out int rounds) {
    rounds = 0;
    for (int i = 0; i < 9; ++i) {
        if (b != 0) {
            int rest = a % b;
            a = b;
            b = rest;
            rounds = i + 1;
        }
    }
    return a;
}

int quotient(int a, int b) {
    if (b == 0) return 0;
    return a / b;
}

bool divides(int a, int b) {
    return a != 0 && b % a == 0;
}

vec3 cloth(int number) {
    if (number == 0) return vec3(0.12, 0.12, 0.16);
    if (number == 1) return vec3(0.94, 0.91, 0.84);
    float h = float(number);
    vec3 c = 0.58 + 0.38 * cos(0.9 * h + vec3(0.3, 2.5, 4.4));
    return c / (1.0 + 0.015 * h);
}

void main() {
    vec2 p = gl_FragCoord.xy / resolution.y * 24.0;
    ivec2 at = ivec2(floor(p)) + int(2.0 * time) + 1;
    vec2 f = abs(fract(p) - 0.5);
    int rounds;
    int divisor = euclid(at.x, at.y, rounds);
    vec3 c = cloth(divisor);
    if (divisor == 1) {
        c -= 0.055 * float(rounds) * vec3(0.6, 0.8, 1.0);
    } else {
        int steps = quotient(at.x, divisor) + quotient(at.y, divisor);
        c *= 0.86 + 0.05 * float(steps % 5);
    }
    bool cross_stitch = divides(6, at.x) || divides(6, at.y);
    if (cross_stitch && abs(f.x - f.y) < 0.09) {
        c *= 0.82;
    }
    c *= smoothstep(0.5, 0.44, max(f.x, f.y)) * 0.25 + 0.75;
    color = vec4(c, 1.0);
}
