// ERROR: E0404 4:56
// REFUSED BY: glslangValidator
#version 440
layout(std140) uniform Light { layout(offset = 4) vec2 near; };
void main() { gl_Position = vec4(near, near); }
