// error: E1101 11
// with: --limit flat_iterations=64
// The bound is a constant, the step is not.
#version 300 es
precision highp float;
precision highp int;
uniform int stride;
out vec4 color;
void main() {
    float sum = 0.0;
    for (int i = 0; i < 16; i += stride)
        sum += 0.1;
    color = vec4(sum);
}
