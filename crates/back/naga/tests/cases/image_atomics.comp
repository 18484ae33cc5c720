#version 450
// not: wgsl
layout(local_size_x = 8) in;
layout(r32ui, binding = 0) uniform uimage2D counts;
layout(r32i, binding = 1) uniform iimage2DArray sums;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageAtomicAdd(counts, at, 1u);
    imageAtomicMax(counts, at + 1, uint(imageLoad(counts, at).x));
    imageAtomicXor(sums, ivec3(at, 2), at.x);
}
