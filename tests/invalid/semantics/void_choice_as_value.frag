#version 300 es
// ERROR: E0312 8:28
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
void a() { }
void b() { }
out vec4 color;
void main() { color = vec4(true ? a() : b()); }
