#version 300 es
// ERROR: E0401 5:7
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
highp flat in int v;
out vec4 color;
void main() { color = vec4(1.0); }
