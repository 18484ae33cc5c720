#version 300 es
uniform B { highp float x; };
void main() { gl_Position = vec4(x); }
