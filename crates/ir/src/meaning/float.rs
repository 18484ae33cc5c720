//! Componentwise ops on floats. `docs/numerics.md` gives each rule with its reason.

use super::convert::{float_bits, float_value};
use super::half::Half;
use super::kernel::{Component, Kernel, Real, kernel};
use crate::ops::Op;
use crate::types::Scalar;

/// `pi / 180`
const DEGREE: f64 = std::f64::consts::PI / 180.0;
/// `180 / pi`
const PER_RADIAN: f64 = 180.0 / std::f64::consts::PI;

/// `y < x ? y : x`: the first operand where they cannot be ordered.
#[inline(always)]
pub(super) fn min<T: PartialOrd>(x: T, y: T) -> T {
    if y < x { y } else { x }
}

/// `x < y ? y : x`: the first operand where they cannot be ordered.
#[inline(always)]
pub(super) fn max<T: PartialOrd>(x: T, y: T) -> T {
    if x < y { y } else { x }
}

/// `min(max(x, low), high)`
#[inline(always)]
pub(super) fn clamp<T: PartialOrd>(x: T, low: T, high: T) -> T {
    min(max(x, low), high)
}

#[inline(always)]
fn sign<T: Real>(x: T) -> T {
    if x > T::of(0.0) {
        T::of(1.0)
    } else if x < T::of(0.0) {
        T::of(-1.0)
    } else {
        x
    }
}

#[inline(always)]
fn smooth_step<T: Real>(low: T, high: T, x: T) -> T {
    let t = clamp((x - low) / (high - low), T::of(0.0), T::of(1.0));
    t * t * (T::of(3.0) - T::of(2.0) * t)
}

fn pow(x: f64, y: f64) -> f64 {
    if x < 0.0 {
        return f64::NAN;
    }
    libm::pow(x.abs(), y)
}

/// IEEE 754-2019 `minimum`.
#[inline(always)]
fn minimum<T: Real>(x: T, y: T, negative: bool) -> T {
    if x < y {
        x
    } else if y < x {
        y
    } else if x == y {
        if negative { x } else { y }
    } else {
        x + y
    }
}

/// IEEE 754-2019 `maximum`.
#[inline(always)]
fn maximum<T: Real>(x: T, y: T, negative: bool) -> T {
    if x > y {
        x
    } else if y > x {
        y
    } else if x == y {
        if negative { y } else { x }
    } else {
        x + y
    }
}

fn ldexp(x: f64, exponent: i32) -> f64 {
    libm::ldexp(x, exponent)
}

/// The greater magnitude times the root of 1 and the squared quotient of both; equal ones have the quotient 1, zeros and
/// infinities too.
#[inline(always)]
fn hypot<T: Real>(x: T, y: T) -> T {
    let (x, y) = (x.magnitude(), y.magnitude());
    let (great, small) = if x < y { (y, x) } else { (x, y) };
    let quotient = if small == great { T::of(1.0) } else { small / great };
    great * (quotient * quotient + T::of(1.0)).root()
}

/// Kernel of an arithmetic op that floats have; `None` for others.
pub(super) fn arithmetic(op: Op, s: Scalar) -> Option<Kernel> {
    match op {
        Op::Add => kernel!(s, [Half f32 f64], |x, y| x + y),
        Op::Subtract => kernel!(s, [Half f32 f64], |x, y| x - y),
        Op::Multiply | Op::MatrixComponentMultiply | Op::MatrixTimesScalar => kernel!(s, [Half f32 f64], |x, y| x * y),
        Op::Divide => kernel!(s, [Half f32 f64], |x, y| x / y),
        Op::Mod => kernel!(s, [Half f32 f64], |x, y| x - y * (x / y).down()),
        Op::Atan2 => kernel!(s, [Half f32 f64], |y, x| y.through2(x, libm::atan2)),
        Op::Hypot => kernel!(s, [Half f32 f64], |x, y| hypot(x, y)),
        Op::Pow => kernel!(s, [Half f32 f64], |x, y| x.through2(y, pow)),
        Op::Step => kernel!(s, [Half f32 f64], |edge, x| if x < edge { T::of(0.0) } else { T::of(1.0) }),
        Op::Minimum => kernel!(s, [Half f32 f64], |x, y| minimum(x, y, x.is_sign_negative())),
        Op::Maximum => kernel!(s, [Half f32 f64], |x, y| maximum(x, y, x.is_sign_negative())),
        Op::Mix => kernel!(s, [Half f32 f64], |x, y, a| x * (T::of(1.0) - a) + y * a),
        Op::Lerp => kernel!(s, [Half f32 f64], |x, y, a| (y - x) * a + x),
        Op::SmoothStep => kernel!(s, [Half f32 f64], |low, high, x| smooth_step(low, high, x)),
        Op::Fma => kernel!(s, [Half f32 f64], |a, b, c| a.fused(b, c)),
        Op::MultiplyAdd => kernel!(s, [Half f32 f64], |a, b, c| a * b + c),
        _ => None,
    }
}

/// Kernel of an op that gives one of its operands, or one with another sign. What only touches the sign bit keeps the
/// bits of a NaN.
pub(super) fn choice(op: Op, s: Scalar) -> Option<Kernel> {
    match (op, s) {
        (Op::Negate, Scalar::F16) => kernel!(Scalar::U64, [u64], |x| x ^ 0x8000),
        (Op::Negate, Scalar::F32) => kernel!(Scalar::U64, [u64], |x| x ^ 0x8000_0000),
        (Op::Negate, Scalar::F64) => kernel!(Scalar::U64, [u64], |x| x ^ 1 << 63),
        (Op::Abs, Scalar::F16) => kernel!(Scalar::U64, [u64], |x| x & 0x7fff),
        (Op::Abs, Scalar::F32) => kernel!(Scalar::U64, [u64], |x| x & 0x7fff_ffff),
        (Op::Abs, Scalar::F64) => kernel!(Scalar::U64, [u64], |x| x & !(1 << 63)),
        (Op::CopySign, Scalar::F16) => kernel!(Scalar::U64, [u64], |x, y| x & 0x7fff | y & 0x8000),
        (Op::CopySign, Scalar::F32) => kernel!(Scalar::U64, [u64], |x, y| x & 0x7fff_ffff | y & 0x8000_0000),
        (Op::CopySign, Scalar::F64) => kernel!(Scalar::U64, [u64], |x, y| x & !(1 << 63) | y & 1 << 63),
        (Op::Min, _) => kernel!(s, [Half f32 f64], |x, y| min(x, y)),
        (Op::Max, _) => kernel!(s, [Half f32 f64], |x, y| max(x, y)),
        (Op::Clamp, _) => kernel!(s, [Half f32 f64], |x, low, high| clamp(x, low, high)),
        (Op::Saturate, _) => kernel!(s, [Half f32 f64], |x| clamp(x, T::of(0.0), T::of(1.0))),
        (Op::Sign, _) => kernel!(s, [Half f32 f64], |x| sign(x)),
        _ => None,
    }
}

/// Kernel of a rounding.
pub(super) fn rounding(op: Op, s: Scalar) -> Option<Kernel> {
    match op {
        Op::Floor => kernel!(s, [Half f32 f64], |x| x.down()),
        Op::Trunc => kernel!(s, [Half f32 f64], |x| x.whole()),
        Op::Round | Op::RoundEven => kernel!(s, [Half f32 f64], |x| x.nearest()),
        Op::Ceil => kernel!(s, [Half f32 f64], |x| x.ceil()),
        Op::Fract => kernel!(s, [Half f32 f64], |x| x - x.down()),
        _ => None,
    }
}

/// Kernel of a function of one float: computed in binary64 by `libm` and rounded to the type.
pub(super) fn function(op: Op, s: Scalar) -> Option<Kernel> {
    match op {
        Op::Radians => kernel!(s, [Half f32 f64], |x| x * T::of(DEGREE)),
        Op::Degrees => kernel!(s, [Half f32 f64], |x| x * T::of(PER_RADIAN)),
        Op::Sin => kernel!(s, [Half f32 f64], |x| x.through(libm::sin)),
        Op::Cos => kernel!(s, [Half f32 f64], |x| x.through(libm::cos)),
        Op::Tan => kernel!(s, [Half f32 f64], |x| x.through(libm::tan)),
        Op::Asin => kernel!(s, [Half f32 f64], |x| x.through(libm::asin)),
        Op::Acos => kernel!(s, [Half f32 f64], |x| x.through(libm::acos)),
        Op::Atan => kernel!(s, [Half f32 f64], |x| x.through(libm::atan)),
        Op::Sinh => kernel!(s, [Half f32 f64], |x| x.through(libm::sinh)),
        Op::Cosh => kernel!(s, [Half f32 f64], |x| x.through(libm::cosh)),
        Op::Tanh => kernel!(s, [Half f32 f64], |x| x.through(libm::tanh)),
        Op::Asinh => kernel!(s, [Half f32 f64], |x| x.through(libm::asinh)),
        Op::Acosh => kernel!(s, [Half f32 f64], |x| x.through(libm::acosh)),
        Op::Atanh => kernel!(s, [Half f32 f64], |x| x.through(libm::atanh)),
        Op::Exp => kernel!(s, [Half f32 f64], |x| x.through(libm::exp)),
        Op::Log => kernel!(s, [Half f32 f64], |x| x.through(libm::log)),
        Op::Exp2 => kernel!(s, [Half f32 f64], |x| x.through(libm::exp2)),
        Op::Log2 => kernel!(s, [Half f32 f64], |x| x.through(libm::log2)),
        Op::Sqrt => kernel!(s, [Half f32 f64], |x| x.root()),
        Op::InverseSqrt => kernel!(s, [Half f32 f64], |x| x.through(|x| 1.0 / x.sqrt())),
        Op::IsNan => kernel!(s, [Half f32 f64], |x| x.is_nan()),
        Op::IsInf => kernel!(s, [Half f32 f64], |x| x.is_infinite()),
        _ => None,
    }
}

/// Kernel of `x * 2^exponent`, rounded once.
pub(super) fn load_exponent(s: Scalar) -> Option<Kernel> {
    match s {
        // Every f16 times 2^±400 is exact in binary64, too.
        Scalar::F16 => kernel!(Scalar::U64, [u64], |x, e| {
            Half::of(ldexp(Half::get(x).into(), (e as u32 as i32).clamp(-400, 400)))
        }),
        // Every f32 times 2^±400 is exact in binary64, and beyond that the f32 result is settled.
        Scalar::F32 => kernel!(Scalar::U64, [u64], |x, e| {
            ldexp(f32::from_bits(x as u32) as f64, (e as u32 as i32).clamp(-400, 400)) as f32
        }),
        Scalar::F64 => kernel!(Scalar::U64, [u64], |x, e| ldexp(f64::from_bits(x), e as u32 as i32)),
        _ => None,
    }
}

/// Significand in [0.5, 1) and exponent; zero, infinity and NaN are themselves with exponent 0.
pub(super) fn significand(bits: u64, s: Scalar) -> (u64, i32) {
    let x = float_value(s, bits);
    let (m, e) = if x == 0.0 || !x.is_finite() { (x, 0) } else { libm::frexp(x) };
    (float_bits(s, m), e)
}

/// Fraction and whole part, both with the sign of x.
pub(super) fn fraction(bits: u64, s: Scalar) -> (u64, u64) {
    fn parts<T: Real>(bits: u64) -> (u64, u64) {
        let x = T::get(bits);
        let whole = x.whole();
        let infinite = x.magnitude() == T::of(f64::INFINITY);
        let fraction = if infinite { T::of(0.0) } else { x - whole };
        (fraction.signed_as(x).put(), whole.put())
    }
    match s {
        Scalar::F16 => parts::<Half>(bits),
        Scalar::F32 => parts::<f32>(bits),
        _ => parts::<f64>(bits),
    }
}
