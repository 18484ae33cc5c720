#version 300 es
// City lights in the rain: what is brighter than a threshold spreads to its neighbours.
// Nested loops with `continue`, a helper called in a condition.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float random(vec2 cell) {
    return fract(sin(dot(cell, vec2(12.9898, 78.233))) * 43758.547);
}

vec3 street(vec2 p) {
    vec2 cell = floor(p);
    vec2 q = fract(p) - 0.5;
    float lit = random(cell);
    vec3 wall = vec3(0.05, 0.06, 0.10) * (0.6 + 0.4 * random(cell + 31.0));
    if (max(abs(q.x) * 1.6, abs(q.y)) > 0.36) return wall;
    if (lit < 0.62) return wall * 0.5;
    vec3 warm = mix(vec3(1.4, 0.75, 0.25), vec3(0.5, 1.0, 1.5), step(0.9, lit));
    return warm * (0.7 + 0.4 * sin(time + 40.0 * lit));
}

float above(vec3 c, float threshold) {
    return max(max(c.r, max(c.g, c.b)) - threshold, 0.0);
}

void main() {
    vec2 p = (gl_FragCoord.xy - 0.5 * resolution) / resolution.y * 9.0;
    p.y += 0.4;
    vec3 glow = vec3(0.0);
    for (int y = -2; y <= 2; ++y) {
        for (int x = -2; x <= 2; ++x) {
            vec2 offset = vec2(x, y);
            if (dot(offset, offset) > 5.0) continue;
            vec3 c = street(p + 0.22 * offset);
            if (above(c, 0.55) == 0.0) continue;
            glow += c * above(c, 0.55) * exp(-0.3 * dot(offset, offset));
        }
    }
    vec3 c = street(p) + 0.14 * glow;
    c += vec3(0.02, 0.025, 0.05) * (1.0 - gl_FragCoord.y / resolution.y);
    color = vec4(1.0 - exp(-1.6 * c), 1.0);
}
