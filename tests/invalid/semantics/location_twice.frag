#version 300 es
// ERROR: E0404 6:31
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
layout(location = 0) out vec4 a;
layout(location = 0) out vec4 b;
void main() { a = vec4(1.0); b = a; }
