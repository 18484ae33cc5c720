#version 300 es
// ERROR: E0505 7:43
// REFUSED BY: ANGLE
precision mediump float;
uniform bool u;
out vec4 color;
void main() { float a[2]; float b[2]; a = u ? a : b; color = vec4(a[0]); }
