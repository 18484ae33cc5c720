// ERROR: E0401 4:1
// REFUSED BY: glslangValidator
#version 420
coherent uniform sampler2D picture;
out vec4 color;
void main() { color = texture(picture, vec2(0.5)); }
