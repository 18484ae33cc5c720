#version 450
// ERROR: E0311 6:5
// REFUSED BY: glslangValidator
layout(binding = 0, r32f) uniform image2D i;
void main() {
    imageAtomicCompSwap(i, ivec2(0), 1.0, 2.0);
}
