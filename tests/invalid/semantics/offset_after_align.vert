// ERROR: E0404 6:30
// REFUSED BY: glslangValidator
#version 440
layout(std140) uniform Light {
    layout(offset = 4, align = 32) float near;
    layout(offset = 8) float far;
};
void main() { gl_Position = vec4(near, far, 0.0, 1.0); }
