#version 300 es
// ERROR: E0304 6:26
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
out vec4 color;
void main() { int a; int a; color = vec4(1.0); }
