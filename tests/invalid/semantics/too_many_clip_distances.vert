// ERROR: E0408 4:11
// REFUSED BY: glslangValidator
#version 130
out float gl_ClipDistance[9];
void main() { gl_ClipDistance[0] = 1.0; gl_Position = vec4(0.0); }
