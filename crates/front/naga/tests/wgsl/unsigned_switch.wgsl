// expect: 1 2 2 3
fn cases() -> vec4<u32> {
    var out: vec4<u32>;
    for (var i = 0u; i < 4u; i++) {
        switch i { case 0u: { out[i] = 1u; } case 1u, 2u: { out[i] = 2u; } case default: { out[i] = 3u; } }
    }
    return out;
}
// expect: 4
fn only_a_default() -> i32 { var x = 3; switch x { default: { x = 4; } } return x; }
// expect: 2
fn returns_in_every_case() -> i32 { var x = 1; switch x { case 1: { return 2; } default: { return 3; } } }
