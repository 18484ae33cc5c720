#version 300 es
// ERROR: E0404 5:8
// REFUSED BY: ANGLE
precision mediump float;
layout(Location = 0) out vec4 color;
void main() { color = vec4(1.0); }
