#version 300 es
// ERROR: E1001 6:1
// REFUSED BY: ANGLE
precision mediump float;
out vec4 color;
void main() { color = vec4(1.0); }
