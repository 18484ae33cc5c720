#version 300 es
// ERROR: E0505 7:15
// REFUSED BY: ANGLE
precision mediump float;
void a() { }
out vec4 color;
void main() { a(), 1.0; color = vec4(1.0); }
