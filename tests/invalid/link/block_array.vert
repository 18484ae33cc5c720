#version 300 es
uniform B { highp float x; } b[2];
void main() { gl_Position = vec4(b[0].x); }
