#version 300 es
// ERROR: E0505 4:9
precision mediump float;
in vec4 v[16];
out vec4 color;
void main() { color = v[15]; }
