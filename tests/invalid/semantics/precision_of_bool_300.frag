#version 300 es
// ERROR: E0401 5:20
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
uniform highp bool u;
out vec4 color;
void main() { color = vec4(1.0); }
