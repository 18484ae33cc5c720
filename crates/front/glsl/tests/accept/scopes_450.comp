#version 450
#extension GL_KHR_memory_scope_semantics : require
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 64) in;
shared int sum;
shared uint64_t wide;
layout(binding = 0, r32ui) workgroupcoherent uniform uimage2D counts;
layout(binding = 1, r32i) coherent uniform iimage2DArray layers;
layout(binding = 2) devicecoherent buffer Queue {
    uint head;
    subgroupcoherent uint tail;
    uint items[];
} queue;
layout(binding = 3) nonprivate buffer Plain {
    uvec4 words;
} plain;
const int BUFFER = gl_StorageSemanticsBuffer, BOTH = gl_StorageSemanticsBuffer | gl_StorageSemanticsShared;

uint take(uint wanted) {
    uint at = atomicLoad(queue.head, gl_ScopeDevice, BUFFER, gl_SemanticsAcquire | gl_SemanticsMakeVisible);
    for (int tries = 0; tries < 8; tries++) {
        uint seen = atomicCompSwap(queue.head, at, at + wanted, gl_ScopeQueueFamily, BUFFER, gl_SemanticsAcquireRelease, BUFFER, gl_SemanticsAcquire);
        if (seen == at) break;
        at = seen;
    }
    return at;
}

void main() {
    if (gl_LocalInvocationIndex == 0u) atomicStore(sum, 0, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsRelease);
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
    int before = atomicAdd(sum, 3, gl_ScopeWorkgroup, BOTH, gl_SemanticsRelease | gl_SemanticsMakeAvailable);
    before = atomicMin(sum, before, gl_ScopeSubgroup, 0, gl_SemanticsRelaxed);
    before = atomicMax(sum, before, gl_ScopeDevice, 0, 0);
    queue.items[take(1u)] = atomicExchange(queue.tail, uint(before), gl_ScopeDevice, BUFFER, gl_SemanticsVolatile);
    wide = atomicAdd(wide, 1ul, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquire);
    atomicOr(plain.words.y, 1u, gl_ScopeInvocation, BUFFER, gl_SemanticsRelease);
    atomicXor(plain.words[before & 3], 1u, gl_ScopeDevice, BUFFER, gl_SemanticsAcquire);
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    uint count = imageAtomicLoad(counts, at, gl_ScopeDevice, gl_StorageSemanticsImage, gl_SemanticsAcquire);
    count += imageAtomicAdd(counts, at, 2u, gl_ScopeDevice, gl_StorageSemanticsImage, gl_SemanticsRelease) + imageAtomicAdd(counts, at, 2u);
    imageAtomicStore(layers, ivec3(at, 1), int(count), gl_ScopeWorkgroup, gl_StorageSemanticsImage, gl_SemanticsRelease);
    imageAtomicCompSwap(layers, ivec3(at, 0), 1, 2, gl_ScopeDevice, gl_StorageSemanticsImage, gl_SemanticsAcquire, 0, 0);
    memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsImage | BUFFER, gl_SemanticsAcquireRelease);
    memoryBarrier();
}
