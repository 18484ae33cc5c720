#version 300 es
// ERROR: E1001 5:20
// REFUSED BY: ANGLE
precision mediump float;
uniform highp uint u;
out vec4 color;
void main() { color = vec4(u); }
