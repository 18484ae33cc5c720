// ERROR: E0411 4:34
// REFUSED BY: glslangValidator
#version 130
void main() { gl_Position = vec4(gl_ClipDistance.length()); }
