#version 300 es
// ERROR: E0401 4:10
// REFUSED BY: glslangValidator, ANGLE
centroid smooth out vec2 v;
void main() { gl_Position = vec4(1.0); }
