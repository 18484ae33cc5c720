// error: E1101 11
// with: --limit flat_iterations=64
// A loop over an array whose length only the host knows.
#version 310 es
precision highp float;
precision highp int;
layout(std430, binding = 0) readonly buffer Weights { float weights[]; };
out vec4 color;
void main() {
    float sum = 0.0;
    for (int i = 0; i < weights.length(); ++i)
        sum += weights[i];
    color = vec4(sum);
}
