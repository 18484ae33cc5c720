#version 300 es
// Newton's method for z^3 = 1: which root a start falls to, and how fast.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

vec2 times(vec2 a, vec2 b) {
    return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

vec2 over(vec2 a, vec2 b) {
    return vec2(dot(a, b), a.y * b.x - a.x * b.y) / max(dot(b, b), 1e-8);
}

void main() {
    vec2 z = (2.0 * gl_FragCoord.xy - resolution) / resolution.y * 1.3 + vec2(0.013, 0.007);
    float c = cos(0.2 * time), s = sin(0.2 * time);
    z = vec2(c * z.x - s * z.y, s * z.x + c * z.y);
    int steps = 0;
    vec2 change;
    do {
        vec2 square = times(z, z);
        change = over(times(square, z) - vec2(1.0, 0.0), 3.0 * square);
        z -= change;
        ++steps;
    } while (dot(change, change) > 1e-6 && steps < 30);
    vec3 root;
    if (z.x > 0.5) root = vec3(0.93, 0.46, 0.32);
    else if (z.y > 0.0) root = vec3(0.27, 0.60, 0.62);
    else root = vec3(0.93, 0.80, 0.50);
    float shade = exp(-0.11 * float(steps - 3));
    color = vec4(root * clamp(shade, 0.0, 1.15), 1.0);
}
