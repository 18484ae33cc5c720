#version 450
// ERROR: E0401 6:31
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
void main() { mediump int16_t x = 1s; }
