#version 300 es
// ERROR: E0110 7:1
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
#if 1
#else
#elif 1
#endif
out vec4 color;
void main() { color = vec4(1.0); }
