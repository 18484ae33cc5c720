#version 300 es
// ERROR: E0407 5:7
// REFUSED BY: glslangValidator, ANGLE
struct S { float x[2]; };
out S v;
void main() { gl_Position = vec4(1.0); }
