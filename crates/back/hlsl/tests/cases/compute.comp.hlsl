struct Item {
    float3 place;
    float mass;
    bool fixed_;
    float3x3 turn;
};

RWByteAddressBuffer Items : register(u0, space0);
ByteAddressBuffer Numbers : register(t1, space0);
RWByteAddressBuffer slow : register(u2, space0);
RWTexture2D<unorm float4> source : register(u3, space0);
RWTexture2D<float> target : register(u4, space0);
groupshared uint sums[8];
groupshared float cache[32];
groupshared bool done;
cbuffer num_work_groups_buffer : register(b0, space0) { uint3 num_work_groups; };

uint buffer_size(RWByteAddressBuffer buffer) {
    uint size;
    buffer.GetDimensions(size);
    return size;
}

int2 texture_size(RWTexture2D<unorm float4> image) {
    uint width, height;
    image.GetDimensions(width, height);
    return int2(int(width), int(height));
}

[numthreads(8, 4, 1)]
void main(
    uint local_invocation_index : SV_GroupIndex,
    uint3 global_invocation_id : SV_DispatchThreadID
) {
    uint i = local_invocation_index;
    uint3 g = global_invocation_id;
    uint t = i & 3u;
    uint t_1 = g.x;
    cache[min(i, 31u)] = asfloat(Numbers.Load(t * 4u)) + float(asint(Numbers.Load(t_1 * 8u + 20u)));
    if (i == 0u) {
        done = false;
    }
    GroupMemoryBarrier();
    AllMemoryBarrierWithGroupSync();
    InterlockedAdd(sums[i & 7u], 1u);
    uint t_2 = g.x;
    uint t_3;
    slow.InterlockedMax(128u, t_2, t_3);
    uint old = t_3;
    uint old_was = old;
    uint t_4;
    Items.InterlockedCompareExchange(0u, 3u, old_was, t_4);
    uint was = t_4;
    uint t_5 = i & 3u;
    int t_6 = -int(i);
    slow.InterlockedMin(t_5 * 16u + 144u, t_6);
    AllMemoryBarrierWithGroupSync();
    if (int(g.x) < int((buffer_size(Items) - 16u) / 80u)) {
        uint t_7 = g.x;
        Item item = { asfloat(Items.Load3(t_7 * 80u + 16u)), asfloat(Items.Load(t_7 * 80u + 28u)), Items.Load(t_7 * 80u + 32u) != 0u, float3x3(asfloat(Items.Load3(t_7 * 80u + 48u)), asfloat(Items.Load3(t_7 * 80u + 64u)), asfloat(Items.Load3(t_7 * 80u + 80u))) };
        item.place += cache[min(31u - i, 31u)];
        item.fixed_ = !item.fixed_ || done;
        item.turn[1].xz = (float2)float(was);
        uint t_8 = g.x;
        Items.Store3(t_8 * 80u + 16u, asuint(item.place));
        Items.Store(t_8 * 80u + 28u, asuint(item.mass));
        Items.Store(t_8 * 80u + 32u, uint(item.fixed_));
        Items.Store3(t_8 * 80u + 48u, asuint(item.turn[0]));
        Items.Store3(t_8 * 80u + 64u, asuint(item.turn[1]));
        Items.Store3(t_8 * 80u + 80u, asuint(item.turn[2]));
        uint t_9 = g.y;
        Items.Store(t_9 * 80u + 20u, asuint(item.mass));
        uint t_10 = g.x;
        Items.Store(t_10 * 80u + 32u, uint(asfloat(slow.Load(32u)) > float(sums[1])));
    }
    uint t_11 = i & 7u;
    slow.Store(t_11 * 16u, asuint(asfloat(slow.Load(t_11 * 16u)) + 1.0));
    float4 texel = source[int2(g.xy)];
    target[int2(g.xy)] = (texel * float(num_work_groups.x + 4u)).x;
    int2 size = texture_size(source);
    if (size.x == 1) {
        slow.Store(0u, asuint(2.0));
    }
}
