#version 300 es
// ERROR: E0111 5:5
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
#if UNKNOWN
#endif
out vec4 color;
void main() { color = vec4(1.0); }
