// ERROR: E0102 5:34
// REFUSED BY: glslangValidator
#version 150
out vec4 color;
void main() { color = vec4(float(1.0lf)); }
