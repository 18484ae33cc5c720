#version 450
// ERROR: E0303 6:5
// REFUSED BY: glslangValidator
layout(binding = 0) buffer B { float x; };
void main() {
    atomicAdd(x, 1.0);
}
