#version 300 es
// Ordered dither: a Bayer matrix computed from the bits of the pixel's place, to four shades of an old handheld.
precision highp float;
precision highp int;

uniform vec2 resolution;
uniform float time;
out vec4 color;

const vec3 SHADES[4] = vec3[4](
    vec3(0.06, 0.22, 0.06), vec3(0.19, 0.38, 0.19), vec3(0.55, 0.67, 0.06), vec3(0.74, 0.83, 0.25));

float bayer(ivec2 at) {
    int value = 0;
    for (int bit = 0; bit < 3; ++bit) {
        int x = at.x >> bit & 1;
        int y = at.y >> bit & 1;
        value |= ((x ^ y) << 1 | y) << (2 * (2 - bit));
    }
    return (float(value) + 0.5) / 64.0;
}

void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy) / 2;
    vec2 p = (4.0 * vec2(pixel) - resolution) / resolution.y;
    vec3 normal = vec3(p / 0.8, 0.0);
    float rest = 1.0 - dot(normal, normal);
    float light = 0.30 + 0.25 * p.y;
    if (rest > 0.0) {
        normal.z = sqrt(rest);
        light = max(dot(normal, normalize(vec3(cos(time), 0.8, 0.9))), 0.04);
    }
    float level = light * 3.0;
    int shade = int(floor(level)) + (fract(level) > bayer(pixel & 7) ? 1 : 0);
    color = vec4(SHADES[clamp(shade, 0, 3)], 1.0);
}
