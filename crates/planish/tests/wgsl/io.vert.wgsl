struct PlanishUniforms {
    view: mat4x4f,
}

struct VertexOutput {
    @location(0) v_uv: vec2f,
    @location(1) v_frame_0: vec3f,
    @location(2) v_frame_1: vec3f,
    @location(3) v_frame_2: vec3f,
    @location(4) @interpolate(flat) v_ids: vec2i,
    @location(5) @interpolate(perspective, centroid) v_list_0: f32,
    @location(6) @interpolate(perspective, centroid) v_list_1: f32,
    @location(7) v_unwritten: f32,
    @location(8) v_pack_a: vec3f,
    @location(9) v_pack_b: f32,
    @builtin(position) position: vec4f,
}

struct Pack {
    a: vec3f,
    b: f32,
}

@group(0) @binding(0) var<uniform> planish_uniforms: PlanishUniforms;

@vertex
fn main(
    @location(3) position: vec3f,
    @location(0) uv: vec2f,
    @location(4) instance_0: vec4f,
    @location(5) instance_1: vec4f,
    @location(6) instance_2: vec4f,
    @location(7) instance_3: vec4f,
    @location(1) ids: vec2i,
    @builtin(vertex_index) vertex_id: u32,
    @builtin(instance_index) instance_id: u32,
) -> VertexOutput {
    var instance = mat4x4f(instance_0, instance_1, instance_2, instance_3);
    var v_uv: vec2f;
    var v_frame: mat3x3f;
    var v_ids: vec2i;
    var v_list: array<f32, 2>;
    var v_pack: Pack;
    var position_1: vec4f;
    var point_size: f32;
    v_uv = uv + f32(i32(vertex_id)) + f32(i32(instance_id));
    v_frame = mat3x3f(instance[0].xyz, instance[1].xyz, instance[2].xyz);
    v_ids = ids;
    v_list[1] = position.x;
    v_pack = Pack(position, uv.y);
    position_1 = planish_uniforms.view * instance * vec4f(position, 1.0);
    point_size = 4.0;
    return VertexOutput(v_uv, v_frame[0], v_frame[1], v_frame[2], v_ids, v_list[0], v_list[1], f32(), v_pack.a, v_pack.b, position_1);
}
