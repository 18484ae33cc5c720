#version 300 es
struct S { float a; };
out S v;
void main() { gl_Position = vec4(1.0); v.a = 1.0; }
