// ERROR: E0301 3:10
#version 310 es
uint n = gl_WorkGroupSize.x;
layout(local_size_x = 4) in;
void main() { }
