#version 300 es
// ERROR: E0304 6:8
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
float S;
struct S { float x; };
out vec4 color;
void main() { color = vec4(1.0); }
