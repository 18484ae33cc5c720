#version 300 es
// ERROR: E0505 4:14
precision mediump float;
uniform vec4 u[225];
out vec4 color;
void main() { color = u[224]; }
