// Textures and samplers of every kind as arguments, over two calls.
@group(0) @binding(0) var depth_map: texture_depth_2d_array;
@group(0) @binding(1) var compare: sampler_comparison;
@group(0) @binding(2) var image: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(3) var raw: texture_multisampled_2d<f32>;
fn lit(map: texture_depth_2d_array, s: sampler_comparison, at: vec3<f32>, layer: u32) -> f32 {
    return textureSampleCompareLevel(map, s, at.xy, layer, at.z);
}
fn soft(map: texture_depth_2d_array, s: sampler_comparison, at: vec3<f32>) -> f32 {
    var sum = 0.0;
    for (var i = 0u; i < 4u; i++) { sum += lit(map, s, at, i); }
    return sum * 0.25;
}
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let first = textureLoad(raw, vec2<i32>(id.xy), 0);
    textureStore(image, id.xy, vec4<f32>(soft(depth_map, compare, first.xyz)));
}
