// E0705 2:1
override radius: f32;
fn f() -> f32 { return radius; }
