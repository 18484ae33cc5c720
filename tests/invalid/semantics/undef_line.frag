#version 300 es
// ERROR: E0108 5:8
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
#undef __LINE__
out vec4 color;
void main() { color = vec4(1.0); }
