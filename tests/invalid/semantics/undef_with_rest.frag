#version 300 es
// ERROR: E0104 6:10
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
#define A
#undef A B
out vec4 color;
void main() { color = vec4(1.0); }
