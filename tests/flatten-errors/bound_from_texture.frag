// error: E1101 12
// with: --limit flat_iterations=64
// A texture says how often.
#version 300 es
precision highp float;
precision highp int;
uniform sampler2D image;
out vec4 color;
void main() {
    int count = int(8.0 * textureLod(image, vec2(0.5), 0.0).r);
    color = vec4(0.0);
    for (int i = 0; i < count; ++i)
        color.r += 0.1;
}
