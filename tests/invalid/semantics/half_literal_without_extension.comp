#version 450
// ERROR: E0508 5:25
// REFUSED BY: glslangValidator
layout(local_size_x = 1) in;
void main() { float x = 1.0hf; }
