#version 450
// ERROR: E0303 7:5
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_atomic_float : require
layout(binding = 0) buffer B { float x; };
void main() {
    atomicMin(x, 1.0);
}
