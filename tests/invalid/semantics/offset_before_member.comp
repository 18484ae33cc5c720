// ERROR: E0404 7:29
// REFUSED BY: glslangValidator
#version 440
layout(local_size_x = 1) in;
layout(std430) buffer Data {
    layout(offset = 32) vec4 last;
    layout(offset = 0) vec4 first;
};
void main() { last = first; }
