#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer B { uint data[]; } b;
layout(std430, binding = 1) buffer C { vec4 data[]; } c;
shared uint total;
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint x = b.data[i];
    if (subgroupElect()) total = gl_SubgroupSize;
    barrier();
    uint s = subgroupAdd(x) + total;
    s += subgroupInclusiveAdd(x) * 3u;
    s ^= subgroupExclusiveAdd(x);
    vec4 v = subgroupMin(vec4(x)) + subgroupMax(c.data[i]);
    bool even = (x & 1u) == 0u;
    uvec4 ballot = subgroupBallot(even);
    if (even) {
        s += subgroupBallotExclusiveBitCount(ballot);
        v += subgroupShuffleXor(v, 1u);
        if (subgroupInverseBallot(ballot)) s += 7u;
    } else {
        s -= subgroupBallotInclusiveBitCount(ballot) + subgroupBallotFindMSB(ballot) + subgroupBallotFindLSB(ballot);
    }
    s += subgroupAll(even) ? 1u : 0u;
    s += subgroupAny(even) ? 2u : 0u;
    s += subgroupAllEqual(x) ? 4u : 0u;
    s += subgroupBroadcast(x, 3u) + subgroupBroadcastFirst(x);
    s += subgroupQuadSwapHorizontal(x) + subgroupQuadSwapVertical(x) * 2u + subgroupQuadSwapDiagonal(x) * 4u + subgroupQuadBroadcast(x, 2u);
    s += subgroupShuffleUp(x, 1u) + subgroupShuffleDown(x, 2u) + subgroupShuffle(x, gl_SubgroupInvocationID ^ 5u);
    s += subgroupClusteredMul(x | 1u, 8u) + uint(subgroupInclusiveMin(int(x))) + subgroupExclusiveXor(x);
    s += uint(bitCount(gl_SubgroupLeMask.x & ballot.x)) + gl_SubgroupGtMask.y + gl_SubgroupEqMask[x & 3u];
    s += gl_SubgroupID * 3u + gl_NumSubgroups;
    subgroupBarrier();
    b.data[i] = s;
    c.data[i] = v;
}
