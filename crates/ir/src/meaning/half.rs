//! binary16: conversions, and arithmetic by way of binary32 and binary64.
//!
//! A sum, difference, product, quotient or square root of halves is computed in binary32 and rounded again. The second rounding is
//! innocuous: 24 bits are at least 2 * 11 + 2 (Figueroa, "When is double rounding innocuous?", 1995), and every result in the range of
//! binary16, subnormals included, is a normal number of binary32. `a * b + c` is computed in binary64, where the product is exact; the sum is
//! inexact only if one operand is 2^31 times the other at least, too far from the middle between two halves for that to matter.

use super::kernel::{Component, NAN_F16, NAN_F32, Real};

/// binary32 to binary16, rounded to nearest even; too large gives infinity, NaN the canonical one.
pub fn to_half(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    if x.is_nan() {
        return NAN_F16;
    }
    let magnitude = bits & 0x7fff_ffff;
    // From 65520 on, halfway between the largest half and the next power of two, it rounds to infinity.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    if magnitude < 0x3880_0000 {
        // Subnormal: units of 2^-24; the product is exact, the rounding the only one.
        return sign | (x.abs() * 16_777_216.0).round_ties_even() as u16;
    }
    let rebiased = magnitude - (112 << 23);
    let rounded = rebiased + 0xfff + (rebiased >> 13 & 1);
    sign | (rounded >> 13) as u16
}

/// binary16 to binary32, exactly; NaN gives the canonical one.
pub fn from_half(half: u16) -> f32 {
    let exponent = half >> 10 & 31;
    let fraction = (half & 0x3ff) as f32;
    let magnitude = match exponent {
        0 => fraction / 16_777_216.0,
        31 if half & 0x3ff == 0 => f32::INFINITY,
        31 => return f32::from_bits(NAN_F32),
        _ => f32::from_bits((exponent as u32 + 112) << 23 | (half as u32 & 0x3ff) << 13),
    };
    if half & 0x8000 != 0 { -magnitude } else { magnitude }
}

/// binary64 to binary16, rounded once to nearest even.
pub(super) fn to_half_once(x: f64) -> u16 {
    let near = x as f32;
    let back = f64::from(near);
    let bits = near.to_bits();
    // Rounded to odd, a number keeps the side of a middle that it is on.
    let odd = match back.abs().partial_cmp(&x.abs()) {
        Some(std::cmp::Ordering::Less) if bits & 1 == 0 => bits + 1,
        Some(std::cmp::Ordering::Greater) if bits & 1 == 0 => bits - 1,
        _ => bits,
    };
    to_half(f32::from_bits(odd))
}

/// The decimal with the fewest digits that rounds to a binary16, as a text writes it.
pub fn shortest_half(half: u16) -> f64 {
    let value = f64::from(from_half(half));
    if !value.is_finite() {
        return value;
    }
    let decimal = |digits: usize| format!("{value:.digits$e}").parse::<f64>().unwrap_or(value);
    // Five digits tell all halves apart.
    (0..5).map(decimal).find(|&x| to_half_once(x) == half).unwrap_or(value)
}

/// A binary16, as the binary32 of the same value.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub(super) struct Half(f32);

impl Half {
    /// The nearest half.
    #[inline(always)]
    fn round(x: f32) -> Self {
        Half(from_half(to_half(x)))
    }

    pub(super) fn is_nan(self) -> bool {
        self.0.is_nan()
    }

    pub(super) fn is_infinite(self) -> bool {
        self.0.is_infinite()
    }

    pub(super) fn is_sign_negative(self) -> bool {
        self.0.is_sign_negative()
    }

    /// Rounded up.
    pub(super) fn ceil(self) -> Self {
        Half(self.0.ceil())
    }
}

impl From<Half> for f64 {
    fn from(x: Half) -> f64 {
        x.0.into()
    }
}

impl Component for Half {
    #[inline(always)]
    fn get(bits: u64) -> Self {
        Half(from_half(bits as u16))
    }
    #[inline(always)]
    fn put(self) -> u64 {
        to_half(self.0).into()
    }
}

macro_rules! operator {
    ($($Trait:ident $name:ident $infix:tt),*) => { $(
        impl std::ops::$Trait for Half {
            type Output = Half;
            #[inline(always)]
            fn $name(self, other: Half) -> Half {
                Half::round(self.0 $infix other.0)
            }
        }
    )* };
}
operator!(Add add +, Sub sub -, Mul mul *, Div div /);

impl std::ops::Neg for Half {
    type Output = Half;
    #[inline(always)]
    fn neg(self) -> Half {
        Half(-self.0)
    }
}

impl Real for Half {
    #[inline(always)]
    fn of(x: f64) -> Self {
        Half(from_half(to_half_once(x)))
    }
    #[inline(always)]
    fn through(self, f: impl Fn(f64) -> f64) -> Self {
        Half::round(f(self.0.into()) as f32)
    }
    #[inline(always)]
    fn through2(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Half::round(f(self.0.into(), other.0.into()) as f32)
    }
    #[inline(always)]
    fn root(self) -> Self {
        Half::round(self.0.sqrt())
    }
    #[inline(always)]
    fn magnitude(self) -> Self {
        Half(self.0.abs())
    }
    #[inline(always)]
    fn fused(self, b: Self, c: Self) -> Self {
        Half::of(f64::from(self.0) * f64::from(b.0) + f64::from(c.0))
    }
    #[inline(always)]
    fn down(self) -> Self {
        Half(self.0.floor())
    }
    #[inline(always)]
    fn nearest(self) -> Self {
        Half(self.0.round_ties_even())
    }
    #[inline(always)]
    fn whole(self) -> Self {
        Half(self.0.trunc())
    }
    #[inline(always)]
    fn signed_as(self, sign: Self) -> Self {
        Half(self.0.copysign(sign.0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{convert, float_bits, float_value, kernel, kernel::Kernel};
    use super::*;
    use crate::ops::Op;
    use crate::types::Scalar;

    /// The nearest half by the definition: of all halves the one at the least distance, of two the even one.
    fn nearest(x: f64, halves: &[(f64, u16)]) -> u16 {
        let after = halves.partition_point(|&(value, _)| value < x);
        let near = [after.checked_sub(1), Some(after)].into_iter().flatten().filter_map(|i| halves.get(i));
        let distance = |half: &&(f64, u16)| ((half.0 - x).abs(), half.1 & 1);
        near.min_by(|a, b| distance(a).partial_cmp(&distance(b)).unwrap()).unwrap().1
    }

    /// All finite halves from 0 on, and the number that infinity stands at.
    fn halves() -> Vec<(f64, u16)> {
        (0..=0x7c00).map(|bits| (if bits == 0x7c00 { 65536.0 } else { f64::from(from_half(bits)) }, bits)).collect()
    }

    #[test]
    fn conversions_of_all_halves_are_exact() {
        for bits in 0..=u16::MAX {
            let value = from_half(bits);
            let again = if value.is_nan() { NAN_F16 } else { bits };
            assert_eq!((to_half(value), to_half_once(value.into())), (again, again));
            let short = shortest_half(bits);
            assert_eq!(to_half_once(short), again, "{short}");
            assert!(value.is_nan() || format!("{short:e}").split('e').next().unwrap().len() <= 7, "{short}");
        }
    }

    /// Sums, products and `fma` are exact in binary64, or as good as exact; quotients and roots are rounded there first, innocuously.
    #[test]
    fn results_are_those_of_binary64_rounded_once() {
        let halves = halves();
        let expected = |x: f64| match x {
            x if x.is_nan() => NAN_F16,
            x if x.abs() >= 65536.0 => 0x7c00 | u16::from(x < 0.0) << 15,
            x => nearest(x.abs(), &halves) | u16::from(x.is_sign_negative()) << 15,
        };
        let of = |op: Op| kernel(op, Scalar::F16).unwrap();
        let value = |bits: u64| float_value(Scalar::F16, bits);
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random >> 40 & 0xffff
        };
        for _ in 0..60_000 {
            let (x, y, z) = (next(), next(), next());
            let (a, b, c) = (value(x), value(y), value(z));
            for (op, want) in [(Op::Add, a + b), (Op::Subtract, a - b), (Op::Multiply, a * b), (Op::Divide, a / b)] {
                let Kernel::Binary(f) = of(op) else { panic!() };
                assert_eq!((f.one)(x, y), u64::from(expected(want)), "{} of {x:#x}, {y:#x}", op.name());
            }
            let Kernel::Ternary(f) = of(Op::Fma) else { panic!() };
            assert_eq!((f.one)(x, y, z), u64::from(expected(a * b + c)), "fma of {x:#x}, {y:#x}, {z:#x}");
        }
        for x in 0..=0xffff {
            let Kernel::Unary(f) = of(Op::Sqrt) else { panic!() };
            assert_eq!((f.one)(x), u64::from(expected(value(x).sqrt())), "sqrt of {x:#x}");
        }
    }

    #[test]
    fn ties_overflow_and_subnormals() {
        let bits = |x: f64| float_bits(Scalar::F16, x);
        assert_eq!((bits(2049.0), bits(2051.0)), (bits(2048.0), bits(2052.0)), "to even");
        assert_eq!((bits(65519.99), bits(65520.0), bits(-1e300)), (0x7bff, 0x7c00, 0xfc00));
        assert_eq!((bits(2f64.powi(-25)), bits(1.5 * 2f64.powi(-25)), bits(-0.0)), (0, 1, 0x8000));
        // Rounded to binary32 first, this would be a tie.
        assert_eq!(bits(1.0 + 2f64.powi(-11) + 2f64.powi(-40)), bits(1.0) + 1);
        assert_eq!(bits(1.0 + 2f64.powi(-11)), bits(1.0));
        assert_eq!(convert(u64::MAX, Scalar::U64, Scalar::F16), 0x7c00);
        assert_eq!(convert(2049, Scalar::I32, Scalar::F16), bits(2048.0));
        assert_eq!(convert(bits(-2.75), Scalar::F16, Scalar::I32), u64::from(-2i32 as u32));
        assert_eq!(convert(0x7c00, Scalar::F16, Scalar::U32), u64::from(u32::MAX));
    }
}
