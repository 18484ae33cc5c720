// E0704 3:1
enable f16;
fn f(x: f16) -> f32 { return f32(x); }
