// The edges of floats.
// expect: true true false
fn negative_zero() -> vec3<bool> { var z = 0.0; return vec3<bool>(-z == z, bitcast<u32>(-z) == 0x80000000u, 1.0 < z); }
// expect: 0 3 -3
fn truncations() -> vec3<f32> { var x = vec3<f32>(0.9, 3.7, -3.7); return trunc(x); }
// expect: 1 4 -3
fn ceilings() -> vec3<f32> { var x = vec3<f32>(0.1, 3.7, -3.7); return ceil(x); }
// expect: 8 9
fn powers() -> vec2<f32> { var x = vec2<f32>(2.0, 3.0); return pow(x, vec2<f32>(3.0, 2.0)); }
