// ERROR: E0404 3:8
#version 310 es
layout(local_size_x = 0) in;
void main() { }
