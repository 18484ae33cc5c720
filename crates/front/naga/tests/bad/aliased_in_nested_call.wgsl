// E0708 6:55
var<private> x: i32;
fn h() { x = 6; }
fn inner(p: ptr<private, i32>) -> i32 { h(); return *p; }
fn outer(p: ptr<private, i32>) -> i32 { return inner(p); }
fn g() -> i32 { let p = &x; let unrelated = 1; return outer(p); }
