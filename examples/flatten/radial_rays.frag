#version 300 es
// Rays of light through a lattice: steps towards the light add up what is open, until they arrive.
// Loop with two `break`s.
precision highp float;

uniform vec2 resolution;
uniform vec2 mouse;
uniform float time;
out vec4 color;

float lattice(vec2 p) {
    float angle = 0.3 + 0.1 * time;
    mat2 turn = mat2(cos(angle), sin(angle), -sin(angle), cos(angle));
    vec2 q = abs(fract(turn * p * 2.7) - 0.5);
    float bars = min(q.x, q.y);
    float ring = abs(length(p) - 0.95);
    return smoothstep(0.12, 0.16, bars) * smoothstep(0.03, 0.06, ring);
}

float brightness(vec2 p, vec2 light) {
    float d = length(p - light);
    return lattice(p) * (0.25 + 1.5 * exp(-3.0 * d));
}

float shafts(vec2 from, vec2 light) {
    vec2 way = light - from;
    vec2 stride = way / 20.0;
    vec2 at = from;
    float weight = 1.0;
    float sum = 0.0;
    for (int i = 0; i < 20; ++i) {
        at += stride;
        sum += weight * brightness(at, light);
        weight *= 0.90;
        if (weight < 0.15) break;
        if (length(at - light) < 0.02) break;
    }
    return sum / 9.0;
}

void main() {
    vec2 p = (2.0 * gl_FragCoord.xy - resolution) / resolution.y;
    vec2 light = vec2(0.25, 0.2) + 0.5 * mouse / resolution;
    float rays = shafts(p, light);
    float here = brightness(p, light);
    vec3 c = here * vec3(0.12, 0.20, 0.40);
    c += rays * rays * vec3(2.6, 1.7, 0.8);
    c += 0.25 * exp(-9.0 * length(p - light)) * vec3(1.0, 0.9, 0.8);
    color = vec4(c / (0.7 + c), 1.0);
}
