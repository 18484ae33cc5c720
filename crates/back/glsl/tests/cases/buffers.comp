#version 310 es
// write: es 310, es 300, desktop 430, desktop 450 vulkan
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) buffer Data { uint count; vec4 values[]; } data;
layout(std430, binding = 1) readonly buffer Input { float samples[]; };
layout(rgba8, binding = 2) writeonly uniform highp image2D target;
shared float cache[64];
void main() {
    uint i = gl_LocalInvocationIndex;
    cache[i] = samples[gl_GlobalInvocationID.x];
    memoryBarrierShared();
    barrier();
    if (i < 32u) cache[i] += cache[i + 32u];
    uint slot = atomicAdd(data.count, 1u);
    if (slot < uint(data.values.length())) data.values[slot] = vec4(cache[i] * float(samples.length()));
    imageStore(target, ivec2(gl_GlobalInvocationID.xy), vec4(cache[0]));
}
