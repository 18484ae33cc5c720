#version 300 es
// ERROR: E0412 5:24
// REFUSED BY: ANGLE
precision mediump float;
uniform B { float x; } webgl_b;
out vec4 color;
void main() { color = vec4(1.0); }
