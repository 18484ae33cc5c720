// ERROR: E0309 7:40
// REFUSED BY: glslangValidator
#version 330
uniform sampler2D pictures[2];
uniform int number;
out vec4 color;
void main() { color = texture(pictures[number], vec2(0.5)); }
