#version 300 es
// ERROR: E0404 4:8
// REFUSED BY: glslangValidator, ANGLE
layout(location = 0) out vec2 v;
void main() { gl_Position = vec4(1.0); }
