#version 300 es
// Two buttons of a user interface: rounded boxes with a border, a shadow and a gloss; the second one is pressed.
precision highp float;

uniform vec2 resolution;
out vec4 color;

struct Button {
    vec2 center;
    vec2 half_size;
    float corner;
    vec3 face;
    bool pressed;
};

float rounded(vec2 p, vec2 half_size, float corner) {
    vec2 q = abs(p) - half_size + corner;
    return length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - corner;
}

void draw(inout vec3 paint, Button b, vec2 p) {
    float pixel = 2.0 / resolution.y;
    vec2 at = p - b.center + (b.pressed ? vec2(0.0, 0.03) : vec2(0.0));
    float shadow = rounded(p - b.center + vec2(0.0, b.pressed ? 0.03 : 0.07), b.half_size, b.corner);
    paint *= 1.0 - 0.45 * smoothstep(0.12, -0.04, shadow);
    float d = rounded(at, b.half_size, b.corner);
    float slope = at.y / b.half_size.y * (b.pressed ? -1.0 : 1.0);
    vec3 face = b.face * (1.0 + 0.16 * slope);
    float rim = smoothstep(-0.035, -0.03, d);
    face = mix(face, b.face * 0.62, rim);
    float gloss = smoothstep(pixel, -pixel, rounded(at - vec2(0.0, 0.45 * b.half_size.y), b.half_size * vec2(0.92, 0.38), b.corner * 0.5));
    face += (b.pressed ? 0.04 : 0.14) * gloss;
    paint = mix(paint, face, clamp(0.5 - d / pixel, 0.0, 1.0));
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec3 paint = mix(vec3(0.80, 0.83, 0.88), vec3(0.92, 0.94, 0.97), gl_FragCoord.y / resolution.y);
    draw(paint, Button(vec2(0.0, 0.38), vec2(0.72, 0.24), 0.12, vec3(0.22, 0.52, 0.90), false), p);
    draw(paint, Button(vec2(0.0, -0.38), vec2(0.72, 0.24), 0.24, vec3(0.25, 0.68, 0.42), true), p);
    color = vec4(paint, 1.0);
}
