#version 300 es
uniform vec2 u;
void main() { gl_Position = u.xyxy; }
