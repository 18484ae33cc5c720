#version 300 es
// ERROR: E0404 5:8
// REFUSED BY: ANGLE
precision mediump float;
layout(STD140) uniform B { float x; };
out vec4 color;
void main() { color = vec4(1.0); }
