//! Componentwise ops as functions on bits, each in two forms made from one body: on one component, and over columns of
//! many, which the evaluator runs over its lanes. Both forms therefore give the same bits.

use super::half::Half;
use crate::types::Scalar;

/// A componentwise function of one operand.
#[derive(Clone, Copy)]
pub struct Unary {
    /// On one component.
    pub one: fn(u64) -> u64,
    /// On columns: `out[i] = one(a[i])`.
    pub many: fn(&[u64], &mut [u64]),
}

/// A componentwise function of two operands.
#[derive(Clone, Copy)]
pub struct Binary {
    /// On one component.
    pub one: fn(u64, u64) -> u64,
    /// On columns: `out[i] = one(a[i], b[i])`. A column of length one stands for that value everywhere.
    pub many: fn(&[u64], &[u64], &mut [u64]),
}

/// Three columns to a fourth.
pub type Many3 = fn(&[u64], &[u64], &[u64], &mut [u64]);

/// A componentwise function of three operands.
#[derive(Clone, Copy)]
pub struct Ternary {
    /// On one component.
    pub one: fn(u64, u64, u64) -> u64,
    /// On columns, as in [`Binary`].
    pub many: Many3,
}

/// A componentwise function.
#[derive(Clone, Copy)]
pub enum Kernel {
    /// Of one operand.
    Unary(Unary),
    /// Of two operands.
    Binary(Binary),
    /// Of three operands.
    Ternary(Ternary),
    /// Of four operands.
    Quaternary(fn(u64, u64, u64, u64) -> u64),
}

/// `out[i] = f(a[i])`.
#[inline(always)]
pub(super) fn map1(a: &[u64], out: &mut [u64], f: impl Fn(u64) -> u64) {
    if let [a] = *a {
        out.fill(f(a));
        return;
    }
    for (o, &a) in out.iter_mut().zip(a) {
        *o = f(a);
    }
}

/// `out[i] = f(a[i], b[i])`, where a column of length one is the same everywhere.
#[inline(always)]
pub(super) fn map2(a: &[u64], b: &[u64], out: &mut [u64], f: impl Fn(u64, u64) -> u64) {
    match (a, b) {
        (&[a], &[b]) => out.fill(f(a, b)),
        (a, &[b]) => out.iter_mut().zip(a).for_each(|(o, &a)| *o = f(a, b)),
        (&[a], b) => out.iter_mut().zip(b).for_each(|(o, &b)| *o = f(a, b)),
        (a, b) => out.iter_mut().zip(a).zip(b).for_each(|((o, &a), &b)| *o = f(a, b)),
    }
}

/// `out[i] = f(a[i], b[i], c[i])`, where a column of length one is the same everywhere.
#[inline(always)]
pub(super) fn map3(a: &[u64], b: &[u64], c: &[u64], out: &mut [u64], f: impl Fn(u64, u64, u64) -> u64) {
    let n = out.len();
    if a.len() == n && b.len() == n && c.len() == n {
        for (((o, &a), &b), &c) in out.iter_mut().zip(a).zip(b).zip(c) {
            *o = f(a, b, c);
        }
        return;
    }
    let at = |column: &[u64], i: usize| if let [one] = *column { one } else { column[i] };
    for (i, o) in out.iter_mut().enumerate() {
        *o = f(at(a, i), at(b, i), at(c, i));
    }
}

/// A scalar as a Rust type.
pub(super) trait Component: Copy {
    /// From its bits.
    fn get(bits: u64) -> Self;
    /// To its bits, zero-extended; a NaN becomes the canonical one.
    fn put(self) -> u64;
}

macro_rules! integer_component {
    ($($t:ident $unsigned:ident),*) => { $(
        impl Component for $t {
            #[inline(always)]
            fn get(bits: u64) -> Self { bits as $t }
            #[inline(always)]
            fn put(self) -> u64 { self as $unsigned as u64 }
        }
    )* };
}
integer_component!(i8 u8, u8 u8, i16 u16, u16 u16, i32 u32, u32 u32, i64 u64, u64 u64);

impl Component for bool {
    #[inline(always)]
    fn get(bits: u64) -> Self {
        bits != 0
    }
    #[inline(always)]
    fn put(self) -> u64 {
        self as u64
    }
}

/// The one NaN that arithmetic gives, as binary16.
pub const NAN_F16: u16 = 0x7e00;
/// The one NaN that arithmetic gives, as binary32.
pub const NAN_F32: u32 = 0x7fc0_0000;
/// The one NaN that arithmetic gives, as binary64.
pub const NAN_F64: u64 = 0x7ff8_0000_0000_0000;

impl Component for f32 {
    #[inline(always)]
    fn get(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }
    #[inline(always)]
    fn put(self) -> u64 {
        (if self.is_nan() { NAN_F32 } else { self.to_bits() }) as u64
    }
}

impl Component for f64 {
    #[inline(always)]
    fn get(bits: u64) -> Self {
        f64::from_bits(bits)
    }
    #[inline(always)]
    fn put(self) -> u64 {
        if self.is_nan() { NAN_F64 } else { self.to_bits() }
    }
}

/// Operations used by float ops: IEEE arithmetic, and the functions of `libm`, which for binary32 are computed in
/// binary64 and rounded.
pub(super) trait Real:
    Component
    + PartialOrd
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
    + std::ops::Neg<Output = Self>
{
    /// The nearest value.
    fn of(x: f64) -> Self;
    /// `f`, computed in binary64 and rounded.
    fn through(self, f: impl Fn(f64) -> f64) -> Self;
    /// `f` of two values, computed in binary64 and rounded.
    fn through2(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self;
    /// Correctly rounded square root.
    fn root(self) -> Self;
    /// Magnitude.
    fn magnitude(self) -> Self;
    /// `self * b + c`, rounded once.
    fn fused(self, b: Self, c: Self) -> Self;
    /// Rounded down.
    fn down(self) -> Self;
    /// Rounded to nearest, halfway cases to even.
    fn nearest(self) -> Self;
    /// Rounded towards zero.
    fn whole(self) -> Self;
    /// With the sign of `sign`.
    fn signed_as(self, sign: Self) -> Self;
}

macro_rules! real {
    ($t:ident, $fma:path) => {
        impl Real for $t {
            #[inline(always)]
            fn of(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn through(self, f: impl Fn(f64) -> f64) -> Self {
                f(self as f64) as $t
            }
            #[inline(always)]
            fn through2(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
                f(self as f64, other as f64) as $t
            }
            #[inline(always)]
            fn root(self) -> Self {
                self.sqrt()
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }
            #[inline(always)]
            fn fused(self, b: Self, c: Self) -> Self {
                $fma(self, b, c)
            }
            #[inline(always)]
            fn down(self) -> Self {
                self.floor()
            }
            #[inline(always)]
            fn nearest(self) -> Self {
                self.round_ties_even()
            }
            #[inline(always)]
            fn whole(self) -> Self {
                self.trunc()
            }
            #[inline(always)]
            fn signed_as(self, sign: Self) -> Self {
                self.copysign(sign)
            }
        }
    };
}
real!(f32, libm::fmaf);
real!(f64, libm::fma);

/// A kernel from a body over Rust scalars, for each of the listed types: `kernel!(scalar, [f32 f64], |x, y| x + y)`. The
/// body's value is any [`Component`].
macro_rules! kernel {
    (@one $t:ident [|$a:ident| $body:expr]) => {{
        #[inline(always)]
        fn one($a: u64) -> u64 {
            let $a = <$t as $crate::meaning::kernel::Component>::get($a);
            $crate::meaning::kernel::Component::put($body)
        }
        fn many(a: &[u64], out: &mut [u64]) {
            $crate::meaning::kernel::map1(a, out, one);
        }
        $crate::meaning::kernel::Kernel::Unary($crate::meaning::kernel::Unary { one, many })
    }};
    (@one $t:ident [|$a:ident, $b:ident| $body:expr]) => {{
        #[inline(always)]
        fn one($a: u64, $b: u64) -> u64 {
            let $a = <$t as $crate::meaning::kernel::Component>::get($a);
            let $b = <$t as $crate::meaning::kernel::Component>::get($b);
            $crate::meaning::kernel::Component::put($body)
        }
        fn many(a: &[u64], b: &[u64], out: &mut [u64]) {
            $crate::meaning::kernel::map2(a, b, out, one);
        }
        $crate::meaning::kernel::Kernel::Binary($crate::meaning::kernel::Binary { one, many })
    }};
    (@one $t:ident [|$a:ident, $b:ident, $c:ident| $body:expr]) => {{
        #[inline(always)]
        fn one($a: u64, $b: u64, $c: u64) -> u64 {
            let $a = <$t as $crate::meaning::kernel::Component>::get($a);
            let $b = <$t as $crate::meaning::kernel::Component>::get($b);
            let $c = <$t as $crate::meaning::kernel::Component>::get($c);
            $crate::meaning::kernel::Component::put($body)
        }
        fn many(a: &[u64], b: &[u64], c: &[u64], out: &mut [u64]) {
            $crate::meaning::kernel::map3(a, b, c, out, one);
        }
        $crate::meaning::kernel::Kernel::Ternary($crate::meaning::kernel::Ternary { one, many })
    }};
    (@all $scalar:expr, [$($t:ident)*], $function:tt) => {
        match $scalar {
            $(s if s == <$t as $crate::meaning::kernel::Named>::SCALAR => {
                #[allow(dead_code)]
                type T = $t;
                Some(kernel!(@one T $function))
            })*
            _ => None,
        }
    };
    ($scalar:expr, [$($t:ident)*], $($function:tt)*) => { kernel!(@all $scalar, [$($t)*], [$($function)*]) };
}
pub(super) use kernel;

/// Which scalar a Rust type is.
pub(super) trait Named {
    /// The scalar.
    const SCALAR: Scalar;
}

macro_rules! named {
    ($($t:ident $scalar:ident),*) => { $(impl Named for $t { const SCALAR: Scalar = Scalar::$scalar; })* };
}
named!(bool Bool, i8 I8, u8 U8, i16 I16, u16 U16, i32 I32, u32 U32, i64 I64, u64 U64, Half F16, f32 F32, f64 F64);
