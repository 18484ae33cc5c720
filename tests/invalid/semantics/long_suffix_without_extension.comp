#version 450
// ERROR: E0508 5:53
// REFUSED BY: glslangValidator
layout(local_size_x = 1) in;
void main() { double x = 1.0lf; bool y = x > double(5l); }
