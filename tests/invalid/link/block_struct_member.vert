#version 300 es
struct S { highp float a; };
uniform B { S x; };
void main() { gl_Position = vec4(x.a); }
