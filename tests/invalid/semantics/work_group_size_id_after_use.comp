// ERROR: E0404 4:43
#version 450
layout(local_size_x = 4) in;
const uint n = gl_WorkGroupSize.x; layout(local_size_x_id = 1) in;
void main() { }
