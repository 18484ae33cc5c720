// error: E1103 9
// An atomic counter steps.
#version 310 es
precision highp float;
precision highp int;
layout(binding = 0, offset = 0) uniform atomic_uint fragments;
out vec4 color;
void main() {
    uint n = atomicCounterIncrement(fragments);
    color = vec4(float(n & 255u) / 255.0);
}
