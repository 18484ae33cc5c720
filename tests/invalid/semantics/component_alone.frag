// ERROR: E0404 4:8
// REFUSED BY: glslangValidator
#version 440
layout(component = 1) in float near;
out vec4 color;
void main() { color = vec4(near); }
