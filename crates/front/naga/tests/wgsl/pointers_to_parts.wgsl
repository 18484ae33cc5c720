// Pointers to parts of things as arguments.
struct Pair { a: vec2<f32>, b: array<f32, 3> }
fn bump(p: ptr<function, f32>, by: f32) -> f32 { *p += by; return *p; }
fn touch(p: ptr<function, Pair>) { (*p).a.x = 1.0; let q = &(*p).b[1]; *q = 5.0; }

@fragment
fn main(@location(0) x: f32) -> @location(0) vec4<f32> {
    var pair: Pair;
    touch(&pair);
    var i = i32(x);
    let r = bump(&pair.b[2], x);
    return vec4<f32>(pair.a, pair.b[i], r);
}
