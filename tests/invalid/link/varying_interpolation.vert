#version 300 es
flat out float v;
void main() { gl_Position = vec4(1.0); v = 1.0; }
