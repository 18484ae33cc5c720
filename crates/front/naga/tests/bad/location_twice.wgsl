// E0702 2:96
@fragment fn main(@location(0) a: f32, @location(0) b: f32) -> @location(0) vec4<f32> { return vec4<f32>(a + b); }
