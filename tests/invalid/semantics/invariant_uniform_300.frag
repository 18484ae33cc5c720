#version 300 es
// ERROR: E0401 5:1
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
invariant uniform float u;
out vec4 color;
void main() { color = vec4(1.0); }
