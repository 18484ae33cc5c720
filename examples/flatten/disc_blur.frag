#version 300 es
// Out of focus: twelve taps on a disc from a const array, sharp along a tilted line.
// Loop over an array, `+=` on a struct's members.
precision highp float;

uniform sampler2D image;
uniform vec2 resolution;
out vec4 color;

const vec2 TAPS[12] = vec2[12](vec2(-0.33, -0.41), vec2(-0.84, -0.07), vec2(-0.70, 0.46), vec2(-0.20, 0.62),
                               vec2(0.96, -0.19), vec2(0.47, -0.48), vec2(0.52, 0.77), vec2(0.19, -0.89),
                               vec2(0.51, 0.06), vec2(-0.32, 0.93), vec2(-0.79, -0.60), vec2(0.11, 0.25));

struct Sum {
    vec3 light;
    float weight;
};

float out_of_focus(vec2 p) {
    float d = abs(p.y - 0.35 - 0.3 * p.x);
    return smoothstep(0.05, 0.45, d);
}

void gather(inout Sum sum, vec2 uv, vec2 offset, float radius) {
    vec3 sampled = texture(image, uv + offset * radius).rgb;
    float bright = max(sampled.r, max(sampled.g, sampled.b));
    float weight = 0.2 + bright * bright;
    sum.light += weight * sampled;
    sum.weight += weight;
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    float radius = 0.07 * out_of_focus(uv);
    Sum sum = Sum(vec3(0.0), 0.0);
    gather(sum, uv, vec2(0.0), radius);
    for (int i = 0; i < TAPS.length(); ++i) {
        gather(sum, uv, TAPS[i], radius);
    }
    vec3 c = sum.light / sum.weight;
    color = vec4(c * (1.05 - 0.35 * out_of_focus(uv)), 1.0);
}
