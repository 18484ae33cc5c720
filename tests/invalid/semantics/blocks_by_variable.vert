// ERROR: E0309 6:36
// REFUSED BY: glslangValidator
#version 300 es
uniform Light { vec4 tint; } lights[2];
uniform int number;
void main() { gl_Position = lights[number].tint; }
