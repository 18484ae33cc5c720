struct Light {
    float4 color;
    row_major float2x2 turn;
};

struct U {
    float4 base;
    Light lights[2];
};

ConstantBuffer<U> u_0 : register(b0, space0);
ConstantBuffer<U> u_1 : register(b1, space0);
ConstantBuffer<U> u_2 : register(b2, space0);
RWByteAddressBuffer b_0 : register(u4, space0);
RWByteAddressBuffer b_1 : register(u3, space0);
RWByteAddressBuffer c_0_0 : register(u8, space0);
RWByteAddressBuffer c_0_1 : register(u5, space0);
RWByteAddressBuffer c_1_0 : register(u6, space0);
RWByteAddressBuffer c_1_1 : register(u7, space0);

uint buffer_size(RWByteAddressBuffer buffer) {
    uint size;
    buffer.GetDimensions(size);
    return size;
}

void twice(inout float x) {
    x *= 2.0;
}

[numthreads(2, 1, 1)]
void main(uint3 work_group_id : SV_GroupID, uint3 local_invocation_id : SV_GroupThreadID) {
    uint i = work_group_id.x;
    int j = int(local_invocation_id.x);
    uint i_was = i;
    int j_was = j;
    Light chosen;
    switch (min(i_was, 2u)) {
        case 0u:
            chosen = u_0.lights[min(uint(j_was), 1u)];
            break;
        case 1u:
            chosen = u_1.lights[min(uint(j_was), 1u)];
            break;
        default:
            chosen = u_2.lights[min(uint(j_was), 1u)];
    }
    Light light = chosen;
    uint i_was_1 = i;
    int j_was_1 = j;
    float3 t = (min(uint(j_was_1), 2u) == 0u ? u_0.base.xyz : min(uint(j_was_1), 2u) == 1u ? u_1.base.xyz : u_2.base.xyz) * light.turn[min(uint(j), 1u)].x;
    switch (min(i_was_1, 1u)) {
        case 0u:
            b_0.Store3(16u, asuint(t));
            break;
        default:
            b_1.Store3(16u, asuint(t));
    }
    uint i_was_2 = i;
    switch (min(i_was_2, 1u)) {
        case 0u:
            b_0.Store(20u, asuint(light.color.w));
            break;
        default:
            b_1.Store(20u, asuint(light.color.w));
    }
    int j_was_2 = j;
    uint i_was_3 = i;
    uint i_was_4 = i;
    uint i_was_5 = i;
    int j_was_3 = j;
    float t_1 = min(i_was_4, 2u) == 0u ? u_0.lights[min(i_was_5, 1u)].turn[1][min(uint(j_was_3), 1u)] : min(i_was_4, 2u) == 1u ? u_1.lights[min(i_was_5, 1u)].turn[1][min(uint(j_was_3), 1u)] : u_2.lights[min(i_was_5, 1u)].turn[1][min(uint(j_was_3), 1u)];
    float t_2 = (min(uint(j_was_2), 1u) == 0u ? asfloat(b_0.Load(i_was_3 * 4u + 28u)) : asfloat(b_1.Load(i_was_3 * 4u + 28u))) + t_1;
    switch (min(uint(j_was_2), 1u)) {
        case 0u:
            b_0.Store(i_was_3 * 4u + 28u, asuint(t_2));
            break;
        default:
            b_1.Store(i_was_3 * 4u + 28u, asuint(t_2));
    }
    uint i_was_6 = i;
    float t_3 = min(i_was_6, 1u) == 0u ? asfloat(b_0.Load(40u)) : asfloat(b_1.Load(40u));
    twice(t_3);
    switch (min(i_was_6, 1u)) {
        case 0u:
            b_0.Store(40u, asuint(t_3));
            break;
        default:
            b_1.Store(40u, asuint(t_3));
    }
    uint i_was_7 = i;
    int j_was_4 = j;
    uint t_4 = uint(min(uint(j_was_4), 1u) == 0u ? int((buffer_size(b_0) - 28u) / 4u) : int((buffer_size(b_1) - 28u) / 4u));
    uint t_5;
    switch (min(i_was_7, 1u)) {
        case 0u:
            b_0.InterlockedAdd(0u, t_4, t_5);
            break;
        default:
            b_1.InterlockedAdd(0u, t_4, t_5);
    }
    uint before = t_5;
    uint i_was_8 = i;
    int j_was_5 = j;
    uint before_was = before;
    uint t_6;
    switch (min(i_was_8, 1u)) {
        case 0u:
            switch (min(uint(j_was_5), 1u)) {
                case 0u:
                    c_0_0.InterlockedCompareExchange(0u, before_was, 7u, t_6);
                    break;
                default:
                    c_0_1.InterlockedCompareExchange(0u, before_was, 7u, t_6);
            }
            break;
        default:
            switch (min(uint(j_was_5), 1u)) {
                case 0u:
                    c_1_0.InterlockedCompareExchange(0u, before_was, 7u, t_6);
                    break;
                default:
                    c_1_1.InterlockedCompareExchange(0u, before_was, 7u, t_6);
            }
    }
    uint i_was_9 = i;
    uint t_7 = (min(i_was_9, 1u) == 0u ? c_1_0.Load(0u) : c_1_1.Load(0u)) + 1u;
    switch (min(i_was_9, 1u)) {
        case 0u:
            c_1_0.Store(0u, t_7);
            break;
        default:
            c_1_1.Store(0u, t_7);
    }
}
