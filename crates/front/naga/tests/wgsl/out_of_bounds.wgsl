// An index beyond the end goes to the last element.
// expect: 3
fn array_read() -> i32 { var a = array<i32, 3>(1, 2, 3); var i = 7; return a[i]; }
// expect: 4
fn vector_read() -> i32 { let v = vec4<i32>(1, 2, 3, 4); var i = 9; return v[i]; }
