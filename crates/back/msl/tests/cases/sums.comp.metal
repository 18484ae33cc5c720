#include <metal_stdlib>
using namespace metal;

struct In {
    float count;
    float3 first;
    float4 data[1];
};

struct Out {
    atomic_uint total;
    atomic_int least;
    float4 sums[1];
};

struct BufferSizes {
    uint values;
    uint sums;
};

constant float factor_given [[function_constant(3)]];
constant float factor = is_function_constant_defined(factor_given) ? factor_given : 2.0;

kernel void compute_main(
    uint3 global_invocation_id [[thread_position_in_grid]],
    uint local_invocation_index [[thread_index_in_threadgroup]],
    uint3 work_group_id [[threadgroup_position_in_grid]],
    const device In& values [[buffer(0)]],
    device Out& sums [[buffer(1)]],
    texture2d<float, access::write> picture [[texture(0)]],
    constant BufferSizes& buffer_sizes [[buffer(2)]]) {
    threadgroup array<float, 64> part;
    uint at = global_invocation_id.x;
    int i = int(local_invocation_index);
    part[min(uint(i), 63u)] = values.data[min(at, (buffer_sizes.values - 32u) / 16u - 1u)].x * factor;
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    float sum = 0.0;
    for (int k = 0; k < 64; k++) {
        sum += part[min(uint(k), 63u)];
    }
    sums.sums[min(work_group_id.x, (buffer_sizes.sums - 16u) / 16u - 1u)].x = sum / float(int((buffer_sizes.sums - 16u) / 16u));
    atomic_fetch_add_explicit(&sums.total, 1u, memory_order_relaxed);
    int t = int(uint(i) - 3u);
    int i_was = i;
    int t_1 = t == 0 ? 1 : t;
    int t_2 = i_was % (i_was == int(0x80000000u) ? t == -1 ? 1 : t_1 : t_1);
    int t_3 = 0;
    while (!atomic_compare_exchange_weak_explicit(&sums.least, &t_3, t_2, memory_order_relaxed, memory_order_relaxed) && t_3 == 0) {
    }
    int before = t_3;
    picture.write(float4(sum, values.first), uint2(int2(i, before)));
}
