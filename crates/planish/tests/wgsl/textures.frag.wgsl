diagnostic(off, derivative_uniformity);

struct Layer {
    weight: f32,
    offset: vec2f,
}

struct PlanishUniforms {
    layers: array<Layer, 2>,
}

@group(1) @binding(0) var<uniform> planish_uniforms: PlanishUniforms;
@group(1) @binding(1) var plain: texture_2d<f32>;
@group(1) @binding(2) var plain_sampler: sampler;
@group(1) @binding(3) var s0: texture_2d<f32>;
@group(1) @binding(4) var s0_sampler: sampler;
@group(1) @binding(5) var s1: texture_2d<f32>;
@group(1) @binding(6) var s1_sampler: sampler;
@group(1) @binding(7) var s2: texture_2d<f32>;
@group(1) @binding(8) var s2_sampler: sampler;
@group(1) @binding(9) var layers_0_map: texture_2d<f32>;
@group(1) @binding(10) var layers_0_map_sampler: sampler;
@group(1) @binding(11) var layers_1_map: texture_2d<f32>;
@group(1) @binding(12) var layers_1_map_sampler: sampler;
@group(1) @binding(13) var sky: texture_cube<f32>;
@group(1) @binding(14) var sky_sampler: sampler;

fn twice(t: texture_2d<f32>, t_sampler: sampler, uv: vec2f) -> vec4f {
    return textureSample(t, t_sampler, uv) + textureSample(t, t_sampler, uv.yx);
}

fn indirect(t: texture_2d<f32>, t_sampler: sampler, uv: vec2f) -> vec4f {
    return twice(t, t_sampler, uv);
}

@fragment
fn main(@builtin(position) frag_coord: vec4f) -> @location(0) vec4f {
    let uv = frag_coord.xy / 16.0;
    var r = textureSample(plain, plain_sampler, uv) + textureSample(s0, s0_sampler, uv) * 2.0 + textureSampleLevel(s2, s2_sampler, uv, 0.0) * 3.0;
    r += twice(s1, s1_sampler, uv) + indirect(s2, s2_sampler, uv * 0.5);
    for (var i = 0; i < 2; i++) {
        let i_was = i;
        let i_was_1 = i;
        r += textureSample(plain, plain_sampler, uv + planish_uniforms.layers[i_was].offset) * planish_uniforms.layers[i_was_1].weight;
    }
    r += textureSample(layers_0_map, layers_0_map_sampler, uv + planish_uniforms.layers[0].offset) * planish_uniforms.layers[1].weight + textureSample(layers_1_map, layers_1_map_sampler, uv);
    r += textureLoad(plain, vec2i(frag_coord.xy) % vec2i(textureDimensions(plain, 0)), 0);
    let t = vec3f(uv, 2.0);
    let t_1 = vec4f(uv, 5.0, 4.0);
    r += textureSample(plain, plain_sampler, t.xy / t.z) + textureSample(plain, plain_sampler, t_1.xy / t_1.w) + textureSample(plain, plain_sampler, uv, vec2i(1, 0));
    r += textureSampleGrad(plain, plain_sampler, uv, vec2f(0.01, 0.0), vec2f(0.0, 0.01));
    r += textureSample(sky, sky_sampler, vec3f(uv - 0.5, 0.4));
    r += vec4f(vec2f(vec2i(textureDimensions(s1, 0))), vec2f(vec2i(textureDimensions(sky, 0))));
    let t_2 = r.xy + (dpdx(uv) * 10.0 + fwidth(uv.yx));
    r.x = t_2.x;
    r.y = t_2.y;
    return r;
}
