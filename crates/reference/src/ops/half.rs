//! binary16: a sign, five bits of exponent, ten of fraction. An op is that of `f32` or `f64`, step by step, each step rounded.

use planish_ir::ops::Op;

use super::float;
use crate::value::Value;

const NAN: u16 = 0x7e00;

/// The nearest half, of two the even one.
pub(super) fn nearest(x: f64) -> u16 {
    if x.is_nan() {
        return NAN;
    }
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = x.abs();
    // Halfway between the largest half and its successor.
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // The exponent of the number, at least that of the subnormals.
    let exponent = (-14..=15).rev().find(|&e| magnitude >= 2f64.powi(e)).unwrap_or(-14);
    let units = (magnitude / 2f64.powi(exponent - 10)).round_ties_even() as u16;
    // The units of a normal number are at least 1024, which carries into the exponent; so do those of a number that was
    // rounded up to the next power of two.
    sign | ((((exponent + 14) as u16) << 10) + units)
}

/// The value of a half; NaN is the canonical one.
pub(super) fn value(half: u16) -> f64 {
    let (exponent, fraction) = (i32::from(half >> 10 & 31), f64::from(half & 0x3ff));
    let magnitude = match exponent {
        31 if fraction != 0.0 => return f32::from_bits(0x7fc0_0000).into(),
        31 => f64::INFINITY,
        0 => fraction * 2f64.powi(-24),
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if half & 0x8000 != 0 { -magnitude } else { magnitude }
}

/// A step: the result of `f32`, rounded.
fn rounded(result: Value) -> Value {
    match result {
        Value::F32(x) => Value::F16(nearest(x.into())),
        other => other,
    }
}

fn step1(op: Op, x: u16) -> Option<u16> {
    half(unary(op, x)?)
}

fn step2(op: Op, x: u16, y: u16) -> Option<u16> {
    half(binary(op, x, y)?)
}

fn half(value: Value) -> Option<u16> {
    if let Value::F16(x) = value { Some(x) } else { None }
}

pub(super) fn unary(op: Op, x: u16) -> Option<Value> {
    let constant = |factor: f64| step2(Op::Multiply, x, nearest(factor)).map(Value::F16);
    match op {
        // Only the sign changes.
        Op::Negate => Some(Value::F16(x ^ 0x8000)),
        Op::Abs => Some(Value::F16(x & 0x7fff)),
        // pi / 180 and 180 / pi.
        Op::Radians => constant(0.017_453_292_519_943_295),
        Op::Degrees => constant(57.295_779_513_082_32),
        _ => float::f32::unary(op, value(x) as f32).map(rounded),
    }
}

/// An op on two halves.
///
/// Recursion: one level, the difference of a remainder.
pub(super) fn binary(op: Op, x: u16, y: u16) -> Option<Value> {
    match op {
        Op::CopySign => Some(Value::F16(x & 0x7fff | y & 0x8000)),
        Op::Mod => {
            let whole = step1(Op::Floor, step2(Op::Divide, x, y)?)?;
            binary(Op::Subtract, x, step2(Op::Multiply, y, whole)?)
        }
        Op::Hypot => {
            let (x, y) = (x & 0x7fff, y & 0x7fff);
            let (great, small) = if value(x) < value(y) { (y, x) } else { (x, y) };
            let quotient = if value(great) == value(small) { nearest(1.0) } else { step2(Op::Divide, small, great)? };
            let sum = step2(Op::Add, step2(Op::Multiply, quotient, quotient)?, nearest(1.0))?;
            binary(Op::Multiply, great, step1(Op::Sqrt, sum)?)
        }
        _ => float::f32::binary(op, value(x) as f32, value(y) as f32).map(rounded),
    }
}

pub(super) fn ternary(op: Op, x: u16, y: u16, z: u16) -> Option<Value> {
    let multiply = |x, y| step2(Op::Multiply, x, y);
    let subtract = |x, y| step2(Op::Subtract, x, y);
    match op {
        Op::Clamp => float::f32::ternary(op, value(x) as f32, value(y) as f32, value(z) as f32).map(rounded),
        Op::Mix => binary(Op::Add, multiply(x, subtract(nearest(1.0), z)?)?, multiply(y, z)?),
        Op::Lerp => binary(Op::Add, multiply(subtract(y, x)?, z)?, x),
        Op::MultiplyAdd => binary(Op::Add, multiply(x, y)?, z),
        // The product is exact.
        Op::Fma => Some(Value::F16(nearest(value(x) * value(y) + value(z)))),
        Op::SmoothStep => {
            let part = step2(Op::Divide, subtract(z, x)?, subtract(y, x)?)?;
            let t = step1(Op::Saturate, part)?;
            binary(Op::Multiply, multiply(t, t)?, subtract(nearest(3.0), multiply(nearest(2.0), t)?)?)
        }
        _ => None,
    }
}

/// `x * 2^exponent`, rounded once.
pub(super) fn load_exponent(x: u16, exponent: i32) -> Value {
    let Value::F64(product) = float::f64::load_exponent(value(x), exponent) else { unreachable!("it is a float") };
    Value::F16(nearest(product))
}

/// Both with the sign of x, exactly.
pub(super) fn fraction_and_whole(x: u16) -> [Value; 2] {
    float::f32::fraction_and_whole(value(x) as f32).map(rounded)
}

/// Both exactly.
pub(super) fn significand_and_exponent(x: u16) -> [Value; 2] {
    float::f32::significand_and_exponent(value(x) as f32).map(rounded)
}
