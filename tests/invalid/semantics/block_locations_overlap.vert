// ERROR: E0404 4:26
// REFUSED BY: glslangValidator
#version 440
layout(location = 3) out Light {
    vec4 near;
    layout(location = 2) vec4 before[2];
    float far;
};
void main() { near = before[0] = before[1] = vec4(0.0); far = 0.0; gl_Position = vec4(0.0); }
