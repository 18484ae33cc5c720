//! Division of integers on lanes, in `f64`.
//!
//! ```text
//! %q = divide %x, %y           %q = truncate (f64 %x / f64 %y)
//! %r = remainder %x, %y        %r = %x - %q * %y
//! ```
//!
//! Integers of 32 bits are exact in `f64`, and a quotient that is no integer is further from the next one, at least `1 / y`, than it is
//! rounded, at most `x / y · 2^-53`. So it is truncated to the right integer. A constant divisor is a factor that is a little too large: a quotient that
//! is an integer does not fall below it, another one is moved by at most `x / y · 2^-50`.

use planish_ir::builder::Builder;
use planish_ir::entity::Value;
use planish_ir::ops::{LaneShape, Op};
use planish_ir::types::Scalar;

use super::lanes::{all, halves, joined, number, simd};
use super::values::Parts;

use LaneShape::{F64x2, I32x4};

/// `x / y` or `x % y` on lanes of `i32` or `u32`; `known`: the divisor, if it is the same constant in all lanes.
pub(super) fn divide(
    b: &mut Builder<'_, '_>,
    op: Op,
    scalar: Scalar,
    [x, y]: [&[Value]; 2],
    known: Option<u32>,
) -> Parts {
    x.iter().zip(y).map(|(&x, &y)| divide_part(b, op, scalar, [x, y], known)).collect()
}

fn divide_part(b: &mut Builder<'_, '_>, op: Op, scalar: Scalar, [x, y]: [Value; 2], known: Option<u32>) -> Value {
    let signed = scalar.is_signed();
    let (quotient, divisor) = match known {
        // `x / 0` is `x`, `x % 0` is 0, and the quotient by -1 wraps.
        Some(0) => (x, number(b, scalar, 1.0)),
        Some(u32::MAX) if signed => (simd(b, Op::SimdNegate, I32x4, &[x]), y),
        Some(bits) => {
            let divisor = if signed { f64::from(bits as i32) } else { f64::from(bits) };
            let factor = f64::from_bits((1.0 / divisor).to_bits() + 2);
            let factor = number(b, Scalar::F64, factor);
            let quotients =
                floats(b, scalar, x).iter().map(|&x| simd(b, Op::SimdMultiply, F64x2, &[x, factor])).collect();
            (integers(b, scalar, quotients), y)
        }
        None => {
            let y = nonzero(b, scalar, [x, y]);
            let pairs: Vec<(Value, Value)> = floats(b, scalar, x).into_iter().zip(floats(b, scalar, y)).collect();
            let quotients = pairs.into_iter().map(|(x, y)| simd(b, Op::SimdDivide, F64x2, &[x, y])).collect();
            (integers(b, scalar, quotients), y)
        }
    };
    if op == Op::Divide {
        return quotient;
    }
    let product = simd(b, Op::SimdMultiply, I32x4, &[quotient, divisor]);
    simd(b, Op::SimdSubtract, I32x4, &[x, product])
}

/// A divisor without 0, and without -1 of the least integer: 1 instead gives the same.
fn nonzero(b: &mut Builder<'_, '_>, scalar: Scalar, [x, y]: [Value; 2]) -> Value {
    let (zero, one) = (number(b, scalar, 0.0), number(b, scalar, 1.0));
    let mut is_one = simd(b, Op::SimdEqual, I32x4, &[y, zero]);
    if scalar.is_signed() {
        let (least, minus) = (all(b, scalar, 1 << 31), all(b, scalar, 0xffff_ffff));
        let (is_least, is_minus) =
            (simd(b, Op::SimdEqual, I32x4, &[x, least]), simd(b, Op::SimdEqual, I32x4, &[y, minus]));
        let wraps = b.op(Op::SimdAnd, &[is_least, is_minus]);
        is_one = b.op(Op::SimdOr, &[is_one, wraps]);
    }
    b.op(Op::SimdSelect, &[one, y, is_one])
}

/// 2^32 in the lanes of a mask.
fn wrap_in(b: &mut Builder<'_, '_>, mask: Value) -> Value {
    let wrap = number(b, Scalar::F64, 4_294_967_296.0);
    b.op(Op::SimdAnd, &[mask, wrap])
}

/// The integers of a value as two values of floats.
fn floats(b: &mut Builder<'_, '_>, scalar: Scalar, x: Value) -> Parts {
    let mut parts = halves(b, &[x], &mut |b, half| simd(b, Op::SimdConvertLow, I32x4, &[half]));
    if !scalar.is_signed() {
        let zero = number(b, Scalar::F64, 0.0);
        for part in &mut parts {
            let is_less = simd(b, Op::SimdLessThan, F64x2, &[*part, zero]);
            let wrap = wrap_in(b, is_less);
            *part = simd(b, Op::SimdAdd, F64x2, &[*part, wrap]);
        }
    }
    parts
}

/// Two values of quotients, truncated.
fn integers(b: &mut Builder<'_, '_>, scalar: Scalar, mut parts: Parts) -> Value {
    if !scalar.is_signed() {
        let half = number(b, Scalar::F64, 2_147_483_648.0);
        for part in &mut parts {
            let whole = simd(b, Op::SimdFloor, F64x2, &[*part]);
            let is_large = simd(b, Op::SimdGreaterThanEqual, F64x2, &[whole, half]);
            let wrap = wrap_in(b, is_large);
            *part = simd(b, Op::SimdSubtract, F64x2, &[whole, wrap]);
        }
    }
    joined(b, &parts, &mut |b, part| simd(b, Op::SimdTruncateLow, I32x4, &[part]))[0]
}
