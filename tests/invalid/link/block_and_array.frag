#version 300 es
// ERROR: E1001 5:9
// REFUSED BY: ANGLE
precision mediump float;
uniform B { highp float x; } b[1];
out vec4 color;
void main() { color = vec4(b[0].x); }
