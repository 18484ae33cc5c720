@vertex
fn main(@builtin(vertex_index) i: u32) -> @builtin(position) @invariant vec4<f32> {
    const corners = array<vec2<f32>, 3>(vec2<f32>(-1.0, -1.0), vec2<f32>(3.0, -1.0), vec2<f32>(-1.0, 3.0));
    return vec4<f32>(corners[i], 0.0, 1.0);
}
