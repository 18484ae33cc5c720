// E0701 2:24
fn f() -> f32 { return atan2(1.0); }
