// ERROR: E0406 4:18
#version 300 es
precision mediump float;
out vec4 color = vec4(1.0);
void main() { }
