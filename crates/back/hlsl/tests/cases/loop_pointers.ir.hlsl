static float2 table[4] = { float2(0.0, 0.0), float2(1.0, 0.0), float2(0.0, 2.0), float2(3.0, 1.0) };

float4 main() : SV_Target0 {
    int i = 0;
    float t = 0.0;
    for (; i < 3; t += table[min(uint(i), 3u)].y, i++) {
    }
    table[min(uint(i), 3u)].y = t;
    return float4(table[min(uint(i), 3u)], t, 1.0);
}
