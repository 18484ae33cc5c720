#version 300 es
// ERROR: E0202 6:11
// ERROR: E0202 6:29
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
struct S { uniform float x; };
out vec4 color;
void main() { color = vec4(1.0); }
