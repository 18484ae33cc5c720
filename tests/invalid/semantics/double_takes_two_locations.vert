// ERROR: E0404 5:31
// REFUSED BY: glslangValidator
#version 440
layout(location = 0) out dvec4 deep;
layout(location = 1) out vec2 near;
void main() { deep = dvec4(0.0); near = vec2(0.0); gl_Position = vec4(0.0); }
