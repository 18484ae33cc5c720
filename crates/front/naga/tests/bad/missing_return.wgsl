// E0702 2:1
fn f(x: f32) -> f32 { let y = x; }
