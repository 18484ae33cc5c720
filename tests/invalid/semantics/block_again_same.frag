#version 300 es
// ERROR: E0304 6:9
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
uniform B { float x; };
uniform B { float y; };
out vec4 color;
void main() { color = vec4(1.0); }
