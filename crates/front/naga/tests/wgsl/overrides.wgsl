// Overrides with ids, without, and as the size of a work group.
@id(0) override tile: u32 = 8u;
@id(1) override scale: f32 = 2.0;
override use_fast: bool = true;
override doubled: f32 = scale * 2.0;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(tile, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if use_fast { out[id.x] = scale; } else { out[id.x] = doubled; }
}
