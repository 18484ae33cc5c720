#version 300 es
// Frosted glass panes: a 5 x 5 blur, its weights products of a const array.
// Nested loops, a bound that is a helper's constant argument.
precision highp float;
precision highp int;

uniform sampler2D image;
uniform vec2 resolution;
out vec4 color;

const float WEIGHTS[5] = float[5](0.0625, 0.25, 0.375, 0.25, 0.0625);

vec3 blurred(vec2 uv, float spread, int taps) {
    vec3 sum = vec3(0.0);
    float total = 0.0;
    int first = (5 - taps) / 2;
    for (int y = 0; y < taps; ++y) {
        for (int x = 0; x < taps; ++x) {
            vec2 offset = vec2(x, y) - 0.5 * float(taps - 1);
            float weight = WEIGHTS[first + x] * WEIGHTS[first + y];
            sum += weight * texture(image, uv + spread * offset).rgb;
            total += weight;
        }
    }
    return sum / total;
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    vec2 pane = fract(uv * 3.0);
    vec2 from_edge = min(pane, 1.0 - pane);
    float lead = min(from_edge.x, from_edge.y);
    vec3 soft = blurred(uv, 0.022, 5);
    vec3 clear = blurred(uv, 0.002, 3);
    ivec2 which = ivec2(uv * 3.0);
    bool frosted = (which.x + which.y) % 2 == 0;
    vec3 c = frosted ? 0.75 * soft + vec3(0.20, 0.23, 0.25) : clear;
    if (lead < 0.02) {
        c = vec3(0.10, 0.10, 0.12);
    } else if (lead < 0.045) {
        c *= 0.5 + 0.5 * smoothstep(0.02, 0.045, lead);
    }
    color = vec4(c, 1.0);
}
