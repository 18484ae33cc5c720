#version 450
// ERROR: E0205 6:15
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
layout(local_size_x = 1) in;
void main() { int16_t x; }
