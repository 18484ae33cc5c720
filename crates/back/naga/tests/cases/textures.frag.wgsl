diagnostic(off, derivative_uniformity);

struct Layer {
    weight: f32,
    offset: vec2<f32>,
}

struct PlanishUniforms {
    layers: array<Layer, 2>,
}

@group(1) @binding(0) 
var<uniform> planish_uniforms: PlanishUniforms;
var<private> colour: vec4<f32>;
@group(1) @binding(1) 
var plain: texture_2d<f32>;
@group(1) @binding(2) 
var plain_sampler: sampler;
@group(1) @binding(3) 
var s0_: texture_2d<f32>;
@group(1) @binding(4) 
var s0_sampler: sampler;
@group(1) @binding(5) 
var s1_: texture_2d<f32>;
@group(1) @binding(6) 
var s1_sampler: sampler;
@group(1) @binding(7) 
var s2_: texture_2d<f32>;
@group(1) @binding(8) 
var s2_sampler: sampler;
@group(1) @binding(9) 
var layers_0_map: texture_2d<f32>;
@group(1) @binding(10) 
var layers_0_map_sampler: sampler;
@group(1) @binding(11) 
var layers_1_map: texture_2d<f32>;
@group(1) @binding(12) 
var layers_1_map_sampler: sampler;
@group(1) @binding(13) 
var sky: texture_cube<f32>;
@group(1) @binding(14) 
var sky_sampler: sampler;
var<private> gl_FragCoord_1: vec4<f32>;

fn twice(t: texture_2d<f32>, t_sampler: sampler, uv: vec2<f32>) -> vec4<f32> {
    let _e3 = textureSample(t, t_sampler, uv);
    let _e5 = textureSample(t, t_sampler, uv.yx);
    return (_e3 + _e5);
}

fn indirect(t_1: texture_2d<f32>, t_sampler_1: sampler, uv_1: vec2<f32>) -> vec4<f32> {
    let _e3 = twice(t_1, t_sampler_1, uv_1);
    return _e3;
}

fn main_1() {
    var uv_2: vec2<f32>;
    var r: vec4<f32>;
    var i: i32 = 0i;

    let _e5 = gl_FragCoord_1;
    uv_2 = (_e5.xy / vec2<f32>(16f, 16f));
    let _e9 = uv_2;
    let _e12 = textureSample(plain, plain_sampler, _e9);
    let _e13 = uv_2;
    let _e16 = textureSample(s0_, s0_sampler, _e13);
    let _e20 = uv_2;
    let _e24 = textureSampleLevel(s2_, s2_sampler, _e20, 0f);
    r = ((_e12 + (_e16 * vec4<f32>(2f, 2f, 2f, 2f))) + (_e24 * vec4<f32>(3f, 3f, 3f, 3f)));
    let _e28 = uv_2;
    let _e31 = twice(s1_, s1_sampler, _e28);
    let _e32 = uv_2;
    let _e35 = indirect(s2_, s2_sampler, (_e32 * vec2<f32>(0.5f, 0.5f)));
    let _e37 = r;
    r = (_e37 + (_e31 + _e35));
    loop {
        let _e39 = i;
        if !((_e39 < 2i)) {
            break;
        }
        let _e43 = i;
        let _e51 = planish_uniforms.layers[_e43].offset;
        let _e52 = uv_2;
        let _e54 = textureSample(plain, plain_sampler, (_e52 + _e51));
        let _e55 = i;
        let _e61 = planish_uniforms.layers[_e55].weight;
        let _e64 = r;
        r = (_e64 + (_e54 * vec4(_e61)));
        continuing {
            let _e66 = i;
            i = (_e66 + 1i);
        }
    }
    let _e74 = planish_uniforms.layers[0].offset;
    let _e75 = uv_2;
    let _e79 = textureSample(layers_0_map, layers_0_map_sampler, (_e75 + _e74));
    let _e83 = planish_uniforms.layers[1].weight;
    let _e88 = uv_2;
    let _e91 = textureSample(layers_1_map, layers_1_map_sampler, _e88);
    let _e93 = r;
    r = (_e93 + ((_e79 * vec4(_e83)) + _e91));
    let _e95 = gl_FragCoord_1;
    let _e98 = textureDimensions(plain, 0i);
    let _e101 = textureLoad(plain, (vec2<i32>(_e95.xy) % vec2<i32>(_e98)), 0i);
    let _e102 = r;
    r = (_e102 + _e101);
    let _e104 = uv_2;
    let _e106 = vec3<f32>(_e104, 2f);
    let _e111 = textureSample(plain, plain_sampler, (_e106.xy / vec2(_e106.z)));
    let _e112 = uv_2;
    let _e115 = vec4<f32>(_e112, 5f, 4f);
    let _e120 = textureSample(plain, plain_sampler, (_e115.xy / vec2(_e115.w)));
    let _e122 = uv_2;
    let _e124 = textureSample(plain, plain_sampler, _e122, vec2<i32>(1i, 0i));
    let _e126 = r;
    r = (_e126 + ((_e111 + _e120) + _e124));
    let _e128 = uv_2;
    let _e131 = textureSampleGrad(plain, plain_sampler, _e128, vec2<f32>(0.01f, 0f), vec2<f32>(0f, 0.01f));
    let _e132 = r;
    r = (_e132 + _e131);
    let _e134 = uv_2;
    let _e140 = textureSample(sky, sky_sampler, vec3<f32>((_e134 - vec2<f32>(0.5f, 0.5f)), 0.4f));
    let _e141 = r;
    r = (_e141 + _e140);
    let _e143 = textureDimensions(s1_, 0i);
    let _e145 = textureDimensions(sky, 0i);
    let _e150 = r;
    r = (_e150 + vec4<f32>(vec2<f32>(vec2<i32>(_e143)), vec2<f32>(vec2<i32>(_e145))));
    let _e152 = uv_2;
    let _e153 = dpdx(_e152);
    let _e156 = uv_2;
    let _e158 = fwidth(_e156.yx);
    let _e160 = r;
    let _e162 = (_e160.xy + ((_e153 * vec2<f32>(10f, 10f)) + _e158));
    r.x = _e162.x;
    r.y = _e162.y;
    let _e167 = r;
    colour = _e167;
    return;
}

@fragment 
fn main(@builtin(position) gl_FragCoord: vec4<f32>) -> @location(0) vec4<f32> {
    gl_FragCoord_1 = gl_FragCoord;
    main_1();
    let _e3 = colour;
    return _e3;
}
