#version 300 es
// ERROR: E0404 5:20
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
uniform B { layout(std140) float x; };
out vec4 color;
void main() { color = vec4(1.0); }
