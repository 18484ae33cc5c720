#version 300 es
// ERROR: E0304 6:24
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
float b;
uniform B { float x; } b;
out vec4 color;
void main() { color = vec4(1.0); }
