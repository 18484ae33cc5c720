struct PlanishUniforms {
    row_major float4x4 view;
};

struct VertexOutput {
    float2 v_uv : TEXCOORD0;
    float3 v_frame_0 : TEXCOORD1;
    float3 v_frame_1 : TEXCOORD2;
    float3 v_frame_2 : TEXCOORD3;
    nointerpolation int2 v_ids : TEXCOORD4;
    centroid float v_list_0 : TEXCOORD5;
    centroid float v_list_1 : TEXCOORD6;
    float v_unwritten : TEXCOORD7;
    float3 v_pack_a : TEXCOORD8;
    float v_pack_b : TEXCOORD9;
    float4 position : SV_Position;
};

struct Pack {
    float3 a;
    float b;
};

ConstantBuffer<PlanishUniforms> planish_uniforms : register(b0, space0);

Pack make_Pack(float3 p0, float p1) {
    Pack made = { p0, p1 };
    return made;
}

VertexOutput make_VertexOutput(float2 p0, float3 p1, float3 p2, float3 p3, int2 p4, float p5, float p6, float p7, float3 p8, float p9, float4 p10) {
    VertexOutput made = { p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10 };
    return made;
}

VertexOutput main(
    float2 uv : TEXCOORD0,
    int2 ids : TEXCOORD1,
    float3 position : TEXCOORD3,
    float4 instance_0 : TEXCOORD4,
    float4 instance_1 : TEXCOORD5,
    float4 instance_2 : TEXCOORD6,
    float4 instance_3 : TEXCOORD7,
    uint vertex_id : SV_VertexID,
    uint instance_id : SV_InstanceID
) {
    float4x4 instance = float4x4(instance_0, instance_1, instance_2, instance_3);
    float2 v_uv;
    float3x3 v_frame;
    int2 v_ids;
    float v_list[2] = { (float)0, (float)0 };
    Pack v_pack;
    float4 position_1;
    float point_size;
    v_uv = uv + float(int(vertex_id)) + float(int(instance_id));
    v_frame = float3x3(instance[0].xyz, instance[1].xyz, instance[2].xyz);
    v_ids = ids;
    v_list[1] = position.x;
    v_pack = make_Pack(position, uv.y);
    position_1 = mul(float4(position, 1.0), mul(instance, planish_uniforms.view));
    point_size = 4.0;
    return make_VertexOutput(v_uv, v_frame[0], v_frame[1], v_frame[2], v_ids, v_list[0], v_list[1], (float)0, v_pack.a, v_pack.b, position_1);
}
