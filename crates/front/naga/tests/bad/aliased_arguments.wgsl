// E0708 6:35
fn f(p: ptr<function, i32>, q: ptr<function, i32>) -> i32 {
    *p = 5;
    return *q;
}
fn g() -> i32 { var x = 1; return f(&x, &x); }
