#version 450
// ERROR: E0404 5:8
// REFUSED BY: glslangValidator
layout(local_size_x = 4) in;
layout(derivative_group_linearNV) in;
void main() {}
