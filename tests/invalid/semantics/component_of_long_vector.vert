// ERROR: E0404 4:22
// REFUSED BY: glslangValidator
#version 440
layout(location = 0, component = 0) out dvec3 deep;
void main() { deep = dvec3(0.0); gl_Position = vec4(0.0); }
