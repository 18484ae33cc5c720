// error: E1103 7
// WGSL's way to write into an image.
@group(0) @binding(0) var canvas: texture_storage_2d<rgba8unorm, write>;

@fragment
fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
    textureStore(canvas, vec2i(at.xy), vec4f(1.0));
    return vec4f(1.0);
}
