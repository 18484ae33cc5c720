// ERROR: E0407 4:9
// REFUSED BY: glslangValidator
#version 130
in vec2 corner[3];
void main() { gl_Position = vec4(corner[1], 0.0, 1.0); }
