#version 300 es
// ERROR: E0407 6:6
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
struct S { float x; };
in S v[2];
out vec4 color;
void main() { color = vec4(1.0); }
