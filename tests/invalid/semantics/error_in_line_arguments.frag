#version 300 es
// ERROR: E0111 5:10
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
#line 1 +
out vec4 color;
void main() { color = vec4(1.0); }
