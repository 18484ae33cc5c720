// ERROR: E0303 7:21
// REFUSED BY: glslangValidator
#version 430
layout(local_size_x = 1) in;
layout(rgba8) coherent uniform image2D picture;
void clear(layout(rgba8) image2D target) { imageStore(target, ivec2(0), vec4(0.0)); }
void main() { clear(picture); }
