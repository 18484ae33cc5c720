#version 300 es
// ERROR: E0505 5:8
// REFUSED BY: ANGLE
precision mediump float;
layout(packed) uniform;
out vec4 color;
void main() { color = vec4(1.0); }
