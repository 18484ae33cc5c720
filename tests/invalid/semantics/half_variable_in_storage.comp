#version 450
// ERROR: E0508 7:25
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer B { float16_t x; } b;
void main() { float16_t y = b.x; }
