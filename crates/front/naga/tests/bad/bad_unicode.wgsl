// E0701 2:18
fn f() { let x = §; }
