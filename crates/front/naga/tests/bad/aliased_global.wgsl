// E0708 7:24
var<private> x: i32;
fn f(p: ptr<private, i32>) -> i32 {
    *p = 5;
    return x;
}
fn g() -> i32 { return f(&x); }
