// E0702 3:13
@group(0) @binding(0) var<uniform> s: vec4<f32>;
fn main() { s = vec4<f32>(1.0); }
