#version 300 es
// ERROR: E0401 5:9
// REFUSED BY: ANGLE
precision mediump float;
uniform layout(std140) B { vec4 x; };
out vec4 color;
void main() { color = vec4(1.0); }
