// E0701 2:14
fn f() { let class = 1; }
