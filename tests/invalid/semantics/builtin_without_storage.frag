// ERROR: E0408 4:6
// REFUSED BY: glslangValidator
#version 120
vec4 gl_TexCoord[3];
void main() { gl_FragColor = gl_TexCoord[1]; }
