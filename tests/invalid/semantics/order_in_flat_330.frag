#version 330
// ERROR: E0401 4:4
// REFUSED BY: glslangValidator
in flat int v;
out vec4 color;
void main() { color = vec4(1.0); }
