#version 300 es
// ERROR: E0104 5:6
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
#line
out vec4 color;
void main() { color = vec4(1.0); }
