#version 300 es
// ERROR: E0401 5:4
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
in centroid vec2 v;
out vec4 color;
void main() { color = vec4(1.0); }
