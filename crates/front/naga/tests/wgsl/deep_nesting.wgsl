// Deep but legal nesting.
fn deep(x: i32) -> i32 {
    if x > 0 { if x > 1 { if x > 2 { if x > 3 { if x > 4 { if x > 5 { loop { switch x { case 6: { return 6; } default: { break; } }
    break; } } } } } } }
    return ((((((((((x + 1) * 2) - 3) + 4) * 5) - 6) + 7) * 8) - 9) + 10);
}
// expect: 6
fn at_six() -> i32 { return deep(6); }
// expect: 96 129
fn elsewhere() -> vec2<i32> { return vec2<i32>(deep(-1) + 47, deep(1) - 80); }
