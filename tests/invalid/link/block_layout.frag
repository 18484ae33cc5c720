#version 300 es
// ERROR: E1001 5:24
// REFUSED BY: ANGLE
precision mediump float;
layout(shared) uniform B { highp float x; };
out vec4 color;
void main() { color = vec4(x); }
