#version 300 es
// ERROR: E1001 5:17
// REFUSED BY: ANGLE
precision mediump float;
smooth in float v;
out vec4 color;
void main() { color = vec4(v); }
