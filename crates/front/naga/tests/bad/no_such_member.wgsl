// E0701 3:30
struct S { a: f32 }
fn f(s: S) -> f32 { return s.b; }
