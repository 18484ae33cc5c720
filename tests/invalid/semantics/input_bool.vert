#version 300 es
// ERROR: E0407 4:9
// REFUSED BY: glslangValidator, ANGLE
in bool v;
void main() { gl_Position = vec4(1.0); }
