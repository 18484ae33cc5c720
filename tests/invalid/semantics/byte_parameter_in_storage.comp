#version 450
// ERROR: E0508 6:7
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
int f(int8_t x) { return 1; }
void main() {}
