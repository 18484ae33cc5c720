#version 450
// ERROR: E0303 6:27
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
void main() { int16_t x = min(int8_t(1), 1s); }
