// ERROR: E0404 6:30
// REFUSED BY: glslangValidator
#version 440
layout(std140) uniform Light {
    layout(offset = 16) vec4 near;
    layout(offset = 24) vec2 far;
};
void main() { gl_Position = near + vec4(far, far); }
