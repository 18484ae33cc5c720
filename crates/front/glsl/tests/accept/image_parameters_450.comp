#version 450
layout(local_size_x = 8) in;
layout(rgba8, binding = 0) uniform image2D bytes;
layout(r32f, binding = 1) uniform readonly image2D floats;
layout(rgba16f, binding = 2) uniform image2D halves[3];
vec4 at(readonly image2D image, ivec2 p) {
    return imageLoad(image, p);
}
void put(image2D image, readonly image2D from, ivec2 p, inout float sum) {
    vec4 texel = at(from, p) + at(image, p);
    sum += texel.x;
    imageStore(image, p, texel);
}
float at(float x) {
    return x;
}
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    float sum = at(1.0);
    put(bytes, floats, p, sum);
    put(bytes, bytes, p, sum);
    put(halves[1], floats, p, sum);
    put(halves[2], halves[0], p, sum);
    imageStore(bytes, p, vec4(sum));
}
