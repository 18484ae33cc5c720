#version 450
// ERROR: E0205 5:15
// REFUSED BY: glslangValidator
layout(local_size_x = 1) in;
void main() { int8_t x = int8_t(1); }
