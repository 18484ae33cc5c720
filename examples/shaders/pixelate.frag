#version 300 es
// A texture in large pixels that become smaller towards the right, each the mean of its area by a level of detail.
precision highp float;
precision highp int;

uniform sampler2D image;
in vec2 uv;
out vec4 color;

void main() {
    int band = int(uv.x * 4.0);
    float blocks = float(8 << band);
    vec2 place = (floor(uv * blocks) + 0.5) / blocks;
    float size = float(textureSize(image, 0).x);
    float level = max(log2(size / blocks), 0.0);
    vec3 paint = textureLod(image, place + 0.031, level).rgb;
    vec2 f = abs(fract(uv * blocks) - 0.5);
    float bevel = smoothstep(0.36, 0.5, max(f.x, f.y));
    color = vec4(paint * (1.0 - 0.35 * bevel), 1.0);
}
