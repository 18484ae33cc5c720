#version 300 es
// ERROR: E0401 5:7
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
highp layout(location = 0) out vec4 color;
void main() { color = vec4(1.0); }
