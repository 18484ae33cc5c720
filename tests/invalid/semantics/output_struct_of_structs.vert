#version 300 es
// ERROR: E0407 6:7
// REFUSED BY: glslangValidator, ANGLE
struct T { float x; };
struct S { T t; };
out S v;
void main() { gl_Position = vec4(1.0); }
