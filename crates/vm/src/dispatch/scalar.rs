//! Ops on numbers. `rr` takes two registers, `ri` a register and a constant, `ir` a constant and a register; the result goes
//! to a register.
//!
//! ```text
//! rr: a b out        ri: a out constant        ir: b out constant
//! ```
//!
//! A 32-bit constant stands behind the registers; so does one of 64 bits that is an integer and fits, sign-extended. A binary64
//! takes a word of its own.

use super::{half, handlers, next, register, set, trap, upper};

/// A number as a register holds it: its bits, zero-extended.
pub(crate) trait Number: Copy {
    /// Words of an instruction with a constant.
    const IMMEDIATE_WORDS: usize;
    /// From a register.
    fn get(bits: u64) -> Self;
    /// Into a register.
    fn put(self) -> u64;
    /// The constant of an instruction.
    ///
    /// # Safety
    /// The instruction has one.
    unsafe fn immediate(ip: super::Ip) -> Self;
}

macro_rules! numbers {
    ($($t:ident $words:literal |$bits:ident| $get:expr, |$x:ident| $put:expr, |$ip:ident| $immediate:expr;)*) => { $(
        impl Number for $t {
            const IMMEDIATE_WORDS: usize = $words;
            #[inline(always)]
            fn get($bits: u64) -> Self { $get }
            #[inline(always)]
            fn put(self) -> u64 { let $x = self; $put }
            #[inline(always)]
            unsafe fn immediate($ip: super::Ip) -> Self { $immediate }
        }
    )* };
}

numbers! {
    i32 2 |b| b as i32, |x| x as u32 as u64, |ip| upper(ip);
    u32 2 |b| b as u32, |x| x as u64, |ip| upper(ip) as u32;
    i64 2 |b| b as i64, |x| x as u64, |ip| upper(ip).into();
    u64 2 |b| b, |x| x, |ip| upper(ip) as i64 as u64;
    f32 2 |b| f32::from_bits(b as u32), |x| x.to_bits().into(), |ip| f32::from_bits(upper(ip) as u32);
    f64 3 |b| f64::from_bits(b), |x| x.to_bits(), |ip| f64::from_bits(*ip.add(2));
    bool 2 |b| b as u32 != 0, |x| x.into(), |ip| upper(ip) != 0;
}

/// Arithmetic gives one NaN only. That there is one is rare: a jump that is not taken costs nothing, a selection makes all
/// that waits for the result wait longer.
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

/// Ops with two operands: modules of `rr`, `ri` and `ir`.
macro_rules! binary {
    ($($name:ident $t:ident |$a:ident, $b:ident| $value:expr;)*) => { $(
        #[allow(unused)]
        pub(crate) mod $name {
            use super::*;
            type T = $t;
            #[inline(always)]
            fn value($a: T, $b: T) -> u64 { Number::put($value) }
            handlers! {
                fn rr(ip, fp, memory, size, cx) {
                    set(ip, fp, 2, value(T::get(register(ip, fp, 0)), T::get(register(ip, fp, 1))));
                    next!(ip.add(2), fp, memory, size, cx)
                }
                fn ri(ip, fp, memory, size, cx) {
                    set(ip, fp, 1, value(T::get(register(ip, fp, 0)), T::immediate(ip)));
                    next!(ip.add(T::IMMEDIATE_WORDS), fp, memory, size, cx)
                }
                fn ir(ip, fp, memory, size, cx) {
                    set(ip, fp, 1, value(T::immediate(ip), T::get(register(ip, fp, 0))));
                    next!(ip.add(T::IMMEDIATE_WORDS), fp, memory, size, cx)
                }
            }
        }
    )* };
}

binary! {
    add_i32 u32 |a, b| a.wrapping_add(b);
    sub_i32 u32 |a, b| a.wrapping_sub(b);
    mul_i32 u32 |a, b| a.wrapping_mul(b);
    and_i32 u32 |a, b| a & b;
    or_i32 u32 |a, b| a | b;
    xor_i32 u32 |a, b| a ^ b;
    shl_i32 u32 |a, b| a.wrapping_shl(b);
    shr_i32 i32 |a, b| a.wrapping_shr(b as u32);
    shr_u32 u32 |a, b| a.wrapping_shr(b);
    rotl_i32 u32 |a, b| a.rotate_left(b & 31);
    rotr_i32 u32 |a, b| a.rotate_right(b & 31);
    add_i64 u64 |a, b| a.wrapping_add(b);
    sub_i64 u64 |a, b| a.wrapping_sub(b);
    mul_i64 u64 |a, b| a.wrapping_mul(b);
    and_i64 u64 |a, b| a & b;
    or_i64 u64 |a, b| a | b;
    xor_i64 u64 |a, b| a ^ b;
    shl_i64 u64 |a, b| a.wrapping_shl(b as u32);
    shr_i64 i64 |a, b| a.wrapping_shr(b as u32);
    shr_u64 u64 |a, b| a.wrapping_shr(b as u32);
    rotl_i64 u64 |a, b| a.rotate_left(b as u32 & 63);
    rotr_i64 u64 |a, b| a.rotate_right(b as u32 & 63);
    add_f32 f32 |a, b| canonical32(a + b);
    sub_f32 f32 |a, b| canonical32(a - b);
    mul_f32 f32 |a, b| canonical32(a * b);
    div_f32 f32 |a, b| canonical32(a / b);
    add_f64 f64 |a, b| canonical64(a + b);
    sub_f64 f64 |a, b| canonical64(a - b);
    mul_f64 f64 |a, b| canonical64(a * b);
    div_f64 f64 |a, b| canonical64(a / b);
    eq_i32 u32 |a, b| a == b;
    ne_i32 u32 |a, b| a != b;
    lt_i32 i32 |a, b| a < b;
    le_i32 i32 |a, b| a <= b;
    gt_i32 i32 |a, b| a > b;
    ge_i32 i32 |a, b| a >= b;
    lt_u32 u32 |a, b| a < b;
    le_u32 u32 |a, b| a <= b;
    gt_u32 u32 |a, b| a > b;
    ge_u32 u32 |a, b| a >= b;
    eq_i64 u64 |a, b| a == b;
    ne_i64 u64 |a, b| a != b;
    lt_i64 i64 |a, b| a < b;
    le_i64 i64 |a, b| a <= b;
    gt_i64 i64 |a, b| a > b;
    ge_i64 i64 |a, b| a >= b;
    lt_u64 u64 |a, b| a < b;
    le_u64 u64 |a, b| a <= b;
    gt_u64 u64 |a, b| a > b;
    ge_u64 u64 |a, b| a >= b;
    eq_f32 f32 |a, b| a == b;
    ne_f32 f32 |a, b| a != b;
    lt_f32 f32 |a, b| a < b;
    le_f32 f32 |a, b| a <= b;
    gt_f32 f32 |a, b| a > b;
    ge_f32 f32 |a, b| a >= b;
    eq_f64 f64 |a, b| a == b;
    ne_f64 f64 |a, b| a != b;
    lt_f64 f64 |a, b| a < b;
    le_f64 f64 |a, b| a <= b;
    gt_f64 f64 |a, b| a > b;
    ge_f64 f64 |a, b| a >= b;
}

/// Two ops in one: `a b c out`.
macro_rules! fused {
    ($($name:ident $t:ident |$a:ident, $b:ident, $c:ident| $value:expr;)*) => {
        handlers! { $(
            fn $name(ip, fp, memory, size, cx) {
                let $a = <$t>::get(register(ip, fp, 0));
                let $b = <$t>::get(register(ip, fp, 1));
                let $c = <$t>::get(register(ip, fp, 2));
                set(ip, fp, 3, Number::put($value));
                next!(ip.add(2), fp, memory, size, cx)
            }
        )* }
    };
}

fused! {
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
}

/// A shift (or rotation) by a constant, and an op with the result: `a amount c out`.
macro_rules! shifted {
    ($($name:ident $t:ident |$a:ident, $k:ident, $c:ident| $value:expr;)*) => {
        handlers! { $(
            fn $name(ip, fp, memory, size, cx) {
                let $a = <$t>::get(register(ip, fp, 0));
                let $k = half(ip, 1) as u32;
                let $c = <$t>::get(register(ip, fp, 2));
                set(ip, fp, 3, Number::put($value));
                next!(ip.add(2), fp, memory, size, cx)
            }
        )* }
    };
}

shifted! {
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

/// Shift right and mask, both constants: `a out amount mask`, the mask of 16 bits.
macro_rules! fields {
    ($($name:ident $t:ident;)*) => {
        handlers! { $(
            fn $name(ip, fp, memory, size, cx) {
                let a = <$t>::get(register(ip, fp, 0));
                set(ip, fp, 1, (a.wrapping_shr(half(ip, 2) as u32) & half(ip, 3) as $t).put());
                next!(ip.add(2), fp, memory, size, cx)
            }
        )* }
    };
}

fields! {
    field_i32 u32;
    field_i64 u64;
}

/// A comparison that chooses: `a b x y`, and a word with `out`.
macro_rules! choices {
    ($($name:ident $t:ident |$a:ident, $b:ident| $condition:expr;)*) => {
        handlers! { $(
            fn $name(ip, fp, memory, size, cx) {
                let $a = <$t>::get(register(ip, fp, 0));
                let $b = <$t>::get(register(ip, fp, 1));
                let (x, y) = (register(ip, fp, 2), register(ip, fp, 3));
                *fp.add(*ip.add(2) as usize) = std::hint::select_unpredictable($condition, x, y);
                next!(ip.add(3), fp, memory, size, cx)
            }
        )* }
    };
}

choices! {
    select_eq_i32 u32 |a, b| a == b;
    select_lt_i32 i32 |a, b| a < b;
    select_le_i32 i32 |a, b| a <= b;
    select_lt_u32 u32 |a, b| a < b;
    select_le_u32 u32 |a, b| a <= b;
    select_eq_i64 u64 |a, b| a == b;
    select_lt_i64 i64 |a, b| a < b;
    select_le_i64 i64 |a, b| a <= b;
    select_lt_u64 u64 |a, b| a < b;
    select_le_u64 u64 |a, b| a <= b;
    select_eq_f32 f32 |a, b| a == b;
    select_lt_f32 f32 |a, b| a < b;
    select_le_f32 f32 |a, b| a <= b;
    select_eq_f64 f64 |a, b| a == b;
    select_lt_f64 f64 |a, b| a < b;
    select_le_f64 f64 |a, b| a <= b;
}

/// Division that traps: modules of `rr` and `ri`.
macro_rules! division {
    ($($name:ident $t:ident $op:ident $overflow:ident;)*) => { $(
        pub(crate) mod $name {
            use super::*;
            type T = $t;
            handlers! {
                fn rr(ip, fp, memory, size, cx) {
                    let (a, b) = (T::get(register(ip, fp, 0)), T::get(register(ip, fp, 1)));
                    match a.$op(b) {
                        Some(value) => set(ip, fp, 2, value.put()),
                        None if b == 0 => trap!(DivisionByZero, ip, fp, cx),
                        None => $overflow!(set(ip, fp, 2, 0), ip, fp, cx),
                    }
                    next!(ip.add(2), fp, memory, size, cx)
                }
                fn ri(ip, fp, memory, size, cx) {
                    let (a, b) = (T::get(register(ip, fp, 0)), T::immediate(ip));
                    match a.$op(b) {
                        Some(value) => set(ip, fp, 1, value.put()),
                        None if b == 0 => trap!(DivisionByZero, ip, fp, cx),
                        None => $overflow!(set(ip, fp, 1, 0), ip, fp, cx),
                    }
                    next!(ip.add(2), fp, memory, size, cx)
                }
            }
        }
    )* };
}

/// The least integer over -1 does not fit.
macro_rules! quotient {
    ($set:expr, $ip:expr, $fp:expr, $cx:expr) => {
        trap!(IntegerOverflow, $ip, $fp, $cx)
    };
}

/// The remainder of the least integer and -1 is 0.
macro_rules! rest {
    ($set:expr, $ip:expr, $fp:expr, $cx:expr) => {
        $set
    };
}

division! {
    div_i32 i32 checked_div quotient;
    div_u32 u32 checked_div quotient;
    div_i64 i64 checked_div quotient;
    div_u64 u64 checked_div quotient;
    rem_i32 i32 checked_rem rest;
    rem_u32 u32 checked_rem rest;
    rem_i64 i64 checked_rem rest;
    rem_u64 u64 checked_rem rest;
}

/// Ops with one operand: `a out`.
macro_rules! unary {
    ($($name:ident $t:ident |$a:ident| $value:expr;)*) => {
        handlers! { $(
            fn $name(ip, fp, memory, size, cx) {
                let $a = <$t>::get(register(ip, fp, 0));
                set(ip, fp, 1, Number::put($value));
                next!(ip.add(2), fp, memory, size, cx)
            }
        )* }
    };
}

unary! {
    clz_i32 u32 |a| a.leading_zeros();
    ctz_i32 u32 |a| a.trailing_zeros();
    popcnt_i32 u32 |a| a.count_ones();
    clz_i64 u64 |a| u64::from(a.leading_zeros());
    ctz_i64 u64 |a| u64::from(a.trailing_zeros());
    popcnt_i64 u64 |a| u64::from(a.count_ones());
    not_i32 u32 |a| !a;
    not_i64 u64 |a| !a;
    neg_i32 u32 |a| a.wrapping_neg();
    neg_i64 u64 |a| a.wrapping_neg();
    not_bool bool |a| !a;
    extend8_i32 u32 |a| a as i8 as i32;
    extend16_i32 u32 |a| a as i16 as i32;
    extend8_i64 u64 |a| a as i8 as i64;
    extend16_i64 u64 |a| a as i16 as i64;
    extend32_i64 u64 |a| a as i32 as i64;
    wrap_i64 u64 |a| a as u32;
    is_set u64 |a| a != 0;
    is_zero u64 |a| a == 0;
    neg_f32 u32 |a| a ^ 1 << 31;
    neg_f64 u64 |a| a ^ 1 << 63;
    abs_f32 u32 |a| a & !(1 << 31);
    abs_f64 u64 |a| a & !(1 << 63);
    sqrt_f32 f32 |a| canonical32(a.sqrt());
    sqrt_f64 f64 |a| canonical64(a.sqrt());
    i32_to_f32 i32 |a| a as f32;
    i32_to_f64 i32 |a| f64::from(a);
    u32_to_f32 u32 |a| a as f32;
    u32_to_f64 u32 |a| f64::from(a);
    i64_to_f32 i64 |a| a as f32;
    i64_to_f64 i64 |a| a as f64;
    u64_to_f32 u64 |a| a as f32;
    u64_to_f64 u64 |a| a as f64;
    f32_to_f64 f32 |a| canonical64(f64::from(a));
    f64_to_f32 f64 |a| canonical32(a as f32);
    f32_to_i32 f32 |a| a as i32;
    f32_to_u32 f32 |a| a as u32;
    f32_to_i64 f32 |a| a as i64;
    f32_to_u64 f32 |a| a as u64;
    f64_to_i32 f64 |a| a as i32;
    f64_to_u32 f64 |a| a as u32;
    f64_to_i64 f64 |a| a as i64;
    f64_to_u64 f64 |a| a as u64;
}

/// Float to integer that traps: `a out`. A float that is truncated fits if it is above `$low` and below `$high`.
macro_rules! truncation {
    ($($name:ident $t:ident $to:ident $low:expr, $high:expr;)*) => {
        handlers! { $(
            fn $name(ip, fp, memory, size, cx) {
                let a = <$t>::get(register(ip, fp, 0));
                if !(a > $low && a < $high) {
                    if a.is_nan() {
                        trap!(InvalidConversion, ip, fp, cx)
                    }
                    trap!(IntegerOverflow, ip, fp, cx)
                }
                set(ip, fp, 1, (a as $to).put());
                next!(ip.add(2), fp, memory, size, cx)
            }
        )* }
    };
}

truncation! {
    trunc_f32_i32 f32 i32 -2147483904.0, 2147483648.0;
    trunc_f32_u32 f32 u32 -1.0, 4294967296.0;
    trunc_f32_i64 f32 i64 -9223373136366403584.0, 9223372036854775808.0;
    trunc_f32_u64 f32 u64 -1.0, 18446744073709551616.0;
    trunc_f64_i32 f64 i32 -2147483649.0, 2147483648.0;
    trunc_f64_u32 f64 u32 -1.0, 4294967296.0;
    trunc_f64_i64 f64 i64 -9223372036854777856.0, 9223372036854775808.0;
    trunc_f64_u64 f64 u64 -1.0, 18446744073709551616.0;
}

handlers! {
    /// `a out`
    fn copy(ip, fp, memory, size, cx) {
        let a = register(ip, fp, 0);
        set(ip, fp, 1, a);
        next!(ip.add(2), fp, memory, size, cx)
    }
    /// Two copies, the second after the first: `a out a out`
    fn copy2(ip, fp, memory, size, cx) {
        let a = register(ip, fp, 0);
        set(ip, fp, 1, a);
        let b = register(ip, fp, 2);
        set(ip, fp, 3, b);
        next!(ip.add(2), fp, memory, size, cx)
    }
    /// A constant whose upper half is zero: `out _ constant`
    fn constant(ip, fp, memory, size, cx) {
        set(ip, fp, 0, upper(ip) as u32 as u64);
        next!(ip.add(2), fp, memory, size, cx)
    }
    /// A constant of 64 bits: `out`, and a word.
    fn constant_wide(ip, fp, memory, size, cx) {
        set(ip, fp, 0, *ip.add(2));
        next!(ip.add(3), fp, memory, size, cx)
    }
    /// `condition a b out`
    fn select(ip, fp, memory, size, cx) {
        let from = if register(ip, fp, 0) as u32 != 0 { half(ip, 1) } else { half(ip, 2) };
        set(ip, fp, 3, *fp.add(from));
        next!(ip.add(2), fp, memory, size, cx)
    }
    /// A global into a register: `out _ global`
    fn global_get(ip, fp, memory, size, cx) {
        let cell = *(*cx).globals.add(upper(ip) as usize);
        set(ip, fp, 0, *cell);
        next!(ip.add(2), fp, memory, size, cx)
    }
    /// A register into a global: `a _ global`
    fn global_set(ip, fp, memory, size, cx) {
        let cell = *(*cx).globals.add(upper(ip) as usize);
        *cell = register(ip, fp, 0);
        next!(ip.add(2), fp, memory, size, cx)
    }
    /// A constant into a global: `_ _ global`, and a word.
    fn global_set_constant(ip, fp, memory, size, cx) {
        let cell = *(*cx).globals.add(upper(ip) as usize);
        *cell = *ip.add(2);
        next!(ip.add(3), fp, memory, size, cx)
    }
}
