#version 300 es
out float v[2];
void main() { gl_Position = vec4(1.0); v[0] = 1.0; }
