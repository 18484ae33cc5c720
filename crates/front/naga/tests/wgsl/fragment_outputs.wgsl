// Several targets, depth and sample mask, and the built-in inputs of a fragment.
struct Out {
    @location(0) colour: vec4<f32>,
    @location(1) id: vec2<u32>,
    @builtin(frag_depth) depth: f32,
    @builtin(sample_mask) mask: u32,
}
@fragment
fn main(@builtin(position) at: vec4<f32>, @builtin(front_facing) front: bool, @builtin(sample_index) sample: u32,
        @builtin(sample_mask) covered: u32) -> Out {
    if !front { discard; }
    return Out(at, vec2<u32>(sample, covered), at.z, covered & 1u);
}
