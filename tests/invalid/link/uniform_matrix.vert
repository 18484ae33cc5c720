#version 300 es
uniform highp mat3 u;
void main() { gl_Position = vec4(u[0][0]); }
