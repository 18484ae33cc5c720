#version 300 es
// An old film: faded colours, a vignette, grain and a scratch.
// Helpers three deep, `inout` parameters, an early return.
precision highp float;
precision highp int;

uniform sampler2D image;
uniform vec2 resolution;
uniform float time;
uniform float strength;
out vec4 color;

uint scramble(uint n) {
    n ^= n >> 15;
    n *= 0x2c1b3c6du;
    n ^= n >> 12;
    n *= 0x297a2d39u;
    return n ^ (n >> 15);
}

float noise_at(ivec2 pixel, uint frame) {
    uint seed = scramble(uint(pixel.x) + scramble(uint(pixel.y) + 977u * frame));
    return float(seed >> 8) / 16777216.0;
}

float scratch(float x, uint frame) {
    float where = noise_at(ivec2(3, 7), frame);
    float d = abs(x - where);
    if (d > 0.004) return 0.0;
    return 1.0 - d / 0.004;
}

void fade(inout vec3 c, float amount) {
    float grey = dot(c, vec3(0.30, 0.59, 0.11));
    c = mix(c, vec3(grey), 0.45 * amount);
    c *= vec3(1.08, 0.98, 0.80);
    c += vec3(0.03, 0.02, 0.05) * amount;
}

void darken_corners(inout vec3 c, vec2 centred) {
    float r2 = dot(centred, centred);
    c *= 1.0 / (1.0 + 0.30 * r2 * r2);
}

void main() {
    vec2 uv = gl_FragCoord.xy / resolution;
    uint frame = uint(time * 24.0);
    vec3 c = texture(image, 0.6 * uv + 0.1).rgb;
    fade(c, strength);
    darken_corners(c, 2.6 * uv - 1.3);
    float grain = noise_at(ivec2(gl_FragCoord.xy), frame) + noise_at(ivec2(gl_FragCoord.xy) / 2, frame + 1u) - 1.0;
    c += 0.13 * strength * grain * (1.0 - 0.5 * c);
    c += 0.5 * scratch(uv.x + 0.01 * sin(9.0 * uv.y), frame);
    color = vec4(clamp(c, 0.0, 1.0), 1.0);
}
