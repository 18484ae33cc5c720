#version 300 es
// ERROR: E1001 6:11
// REFUSED BY: ANGLE
precision mediump float;
struct S { highp float b; };
uniform S u;
out vec4 color;
void main() { color = vec4(u.b); }
