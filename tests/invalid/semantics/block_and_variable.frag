// ERROR: E0304 5:7
// REFUSED BY: glslangValidator
#version 330
uniform Light { vec4 tint; };
float Light;
out vec4 color;
void main() { color = tint; }
