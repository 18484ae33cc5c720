#version 460
layout(local_size_x = 4, local_size_y = 2) in;
layout(set = 0, binding = 0, rgba8) uniform image2D colour;
layout(set = 0, binding = 1, r32ui) uniform coherent uimage2D counts;
layout(set = 0, binding = 2, r32i) uniform iimage3D volume;
layout(set = 0, binding = 3, rgba16f) uniform readonly image2DArray layers[3];
layout(set = 0, binding = 6) uniform writeonly image2D plain;
layout(set = 0, binding = 7, r32f) uniform imageBuffer texels;
layout(set = 0, binding = 8, rg32f) uniform imageCube cube;
layout(set = 0, binding = 9) uniform samplerBuffer fetched;
shared uint total;
shared vec4 tile[8];
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint old = imageAtomicAdd(counts, at, 3u);
    old += imageAtomicMax(counts, at, 9u) + imageAtomicCompSwap(counts, at, 1u, 2u) + imageAtomicExchange(counts, at, 4u);
    int v = imageAtomicMin(volume, ivec3(at, 1), -4) + imageAtomicXor(volume, ivec3(at, 0), 3);
    vec4 c = imageLoad(colour, at) + imageLoad(layers[gl_LocalInvocationIndex % 3u], ivec3(at, 1));
    c += imageLoad(texels, at.x) + texelFetch(fetched, at.y) + imageLoad(cube, ivec3(at, 5));
    tile[gl_LocalInvocationIndex] = c;
    atomicAdd(total, old + uint(v));
    barrier();
    memoryBarrierShared();
    memoryBarrierImage();
    groupMemoryBarrier();
    c = tile[7u - gl_LocalInvocationIndex] + float(total) + float(imageSize(colour).x + imageSize(layers[1]).z);
    c.x += float(imageSize(texels) + textureSize(fetched)) + float(gl_WorkGroupSize.y);
    imageStore(plain, at, c);
    imageStore(colour, at, c.yxwz);
}
