#version 300 es
// ERROR: E0309 6:11
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
float f() { return 1.0; }
float g = f();
out vec4 color;
void main() { color = vec4(1.0); }
