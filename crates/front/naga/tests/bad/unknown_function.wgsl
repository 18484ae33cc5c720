// E0701 2:24
fn f() -> f32 { return normalise(1.0); }
