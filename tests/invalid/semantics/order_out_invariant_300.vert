#version 300 es
// ERROR: E0401 4:5
// REFUSED BY: glslangValidator, ANGLE
out invariant vec2 v;
void main() { gl_Position = vec4(1.0); }
