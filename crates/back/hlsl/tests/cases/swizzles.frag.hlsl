struct Box {
    float4 low;
    float3x3 turn;
    int counts[3];
};

static Box global_box;
static float state[3];
static const float table[4] = { 1.0, 4.0, 9.0, 16.0 };
static const Box table_1 = { float4(1.0, 2.0, 3.0, 4.0), float3x3(2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0), { 7, 8, 9 } };

float4 main(float4 frag_coord : SV_Position) : SV_Target0 {
    float2 p = frag_coord.xy;
    int i = int(p.x) & 3;
    int j = int(p.y) % 3;
    float4 v = float4(p, p.yx);
    v.wx = v.xy;
    v.zy += float2(1.0, 2.0);
    v[min(uint(i), 3u)] *= 3.0;
    v[uint3(1u, 2u, 3u)[min(uint(j), 2u)]] -= 4.0;
    v = v.wzyx;
    float t = v.y;
    v.y = t + 1.0;
    float t_1 = v.x + 1.0;
    v.x = t_1;
    float a = t + t_1;
    Box boxes[2] = { (Box)0, (Box)0 };
    boxes[0] = table_1;
    boxes[1].low = v;
    boxes[i & 1].turn[min(uint(j), 2u)].zx = p;
    boxes[i & 1].turn[min(uint(j), 2u)].y = 5.0;
    boxes[1].counts[min(uint(j), 2u)] += 3;
    boxes[0].counts[min(uint(j), 2u)]--;
    global_box = boxes[1];
    global_box.low.xw = v.yz;
    state[min(uint(j), 2u)] = p.x;
    int3 n = int3(boxes[0].counts[0], boxes[0].counts[1], boxes[0].counts[2]);
    n.zx ^= int2(5, 3);
    n <<= 1;
    bool2 b = bool2(p.x > 3.0, p.y > 5.0);
    b.yx = b;
    float t_2 = float(n.x + n.y * 2 + n.z * 3) + state[0] + state[1] * 2.0 + state[2] * 3.0;
    return float4(a + v.x + v.y * 2.0, global_box.low.w + global_box.turn[min(uint(j), 2u)].x + boxes[0].turn[1].y + table[min(uint(i), 3u)], t_2, v.z + v.w + float(b.x) + 2.0 * float(b.y));
}
