#version 300 es
// ERROR: E1001 5:24
// REFUSED BY: ANGLE
precision mediump float;
layout(std140) uniform B { highp mat4 x; };
out vec4 color;
void main() { color = x[0]; }
