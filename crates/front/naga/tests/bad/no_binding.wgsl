// E0702 2:1
var<uniform> x: vec4<f32>;
@fragment fn main() -> @location(0) vec4<f32> { return x; }
