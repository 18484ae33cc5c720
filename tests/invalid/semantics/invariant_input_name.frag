#version 300 es
// ERROR: E0401 6:11
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
in vec2 v;
invariant v;
out vec4 color;
void main() { color = vec4(1.0); }
