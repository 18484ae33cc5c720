float split_float(float x, out int exponent) {
    float fraction = x;
    exponent = (int)0;
    if (x != 0.0 && (asuint(x) & 0x7f800000u) != 0x7f800000u) {
        bool small = (asuint(x) & 0x7f800000u) == 0u;
        uint bits = asuint(small ? x * 16777216.0 : x);
        exponent = int((bits >> 23) & 0xffu) - (small ? 150 : 126);
        fraction = asfloat((bits & 0x807fffffu) | 0x3f000000u);
    }
    return fraction;
}

float scale_by_power(float x, int exponent) {
    int third = clamp(exponent, -381, 381) / 3;
    float power = asfloat((third + 127) << 23);
    int rest = clamp(exponent, -381, 381) - 2 * third;
    return x * power * power * asfloat((rest + 127) << 23);
}

uint pack_unorm4x8(float4 v) {
    uint4 words = uint4(round(saturate(v) * 255.0));
    return words.x | (words.y << 8) | (words.z << 16) | (words.w << 24);
}

uint pack_snorm2x16(float2 v) {
    uint2 words = uint2(int2(round(clamp(v, -1.0, 1.0) * 32767.0))) & 0xffffu;
    return words.x | (words.y << 16);
}

uint pack_half(float2 v) {
    return f32tof16(v.x) | (f32tof16(v.y) << 16);
}

float4 unpack_unorm4x8(uint bits) {
    uint4 words = uint4(bits >> 0, bits >> 8, bits >> 16, bits >> 24) & 0xffu;
    return float4(words) / 255.0;
}

float2 unpack_snorm2x16(uint bits) {
    int2 words = int2(uint2(bits << 16, bits << 0)) >> 16;
    return max(float2(words) / 32767.0, -1.0);
}

float asinh_of(float x) {
    float t = abs(x);
    return float(sign(x)) * log(t + sqrt(t * t + 1.0));
}

float acosh_of(float x) {
    return log(x + sqrt(x * x - 1.0));
}

float atanh_of(float x) {
    return 0.5 * log((1.0 + x) / (1.0 - x));
}

float spread(float4 v) {
    return dot(v, float4(1.0, 0.5, 0.25, 0.125));
}

float4 main(float4 frag_coord : SV_Position) : SV_Target0 {
    float2 p = frag_coord.xy;
    float x = p.x / 4.0 - 2.0;
    float y = p.y / 4.0 - 1.9;
    int n = int(p.x) * 77 - 300;
    uint u = uint(p.y) * 7919u + uint(p.x);
    float zero = p.x - p.x;
    float x_was = x;
    float t = -x;
    float y_was = y;
    float t_1 = x_was - 1.5 * floor(x_was / 1.5) + (t - y_was * floor(t / y_was)) + atan2(y, x) + atan(y) + sinh(x) + cosh(y);
    float r = t_1 + tanh(x);
    r += asinh_of(x) + acosh_of(1.0 + abs(y)) + atanh_of(x * 0.4) + round(x * 2.0) + trunc(y) + frac(x) + float(sign(y));
    float t_2 = float((asuint(zero / zero) & 2147483647u) > 2139095040u) + 2.0 * float((asuint(1.0 / zero) & 2147483647u) == 2139095040u) + 4.0 * float((asuint(x) & 2147483647u) > 2139095040u);
    r += t_2 + 8.0 * float((asuint(y) & 2147483647u) == 2139095040u);
    float t_3 = saturate((x - 1.0) / -2.0);
    float t_4 = t_3 * t_3 * (3.0 - 2.0 * t_3) + smoothstep(-1.0, 1.0, y) + step(x, y) + clamp(x, -1.0, y + 3.0);
    r += t_4;
    float y_was_1 = y;
    float x_was_1 = x;
    float x_was_2 = x;
    float t_5 = abs(x) + abs(x - y) + x * y + y_was_1 / abs(y_was_1) + (x_was_1 - 2.0 * (1.0 * x_was_1) * 1.0) + (1.0 * y < 0.0 ? x_was_2 : -x_was_2);
    r += t_5 - 0.55374277;
    float3 i = normalize(float3(x, y, 1.0));
    float3 k = normalize(float3(1.0, x, y + 0.1));
    float s = spread(float4(reflect(i, k), 1.0)) + spread(float4(refract(i, k, 0.7), 1.0)) + spread(float4(faceforward(i, k, i), 0.0));
    float t_6 = x * 3.3;
    float t_7 = trunc(t_6);
    float whole = t_7;
    s += asfloat(asuint((asuint(t_6) & 2147483647u) == 2139095040u ? 0.0 : t_6 - t_7) & 2147483647u | asuint(t_6) & 2147483648u) + whole;
    int t_8;
    float t_9 = split_float(y * 10.0, t_8);
    int exponent = t_8;
    s += t_9 + float(exponent);
    s += scale_by_power(y, 3);
    uint t_10 = u * 600000u;
    uint t_11 = t_10 + 4026531840u;
    uint carry = uint(t_11 < t_10);
    uint sum = t_11;
    uint u_was = u;
    uint borrow = uint(u_was < 9000u);
    uint difference = u_was - 9000u;
    uint t_12 = u * 70000u;
    uint t_13 = 99999u + u;
    uint t_14 = t_12 & 65535u;
    uint t_15 = t_12 >> 16u;
    uint t_16 = t_13 & 65535u;
    uint t_17 = t_13 >> 16u;
    uint t_18 = t_15 * t_16 + (t_14 * t_16 >> 16u);
    uint high = t_15 * t_17 + (t_18 >> 16u) + (t_14 * t_17 + (t_18 & 65535u) >> 16u);
    uint low = t_12 * t_13;
    int t_19 = n * 100;
    uint t_20 = uint(t_19);
    uint t_21 = t_20 & 65535u;
    uint t_22 = t_20 >> 16u;
    uint t_23 = t_22 * 456u + (t_21 * 456u >> 16u);
    uint t_24 = t_22 * 0u + (t_23 >> 16u) + (t_21 * 0u + (t_23 & 65535u) >> 16u) - (t_19 < 0 ? 456u : 0u);
    int shigh = int(t_24 - (false ? t_20 : 0u));
    int slow = int(t_20 * 456u);
    float t_25 = float(sum >> 16) + float(carry) + float(difference & 255u) + float(borrow) + float(high) + float(low >> 20);
    t_25 += float(shigh & 0) + float(slow >> 4);
    float t_26 = float(false ? 0 : n << 25 >> 27) + float(false ? 0u : u << 27u >> 28u) + float((n & -121 | 40) & 1023);
    t_25 += t_26;
    t_25 += float(int(countbits(u))) + float(int(firstbitlow(u))) + float(int(firstbithigh(n))) + float(int(firstbithigh(u))) + float(reversebits(u) >> 24);
    float t_27 = float(n >> 2) + float(u << 3 & 255u) + float(n / 7) + float(n % 7) + float(u / 5u) + float(~n & 63);
    t_25 += t_27;
    uint mixture = pack_unorm4x8(float4(x, y, 0.3, 0.9)) ^ pack_snorm2x16(float2(x, y)) ^ pack_half(float2(x, y));
    t_25 += float(mixture & 4095u) + spread(unpack_unorm4x8(u * 50000u)) + unpack_snorm2x16(u * 3333u).y + 3.0;
    bool3 q = i < k;
    bool3 w = !q;
    t_25 += float(any(q)) + 2.0 * float(all(w)) + 4.0 * float(all(q == w)) + 8.0 * float(any(q == true));
    t_25 += float(int(x * 3.7)) + float(uint(y + 9.5)) + float(bool(int(x))) + (asint(x) > 0 ? 1.0 : 2.0);
    float3 i_was = i;
    float3 k_was = k;
    bool3 q_was = q;
    float3 mixed = float3(q_was.x ? k_was.x : i_was.x, q_was.y ? k_was.y : i_was.y, q_was.z ? k_was.z : i_was.z) + lerp(i, k, 0.25) + lerp(i, k, float3(0.1, 0.2, 0.3));
    return float4(r, s + spread(float4(mixed, 0.0)), t_25, exp2(x) + log2(y + 3.0) + pow(abs(x), 1.5) + rsqrt(y + 4.0) + degrees(x) + radians(y));
}
