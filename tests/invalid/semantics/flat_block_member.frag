#version 300 es
// ERROR: E0401 5:13
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
uniform B { flat int x; };
out vec4 color;
void main() { color = vec4(1.0); }
