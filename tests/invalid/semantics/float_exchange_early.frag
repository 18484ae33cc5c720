// ERROR: E0311 6:28
// REFUSED BY: glslangValidator
#version 420
layout(r32f) uniform image2D picture;
out vec4 color;
void main() { color = vec4(imageAtomicExchange(picture, ivec2(0), 0.5)); }
