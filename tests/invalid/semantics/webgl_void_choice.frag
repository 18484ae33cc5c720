#version 300 es
// ERROR: E0505 9:15
// REFUSED BY: ANGLE
precision mediump float;
void a() { }
void b() { }
uniform bool u;
out vec4 color;
void main() { u ? a() : b(); color = vec4(1.0); }
