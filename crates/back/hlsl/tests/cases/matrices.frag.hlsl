float2x2 inverse_2x2(float2x2 m) {
    float t = m[0].x * m[1].y - m[1].x * m[0].y;
    return float2x2(float2(m[1].y, -m[0].y) / t, float2(-m[1].x, m[0].x) / t);
}

float3x3 inverse_3x3(float3x3 m) {
    float t = m[0].x * (m[1].y * m[2].z - m[2].y * m[1].z) - m[0].y * (m[1].x * m[2].z - m[2].x * m[1].z);
    float t_1 = t + m[0].z * (m[1].x * m[2].y - m[2].x * m[1].y);
    float3 t_2 = float3(m[1].y * m[2].z - m[2].y * m[1].z, -(m[0].y * m[2].z - m[2].y * m[0].z), m[0].y * m[1].z - m[1].y * m[0].z);
    float3 t_3 = float3(-(m[1].x * m[2].z - m[2].x * m[1].z), m[0].x * m[2].z - m[2].x * m[0].z, -(m[0].x * m[1].z - m[1].x * m[0].z));
    float3 t_4 = float3(m[1].x * m[2].y - m[2].x * m[1].y, -(m[0].x * m[2].y - m[2].x * m[0].y), m[0].x * m[1].y - m[1].x * m[0].y);
    return float3x3(t_2 / t_1, t_3 / t_1, t_4 / t_1);
}

float4x4 inverse_4x4(float4x4 m) {
    float t = m[1].y * (m[2].z * m[3].w - m[3].z * m[2].w) - m[1].z * (m[2].y * m[3].w - m[3].y * m[2].w);
    float t_1 = m[1].x * (m[2].z * m[3].w - m[3].z * m[2].w) - m[1].z * (m[2].x * m[3].w - m[3].x * m[2].w);
    float t_2 = m[0].x * (t + m[1].w * (m[2].y * m[3].z - m[3].y * m[2].z));
    float t_3 = m[0].y * (t_1 + m[1].w * (m[2].x * m[3].z - m[3].x * m[2].z));
    float t_4 = m[1].x * (m[2].y * m[3].w - m[3].y * m[2].w) - m[1].y * (m[2].x * m[3].w - m[3].x * m[2].w);
    float t_5 = m[0].z * (t_4 + m[1].w * (m[2].x * m[3].y - m[3].x * m[2].y));
    float t_6 = m[1].x * (m[2].y * m[3].z - m[3].y * m[2].z) - m[1].y * (m[2].x * m[3].z - m[3].x * m[2].z);
    float t_7 = m[0].w * (t_6 + m[1].z * (m[2].x * m[3].y - m[3].x * m[2].y));
    float t_8 = m[1].y * (m[2].z * m[3].w - m[3].z * m[2].w) - m[1].z * (m[2].y * m[3].w - m[3].y * m[2].w);
    float t_9 = m[0].y * (m[2].z * m[3].w - m[3].z * m[2].w) - m[0].z * (m[2].y * m[3].w - m[3].y * m[2].w);
    float t_10 = m[0].y * (m[1].z * m[3].w - m[3].z * m[1].w) - m[0].z * (m[1].y * m[3].w - m[3].y * m[1].w);
    float t_11 = m[0].y * (m[1].z * m[2].w - m[2].z * m[1].w) - m[0].z * (m[1].y * m[2].w - m[2].y * m[1].w);
    float t_12 = m[1].x * (m[2].z * m[3].w - m[3].z * m[2].w) - m[1].z * (m[2].x * m[3].w - m[3].x * m[2].w);
    float t_13 = m[0].x * (m[2].z * m[3].w - m[3].z * m[2].w) - m[0].z * (m[2].x * m[3].w - m[3].x * m[2].w);
    float t_14 = m[0].x * (m[1].z * m[3].w - m[3].z * m[1].w) - m[0].z * (m[1].x * m[3].w - m[3].x * m[1].w);
    float t_15 = m[0].x * (m[1].z * m[2].w - m[2].z * m[1].w) - m[0].z * (m[1].x * m[2].w - m[2].x * m[1].w);
    float t_16 = m[1].x * (m[2].y * m[3].w - m[3].y * m[2].w) - m[1].y * (m[2].x * m[3].w - m[3].x * m[2].w);
    float t_17 = m[0].x * (m[2].y * m[3].w - m[3].y * m[2].w) - m[0].y * (m[2].x * m[3].w - m[3].x * m[2].w);
    float t_18 = m[0].x * (m[1].y * m[3].w - m[3].y * m[1].w) - m[0].y * (m[1].x * m[3].w - m[3].x * m[1].w);
    float t_19 = m[0].x * (m[1].y * m[2].w - m[2].y * m[1].w) - m[0].y * (m[1].x * m[2].w - m[2].x * m[1].w);
    float t_20 = m[1].x * (m[2].y * m[3].z - m[3].y * m[2].z) - m[1].y * (m[2].x * m[3].z - m[3].x * m[2].z);
    float t_21 = m[0].x * (m[2].y * m[3].z - m[3].y * m[2].z) - m[0].y * (m[2].x * m[3].z - m[3].x * m[2].z);
    float t_22 = m[0].x * (m[1].y * m[3].z - m[3].y * m[1].z) - m[0].y * (m[1].x * m[3].z - m[3].x * m[1].z);
    float t_23 = m[0].x * (m[1].y * m[2].z - m[2].y * m[1].z) - m[0].y * (m[1].x * m[2].z - m[2].x * m[1].z);
    float t_24 = t_2 - t_3 + t_5 - t_7;
    float4 t_25 = float4(t_8 + m[1].w * (m[2].y * m[3].z - m[3].y * m[2].z), -(t_9 + m[0].w * (m[2].y * m[3].z - m[3].y * m[2].z)), t_10 + m[0].w * (m[1].y * m[3].z - m[3].y * m[1].z), -(t_11 + m[0].w * (m[1].y * m[2].z - m[2].y * m[1].z)));
    float4 t_26 = float4(-(t_12 + m[1].w * (m[2].x * m[3].z - m[3].x * m[2].z)), t_13 + m[0].w * (m[2].x * m[3].z - m[3].x * m[2].z), -(t_14 + m[0].w * (m[1].x * m[3].z - m[3].x * m[1].z)), t_15 + m[0].w * (m[1].x * m[2].z - m[2].x * m[1].z));
    float4 t_27 = float4(t_16 + m[1].w * (m[2].x * m[3].y - m[3].x * m[2].y), -(t_17 + m[0].w * (m[2].x * m[3].y - m[3].x * m[2].y)), t_18 + m[0].w * (m[1].x * m[3].y - m[3].x * m[1].y), -(t_19 + m[0].w * (m[1].x * m[2].y - m[2].x * m[1].y)));
    float4 t_28 = float4(-(t_20 + m[1].z * (m[2].x * m[3].y - m[3].x * m[2].y)), t_21 + m[0].z * (m[2].x * m[3].y - m[3].x * m[2].y), -(t_22 + m[0].z * (m[1].x * m[3].y - m[3].x * m[1].y)), t_23 + m[0].z * (m[1].x * m[2].y - m[2].x * m[1].y));
    return float4x4(t_25 / t_24, t_26 / t_24, t_27 / t_24, t_28 / t_24);
}

float sum(float2x2 m) {
    return m[0].x + m[0].y * 2.0 + m[1].x * 3.0 + m[1].y * 5.0;
}

float sum(float3x3 m) {
    float3 w = float3(1.0, 2.0, 3.0);
    return dot(m[0], w) + dot(m[1], w) * 2.0 + dot(m[2], w) * 3.0;
}

float sum(float4x4 m) {
    float4 w = float4(1.0, 2.0, 3.0, 5.0);
    return dot(mul(w, m), w.wzyx);
}

float4 main(float4 frag_coord : SV_Position) : SV_Target0 {
    float2 p = frag_coord.xy / 16.0 + 0.25;
    int i = int(frag_coord.x) % 3;
    int j = int(frag_coord.y) % 3;
    float2x2 a = float2x2(float2(p.x, 2.0), float2(p.y, 1.0));
    float3x3 b = float3x3(float3(p.x, 2.0, 1.0), float3(0.5, p.y, 3.0), float3(1.0, 0.0, 2.0));
    float3x3 b_was = b;
    float4x4 c = float4x4(float4(b_was[0], 0.0), float4(b_was[1], 0.0), float4(b_was[2], 0.0), float4(0.0, 0.0, 0.0, 1.0));
    c[3] = float4(p, 1.0, 4.0);
    c[2].w = p.x;
    float2 p_was = p;
    float2 t = p.yx;
    float2x3 d = float2x3(float3(p_was.x, p_was.y, 1.0), float3(2.0, t.x, t.y));
    float3x2 e = transpose(d);
    float r = sum(inverse_2x2(a)) + sum(inverse_3x3(b)) * 0.5;
    float s = sum(inverse_4x4(c)) + determinant(b) + determinant(c);
    float2x2 t_1 = a + float2x2(2.0, 2.0, 2.0, 2.0);
    float2x2 a_was = a;
    float2x2 a_was_1 = a;
    float t_2 = sum(a * a) + sum(float2x2(a_was[0] / t_1[0], a_was[1] / t_1[1])) + sum(float2x2(-a_was_1[0], -a_was_1[1]));
    float2x2 a_was_2 = a;
    s += t_2 + sum(a - float2x2(1.0, 1.0, 1.0, 1.0)) + sum(a * 2.0) + sum(float2x2(a_was_2[0] / 2.0, a_was_2[1] / 2.0));
    float2x2 f = a;
    f += float2x2(1.0, 1.0, 1.0, 1.0);
    f -= float2x2(1.0, 1.0, 1.0, 1.0);
    f = mul(a, f);
    f += float2x2(3.0, 0.0, 0.0, 3.0);
    float2 p_was_1 = p;
    float2 t_3 = p.yx;
    r += sum(f) + sum(float2x2(p_was_1 * t_3.x, p_was_1 * t_3.y)) + sum(mul(e, d)) + sum(mul(d, e));
    b[min(uint(i), 2u)][min(uint(j), 2u)]++;
    b[min(uint(j), 2u)] = b[min(uint(i), 2u)].zxy;
    float3 v = b[min(uint(i), 2u)];
    v[min(uint(j), 2u)] = 7.0;
    v.zx = v.xy;
    float g = sum(b) + dot(v, b[min(uint(j), 2u)]) + mul(b, v).y + mul(v, b).z;
    float2x2 t_4 = float2x2(p, p);
    float4x4 h = float4x4(float4(t_4[0], 0.0, 0.0), float4(t_4[1], 0.0, 0.0), float4(0.0, 0.0, 1.0, 0.0), float4(0.0, 0.0, 0.0, 1.0));
    float4x4 c_was = c;
    float2x2 k = float2x2(c_was[0].xy, c_was[1].xy);
    float2x2 k_was = k;
    float3x4 l = float3x4(float4(k_was[0], 0.0, 0.0), float4(k_was[1], 0.0, 0.0), float4(0.0, 0.0, 1.0, 0.0));
    float2x2 t_5 = float2x2(float2(p.x, 2.0), float2(p.y, 1.0));
    float2x2 a_was_3 = a;
    bool same = all(a_was_3[0] == t_5[0]) && all(a_was_3[1] == t_5[1]);
    float2x2 k_was_1 = k;
    float2x2 a_was_4 = a;
    bool other = !(all(a_was_4[0] == k_was_1[0]) && all(a_was_4[1] == k_was_1[1]));
    return float4(r, s * 0.1, g + sum(h), sum(k) + l[2].z + float(same) + float(other) * 2.0);
}
