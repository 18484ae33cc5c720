// ERROR: E0404 3:22
#version 330
layout(location = 1, location = 2) in vec4 place;
void main() { gl_Position = place; }
