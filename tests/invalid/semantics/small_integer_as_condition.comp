#version 450
// ERROR: E0310 6:19
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
void main() { if (1s) {} }
