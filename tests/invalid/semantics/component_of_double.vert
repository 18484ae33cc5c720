// ERROR: E0404 4:22
// REFUSED BY: glslangValidator
#version 440
layout(location = 0, component = 1) out double deep;
void main() { deep = 0.0lf; gl_Position = vec4(0.0); }
