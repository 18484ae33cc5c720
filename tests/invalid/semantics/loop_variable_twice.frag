#version 300 es
// ERROR: E0304 6:31
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
out vec4 color;
void main() { for (int i = 0, i = 1; i < 2; i++) { } color = vec4(1.0); }
