// Pointers into private memory, handed on to others.
var<private> total: i32 = 1;
var<private> table: array<i32, 3>;
fn add(p: ptr<private, i32>, n: i32) { *p += n; }
fn twice(p: ptr<private, i32>, n: i32) { add(p, n); add(p, n); }
// expect: 7
fn through_two() -> i32 { twice(&total, 3); return total; }
// expect: 6 3
fn one_after_the_other() -> vec2<i32> { total = 2; add(&total, 4); table[1] = 3; return vec2<i32>(total, table[1]); }
