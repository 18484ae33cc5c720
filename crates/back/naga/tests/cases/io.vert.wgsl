struct PlanishUniforms {
    view: mat4x4<f32>,
}

struct Pack {
    a: vec3<f32>,
    b: f32,
}

struct VertexOutput {
    @location(0) v_uv: vec2<f32>,
    @location(1) v_frame_0_: vec3<f32>,
    @location(2) v_frame_1_: vec3<f32>,
    @location(3) v_frame_2_: vec3<f32>,
    @location(4) @interpolate(flat) v_ids: vec2<i32>,
    @location(5) @interpolate(perspective, centroid) v_list_0_: f32,
    @location(6) @interpolate(perspective, centroid) v_list_1_: f32,
    @location(7) v_unwritten: f32,
    @location(8) v_pack_a: vec3<f32>,
    @location(9) v_pack_b: f32,
    @builtin(position) gl_Position: vec4<f32>,
}

@group(0) @binding(0) 
var<uniform> planish_uniforms: PlanishUniforms;
var<private> position_1: vec3<f32>;
var<private> uv_1: vec2<f32>;
var<private> instance: mat4x4<f32>;
var<private> ids_1: vec2<i32>;
var<private> v_uv: vec2<f32>;
var<private> v_frame: mat3x3<f32>;
var<private> v_ids: vec2<i32>;
var<private> v_list: array<f32, 2>;
var<private> v_pack: Pack;
var<private> gl_VertexID_1: i32;
var<private> gl_InstanceID_1: i32;
var<private> gl_Position: vec4<f32>;
var<private> gl_PointSize: f32;

fn main_1() {
    let _e1 = gl_VertexID_1;
    let _e4 = uv_1;
    let _e8 = gl_InstanceID_1;
    v_uv = ((_e4 + vec2(f32(_e1))) + vec2(f32(_e8)));
    let _e14 = instance;
    v_frame = mat3x3<f32>(_e14[0].xyz, _e14[1].xyz, _e14[2].xyz);
    let _e24 = ids_1;
    v_ids = _e24;
    let _e30 = position_1.x;
    v_list[1] = _e30;
    let _e32 = position_1;
    let _e33 = uv_1.y;
    v_pack = Pack(_e32, _e33);
    let _e36 = instance;
    let _e39 = planish_uniforms.view;
    let _e41 = position_1;
    gl_Position = ((_e39 * _e36) * vec4<f32>(_e41, 1f));
    gl_PointSize = 4f;
    return;
}

@vertex 
fn main(@location(3) position: vec3<f32>, @location(0) uv: vec2<f32>, @location(4) instance_0_: vec4<f32>, @location(5) instance_1_: vec4<f32>, @location(6) instance_2_: vec4<f32>, @location(7) instance_3_: vec4<f32>, @location(1) ids: vec2<i32>, @builtin(vertex_index) gl_VertexID: u32, @builtin(instance_index) gl_InstanceID: u32) -> VertexOutput {
    position_1 = position;
    uv_1 = uv;
    instance = mat4x4<f32>(instance_0_, instance_1_, instance_2_, instance_3_);
    ids_1 = ids;
    gl_VertexID_1 = i32(gl_VertexID);
    gl_InstanceID_1 = i32(gl_InstanceID);
    main_1();
    let _e19 = v_uv;
    let _e21 = v_frame;
    let _e26 = v_ids;
    let _e28 = v_list;
    let _e33 = v_pack;
    let _e37 = gl_Position;
    return VertexOutput(_e19, _e21[0], _e21[1], _e21[2], _e26, _e28[0], _e28[1], f32(), _e33.a, _e33.b, _e37);
}
