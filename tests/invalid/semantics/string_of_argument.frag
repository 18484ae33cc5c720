// ERROR: E0108 3:17
#version 330
#define NAME(x) #x
out vec4 color;
void main() { color = vec4(1.0); }
