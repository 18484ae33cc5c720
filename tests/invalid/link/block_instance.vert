#version 300 es
uniform B { highp float x; } b;
void main() { gl_Position = vec4(b.x); }
