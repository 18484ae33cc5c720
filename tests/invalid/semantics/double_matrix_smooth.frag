// ERROR: E0407 4:10
// REFUSED BY: glslangValidator
#version 400
in dmat3 turn;
out vec4 color;
void main() { color = vec4(turn[0][0]); }
