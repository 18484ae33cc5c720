#include <metal_stdlib>
using namespace metal;

struct FragmentInput {
    float2 coordinate [[user(locn0)]];
    int id [[user(locn1), flat]];
    float3 away [[user(locn2), centroid_no_perspective]];
};

struct FragmentOutput {
    float4 color [[color(0)]];
    float4 bright [[color(1)]];
    float frag_depth [[depth(any)]];
};

float3 look(texture2d<float> albedo, sampler albedo_sampler, thread array<float3, 3>& offsets, thread int& uses, float2 at) {
    uses = int(uint(uses) + 1u);
    return albedo.sample(albedo_sampler, at).xyz * offsets[min(uint(uses), 2u)];
}

fragment FragmentOutput fragment_main(
    FragmentInput in [[stage_in]],
    float4 frag_coord [[position]],
    texture2d<float> albedo [[texture(0)]],
    sampler albedo_sampler [[sampler(0)]],
    depth2d_array<float> shadow [[texture(1)]],
    sampler shadow_sampler [[sampler(1)]],
    texture2d<float> layers_0 [[texture(2)]],
    sampler layers_0_sampler [[sampler(2)]],
    texture2d<float> layers_1 [[texture(3)]],
    sampler layers_1_sampler [[sampler(3)]]) {
    array<float3, 3> offsets = array<float3, 3>{float3(1.0), float3(0.5), float3(0.25)};
    int uses = 0;
    FragmentOutput out;
    if (in.away.z > 10.0) {
        discard_fragment();
        return out;
    }
    float4 t = float4(in.coordinate, float(in.id), 0.5);
    float lit = shadow.sample_compare(shadow_sampler, t.xy, uint(max(int(rint(t.z)), 0)), t.w);
    float4 gathered = layers_1.gather(layers_1_sampler, in.coordinate, int2(0), component::z);
    float3 look_result = look(albedo, albedo_sampler, offsets, uses, in.coordinate);
    out.color = float4(look_result + look(albedo, albedo_sampler, offsets, uses, in.coordinate * 2.0), lit) + layers_0.sample(layers_0_sampler, in.coordinate, level(1.0));
    out.bright = gathered + albedo.read(uint2(int2(in.id, 3))) + float4(dfdx(in.coordinate), float2(int2(albedo.get_width(), albedo.get_height())));
    out.frag_depth = frag_coord.z;
    return out;
}
