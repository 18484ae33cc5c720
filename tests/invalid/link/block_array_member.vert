#version 300 es
uniform B { highp float x[2]; };
void main() { gl_Position = vec4(x[0]); }
