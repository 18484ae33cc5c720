diagnostic(off, derivative_uniformity);

struct Layer {
    @size(16) weight: f32,
}

struct PlanishUniforms {
    layers: array<Layer, 2>,
    @size(16) chosen: i32,
}

@group(1) @binding(0) var<uniform> planish_uniforms: PlanishUniforms;
@group(1) @binding(1) var several_0: texture_2d<f32>;
@group(1) @binding(2) var several_0_sampler: sampler;
@group(1) @binding(3) var several_1: texture_2d<f32>;
@group(1) @binding(4) var several_1_sampler: sampler;
@group(1) @binding(5) var several_2: texture_2d<f32>;
@group(1) @binding(6) var several_2_sampler: sampler;
@group(1) @binding(7) var layers_0_maps_0: texture_2d<f32>;
@group(1) @binding(8) var layers_0_maps_0_sampler: sampler;
@group(1) @binding(9) var layers_0_maps_1: texture_2d<f32>;
@group(1) @binding(10) var layers_0_maps_1_sampler: sampler;
@group(1) @binding(11) var layers_1_maps_0: texture_2d<f32>;
@group(1) @binding(12) var layers_1_maps_0_sampler: sampler;
@group(1) @binding(13) var layers_1_maps_1: texture_2d<f32>;
@group(1) @binding(14) var layers_1_maps_1_sampler: sampler;

fn pick(s: texture_2d<f32>, s_0_sampler: sampler, s_1: texture_2d<f32>, s_1_sampler: sampler, s_2: texture_2d<f32>, s_2_sampler: sampler, i: i32, uv: vec2f) -> vec4f {
    return select(select(textureSample(s_2, s_2_sampler, uv), textureSample(s_1, s_1_sampler, uv), min(u32(i), 2u) == 1u), textureSample(s, s_0_sampler, uv), min(u32(i), 2u) == 0u);
}

@fragment
fn main(@builtin(position) frag_coord: vec4f) -> @location(0) vec4f {
    let uv = frag_coord.xy / 16.0;
    let texel = select(select(textureSample(several_2, several_2_sampler, uv), textureSample(several_1, several_1_sampler, uv), min(u32(planish_uniforms.chosen), 2u) == 1u), textureSample(several_0, several_0_sampler, uv), min(u32(planish_uniforms.chosen), 2u) == 0u);
    let t = 1 - planish_uniforms.chosen;
    let texel_1 = select(select(select(textureSample(layers_1_maps_1, layers_1_maps_1_sampler, uv), textureSample(layers_1_maps_0, layers_1_maps_0_sampler, uv), min(u32(planish_uniforms.chosen), 1u) * 2u + min(u32(t), 1u) == 2u), textureSample(layers_0_maps_1, layers_0_maps_1_sampler, uv), min(u32(planish_uniforms.chosen), 1u) * 2u + min(u32(t), 1u) == 1u), textureSample(layers_0_maps_0, layers_0_maps_0_sampler, uv), min(u32(planish_uniforms.chosen), 1u) * 2u + min(u32(t), 1u) == 0u);
    let texel_2 = select(select(textureLoad(several_2, vec2i(uv), 0), textureLoad(several_1, vec2i(uv), 0), min(u32(planish_uniforms.chosen), 2u) == 1u), textureLoad(several_0, vec2i(uv), 0), min(u32(planish_uniforms.chosen), 2u) == 0u);
    let t_1 = texel + pick(several_0, several_0_sampler, several_1, several_1_sampler, several_2, several_2_sampler, planish_uniforms.chosen + 1, uv) + texel_1 + texel_2 * planish_uniforms.layers[planish_uniforms.chosen].weight;
    let t_2 = vec4f(vec2f(select(select(vec2i(textureDimensions(several_2, 0)), vec2i(textureDimensions(several_1, 0)), min(u32(planish_uniforms.chosen), 2u) == 1u), vec2i(textureDimensions(several_0, 0)), min(u32(planish_uniforms.chosen), 2u) == 0u)), 0.0, 1.0);
    return t_1 + t_2;
}
