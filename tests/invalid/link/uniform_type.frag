#version 300 es
// ERROR: E1001 5:15
// REFUSED BY: ANGLE
precision mediump float;
uniform float u;
out vec4 color;
void main() { color = vec4(u); }
