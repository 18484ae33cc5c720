// ERROR: E0408 5:9
// REFUSED BY: glslangValidator
#version 150
layout(origin_upper_left) in vec4 gl_FragCoord;
in vec4 gl_FragCoord;
out vec4 color;
void main() { color = gl_FragCoord; }
