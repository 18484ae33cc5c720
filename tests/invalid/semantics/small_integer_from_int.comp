#version 450
// ERROR: E0302 6:26
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
void main() { int8_t x = 1; }
