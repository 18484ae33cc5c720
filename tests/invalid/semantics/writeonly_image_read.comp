// ERROR: E0308 6:24
#version 310 es
layout(local_size_x = 1) in;
layout(rgba8) uniform highp writeonly image2D i;
void main() {
    vec4 v = imageLoad(i, ivec2(0));
    imageStore(i, ivec2(0), v);
}
