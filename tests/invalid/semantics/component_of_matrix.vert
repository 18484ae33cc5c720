// ERROR: E0404 4:22
// REFUSED BY: glslangValidator
#version 440
layout(location = 1, component = 2) out mat2 turn;
void main() { turn = mat2(1.0); gl_Position = vec4(0.0); }
