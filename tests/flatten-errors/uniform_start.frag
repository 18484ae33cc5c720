// error: E1101 11
// with: --limit flat_iterations=64
// The bound is a constant, the first value is not.
#version 300 es
precision highp float;
precision highp int;
uniform int first;
out vec4 color;
void main() {
    float sum = 0.0;
    for (int i = first; i < 16; ++i)
        sum += 0.1;
    color = vec4(sum);
}
