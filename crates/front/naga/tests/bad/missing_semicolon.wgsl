// E0701 2:20
fn f() { let x = 1 let y = 2; }
