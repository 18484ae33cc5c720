#version 300 es
uniform float u[2];
void main() { gl_Position = vec4(u[0]); }
