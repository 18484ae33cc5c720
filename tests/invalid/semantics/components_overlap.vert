// ERROR: E0404 5:46
// REFUSED BY: glslangValidator
#version 440
layout(location = 0) out vec2 near;
layout(location = 0, component = 1) out vec2 far;
void main() { near = far = vec2(0.0); gl_Position = vec4(0.0); }
