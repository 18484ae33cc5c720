#version 300 es
// ERROR: E0304 6:7
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
struct f { float x; };
float f() { return 1.0; }
out vec4 color;
void main() { color = vec4(1.0); }
