#version 300 es
// ERROR: E0111 5:1
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
#if
#endif
out vec4 color;
void main() { color = vec4(1.0); }
