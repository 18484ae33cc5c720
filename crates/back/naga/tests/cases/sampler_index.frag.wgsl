diagnostic(off, derivative_uniformity);

struct Layer {
    weight: f32,
    pad0_: u32,
    pad1_: u32,
    pad2_: u32,
}

struct PlanishUniforms {
    layers: array<Layer, 2>,
    chosen: i32,
    pad0_: u32,
    pad1_: u32,
    pad2_: u32,
}

@group(1) @binding(0) 
var<uniform> planish_uniforms: PlanishUniforms;
var<private> colour: vec4<f32>;
@group(1) @binding(1) 
var several_0_: texture_2d<f32>;
@group(1) @binding(2) 
var several_0_sampler: sampler;
@group(1) @binding(3) 
var several_1_: texture_2d<f32>;
@group(1) @binding(4) 
var several_1_sampler: sampler;
@group(1) @binding(5) 
var several_2_: texture_2d<f32>;
@group(1) @binding(6) 
var several_2_sampler: sampler;
@group(1) @binding(7) 
var layers_0_maps_0_: texture_2d<f32>;
@group(1) @binding(8) 
var layers_0_maps_0_sampler: sampler;
@group(1) @binding(9) 
var layers_0_maps_1_: texture_2d<f32>;
@group(1) @binding(10) 
var layers_0_maps_1_sampler: sampler;
@group(1) @binding(11) 
var layers_1_maps_0_: texture_2d<f32>;
@group(1) @binding(12) 
var layers_1_maps_0_sampler: sampler;
@group(1) @binding(13) 
var layers_1_maps_1_: texture_2d<f32>;
@group(1) @binding(14) 
var layers_1_maps_1_sampler: sampler;
var<private> gl_FragCoord_1: vec4<f32>;

fn pick(s_0_: texture_2d<f32>, s_0_sampler: sampler, s_1_: texture_2d<f32>, s_1_sampler: sampler, s_2_: texture_2d<f32>, s_2_sampler: sampler, i: i32, uv: vec2<f32>) -> vec4<f32> {
    let _e4 = min(u32(i), 2u);
    let _e7 = textureSample(s_0_, s_0_sampler, uv);
    let _e10 = textureSample(s_1_, s_1_sampler, uv);
    let _e13 = textureSample(s_2_, s_2_sampler, uv);
    return select(select(_e13, _e10, (_e4 == 1u)), _e7, (_e4 == 0u));
}

fn main_1() {
    var uv_1: vec2<f32>;

    let _e2 = gl_FragCoord_1;
    uv_1 = (_e2.xy / vec2<f32>(16f, 16f));
    let _e8 = planish_uniforms.chosen;
    let _e11 = min(u32(_e8), 2u);
    let _e12 = uv_1;
    let _e15 = textureSample(several_0_, several_0_sampler, _e12);
    let _e18 = textureSample(several_1_, several_1_sampler, _e12);
    let _e21 = textureSample(several_2_, several_2_sampler, _e12);
    let _e29 = planish_uniforms.chosen;
    let _e32 = uv_1;
    let _e33 = pick(several_0_, several_0_sampler, several_1_, several_1_sampler, several_2_, several_2_sampler, (_e29 + 1i), _e32);
    let _e36 = planish_uniforms.chosen;
    let _e42 = planish_uniforms.chosen;
    let _e47 = ((min(u32(_e36), 1u) * 2u) + min(u32((1i - _e42)), 1u));
    let _e48 = uv_1;
    let _e51 = textureSample(layers_0_maps_0_, layers_0_maps_0_sampler, _e48);
    let _e54 = textureSample(layers_0_maps_1_, layers_0_maps_1_sampler, _e48);
    let _e57 = textureSample(layers_1_maps_0_, layers_1_maps_0_sampler, _e48);
    let _e60 = textureSample(layers_1_maps_1_, layers_1_maps_1_sampler, _e48);
    let _e69 = planish_uniforms.chosen;
    let _e71 = min(u32(_e69), 2u);
    let _e72 = uv_1;
    let _e73 = vec2<i32>(_e72);
    let _e75 = textureLoad(several_0_, _e73, 0i);
    let _e76 = textureLoad(several_1_, _e73, 0i);
    let _e77 = textureLoad(several_2_, _e73, 0i);
    let _e83 = planish_uniforms.chosen;
    let _e89 = planish_uniforms.layers[_e83].weight;
    let _e94 = planish_uniforms.chosen;
    let _e96 = min(u32(_e94), 2u);
    let _e97 = textureDimensions(several_0_, 0i);
    let _e99 = textureDimensions(several_1_, 0i);
    let _e101 = textureDimensions(several_2_, 0i);
    colour = ((((select(select(_e21, _e18, (_e11 == 1u)), _e15, (_e11 == 0u)) + _e33) + select(select(select(_e60, _e57, (_e47 == 2u)), _e54, (_e47 == 1u)), _e51, (_e47 == 0u))) + (select(select(_e77, _e76, (_e71 == 1u)), _e75, (_e71 == 0u)) * vec4(_e89))) + vec4<f32>(vec2<f32>(select(select(vec2<i32>(_e101), vec2<i32>(_e99), (_e96 == 1u)), vec2<i32>(_e97), (_e96 == 0u))), 0f, 1f));
    return;
}

@fragment 
fn main(@builtin(position) gl_FragCoord: vec4<f32>) -> @location(0) vec4<f32> {
    gl_FragCoord_1 = gl_FragCoord;
    main_1();
    let _e3 = colour;
    return _e3;
}
