#version 300 es
// ERROR: E0404 5:20
// REFUSED BY: glslangValidator
precision mediump float;
uniform B { layout(location = 0) float x; };
out vec4 color;
void main() { color = vec4(1.0); }
