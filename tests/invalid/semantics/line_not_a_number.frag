#version 300 es
// ERROR: E0111 5:7
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
#line one
out vec4 color;
void main() { color = vec4(1.0); }
