// ERROR: E0408 5:35
// REFUSED BY: glslangValidator
#version 150
float above() { return gl_FragCoord.y; }
layout(origin_upper_left) in vec4 gl_FragCoord;
out vec4 color;
void main() { color = vec4(above()); }
