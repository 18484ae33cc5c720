#version 120
// ERROR: E0304 4:26
// REFUSED BY: glslangValidator
float f(float x) { float x = 1.0; return x; }
void main() { gl_FragColor = vec4(1.0); }
