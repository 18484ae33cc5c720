// ERROR: E0408 4:15
// REFUSED BY: glslangValidator
#version 130
uniform float gl_ClipDistance[2];
void main() { gl_Position = vec4(0.0); }
