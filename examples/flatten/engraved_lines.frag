#version 300 es
// A banknote's engraving: lines swell with the shade of three marbles.
// `for` over layers with `break`, a helper with two `inout`s, an early `return`.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

void ball(inout float height, inout vec3 normal, vec2 d, float radius) {
    float rest = radius * radius - dot(d, d);
    if (rest < 0.0) return;
    height = sqrt(rest) / radius;
    normal = vec3(d / radius, height);
}

float darkness(vec2 p, vec3 normal) {
    vec3 light = normalize(vec3(-0.7 + 0.3 * sin(time), 0.7, 0.5));
    float lit = dot(normal, light);
    float dark = 0.95 - 0.9 * max(lit, 0.0) - 0.25 * max(-lit, 0.0);
    if (normal.z > 0.999) dark = p.y < -0.2 ? 0.30 + 0.2 * p.y + 0.4 * exp(-3.0 * abs(p.y + 0.62)) : 0.28 + 0.35 * p.y;
    return clamp(dark, 0.02, 0.98);
}

float engrave(vec2 p, float height, float dark) {
    float ink = 0.0;
    for (int layer = 0; layer < 3; ++layer) {
        float from = 0.30 * float(layer);
        if (dark < from) break;
        float angle = 0.35 + 0.9 * float(layer);
        vec2 across = vec2(-sin(angle), cos(angle));
        float line = abs(fract(dot(p, across) * 34.0 + 2.6 * height) - 0.5);
        float width = 0.46 * clamp((dark - from) / 0.75 + 0.1, 0.0, 1.0);
        ink = max(ink, smoothstep(width + 0.09, width - 0.09, line));
    }
    return ink;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    float height = 0.0;
    vec3 normal = vec3(0.0, 0.0, 1.0);
    ball(height, normal, p - vec2(0.10, 0.12), 0.52);
    ball(height, normal, p - vec2(-0.46, -0.28), 0.32);
    ball(height, normal, p - vec2(0.28, -0.42), 0.24);
    float dark = darkness(p, normal);
    float ink = engrave(p, height, dark);
    float frame = max(abs(p.x), abs(p.y));
    if (frame > 0.93) {
        float wave = sin(30.0 * p.x) * sin(30.0 * p.y);
        ink = smoothstep(-0.1, 0.1, abs(wave) - 0.3) * step(frame, 0.99);
    }
    color = vec4(mix(vec3(0.93, 0.95, 0.86), vec3(0.08, 0.25, 0.20), ink), 1.0);
}
