// Two pointers to one variable that nobody writes behind, and two variables behind which somebody does.
var<private> total: i32;

fn sum(p: ptr<function, i32>, q: ptr<function, i32>) -> i32 {
    return *p + *q;
}

fn add(p: ptr<function, i32>, q: ptr<private, i32>) {
    *q = *q + *p;
}

@fragment
fn main() -> @location(0) vec4<f32> {
    var x = 3;
    let y = sum(&x, &x);
    add(&x, &total);
    return vec4<f32>(f32(y), f32(total), 0.0, 1.0);
}
