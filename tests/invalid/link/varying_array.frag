#version 300 es
// ERROR: E1001 5:10
// REFUSED BY: ANGLE
precision mediump float;
in float v[3];
out vec4 color;
void main() { color = vec4(v[0]); }
