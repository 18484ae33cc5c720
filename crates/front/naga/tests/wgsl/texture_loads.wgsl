// Loads, sizes, levels, layers, samples.
@group(0) @binding(0) var ti: texture_2d<i32>;
@group(0) @binding(1) var tu: texture_2d_array<u32>;
@group(0) @binding(2) var tm: texture_multisampled_2d<f32>;
@group(0) @binding(3) var td: texture_depth_2d;
@group(0) @binding(4) var tdm: texture_depth_multisampled_2d;
@group(0) @binding(5) var t3: texture_3d<f32>;
@group(0) @binding(6) var tc: texture_cube_array<f32>;
@group(0) @binding(7) var t1: texture_1d<f32>;
@group(0) @binding(8) var<storage, read_write> out: array<vec4<u32>>;

@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = vec2<i32>(id.xy);
    out[0] = vec4<u32>(textureLoad(ti, at, 0)) + textureLoad(tu, id.xy, 1u, 2);
    out[1] = vec4<u32>(textureLoad(tm, at, 3) + textureLoad(td, at, 0) + textureLoad(tdm, at, 1));
    out[2] = vec4<u32>(textureDimensions(t3), textureDimensions(t1));
    out[3] = vec4<u32>(textureDimensions(tu, 1), textureNumLayers(tu), textureNumLevels(ti));
    out[4] = vec4<u32>(textureDimensions(tc), textureNumLayers(tc), textureNumSamples(tm));
}
