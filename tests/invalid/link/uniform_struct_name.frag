#version 300 es
// ERROR: E1001 6:11
// REFUSED BY: ANGLE
precision mediump float;
struct T { highp float a; };
uniform T u;
out vec4 color;
void main() { color = vec4(u.a); }
