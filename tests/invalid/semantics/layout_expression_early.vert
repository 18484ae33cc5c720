// ERROR: E0404 5:19
// REFUSED BY: glslangValidator
#version 330
const int FIRST = 2;
layout(location = FIRST + 1) in vec4 place;
void main() { gl_Position = place; }
