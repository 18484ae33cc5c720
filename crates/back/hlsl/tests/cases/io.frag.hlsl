struct Pack {
    float3 a;
    float b;
};

struct FragmentOutput {
    float4 colour : SV_Target0;
    int2 id : SV_Target1;
    float frag_depth : SV_Depth;
};

Texture2D<float4> shadow : register(t0, space1);
SamplerComparisonState shadow_sampler : register(s1, space1);
Texture2DArray<float4> shadows : register(t2, space1);
SamplerComparisonState shadows_sampler : register(s3, space1);
TextureCube<float4> shadow_cube : register(t4, space1);
SamplerComparisonState shadow_cube_sampler : register(s5, space1);
Texture2D<uint4> ids : register(t6, space1);
SamplerState ids_sampler : register(s7, space1);
Texture2DArray<float4> layers : register(t8, space1);
SamplerState layers_sampler : register(s9, space1);
Texture3D<float4> volume : register(t10, space1);
SamplerState volume_sampler : register(s11, space1);

int3 texture_size(Texture2DArray<float4> image, int level) {
    uint width, height, layers, levels;
    image.GetDimensions(uint(level), width, height, layers, levels);
    return int3(int(width), int(height), int(layers));
}

int3 texture_size_1(Texture3D<float4> image, int level) {
    uint width, height, depth, levels;
    image.GetDimensions(uint(level), width, height, depth, levels);
    return int3(int(width), int(height), int(depth));
}

int2 texture_size_2(Texture2D<uint4> image) {
    uint width, height, levels;
    image.GetDimensions(0u, width, height, levels);
    return int2(int(width), int(height));
}

FragmentOutput main(
    float2 v_uv : TEXCOORD0,
    float3 v_frame_0 : TEXCOORD1,
    float3 v_frame_1 : TEXCOORD2,
    float3 v_frame_2 : TEXCOORD3,
    nointerpolation int2 v_ids : TEXCOORD4,
    centroid float v_list_0 : TEXCOORD5,
    centroid float v_list_1 : TEXCOORD6,
    float3 v_pack_a : TEXCOORD7,
    float v_pack_b : TEXCOORD8,
    bool front_facing : SV_IsFrontFace
) {
    float3x3 v_frame = float3x3(v_frame_0, v_frame_1, v_frame_2);
    float v_list[2] = { v_list_0, v_list_1 };
    Pack v_pack = { v_pack_a, v_pack_b };
    FragmentOutput out_1 = (FragmentOutput)0;
    out_1.colour = float4(v_uv, v_frame[1].x, v_list[1] + v_pack.b) * (front_facing ? 1.0 : 0.5);
    float3 t = float3(v_uv, 0.5);
    float3 t_1 = float3(v_uv, 0.5);
    float4 t_2 = float4(v_uv, 0.5, 2.0);
    float t_3 = shadow.SampleCmp(shadow_sampler, t.xy, t.z) + shadow.SampleCmpLevelZero(shadow_sampler, t_1.xy, t_1.z) + shadow.SampleCmp(shadow_sampler, t_2.xy / t_2.w, t_2.z / t_2.w);
    out_1.colour.x += t_3;
    float4 t_4 = float4(v_uv, 1.0, 0.5);
    float4 t_5 = float4(v_frame[0], 0.5);
    out_1.colour.y += shadows.SampleCmp(shadows_sampler, t_4.xyz, t_4.w) + shadow_cube.SampleCmp(shadow_cube_sampler, t_5.xyz, t_5.w);
    out_1.colour += layers.Sample(layers_sampler, float3(v_uv, 2.0)) + layers.Load(int4(int3(1, 2, 3).xy, 3, 0)) + volume.Sample(volume_sampler, v_frame[2]);
    out_1.colour.zw += 0.5 + float2(float(texture_size(layers, 0).z), float(texture_size_1(volume, 1).z));
    out_1.id = v_ids + int2(ids.Load(int3(clamp(int2(floor(v_uv * float2(texture_size_2(ids)))), (int2)0, texture_size_2(ids) - 1), 0)).xy) + int2(ids.Load(int3(int2(3, 3), 0)).zw);
    out_1.frag_depth = v_pack.a.z;
    return out_1;
}
