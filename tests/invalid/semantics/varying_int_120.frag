#version 120
// ERROR: E0407 4:13
// REFUSED BY: glslangValidator
varying int v;
void main() { gl_FragColor = vec4(1.0); }
