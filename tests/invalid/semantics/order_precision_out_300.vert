#version 300 es
// ERROR: E0401 4:9
// REFUSED BY: glslangValidator, ANGLE
mediump out vec2 v;
void main() { gl_Position = vec4(1.0); }
