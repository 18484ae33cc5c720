#version 300 es
struct S { highp float a; highp vec2 b; };
uniform S u;
void main() { gl_Position = vec4(u.a); }
