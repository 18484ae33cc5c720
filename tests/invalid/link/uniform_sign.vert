#version 300 es
uniform highp int u;
void main() { gl_Position = vec4(u); }
