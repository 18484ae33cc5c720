#version 300 es
// ERROR: E0404 5:8
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
layout(location = 0) uniform float u;
out vec4 color;
void main() { color = vec4(1.0); }
