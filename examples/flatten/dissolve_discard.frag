#version 300 es
// A shield that dissolves: noise under the threshold is discarded, just above it glows.
// Several `discard`s, also in a helper and behind a loop.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
uniform float progress;
out vec4 color;

float cell(ivec2 at) {
    uint n = uint(at.x) * 15485863u ^ uint(at.y) * 32452843u;
    n = (n ^ (n >> 9)) * 49979687u;
    return float((n >> 11) & 0xfffffu) / 1048575.0;
}

float noise(vec2 p) {
    ivec2 i = ivec2(floor(p));
    vec2 f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    float low = mix(cell(i), cell(i + ivec2(1, 0)), f.x);
    float high = mix(cell(i + ivec2(0, 1)), cell(i + ivec2(1, 1)), f.x);
    return mix(low, high, f.y);
}

float cut(vec2 p) {
    float sum = 0.0, size = 0.5, total = 0.0;
    for (int i = 0; i < 4; ++i) {
        sum += size * noise(p);
        total += size;
        size *= 0.55;
        p *= 2.2;
    }
    return sum / total;
}

void clip_outside(vec2 p) {
    float top = p.y - 0.85;
    float side = abs(p.x) - 0.75;
    float point = length(vec2(abs(p.x) + 0.55, max(-p.y, 0.0) * 1.1)) - 1.30;
    if (max(top, max(side, point)) > 0.0) discard;
}

vec3 emblem(vec2 p) {
    vec3 c = p.x * p.y > 0.0 ? vec3(0.70, 0.12, 0.14) : vec3(0.15, 0.22, 0.45);
    float cross_shape = min(abs(p.x), abs(p.y));
    if (cross_shape < 0.11) c = vec3(0.92, 0.78, 0.38);
    if (length(p) < 0.28) c = vec3(0.95, 0.90, 0.78) - 0.2 * step(0.2, length(p));
    return c * (0.85 + 0.3 * p.y);
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    clip_outside(p);
    float threshold = progress * (0.72 + 0.15 * sin(time)) + 0.22 * p.x;
    float n = cut(3.0 * p + 7.0);
    if (n < threshold) {
        discard;
    }
    vec3 c = emblem(p);
    float edge = n - threshold;
    if (edge < 0.08) {
        float heat = 1.0 - edge / 0.08;
        c = mix(c * 0.4, vec3(1.0, 0.45, 0.10), heat);
        c += vec3(0.6, 0.5, 0.2) * heat * heat;
    }
    color = vec4(c, 1.0);
}
