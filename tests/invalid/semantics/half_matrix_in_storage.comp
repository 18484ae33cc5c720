#version 450
// ERROR: E0205 6:40
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer B { f16mat2 m; } b;
void main() {}
