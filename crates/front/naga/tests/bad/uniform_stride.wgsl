// E0702 3:23
struct S { a: array<f32, 4> }
@group(0) @binding(0) var<uniform> s: S;
