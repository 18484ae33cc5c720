RWTexture2D<uint> counts : register(u0, space0);
RWTexture2DArray<int> sums : register(u1, space0);

[numthreads(8, 1, 1)]
void main(uint3 global_invocation_id : SV_DispatchThreadID) {
    int2 at = int2(global_invocation_id.xy);
    InterlockedAdd(counts[at], 1u);
    uint t = uint4(counts[at], 0u, 0u, 1u).x;
    InterlockedMax(counts[at + 1], t);
    int3 t_1 = int3(at, 2);
    int t_2 = at.x;
    InterlockedXor(sums[int3(t_1.xy, t_1.z)], t_2);
}
