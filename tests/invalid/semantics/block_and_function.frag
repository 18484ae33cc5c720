// ERROR: E0304 5:9
// REFUSED BY: glslangValidator
#version 330
float Light() { return 1.0; }
uniform Light { vec4 tint; };
out vec4 color;
void main() { color = tint * Light(); }
