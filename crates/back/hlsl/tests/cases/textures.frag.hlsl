struct Layer {
    float weight;
    uint pad;
    float2 offset;
};

struct PlanishUniforms {
    Layer layers[2];
};

ConstantBuffer<PlanishUniforms> planish_uniforms : register(b0, space1);
Texture2D<float4> plain : register(t1, space1);
SamplerState plain_sampler : register(s2, space1);
Texture2D<float4> s0 : register(t3, space1);
SamplerState s0_sampler : register(s4, space1);
Texture2D<float4> s1 : register(t5, space1);
SamplerState s1_sampler : register(s6, space1);
Texture2D<float4> s2 : register(t7, space1);
SamplerState s2_sampler : register(s8, space1);
Texture2D<float4> layers_0_map : register(t9, space1);
SamplerState layers_0_map_sampler : register(s10, space1);
Texture2D<float4> layers_1_map : register(t11, space1);
SamplerState layers_1_map_sampler : register(s12, space1);
TextureCube<float4> sky : register(t13, space1);
SamplerState sky_sampler : register(s14, space1);

int2 texture_size(Texture2D<float4> image, int level) {
    uint width, height, levels;
    image.GetDimensions(uint(level), width, height, levels);
    return int2(int(width), int(height));
}

int2 texture_size_1(TextureCube<float4> image, int level) {
    uint width, height, levels;
    image.GetDimensions(uint(level), width, height, levels);
    return int2(int(width), int(height));
}

float4 twice(Texture2D<float4> t, SamplerState t_sampler, float2 uv) {
    return t.Sample(t_sampler, uv) + t.Sample(t_sampler, uv.yx);
}

float4 indirect(Texture2D<float4> t, SamplerState t_sampler, float2 uv) {
    return twice(t, t_sampler, uv);
}

float4 main(float4 frag_coord : SV_Position) : SV_Target0 {
    float2 uv = frag_coord.xy / 16.0;
    float4 r = plain.Sample(plain_sampler, uv) + s0.Sample(s0_sampler, uv) * 2.0 + s2.SampleLevel(s2_sampler, uv, 0.0) * 3.0;
    r += twice(s1, s1_sampler, uv) + indirect(s2, s2_sampler, uv * 0.5);
    for (int i = 0; i < 2; i++) {
        int i_was = i;
        int i_was_1 = i;
        r += plain.Sample(plain_sampler, uv + planish_uniforms.layers[min(uint(i_was), 1u)].offset) * planish_uniforms.layers[min(uint(i_was_1), 1u)].weight;
    }
    r += layers_0_map.Sample(layers_0_map_sampler, uv + planish_uniforms.layers[0].offset) * planish_uniforms.layers[1].weight + layers_1_map.Sample(layers_1_map_sampler, uv);
    int2 t = int2(frag_coord.xy);
    int2 texel = texture_size(plain, 0);
    bool2 t_1 = texel == 0;
    int2 t_2 = int2(t_1.x ? 1 : texel.x, t_1.y ? 1 : texel.y);
    bool2 t_3 = t == (-2147483647 - 1);
    bool2 t_4 = texel == -1;
    int2 t_5 = int2(t_4.x ? 1 : t_2.x, t_4.y ? 1 : t_2.y);
    r += plain.Load(int3(t % int2(t_3.x ? t_5.x : t_2.x, t_3.y ? t_5.y : t_2.y), 0));
    float3 t_6 = float3(uv, 2.0);
    float4 t_7 = float4(uv, 5.0, 4.0);
    r += plain.Sample(plain_sampler, t_6.xy / t_6.z) + plain.Sample(plain_sampler, t_7.xy / t_7.w) + plain.Sample(plain_sampler, uv, int2(1, 0));
    r += plain.SampleGrad(plain_sampler, uv, float2(0.01, 0.0), float2(0.0, 0.01));
    r += sky.Sample(sky_sampler, float3(uv - 0.5, 0.4));
    r += float4(float2(texture_size(s1, 0)), float2(texture_size_1(sky, 0)));
    r.xy += ddx(uv) * 10.0 + fwidth(uv.yx);
    return r;
}
