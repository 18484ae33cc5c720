#version 300 es
// ERROR: E0108 5:9
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
#define GL_mine 1
out vec4 color;
void main() { color = vec4(1.0); }
