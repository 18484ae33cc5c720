// ERROR: E0404 6:29
// REFUSED BY: glslangValidator
#version 440
layout(xfb_buffer = 1) out Light {
    layout(xfb_offset = 0) vec4 near;
    layout(xfb_offset = 16, xfb_buffer = 0) vec4 far;
};
void main() { near = far = vec4(0.0); gl_Position = near; }
