#version 300 es
// ERROR: E0505 8:29
// REFUSED BY: ANGLE
precision mediump float;
struct S { float x[2]; };
uniform bool u;
out vec4 color;
void main() { S a; S b; a = u ? a : b; color = vec4(a.x[0]); }
