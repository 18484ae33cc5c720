#version 450
// ERROR: E0315 6:23
// REFUSED BY: glslangValidator
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
void main() { switch (1s) { case 1s: break; } }
