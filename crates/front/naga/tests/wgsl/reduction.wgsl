// A sum over a work group.
const SIZE = 64u;
var<workgroup> partial: array<f32, SIZE>;
@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@compute @workgroup_size(SIZE)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    partial[lane] = input[group.x * SIZE + lane];
    workgroupBarrier();
    for (var stride = SIZE / 2u; stride > 0u; stride >>= 1u) {
        if lane < stride { partial[lane] += partial[lane + stride]; }
        workgroupBarrier();
    }
    if lane == 0u { output[group.x] = partial[0]; }
}
