#version 300 es
// ERROR: E0404 5:8
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
layout(location = 0) in vec2 v;
out vec4 color;
void main() { color = vec4(1.0); }
