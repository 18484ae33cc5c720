#include <metal_stdlib>
using namespace metal;

struct Camera {
    float4x4 view;
    float3x3 normal;
    packed_float3 eye;
    float scale;
    uint flipped;
};

struct VertexInput {
    float3 position [[attribute(0)]];
    float2 uv [[attribute(1)]];
};

struct VertexOutput {
    float2 coordinate [[user(locn0)]];
    int id [[user(locn1)]];
    float3 away [[user(locn2)]];
    float4 position [[position]];
    float point_size [[point_size]];
};

vertex VertexOutput vertex_main(
    VertexInput in [[stage_in]],
    uint instance_index [[instance_id]],
    constant Camera& camera [[buffer(0)]]) {
    VertexOutput out;
    float3 at = camera.normal * in.position * camera.scale;
    out.coordinate = camera.flipped != 0u ? in.uv.yx : in.uv;
    out.id = int(instance_index);
    out.away = float3(camera.eye) - at;
    out.position = camera.view * float4(at, 1.0);
    out.point_size = 2.0;
    return out;
}
