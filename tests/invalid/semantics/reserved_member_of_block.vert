// ERROR: E0412 4:18
// REFUSED BY: glslangValidator
#version 330
out Light { vec4 gl_Tint; } light;
void main() { gl_Position = vec4(0.0); }
