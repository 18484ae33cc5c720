// ERROR: E0502 5:13
#version 300 es
precision mediump float;
out vec4 color;
void main();
