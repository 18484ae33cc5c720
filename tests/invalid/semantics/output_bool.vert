#version 300 es
// ERROR: E0407 4:10
// REFUSED BY: glslangValidator, ANGLE
out bool v;
void main() { gl_Position = vec4(1.0); }
