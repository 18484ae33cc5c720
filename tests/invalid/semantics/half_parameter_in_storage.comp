#version 450
// ERROR: E0508 6:9
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
float f(float16_t x) { return 1.0; }
void main() {}
