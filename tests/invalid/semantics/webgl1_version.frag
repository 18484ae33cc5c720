#version 300 es
// ERROR: E0505 1:1
precision mediump float;
out vec4 color;
void main() { color = vec4(1.0); }
