// Variables, pointers, arrays, structs, with what they give.

struct Point { x: f32, y: f32 }
struct Line { start: Point, to: Point, tags: array<i32, 2> }

const ORIGIN = Point(0.0, 0.0);
const TABLE = array<i32, 4>(3, 1, 4, 1);
var<private> counter: i32 = 5;
var<private> zeroed: array<vec2<f32>, 3>;

// expect: 3 4
fn struct_parts() -> vec2<f32> {
    var line = Line(ORIGIN, Point(3.0, 4.0), array<i32, 2>(7, 8));
    let p = line.to;
    return vec2<f32>(p.x, p.y);
}

// expect: 9 8
fn store_into_a_part() -> vec2<f32> {
    var line: Line;
    line.to.x = 9.0;
    line.tags[1] = 8;
    return vec2<f32>(line.to.x, f32(line.tags[1]));
}

// expect: 4 1
fn dynamic_index() -> vec2<i32> { var i = 2; return vec2<i32>(TABLE[i], TABLE[i + 1]); }

// expect: 3 0 0
fn component_by_index() -> vec3<i32> { var v = vec3<i32>(0); var i = 0; v[i] = 3; return v; }

// expect: 6
fn column_by_index() -> f32 { var m = mat2x2<f32>(1.0, 2.0, 3.0, 6.0); var i = 1; return m[i][i]; }

// expect: 5 6
fn private_variables() -> vec2<i32> { let before = counter; counter += 1; return vec2<i32>(before, counter); }

// expect: 0 0
fn private_zero() -> vec2<f32> { return zeroed[1]; }

// expect: 2 1
fn swap_through_pointers() -> vec2<i32> { var a = 1; var b = 2; swap(&a, &b); return vec2<i32>(a, b); }
fn swap(a: ptr<function, i32>, b: ptr<function, i32>) { let t = *a; *a = *b; *b = t; }

// expect: 42
fn pointer_to_private() -> i32 { assign(&target_value, 42); return target_value; }
var<private> target_value: i32;
fn assign(p: ptr<private, i32>, value: i32) { *p = value; }

// expect: 11
fn nested_pointers() -> i32 { var a = 1; outer(&a); return a; }
fn outer(p: ptr<function, i32>) { inner(p); *p += 5; }
fn inner(p: ptr<function, i32>) { *p += 5; }

// expect: 1 2 3
fn array_value() -> array<i32, 3> { var a = array<i32, 3>(1, 2, 3); let b = a; a[0] = 9; return b; }

// expect: 3 3
fn compound_assignment() -> vec2<f32> { var v = vec2<f32>(1.0, 2.0); v.x += 2.0; v.y *= 1.5; return v; }

// expect: 10
fn overridden() -> i32 { return limit; }
override limit: i32 = 10;

// expect: 20
fn overridden_and_derived() -> i32 { return twice; }
override twice: i32 = limit * 2;

// expect: 4
fn shadowing() -> i32 { let x = 1; { let x = 2; { let x = x + 1; return x + 1; } } }

// expect: 7
fn constant_expressions() -> i32 { const a = 3; const b = vec2<i32>(a, a + 1); return b.x + b.y; }
