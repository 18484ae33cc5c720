struct B {
    size: vec3u,
    width: u32,
    scale: f32,
}

@id(3) override WIDTH: u32 = 8u;
@id(4) override SCALE: f32 = 0.5;
@group(0) @binding(0) var<storage, read_write> b: B;
@id(5) override local_size_z: u32 = 1u;

@compute @workgroup_size(WIDTH, 2, local_size_z)
fn main() {
    b.size = vec3u(WIDTH, 2u, local_size_z);
    b.width = WIDTH * vec3u(WIDTH, 2u, local_size_z).x;
    b.scale = SCALE;
}
