// E0708 3:42
fn f(p: ptr<function, i32>, q: ptr<function, i32>) { *p = *q; }
fn g(p: ptr<function, i32>) { let q = p; f(p, q); }
