#version 300 es
// ERROR: E0401 4:8
// REFUSED BY: glslangValidator, ANGLE
smooth invariant out vec2 v;
void main() { gl_Position = vec4(1.0); }
