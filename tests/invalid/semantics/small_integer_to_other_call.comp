#version 450
// ERROR: E0303 7:15
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
int8_t f(int8_t x) { return x; }
void main() { f(1s); }
