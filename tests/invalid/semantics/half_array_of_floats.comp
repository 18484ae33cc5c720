#version 450
// ERROR: E0302 6:46
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 1) in;
float16_t[2] f() { return float16_t[](1.0hf, 2.0); }
void main() {}
