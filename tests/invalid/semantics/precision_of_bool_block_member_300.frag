#version 300 es
// ERROR: E0401 5:24
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
uniform B { highp bool b; };
out vec4 color;
void main() { color = vec4(1.0); }
