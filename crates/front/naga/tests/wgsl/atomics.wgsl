// Atomics on storage and workgroup memory.
struct Counters { total: atomic<u32>, low: atomic<i32>, bins: array<atomic<u32>, 16> }
@group(0) @binding(0) var<storage, read_write> counters: Counters;
var<workgroup> shared_sum: atomic<i32>;
var<workgroup> scratch: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>,
        @builtin(local_invocation_id) local: vec3<u32>) {
    scratch[lane] = atomicAdd(&counters.total, 1u);
    workgroupBarrier();
    atomicSub(&counters.low, 2);
    atomicMin(&counters.low, i32(lane));
    atomicMax(&counters.low, -1);
    atomicAnd(&counters.bins[lane % 16u], 0xFFu);
    atomicOr(&counters.bins[0], 1u);
    atomicXor(&counters.bins[1], local.x);
    let old = atomicExchange(&counters.bins[2], group.x);
    let swapped = atomicCompareExchangeWeak(&counters.bins[3], old, 7u);
    if swapped.exchanged { atomicStore(&shared_sum, i32(swapped.old_value)); }
    storageBarrier();
    let sum = atomicLoad(&shared_sum);
    let uniform_value = workgroupUniformLoad(&scratch[0]);
    atomicAdd(&shared_sum, sum + i32(uniform_value));
}
