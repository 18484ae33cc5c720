// E0701 2:4
fn f(x: i32) -> i32 { return f(x - 1); }
