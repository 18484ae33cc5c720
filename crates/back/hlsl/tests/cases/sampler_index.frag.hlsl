struct Layer {
    float weight;
};

struct PlanishUniforms {
    Layer layers[2];
    uint3 pad;
    int chosen;
};

ConstantBuffer<PlanishUniforms> planish_uniforms : register(b0, space1);
Texture2D<float4> several_0 : register(t1, space1);
SamplerState several_0_sampler : register(s2, space1);
Texture2D<float4> several_1 : register(t3, space1);
SamplerState several_1_sampler : register(s4, space1);
Texture2D<float4> several_2 : register(t5, space1);
SamplerState several_2_sampler : register(s6, space1);
Texture2D<float4> layers_0_maps_0 : register(t7, space1);
SamplerState layers_0_maps_0_sampler : register(s8, space1);
Texture2D<float4> layers_0_maps_1 : register(t9, space1);
SamplerState layers_0_maps_1_sampler : register(s10, space1);
Texture2D<float4> layers_1_maps_0 : register(t11, space1);
SamplerState layers_1_maps_0_sampler : register(s12, space1);
Texture2D<float4> layers_1_maps_1 : register(t13, space1);
SamplerState layers_1_maps_1_sampler : register(s14, space1);

int2 texture_size(Texture2D<float4> image, int level) {
    uint width, height, levels;
    image.GetDimensions(uint(level), width, height, levels);
    return int2(int(width), int(height));
}

float4 pick(Texture2D<float4> s, SamplerState s_0_sampler, Texture2D<float4> s_1, SamplerState s_1_sampler, Texture2D<float4> s_2, SamplerState s_2_sampler, int i, float2 uv) {
    return min(uint(i), 2u) == 0u ? s.Sample(s_0_sampler, uv) : min(uint(i), 2u) == 1u ? s_1.Sample(s_1_sampler, uv) : s_2.Sample(s_2_sampler, uv);
}

float4 main(float4 frag_coord : SV_Position) : SV_Target0 {
    float2 uv = frag_coord.xy / 16.0;
    float4 texel = min(uint(planish_uniforms.chosen), 2u) == 0u ? several_0.Sample(several_0_sampler, uv) : min(uint(planish_uniforms.chosen), 2u) == 1u ? several_1.Sample(several_1_sampler, uv) : several_2.Sample(several_2_sampler, uv);
    int t = 1 - planish_uniforms.chosen;
    float4 texel_1 = min(uint(planish_uniforms.chosen), 1u) * 2u + min(uint(t), 1u) == 0u ? layers_0_maps_0.Sample(layers_0_maps_0_sampler, uv) : min(uint(planish_uniforms.chosen), 1u) * 2u + min(uint(t), 1u) == 1u ? layers_0_maps_1.Sample(layers_0_maps_1_sampler, uv) : min(uint(planish_uniforms.chosen), 1u) * 2u + min(uint(t), 1u) == 2u ? layers_1_maps_0.Sample(layers_1_maps_0_sampler, uv) : layers_1_maps_1.Sample(layers_1_maps_1_sampler, uv);
    float4 texel_2 = min(uint(planish_uniforms.chosen), 2u) == 0u ? several_0.Load(int3(int2(uv), 0)) : min(uint(planish_uniforms.chosen), 2u) == 1u ? several_1.Load(int3(int2(uv), 0)) : several_2.Load(int3(int2(uv), 0));
    float4 t_1 = texel + pick(several_0, several_0_sampler, several_1, several_1_sampler, several_2, several_2_sampler, planish_uniforms.chosen + 1, uv) + texel_1 + texel_2 * planish_uniforms.layers[min(uint(planish_uniforms.chosen), 1u)].weight;
    float4 t_2 = float4(float2(min(uint(planish_uniforms.chosen), 2u) == 0u ? texture_size(several_0, 0) : min(uint(planish_uniforms.chosen), 2u) == 1u ? texture_size(several_1, 0) : texture_size(several_2, 0)), 0.0, 1.0);
    return t_1 + t_2;
}
