#version 450
// ERROR: E0508 6:25
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
layout(local_size_x = 1) in;
void main() { float x = int16BitsToFloat16(1s); }
