struct Part {
    float a;
    uint3 pad;
    float3 b;
    float c[2];
    row_major float2x2 d;
};

struct Things_1 {
    float first;
    uint3 pad;
    float3 second;
    uint third;
    row_major float2x2 fourth;
    column_major float3x3 fifth;
    float sixth[3];
    float2 seventh[2];
    Part parts[2];
    column_major float2x3 eighth;
    Part single;
    uint2 pad_1;
    float2 ninth;
    float tenth;
};

struct Other {
    column_major float4x4 m;
    column_major float3x2 n;
    row_major float3x2 o;
    int3 p[2];
};

struct Part_1 {
    float a;
    float3 b;
    float c[2];
    float2x2 d;
};

ConstantBuffer<Things_1> Things : register(b0, space0);
ConstantBuffer<Other> other : register(b1, space0);

float4 main(float4 frag_coord : SV_Position) : SV_Target0 {
    int i = int(frag_coord.x) % 2;
    int j = int(frag_coord.y) % 3;
    float t = Things.first + Things.second.z + (Things.third != 0u ? 10.0 : 20.0) + Things.fourth[min(uint(i), 1u)].x + Things.fifth[min(uint(j), 2u)].y + Things.fifth[0][min(uint(j), 2u)];
    float r = t + Things.sixth[min(uint(j), 2u)] + Things.seventh[min(uint(i), 1u)].y;
    Part_1 p = { Things.parts[min(uint(i), 1u)].a, Things.parts[min(uint(i), 1u)].b, Things.parts[min(uint(i), 1u)].c, Things.parts[min(uint(i), 1u)].d };
    r += p.a + p.b.y + p.c[min(uint(i), 1u)] + p.d[1][min(uint(i), 1u)];
    float t_1 = Things.parts[1].d[min(uint(i), 1u)].x + Things.parts[min(uint(i), 1u)].b[min(uint(j), 2u)] + Things.single.c[1] + Things.ninth.y + Things.tenth;
    float s = t_1 + Things.eighth[min(uint(i), 1u)].z + Things.eighth[1][min(uint(j), 2u)];
    s += dot(Things.second.zy, Things.ninth.yx) + mul(Things.second, Things.fifth).x + mul(Things.fifth, Things.second).y;
    float t_2 = other.m[min(uint(j), 3u)].w + other.m[1][min(uint(j), 3u)] + other.n[min(uint(j), 2u)].x + other.o[min(uint(j), 2u)].y;
    float t_3 = t_2 + mul(float4(1.0, 2.0, 3.0, 4.0), other.m)[min(uint(j), 3u)];
    t_3 += float(other.p[min(uint(i), 1u)].z + other.p[1][min(uint(j), 2u)]);
    return float4(r, s, t_3, 1.0);
}
