#version 450
// ERROR: E0508 7:21
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer B { int16_t x; } b;
void main() { b.x = 5s; }
