#version 300 es
// ERROR: E0401 6:17
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
struct S { float x; };
uniform highp S u;
out vec4 color;
void main() { color = vec4(1.0); }
