#version 300 es
// ERROR: E0401 5:5
// REFUSED BY: ANGLE
precision mediump float;
out layout(location = 0) vec4 color;
void main() { color = vec4(1.0); }
