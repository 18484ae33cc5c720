// E0702 3:8
@group(0) @binding(0) var image: texture_storage_2d<rgba8unorm, write>;
fn put(target_image: texture_storage_2d<rgba8unorm, write>) { textureStore(target_image, vec2<u32>(), vec4<f32>()); }
