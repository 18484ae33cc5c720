#version 450
// ERROR: E0508 5:23
// REFUSED BY: glslangValidator
layout(local_size_x = 1) in;
void main() { int x = 1s; }
