#version 300 es
// ERROR: E0401 5:9
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
mediump out vec4 color;
void main() { color = vec4(1.0); }
