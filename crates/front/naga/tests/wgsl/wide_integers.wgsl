// expect: 0x1FFFFFFFE 0x2
fn sixty_four_bits() -> array<u64, 2> { var x = 0xFFFFFFFFlu; return array<u64, 2>(x * 2lu, x / 0x7FFFFFFFlu); }
// expect: -1
fn narrowed() -> i32 { var x = -1li; return i32(x); }
