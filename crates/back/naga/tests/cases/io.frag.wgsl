diagnostic(off, derivative_uniformity);

struct Pack {
    a: vec3<f32>,
    b: f32,
}

struct FragmentOutput {
    @location(0) colour: vec4<f32>,
    @location(1) id: vec2<i32>,
    @builtin(frag_depth) gl_FragDepth: f32,
}

@group(1) @binding(0) 
var shadow: texture_depth_2d;
@group(1) @binding(1) 
var shadow_sampler: sampler_comparison;
@group(1) @binding(2) 
var shadows: texture_depth_2d_array;
@group(1) @binding(3) 
var shadows_sampler: sampler_comparison;
@group(1) @binding(4) 
var shadow_cube: texture_depth_cube;
@group(1) @binding(5) 
var shadow_cube_sampler: sampler_comparison;
@group(1) @binding(6) 
var ids: texture_2d<u32>;
@group(1) @binding(7) 
var ids_sampler: sampler;
@group(1) @binding(8) 
var layers: texture_2d_array<f32>;
@group(1) @binding(9) 
var layers_sampler: sampler;
@group(1) @binding(10) 
var volume: texture_3d<f32>;
@group(1) @binding(11) 
var volume_sampler: sampler;
var<private> v_uv_1: vec2<f32>;
var<private> v_frame: mat3x3<f32>;
var<private> v_ids_1: vec2<i32>;
var<private> v_list: array<f32, 2>;
var<private> v_pack: Pack;
var<private> colour: vec4<f32>;
var<private> id: vec2<i32>;
var<private> gl_FrontFacing_1: bool;
var<private> gl_PointCoord: vec2<f32>;
var<private> gl_FragDepth: f32;

fn main_1() {
    let _e7 = v_pack.b;
    let _e8 = v_list[1];
    let _e11 = v_uv_1;
    let _e12 = v_frame[1][0];
    let _e15 = gl_FrontFacing_1;
    colour = (vec4<f32>(_e11, _e12, (_e8 + _e7)) * vec4(select(0.5f, 1f, _e15)));
    let _e23 = v_uv_1;
    let _e24 = vec3<f32>(_e23, 0.5f);
    let _e29 = textureSampleCompare(shadow, shadow_sampler, _e24.xy, _e24.z);
    let _e30 = v_uv_1;
    let _e31 = vec3<f32>(_e30, 0.5f);
    let _e34 = textureSampleCompareLevel(shadow, shadow_sampler, _e31.xy, _e31.z);
    let _e36 = v_uv_1;
    let _e38 = vec4<f32>(_e36, 0.5f, 2f);
    let _e39 = _e38.xyw;
    let _e46 = textureSampleCompare(shadow, shadow_sampler, (_e39.xy / vec2(_e39.z)), (_e38.z / _e39.z));
    let _e48 = colour.x;
    colour.x = (_e48 + ((_e29 + _e34) + _e46));
    let _e51 = v_uv_1;
    let _e52 = vec4<f32>(_e51, 1f, 0.5f);
    let _e53 = _e52.xyz;
    let _e61 = textureSampleCompare(shadows, shadows_sampler, _e53.xy, i32(round(_e53.z)), _e52.w);
    let _e63 = v_frame[0];
    let _e64 = vec4<f32>(_e63, 0.5f);
    let _e69 = textureSampleCompare(shadow_cube, shadow_cube_sampler, _e64.xyz, _e64.w);
    let _e71 = colour.y;
    colour.y = (_e71 + (_e61 + _e69));
    let _e73 = v_uv_1;
    let _e74 = vec3<f32>(_e73, 2f);
    let _e81 = textureSample(layers, layers_sampler, _e74.xy, i32(round(_e74.z)));
    let _e86 = textureLoad(layers, vec3<i32>(1i, 2i, 3i).xy, vec3<i32>(1i, 2i, 3i).z, 0i);
    let _e89 = v_frame[2];
    let _e92 = textureSample(volume, volume_sampler, _e89);
    let _e94 = colour;
    colour = (_e94 + ((_e81 + _e86) + _e92));
    let _e96 = textureDimensions(layers, 0i);
    let _e98 = textureNumLayers(layers);
    let _e103 = textureDimensions(volume, 1i);
    let _e110 = gl_PointCoord;
    let _e112 = colour;
    let _e114 = (_e112.zw + (_e110 + vec2<f32>(f32(vec3<i32>(vec2<i32>(_e96), i32(_e98)).z), f32(vec3<i32>(_e103).z))));
    colour.z = _e114.x;
    colour.w = _e114.y;
    let _e119 = v_uv_1;
    let _e121 = textureDimensions(ids, 0i);
    let _e122 = vec2<i32>(_e121);
    let _e131 = textureLoad(ids, clamp(vec2<i32>(floor((_e119 * vec2<f32>(_e122)))), vec2(0i), (_e122 - vec2(1i))), 0i);
    let _e135 = v_ids_1;
    let _e138 = textureLoad(ids, vec2<i32>(3i, 3i), 0i);
    id = ((_e135 + vec2<i32>(_e131.xy)) + vec2<i32>(_e138.zw));
    let _e145 = v_pack.a.z;
    gl_FragDepth = _e145;
    return;
}

@fragment 
fn main(@location(0) v_uv: vec2<f32>, @location(1) v_frame_0_: vec3<f32>, @location(2) v_frame_1_: vec3<f32>, @location(3) v_frame_2_: vec3<f32>, @location(4) @interpolate(flat) v_ids: vec2<i32>, @location(5) @interpolate(perspective, centroid) v_list_0_: f32, @location(6) @interpolate(perspective, centroid) v_list_1_: f32, @location(7) v_pack_a: vec3<f32>, @location(8) v_pack_b: f32, @builtin(front_facing) gl_FrontFacing: bool) -> FragmentOutput {
    v_uv_1 = v_uv;
    v_frame = mat3x3<f32>(v_frame_0_, v_frame_1_, v_frame_2_);
    v_ids_1 = v_ids;
    v_list = array<f32, 2>(v_list_0_, v_list_1_);
    v_pack = Pack(v_pack_a, v_pack_b);
    gl_FrontFacing_1 = gl_FrontFacing;
    gl_PointCoord = vec2(0.5f);
    main_1();
    let _e23 = colour;
    let _e25 = id;
    let _e27 = gl_FragDepth;
    return FragmentOutput(_e23, _e25, _e27);
}
