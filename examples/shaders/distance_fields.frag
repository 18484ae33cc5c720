#version 300 es
// Signed distances of four shapes, with their lines of equal distance.
precision highp float;

uniform vec2 resolution;
uniform float time;
out vec4 color;

float disc(vec2 p, float r) {
    return length(p) - r;
}

float box(vec2 p, vec2 half_size, float corner) {
    vec2 d = abs(p) - half_size + corner;
    return length(max(d, 0.0)) + min(max(d.x, d.y), 0.0) - corner;
}

float segment(vec2 p, vec2 a, vec2 b) {
    vec2 along = b - a;
    float t = clamp(dot(p - a, along) / dot(along, along), 0.0, 1.0);
    return distance(p, a + t * along);
}

float triangle(vec2 p, float r) {
    const float k = 1.7320508;
    p.x = abs(p.x) - r;
    p.y += r / k;
    if (p.x + k * p.y > 0.0) p = vec2(p.x - k * p.y, -k * p.x - p.y) * 0.5;
    p.x -= clamp(p.x, -2.0 * r, 0.0);
    return -length(p) * sign(p.y);
}

float smooth_min(float a, float b, float k) {
    float h = clamp(0.5 + 0.5 * (b - a) / k, 0.0, 1.0);
    return mix(b, a, h) - k * h * (1.0 - h);
}

float scene(vec2 p) {
    float d = disc(p - vec2(-0.75, 0.35), 0.3);
    d = smooth_min(d, box(p - vec2(-0.25 + 0.1 * sin(time), 0.3), vec2(0.35, 0.15), 0.05), 0.15);
    d = min(d, triangle(p - vec2(0.65, 0.3), 0.32));
    d = min(d, segment(p, vec2(-0.7, -0.5), vec2(0.1, -0.3)) - 0.08);
    d = min(d, abs(disc(p - vec2(0.6, -0.45), 0.25)) - 0.06);
    return d;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / min(resolution.x, resolution.y);
    float d = scene(p);
    vec3 paint = d < 0.0 ? vec3(0.95, 0.70, 0.35) : vec3(0.40, 0.62, 0.82);
    paint *= 1.0 - 0.8 * exp(-5.0 * abs(d));
    paint *= 0.85 + 0.15 * cos(90.0 * d);
    float pixel = 2.0 / resolution.y;
    color = vec4(mix(vec3(1.0), paint, smoothstep(0.004, 0.004 + 2.0 * pixel, abs(d))), 1.0);
}
