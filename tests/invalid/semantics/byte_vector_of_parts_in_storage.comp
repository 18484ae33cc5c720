#version 450
// ERROR: E0508 7:28
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer B { int8_t x; u8vec4 v; } b;
void main() { b.v = u8vec4(1, 2, 3, 4); }
