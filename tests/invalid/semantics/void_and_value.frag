#version 300 es
// ERROR: E0302 8:15
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
void a() { }
uniform bool u;
out vec4 color;
void main() { u ? a() : 1.0; color = vec4(1.0); }
