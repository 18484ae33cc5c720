#version 300 es
// ERROR: E0407 7:6
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
struct T { float x; };
struct S { T t; };
in S v;
out vec4 color;
void main() { color = vec4(1.0); }
