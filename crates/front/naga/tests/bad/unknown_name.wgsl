// E0701 3:46
@fragment
fn main() -> @location(0) vec4<f32> { return colour; }
