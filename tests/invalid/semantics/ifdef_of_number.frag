#version 300 es
// ERROR: E0110 5:8
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
#ifdef 1
#endif
out vec4 color;
void main() { color = vec4(1.0); }
