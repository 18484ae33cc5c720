#version 300 es
struct S { highp float a; };
uniform S u;
void main() { gl_Position = vec4(u.a); }
