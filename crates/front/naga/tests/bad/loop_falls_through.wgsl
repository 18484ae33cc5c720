// E0702 2:1
fn f(x: i32) -> i32 { var i = x; loop { i++; if i > 9 { break; } if i == 3 { return i; } } }
