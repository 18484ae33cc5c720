#version 330
// ERROR: E0304 4:26
// REFUSED BY: glslangValidator
float f(float x) { float x = 1.0; return x; }
out vec4 color;
void main() { color = vec4(1.0); }
