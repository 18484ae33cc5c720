// E0702 2:30
fn f() -> f32 { let x: i32 = 1; return x; }
