#version 300 es
// ERROR: E0111 5:7
// REFUSED BY: ANGLE
precision mediump float;
#if 1 << 40
#endif
out vec4 color;
void main() { color = vec4(1.0); }
