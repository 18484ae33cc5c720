// Storage images: read, written, both, and atomics on them.
@group(0) @binding(0) var source: texture_storage_2d<rgba8unorm, read>;
@group(0) @binding(1) var sink: texture_storage_2d_array<rgba16float, write>;
@group(0) @binding(2) var both: texture_storage_2d<r32uint, read_write>;
@group(0) @binding(3) var volume: texture_storage_3d<rgba32sint, write>;
@group(0) @binding(4) var counts: texture_storage_2d<r32uint, atomic>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = vec2<i32>(id.xy);
    let size = textureDimensions(sink);
    if any(id.xy >= size) { return; }
    textureStore(sink, at, 1, textureLoad(source, at) * 0.5);
    textureStore(both, at, textureLoad(both, at) + vec4<u32>(1u));
    textureStore(volume, vec3<i32>(id), vec4<i32>(at, 0, i32(textureNumLayers(sink))));
    textureAtomicAdd(counts, at, 1u);
    textureAtomicMax(counts, at, id.x);
    textureBarrier();
}
