// ERROR: E0404 4:39
// REFUSED BY: glslangValidator
#version 440
layout(packed) uniform Light { layout(offset = 16) vec4 near; };
void main() { gl_Position = near; }
