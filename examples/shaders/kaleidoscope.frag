#version 100
// A kaleidoscope with twelve mirrors over coloured glass.
precision highp float;

uniform vec2 resolution;
uniform float time;

const float PI = 3.14159265;

float shard(vec2 p, vec2 at, float size) {
    vec2 d = abs(p - at);
    return smoothstep(size, size - 0.03, d.x + 0.6 * d.y);
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / min(resolution.x, resolution.y);
    float angle = atan(p.y, p.x + 1e-5) + 0.1 * time;
    float radius = length(p);
    float wedge = PI / 6.0;
    angle = abs(mod(angle, 2.0 * wedge) - wedge);
    vec2 q = radius * vec2(cos(angle), sin(angle));
    float t = 0.3 * time;
    vec3 light = vec3(0.06, 0.04, 0.10) + 0.10 * radius;
    light += shard(q, vec2(0.35 + 0.08 * sin(t), 0.10), 0.17) * vec3(0.85, 0.20, 0.25);
    light += shard(q, vec2(0.62, 0.22 + 0.05 * cos(t)), 0.20) * vec3(0.15, 0.45, 0.85);
    light += shard(q, vec2(0.80, 0.02), 0.14) * vec3(0.95, 0.75, 0.20);
    light += shard(q.yx, vec2(0.30, 0.85), 0.22) * vec3(0.20, 0.70, 0.40);
    light += shard(q, vec2(0.12, 0.04), 0.09) * vec3(0.9, 0.5, 0.9);
    light *= smoothstep(1.0, 0.97, radius);
    light += 0.05 * smoothstep(0.015, 0.0, abs(angle - wedge)) * step(radius, 1.0);
    gl_FragColor = vec4(light, 1.0);
}
