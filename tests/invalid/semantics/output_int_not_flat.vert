#version 300 es
// ERROR: E0407 4:11
// REFUSED BY: glslangValidator, ANGLE
out ivec2 v;
void main() { gl_Position = vec4(1.0); }
