// ERROR: E0404 4:22
// REFUSED BY: glslangValidator
#version 440
layout(location = 2, component = 2) out vec3 way;
void main() { way = vec3(0.0); gl_Position = vec4(0.0); }
