#version 450
// ERROR: E0302 6:29
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 1) in;
void main() { float16_t x = 1; }
