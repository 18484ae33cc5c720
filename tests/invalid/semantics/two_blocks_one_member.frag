#version 300 es
// ERROR: E0304 6:19
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
uniform A { float x; };
uniform B { float x; };
out vec4 color;
void main() { color = vec4(1.0); }
