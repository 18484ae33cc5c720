#version 450
// ERROR: E0401 4:12
// REFUSED BY: glslangValidator
buffer B { const float x; };
out vec4 color;
void main() { color = vec4(1.0); }
