//! Ops on numbers. A table here defines each op; its handlers are the shapes below for every location of its operands.
//!
//! ```text
//! two registers: a b out        a register and a constant: a out constant        a constant and a register: b out constant
//! ```
//!
//! A 32-bit constant follows the registers; so does one of 64 bits that is an integer and fits, sign-extended. A
//! binary64 takes a word of its own.

#![allow(non_camel_case_types)]

use planish_ir::function::TrapKind;

use super::operands::{Acc, Constant, Forms, Number, Out, Pair, Pass, Sink, Slot, Source, Word};
use super::{Handler, half, handlers, next, register, set, stop_with, upper};

/// Arithmetic has one canonical NaN. NaNs are rare: an untaken branch costs nothing, while a select would add latency
/// to the result.
#[inline(always)]
fn canonical32(x: f32) -> f32 {
    if x.is_nan() { nan32() } else { x }
}

/// As [`canonical32`].
#[inline(always)]
fn canonical64(x: f64) -> f64 {
    if x.is_nan() { nan64() } else { x }
}

#[cold]
#[inline(never)]
fn nan32() -> f32 {
    f32::from_bits(std::hint::black_box(planish_ir::meaning::NAN_F32))
}

#[cold]
#[inline(never)]
fn nan64() -> f64 {
    f64::from_bits(std::hint::black_box(planish_ir::meaning::NAN_F64))
}

/// An op with two operands. Those with `any` in their names keep the processor's NaN.
pub(crate) trait Binary: Sized + 'static {
    /// Type of the operands.
    type T: Number;
    /// Type of the result.
    type R: Number;
    /// The op.
    ///
    /// # Errors
    /// Why it traps.
    fn value(a: Self::T, b: Self::T) -> Result<Self::R, TrapKind>;
    /// Its handlers.
    const FORMS: BinaryForms = BinaryForms {
        registers: &[
            binary_pair::<Self, Slot<0>, Slot<1>, 2>(),
            binary_pair::<Self, Acc, Slot<1>, 2>(),
            binary_pair::<Self, Slot<0>, Acc, 2>(),
        ],
        constant_second: &[binary_pair::<Self, Slot<0>, Constant, 1>(), binary_pair::<Self, Acc, Constant, 1>()],
        constant_first: &[binary_pair::<Self, Constant, Slot<0>, 1>(), binary_pair::<Self, Constant, Acc, 1>()],
        word_second: &[binary_pair::<Self, Slot<0>, Word<2>, 1>(), binary_pair::<Self, Acc, Word<2>, 1>()],
    };
    /// Its handlers on one register twice: squares and doubles.
    const TWICE: Forms = &[binary_pair::<Self, Slot<0>, Slot<0>, 2>(), binary_pair::<Self, Acc, Acc, 2>()];
}

/// The handlers of a [`Binary`].
#[derive(Clone, Copy)]
pub(crate) struct BinaryForms {
    /// On two registers.
    pub(crate) registers: Forms,
    /// On a register and a constant.
    pub(crate) constant_second: Forms,
    /// On a constant and a register.
    pub(crate) constant_first: Forms,
    /// On a register and a constant with a word of its own.
    pub(crate) word_second: Forms,
}

const fn binary_pair<Op: Binary, A: Source, B: Source, const OUT: usize>() -> Pair {
    [binary::<Op, A, B, Out<OUT>> as Handler, binary::<Op, A, B, Pass>]
}

/// Ops that never trap.
macro_rules! binaries {
    ($($name:ident $t:ident $r:ident |$a:ident, $b:ident| $value:expr;)*) => { $(
        pub(crate) struct $name;
        impl Binary for $name {
            type T = $t;
            type R = $r;
            #[inline(always)]
            fn value($a: $t, $b: $t) -> Result<$r, TrapKind> {
                Ok($value)
            }
        }
    )* };
}

pub(crate) use binaries;

binaries! {
    add_i32 u32 u32 |a, b| a.wrapping_add(b);
    sub_i32 u32 u32 |a, b| a.wrapping_sub(b);
    mul_i32 u32 u32 |a, b| a.wrapping_mul(b);
    and_i32 u32 u32 |a, b| a & b;
    and_not_i32 u32 u32 |a, b| a & !b;
    and_not_i64 u64 u64 |a, b| a & !b;
    or_i32 u32 u32 |a, b| a | b;
    xor_i32 u32 u32 |a, b| a ^ b;
    shl_i32 u32 u32 |a, b| a.wrapping_shl(b);
    shr_i32 i32 i32 |a, b| a.wrapping_shr(b as u32);
    shr_u32 u32 u32 |a, b| a.wrapping_shr(b);
    rotl_i32 u32 u32 |a, b| a.rotate_left(b & 31);
    rotr_i32 u32 u32 |a, b| a.rotate_right(b & 31);
    add_i64 u64 u64 |a, b| a.wrapping_add(b);
    sub_i64 u64 u64 |a, b| a.wrapping_sub(b);
    mul_i64 u64 u64 |a, b| a.wrapping_mul(b);
    and_i64 u64 u64 |a, b| a & b;
    or_i64 u64 u64 |a, b| a | b;
    xor_i64 u64 u64 |a, b| a ^ b;
    shl_i64 u64 u64 |a, b| a.wrapping_shl(b as u32);
    shr_i64 i64 i64 |a, b| a.wrapping_shr(b as u32);
    shr_u64 u64 u64 |a, b| a.wrapping_shr(b as u32);
    rotl_i64 u64 u64 |a, b| a.rotate_left(b as u32 & 63);
    rotr_i64 u64 u64 |a, b| a.rotate_right(b as u32 & 63);
    min_i32 i32 i32 |a, b| a.min(b);
    max_i32 i32 i32 |a, b| a.max(b);
    quotient_i32 i32 i32 |a, b| if b == 0 { a } else { a.wrapping_div(b) };
    remainder_i32 i32 i32 |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) };
    min_u32 u32 u32 |a, b| a.min(b);
    max_u32 u32 u32 |a, b| a.max(b);
    quotient_u32 u32 u32 |a, b| if b == 0 { a } else { a.wrapping_div(b) };
    remainder_u32 u32 u32 |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) };
    min_i64 i64 i64 |a, b| a.min(b);
    max_i64 i64 i64 |a, b| a.max(b);
    quotient_i64 i64 i64 |a, b| if b == 0 { a } else { a.wrapping_div(b) };
    remainder_i64 i64 i64 |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) };
    min_u64 u64 u64 |a, b| a.min(b);
    max_u64 u64 u64 |a, b| a.max(b);
    quotient_u64 u64 u64 |a, b| if b == 0 { a } else { a.wrapping_div(b) };
    remainder_u64 u64 u64 |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) };
    add_f32 f32 f32 |a, b| canonical32(a + b);
    sub_f32 f32 f32 |a, b| canonical32(a - b);
    mul_f32 f32 f32 |a, b| canonical32(a * b);
    div_f32 f32 f32 |a, b| canonical32(a / b);
    add_f64 f64 f64 |a, b| canonical64(a + b);
    sub_f64 f64 f64 |a, b| canonical64(a - b);
    mul_f64 f64 f64 |a, b| canonical64(a * b);
    div_f64 f64 f64 |a, b| canonical64(a / b);
    add_any_f32 f32 f32 |a, b| a + b;
    sub_any_f32 f32 f32 |a, b| a - b;
    mul_any_f32 f32 f32 |a, b| a * b;
    div_any_f32 f32 f32 |a, b| a / b;
    add_any_f64 f64 f64 |a, b| a + b;
    sub_any_f64 f64 f64 |a, b| a - b;
    mul_any_f64 f64 f64 |a, b| a * b;
    div_any_f64 f64 f64 |a, b| a / b;
    eq_i32 u32 bool |a, b| a == b;
    ne_i32 u32 bool |a, b| a != b;
    lt_i32 i32 bool |a, b| a < b;
    le_i32 i32 bool |a, b| a <= b;
    gt_i32 i32 bool |a, b| a > b;
    ge_i32 i32 bool |a, b| a >= b;
    lt_u32 u32 bool |a, b| a < b;
    le_u32 u32 bool |a, b| a <= b;
    gt_u32 u32 bool |a, b| a > b;
    ge_u32 u32 bool |a, b| a >= b;
    eq_i64 u64 bool |a, b| a == b;
    ne_i64 u64 bool |a, b| a != b;
    lt_i64 i64 bool |a, b| a < b;
    le_i64 i64 bool |a, b| a <= b;
    gt_i64 i64 bool |a, b| a > b;
    ge_i64 i64 bool |a, b| a >= b;
    lt_u64 u64 bool |a, b| a < b;
    le_u64 u64 bool |a, b| a <= b;
    gt_u64 u64 bool |a, b| a > b;
    ge_u64 u64 bool |a, b| a >= b;
    eq_f32 f32 bool |a, b| a == b;
    ne_f32 f32 bool |a, b| a != b;
    lt_f32 f32 bool |a, b| a < b;
    le_f32 f32 bool |a, b| a <= b;
    gt_f32 f32 bool |a, b| a > b;
    ge_f32 f32 bool |a, b| a >= b;
    eq_f64 f64 bool |a, b| a == b;
    ne_f64 f64 bool |a, b| a != b;
    lt_f64 f64 bool |a, b| a < b;
    le_f64 f64 bool |a, b| a <= b;
    gt_f64 f64 bool |a, b| a > b;
    ge_f64 f64 bool |a, b| a >= b;
}

/// Division, which traps.
macro_rules! divisions {
    ($($name:ident $t:ident $op:ident $overflow:expr;)*) => { $(
        pub(crate) struct $name;
        impl Binary for $name {
            type T = $t;
            type R = $t;
            #[inline(always)]
            fn value(a: $t, b: $t) -> Result<$t, TrapKind> {
                match a.$op(b) {
                    Some(value) => Ok(value),
                    None if b == 0 => Err(TrapKind::DivisionByZero),
                    None => $overflow,
                }
            }
        }
    )* };
}

// The least integer over -1 does not fit; the remainder of both is 0.
divisions! {
    div_i32 i32 checked_div Err(TrapKind::IntegerOverflow);
    div_u32 u32 checked_div Err(TrapKind::IntegerOverflow);
    div_i64 i64 checked_div Err(TrapKind::IntegerOverflow);
    div_u64 u64 checked_div Err(TrapKind::IntegerOverflow);
    rem_i32 i32 checked_rem Ok(0);
    rem_u32 u32 checked_rem Ok(0);
    rem_i64 i64 checked_rem Ok(0);
    rem_u64 u64 checked_rem Ok(0);
}

/// An op with one operand: `a out`.
pub(crate) trait Unary: Sized + 'static {
    /// Type of the operand.
    type T: Number;
    /// Type of the result.
    type R: Number;
    /// The op.
    ///
    /// # Errors
    /// Why it traps.
    fn value(a: Self::T) -> Result<Self::R, TrapKind>;
    /// Its handlers.
    const FORMS: Forms = &[
        [unary::<Self, Slot<0>, Out<1>>, unary::<Self, Slot<0>, Pass>],
        [unary::<Self, Acc, Out<1>>, unary::<Self, Acc, Pass>],
    ];
}

/// Ops that never trap.
macro_rules! unaries {
    ($($name:ident $t:ident $r:ident |$a:ident| $value:expr;)*) => { $(
        pub(crate) struct $name;
        impl Unary for $name {
            type T = $t;
            type R = $r;
            #[inline(always)]
            fn value($a: $t) -> Result<$r, TrapKind> {
                Ok($value)
            }
        }
    )* };
}

unaries! {
    clz_i32 u32 u32 |a| a.leading_zeros();
    ctz_i32 u32 u32 |a| a.trailing_zeros();
    popcnt_i32 u32 u32 |a| a.count_ones();
    clz_i64 u64 u64 |a| u64::from(a.leading_zeros());
    ctz_i64 u64 u64 |a| u64::from(a.trailing_zeros());
    popcnt_i64 u64 u64 |a| u64::from(a.count_ones());
    not_i32 u32 u32 |a| !a;
    not_i64 u64 u64 |a| !a;
    neg_i32 u32 u32 |a| a.wrapping_neg();
    neg_i64 u64 u64 |a| a.wrapping_neg();
    not_bool bool bool |a| !a;
    extend8_i32 u32 i32 |a| a as i8 as i32;
    extend16_i32 u32 i32 |a| a as i16 as i32;
    extend8_i64 u64 i64 |a| a as i8 as i64;
    extend16_i64 u64 i64 |a| a as i16 as i64;
    extend32_i64 u64 i64 |a| a as i32 as i64;
    wrap_i64 u64 u32 |a| a as u32;
    is_set u64 bool |a| a != 0;
    is_zero u64 bool |a| a == 0;
    neg_f32 f32 f32 |a| f32::from_bits(a.to_bits() ^ 1 << 31);
    neg_f64 f64 f64 |a| f64::from_bits(a.to_bits() ^ 1 << 63);
    abs_f32 f32 f32 |a| f32::from_bits(a.to_bits() & !(1 << 31));
    abs_f64 f64 f64 |a| f64::from_bits(a.to_bits() & !(1 << 63));
    sqrt_f32 f32 f32 |a| canonical32(a.sqrt());
    sqrt_f64 f64 f64 |a| canonical64(a.sqrt());
    i32_to_f32 i32 f32 |a| a as f32;
    i32_to_f64 i32 f64 |a| f64::from(a);
    u32_to_f32 u32 f32 |a| a as f32;
    u32_to_f64 u32 f64 |a| f64::from(a);
    i64_to_f32 i64 f32 |a| a as f32;
    i64_to_f64 i64 f64 |a| a as f64;
    u64_to_f32 u64 f32 |a| a as f32;
    u64_to_f64 u64 f64 |a| a as f64;
    f32_to_f64 f32 f64 |a| canonical64(f64::from(a));
    f64_to_f32 f64 f32 |a| canonical32(a as f32);
    f32_to_i32 f32 i32 |a| a as i32;
    f32_to_u32 f32 u32 |a| a as u32;
    f32_to_i64 f32 i64 |a| a as i64;
    f32_to_u64 f32 u64 |a| a as u64;
    f64_to_i32 f64 i32 |a| a as i32;
    f64_to_u32 f64 u32 |a| a as u32;
    f64_to_i64 f64 i64 |a| a as i64;
    f64_to_u64 f64 u64 |a| a as u64;
}

/// Float to integer that traps. A float that is truncated fits if it is above `$low` and below `$high`.
macro_rules! truncations {
    ($($name:ident $t:ident $to:ident $low:expr, $high:expr;)*) => { $(
        pub(crate) struct $name;
        impl Unary for $name {
            type T = $t;
            type R = $to;
            #[inline(always)]
            fn value(a: $t) -> Result<$to, TrapKind> {
                if a > $low && a < $high {
                    return Ok(a as $to);
                }
                Err(if a.is_nan() { TrapKind::InvalidConversion } else { TrapKind::IntegerOverflow })
            }
        }
    )* };
}

truncations! {
    trunc_f32_i32 f32 i32 -2147483904.0, 2147483648.0;
    trunc_f32_u32 f32 u32 -1.0, 4294967296.0;
    trunc_f32_i64 f32 i64 -9223373136366403584.0, 9223372036854775808.0;
    trunc_f32_u64 f32 u64 -1.0, 18446744073709551616.0;
    trunc_f64_i32 f64 i32 -2147483649.0, 2147483648.0;
    trunc_f64_u32 f64 u32 -1.0, 4294967296.0;
    trunc_f64_i64 f64 i64 -9223372036854777856.0, 9223372036854775808.0;
    trunc_f64_u64 f64 u64 -1.0, 18446744073709551616.0;
}

/// Two ops in one: `a b c out`.
pub(crate) trait Fused: Sized + 'static {
    /// Type of the operands and the result.
    type T: Number;
    /// The ops.
    fn value(a: Self::T, b: Self::T, c: Self::T) -> Self::T;
    /// Its handlers.
    const FORMS: Forms = &[
        [fused::<Self, Slot<0>, Slot<1>, Slot<2>, Out<3>>, fused::<Self, Slot<0>, Slot<1>, Slot<2>, Pass>],
        [fused::<Self, Acc, Slot<1>, Slot<2>, Out<3>>, fused::<Self, Acc, Slot<1>, Slot<2>, Pass>],
        [fused::<Self, Slot<0>, Acc, Slot<2>, Out<3>>, fused::<Self, Slot<0>, Acc, Slot<2>, Pass>],
        [fused::<Self, Slot<0>, Slot<1>, Acc, Out<3>>, fused::<Self, Slot<0>, Slot<1>, Acc, Pass>],
    ];
}

macro_rules! fusions {
    ($($name:ident $t:ident |$a:ident, $b:ident, $c:ident| $value:expr;)*) => { $(
        pub(crate) struct $name;
        impl Fused for $name {
            type T = $t;
            #[inline(always)]
            fn value($a: $t, $b: $t, $c: $t) -> $t {
                $value
            }
        }
    )* };
}

fusions! {
    mul_add_i32 u32 |a, b, c| a.wrapping_mul(b).wrapping_add(c);
    mul_sub_i32 u32 |a, b, c| a.wrapping_mul(b).wrapping_sub(c);
    sub_mul_i32 u32 |a, b, c| c.wrapping_sub(a.wrapping_mul(b));
    mul_add_i64 u64 |a, b, c| a.wrapping_mul(b).wrapping_add(c);
    mul_sub_i64 u64 |a, b, c| a.wrapping_mul(b).wrapping_sub(c);
    sub_mul_i64 u64 |a, b, c| c.wrapping_sub(a.wrapping_mul(b));
    mul_add_f32 f32 |a, b, c| canonical32(a * b + c);
    mul_sub_f32 f32 |a, b, c| canonical32(a * b - c);
    sub_mul_f32 f32 |a, b, c| canonical32(c - a * b);
    mul_add_f64 f64 |a, b, c| canonical64(a * b + c);
    mul_sub_f64 f64 |a, b, c| canonical64(a * b - c);
    sub_mul_f64 f64 |a, b, c| canonical64(c - a * b);
    mul_add_any_f32 f32 |a, b, c| a * b + c;
    mul_sub_any_f32 f32 |a, b, c| a * b - c;
    sub_mul_any_f32 f32 |a, b, c| c - a * b;
    mul_add_any_f64 f64 |a, b, c| a * b + c;
    mul_sub_any_f64 f64 |a, b, c| a * b - c;
    sub_mul_any_f64 f64 |a, b, c| c - a * b;
}

/// A shift (or rotation) by a constant, and an op with the result: `a amount c out`.
pub(crate) trait Shifted: Sized + 'static {
    /// Type of the operands and the result.
    type T: Number;
    /// The ops.
    fn value(a: Self::T, amount: u32, c: Self::T) -> Self::T;
    /// Its handlers.
    const FORMS: Forms = &[
        [shifted::<Self, Slot<0>, Slot<2>, Out<3>>, shifted::<Self, Slot<0>, Slot<2>, Pass>],
        [shifted::<Self, Acc, Slot<2>, Out<3>>, shifted::<Self, Acc, Slot<2>, Pass>],
        [shifted::<Self, Slot<0>, Acc, Out<3>>, shifted::<Self, Slot<0>, Acc, Pass>],
    ];
    /// With a constant in place of `c`, which is a word of its own.
    const CONSTANT: Forms = &[
        [shifted::<Self, Slot<0>, Word<2>, Out<3>>, shifted::<Self, Slot<0>, Word<2>, Pass>],
        [shifted::<Self, Acc, Word<2>, Out<3>>, shifted::<Self, Acc, Word<2>, Pass>],
    ];
}

macro_rules! shifts {
    ($($name:ident $t:ident |$a:ident, $k:ident, $c:ident| $value:expr;)*) => { $(
        pub(crate) struct $name;
        impl Shifted for $name {
            type T = $t;
            #[inline(always)]
            fn value($a: $t, $k: u32, $c: $t) -> $t {
                $value
            }
        }
    )* };
}

shifts! {
    shl_add_i32 u32 |a, k, c| a.wrapping_shl(k).wrapping_add(c);
    shl_add_i64 u64 |a, k, c| a.wrapping_shl(k).wrapping_add(c);
    shl_or_i32 u32 |a, k, c| a.wrapping_shl(k) | c;
    shl_or_i64 u64 |a, k, c| a.wrapping_shl(k) | c;
    shl_xor_i32 u32 |a, k, c| a.wrapping_shl(k) ^ c;
    shl_xor_i64 u64 |a, k, c| a.wrapping_shl(k) ^ c;
    shr_or_i32 u32 |a, k, c| a.wrapping_shr(k) | c;
    shr_or_i64 u64 |a, k, c| a.wrapping_shr(k) | c;
    shr_xor_i32 u32 |a, k, c| a.wrapping_shr(k) ^ c;
    shr_xor_i64 u64 |a, k, c| a.wrapping_shr(k) ^ c;
    rotl_xor_i32 u32 |a, k, c| a.rotate_left(k & 31) ^ c;
    rotl_xor_i64 u64 |a, k, c| a.rotate_left(k & 63) ^ c;
    rotr_xor_i32 u32 |a, k, c| a.rotate_right(k & 31) ^ c;
    rotr_xor_i64 u64 |a, k, c| a.rotate_right(k & 63) ^ c;
}

handlers! {
    fn binary[Op: Binary, A: Source, B: Source, O: Sink](ip, m) {
        match Op::value(A::get(ip, &m), B::get(ip, &m)) {
            Ok(value) => O::put(ip, &mut m, value),
            Err(kind) => return stop_with(m.cx, ip, kind),
        }
        // (One of them may be a constant.)
        next!(ip.add(A::words::<Op::T>() + B::words::<Op::T>() - 2), m)
    }
    fn unary[Op: Unary, A: Source, O: Sink](ip, m) {
        match Op::value(A::get(ip, &m)) {
            Ok(value) => O::put(ip, &mut m, value),
            Err(kind) => return stop_with(m.cx, ip, kind),
        }
        next!(ip.add(2), m)
    }
    fn fused[Op: Fused, A: Source, B: Source, C: Source, O: Sink](ip, m) {
        let value = Op::value(A::get(ip, &m), B::get(ip, &m), C::get(ip, &m));
        O::put(ip, &mut m, value);
        next!(ip.add(2), m)
    }
    fn shifted[Op: Shifted, A: Source, C: Source, O: Sink](ip, m) {
        let value = Op::value(A::get(ip, &m), half(ip, 1) as u32, C::get(ip, &m));
        O::put(ip, &mut m, value);
        next!(ip.add(C::words::<Op::T>()), m)
    }
    /// Shift right and mask, both constants: `a out amount mask`, the mask of 16 bits.
    fn field_i32[A: Source, O: Sink](ip, m) {
        let a: u32 = A::get(ip, &m);
        O::put(ip, &mut m, a.wrapping_shr(half(ip, 2) as u32) & half(ip, 3) as u32);
        next!(ip.add(2), m)
    }
    fn field_i64[A: Source, O: Sink](ip, m) {
        let a: u64 = A::get(ip, &m);
        O::put(ip, &mut m, a.wrapping_shr(half(ip, 2) as u32) & half(ip, 3) as u64);
        next!(ip.add(2), m)
    }
    /// A comparison that chooses: `a b x y`, and a word with `out`.
    fn choose[Op: Binary<R = bool>, A: Source, B: Source](ip, m) {
        let Ok(holds) = Op::value(A::get(ip, &m), B::get(ip, &m)) else { return stop_with(m.cx, ip, TrapKind::Unreachable) };
        let (x, y) = (register(ip, &m, 2), register(ip, &m, 3));
        let chosen = std::hint::select_unpredictable(holds, x, y);
        m.int = chosen;
        *m.fp.add(*ip.add(2) as usize) = chosen;
        next!(ip.add(3), m)
    }
    /// `a out`
    fn copy[A: Source, T: Number](ip, m) {
        set(ip, &m, 1, A::get::<T>(ip, &m).put());
        next!(ip.add(2), m)
    }
    /// Two copies, the second after the first: `a out a out`
    fn copy2(ip, m) {
        let a = register(ip, &m, 0);
        set(ip, &m, 1, a);
        let b = register(ip, &m, 2);
        set(ip, &m, 3, b);
        next!(ip.add(2), m)
    }
    /// A constant whose upper half is zero: `out _ constant`
    fn constant(ip, m) {
        set(ip, &m, 0, upper(ip) as u32 as u64);
        next!(ip.add(2), m)
    }
    /// Two constants whose upper halves are zero: `out out _ _`, and a word with both.
    fn constants(ip, m) {
        let both = *ip.add(2);
        set(ip, &m, 0, both as u32 as u64);
        set(ip, &m, 1, both >> 32);
        next!(ip.add(3), m)
    }
    /// A constant of 64 bits: `out`, and a word.
    fn constant_wide(ip, m) {
        set(ip, &m, 0, *ip.add(2));
        next!(ip.add(3), m)
    }
    /// `condition a b out`
    fn select[A: Source](ip, m) {
        let (a, b) = (register(ip, &m, 1), register(ip, &m, 2));
        m.int = std::hint::select_unpredictable(A::get::<u32>(ip, &m) != 0, a, b);
        set(ip, &m, 3, m.int);
        next!(ip.add(2), m)
    }
    /// A global into a register: `out _ global`
    fn global_get[O: Sink](ip, m) {
        let cell = *(*m.cx).globals.add(upper(ip) as usize);
        O::put(ip, &mut m, *cell);
        next!(ip.add(2), m)
    }
    /// A register into a global: `a _ global`
    fn global_set[A: Source](ip, m) {
        let cell = *(*m.cx).globals.add(upper(ip) as usize);
        *cell = A::get(ip, &m);
        next!(ip.add(2), m)
    }
    /// A constant into a global: `_ _ global`, and a word.
    fn global_set_constant(ip, m) {
        let cell = *(*m.cx).globals.add(upper(ip) as usize);
        *cell = *ip.add(2);
        next!(ip.add(3), m)
    }
}

/// Handlers of [`field_i32`] and [`field_i64`].
pub(crate) const FIELD_I32: Forms =
    &[[field_i32::<Slot<0>, Out<1>>, field_i32::<Slot<0>, Pass>], [field_i32::<Acc, Out<1>>, field_i32::<Acc, Pass>]];
pub(crate) const FIELD_I64: Forms =
    &[[field_i64::<Slot<0>, Out<1>>, field_i64::<Slot<0>, Pass>], [field_i64::<Acc, Out<1>>, field_i64::<Acc, Pass>]];

/// Handlers of [`choose`] on a comparison.
pub(crate) const fn choices<Op: Binary<R = bool>>() -> [Pair; 3] {
    [[choose::<Op, Slot<0>, Slot<1>>; 2], [choose::<Op, Acc, Slot<1>>; 2], [choose::<Op, Slot<0>, Acc>; 2]]
}

/// Copies from a register and from each accumulator.
pub(crate) const COPIES: [Handler; 4] = [copy::<Slot<0>, u64>, copy::<Acc, u64>, copy::<Acc, f32>, copy::<Acc, f64>];

/// Handlers of [`select`], [`global_get`] and [`global_set`].
pub(crate) const SELECT: Forms = &[[select::<Slot<0>>; 2], [select::<Acc>; 2]];
pub(crate) const GLOBAL_GET: Pair = [global_get::<Out<0>>, global_get::<Pass>];
pub(crate) const GLOBAL_SET: Forms = &[[global_set::<Slot<0>>; 2], [global_set::<Acc>; 2]];
