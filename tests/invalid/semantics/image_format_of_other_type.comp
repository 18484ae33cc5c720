// ERROR: E0404 4:1
#version 310 es
layout(local_size_x = 1) in;
layout(rgba8i) uniform highp writeonly image2D i;
void main() {
    imageStore(i, ivec2(0), vec4(1.0));
}
