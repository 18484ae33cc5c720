#version 300 es
// ERROR: E0401 5:12
// REFUSED BY: glslangValidator, ANGLE
precision mediump float;
struct S { layout(row_major) mat4 m; };
out vec4 color;
void main() { color = vec4(1.0); }
