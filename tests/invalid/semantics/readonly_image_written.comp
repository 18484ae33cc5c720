// ERROR: E0308 6:16
#version 310 es
layout(local_size_x = 1) in;
layout(rgba8) uniform highp readonly image2D i;
void main() {
    imageStore(i, ivec2(0), vec4(1.0));
}
