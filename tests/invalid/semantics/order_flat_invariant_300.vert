#version 300 es
// ERROR: E0401 4:6
// REFUSED BY: glslangValidator, ANGLE
flat invariant out int v;
void main() { gl_Position = vec4(1.0); }
