// ERROR: E0408 5:5
// REFUSED BY: glslangValidator
#version 150
out float gl_ClipDistance[2];
out gl_PerVertex { vec4 gl_Position; };
void main() { gl_Position = vec4(0.0); }
