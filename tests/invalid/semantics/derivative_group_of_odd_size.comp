#version 450
// ERROR: E0404 6:8
// REFUSED BY: glslangValidator
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 3) in;
layout(derivative_group_quadsNV) in;
void main() {}
