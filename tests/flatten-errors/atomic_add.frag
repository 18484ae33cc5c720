// error: E1103 9
// Counting fragments in a buffer.
#version 310 es
precision highp float;
precision highp int;
layout(std430, binding = 0) buffer Counters { uint total; };
out vec4 color;
void main() {
    uint before = atomicAdd(total, 1u);
    color = vec4(float(before & 255u) / 255.0);
}
