#version 300 es
// ERROR: E0401 4:1
// REFUSED BY: glslangValidator, ANGLE
invariant in vec4 a;
void main() { gl_Position = vec4(1.0); }
