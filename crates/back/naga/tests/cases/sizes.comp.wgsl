struct B {
    size: vec3<u32>,
    width: u32,
    scale: f32,
}

@id(3) override WIDTH_1: u32 = 8u;
@id(4) override SCALE_1: f32 = 0.5f;
@id(5) override local_size_z: u32 = 1u;

var<private> WIDTH: u32 = WIDTH_1;
var<private> SCALE: f32 = SCALE_1;
@group(0) @binding(0) 
var<storage, read_write> b: B;
var<private> gl_WorkGroupSize: vec3<u32>;

fn main_1() {
    let _e3 = gl_WorkGroupSize;
    b.size = _e3;
    let _e6 = gl_WorkGroupSize.x;
    let _e8 = WIDTH;
    b.width = (_e8 * _e6);
    let _e12 = SCALE;
    b.scale = _e12;
    return;
}

@compute @workgroup_size(WIDTH_1, 2, local_size_z) 
fn main() {
    gl_WorkGroupSize = vec3<u32>(WIDTH_1, 2u, local_size_z);
    main_1();
    return;
}
