#version 300 es
// A gauge for a dashboard: a dial with ticks, a coloured arc and a needle.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const float PI = 3.14159265;
const float SWEEP = 4.1887902;   // 240 degrees

float cover(float d) {
    float pixel = 2.0 / resolution.y;
    return clamp(0.5 - d / pixel, 0.0, 1.0);
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / min(resolution.x, resolution.y);
    float value = 0.62 + 0.08 * sin(2.0 * time);
    float r = length(p);
    float angle = mod(atan(-p.x, -p.y + 1e-6), 2.0 * PI);   // zero below, then clockwise
    float t = clamp((angle - (PI - 0.5 * SWEEP)) / SWEEP, -0.1, 1.1);
    vec3 paint = mix(vec3(0.10, 0.11, 0.14), vec3(0.16, 0.17, 0.21), 0.5 + 0.5 * p.y);
    paint = mix(paint, vec3(0.06, 0.07, 0.09), cover(r - 0.92));
    paint = mix(paint, vec3(0.45, 0.47, 0.52), cover(abs(r - 0.92) - 0.02));
    float arc = cover(abs(r - 0.76) - 0.045) * step(0.0, t) * step(t, 1.0);
    vec3 scale = t < 0.7 ? mix(vec3(0.20, 0.75, 0.55), vec3(0.95, 0.80, 0.25), t / 0.7) : vec3(0.92, 0.28, 0.22);
    paint = mix(paint, scale * (t <= value ? 1.0 : 0.30), arc);
    float tick = abs(fract(t * 10.0 + 0.5) - 0.5) / 10.0 * SWEEP * r;
    float inRange = step(-0.02, t) * step(t, 1.02);
    paint = mix(paint, vec3(0.85), cover(tick - 0.008) * cover(abs(r - 0.64) - 0.045) * inRange);
    float turn = PI - 0.5 * SWEEP + value * SWEEP;
    vec2 needle = vec2(-sin(turn), -cos(turn));
    float reach = dot(p, needle);
    float width = abs(p.x * needle.y - p.y * needle.x) - 0.025 * (1.0 - reach / 0.8);
    paint = mix(paint, vec3(0.98, 0.35, 0.25), cover(max(width, max(-reach - 0.12, reach - 0.72))));
    paint = mix(paint, vec3(0.75, 0.77, 0.80) * (0.7 + 0.5 * p.y / 0.1), cover(r - 0.085));
    color = vec4(paint, 1.0);
}
