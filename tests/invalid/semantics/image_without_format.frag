// ERROR: E0404 4:17
// REFUSED BY: glslangValidator
#version 420
uniform image2D picture;
out vec4 color;
void main() { color = imageLoad(picture, ivec2(0)); }
