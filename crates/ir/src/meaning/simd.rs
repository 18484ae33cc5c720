//! Ops on the lanes of 128-bit values. A value is two words, the low one first; here it is one `u128`.
//!
//! Integer lanes are computed in `i128`, where nothing overflows, and then cut or saturated to the lane. Float lanes are
//! computed by the scalar kernels, so that a lane gives what the scalar op gives. Shapes of twice or half the width come
//! from the shape of the immediate: that of `simd_narrow` is `i8x16`, its operands are read as `i16x8`.

use super::kernel::{Component, Kernel};
use super::{Operand, convert, kernel};
use crate::ops::{Imm, LaneShape, Op};
use crate::types::{Scalar, TypeKind, Types};

/// Lanes of `bits` bits.
#[derive(Clone, Copy)]
struct Lanes {
    bits: u32,
    signed: bool,
}

impl Lanes {
    const BYTES: Lanes = Lanes { bits: 8, signed: false };
    const WORDS: Lanes = Lanes { bits: 32, signed: false };
    const DOUBLES: Lanes = Lanes { bits: 64, signed: false };

    fn of(shape: LaneShape) -> Self {
        Lanes { bits: shape.bits(), signed: shape.is_signed() }
    }

    fn half(self) -> Self {
        Lanes { bits: self.bits / 2, ..self }
    }

    fn count(self) -> u32 {
        128 / self.bits
    }

    /// The bits of lane `i`.
    fn raw(self, value: u128, i: u32) -> u64 {
        (value >> (i * self.bits)) as u64 & self.mask()
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// Lane `i` as a number.
    fn number(self, value: u128, i: u32) -> i128 {
        let up = 64 - self.bits;
        let raw = self.raw(value, i);
        if self.signed { ((raw << up) as i64 >> up).into() } else { raw.into() }
    }

    /// The nearest number that a lane can hold.
    fn saturate(self, number: i128) -> i128 {
        let ones = i128::from(self.mask());
        let (low, high) = if self.signed { (-(ones >> 1) - 1, ones >> 1) } else { (0, ones) };
        number.clamp(low, high)
    }

    /// The value whose lanes are `f(i)`, each cut to its bits.
    fn make(self, f: impl Fn(u32) -> i128) -> u128 {
        (0..self.count()).fold(0, |value, i| value | (f(i) as u128 & u128::from(self.mask())) << (i * self.bits))
    }
}

/// Appends the result of an op on 128-bit values; `None` if the operands do not fit it.
pub(super) fn evaluate(types: &Types, op: Op, imm: Imm, args: &[Operand<'_>], out: &mut Vec<u64>) -> Option<()> {
    use Op::*;
    let value = |i: usize| args.get(i).and_then(|a| wide(types, a));
    let scalar = |i: usize| args.get(i).filter(|a| types.scalar_of(a.ty).is_some()).and_then(|a| word(a));
    let shape = imm.as_shape();
    let known = op.lane_shapes();
    if !known.is_empty() && !known.contains(&shape) {
        return None;
    }
    let lanes = Lanes::of(shape);
    let result = match op {
        SimdAnyTrue | SimdAllTrue | SimdBitmask | SimdExtract => {
            out.push(to_scalar(op, imm, value(0)?)?);
            return Some(());
        }
        SimdSplat => {
            let raw = scalar(0)?;
            lanes.make(|_| raw.into())
        }
        SimdLow => scalar(0)?.into(),
        SimdInsert => {
            let (whole, raw, at) = (value(0)?, scalar(1)?, u32::from(imm.as_lane()));
            let new = |i| if i == at { raw } else { lanes.raw(whole, i) };
            (at < lanes.count()).then(|| lanes.make(|i| new(i).into()))?
        }
        SimdShuffle => shuffle(value(0)?, value(1)?, value(2)?),
        SimdSwizzle => swizzle(value(0)?, value(1)?),
        SimdNot => !value(0)?,
        SimdAnd => value(0)? & value(1)?,
        SimdAndNot => value(0)? & !value(1)?,
        SimdOr => value(0)? | value(1)?,
        SimdXor => value(0)? ^ value(1)?,
        SimdSelect => value(0)? & value(2)? | value(1)? & !value(2)?,
        SimdShiftLeft => {
            let (x, by) = (value(0)?, scalar(1)? as u32 % lanes.bits);
            lanes.make(|i| lanes.number(x, i) << by)
        }
        SimdShiftRight => {
            let (x, by) = (value(0)?, scalar(1)? as u32 % lanes.bits);
            lanes.make(|i| lanes.number(x, i) >> by)
        }
        _ if args.len() == 1 => unary(op, shape, value(0)?)?,
        _ => binary(op, shape, value(0)?, value(1)?)?,
    };
    out.extend([result as u64, (result >> 64) as u64]);
    Some(())
}

/// A 128-bit operand.
fn wide(types: &Types, operand: &Operand<'_>) -> Option<u128> {
    match (&types[operand.ty], operand.bits) {
        (TypeKind::V128, &[low, high]) => Some(u128::from(low) | u128::from(high) << 64),
        _ => None,
    }
}

/// A scalar operand.
fn word(operand: &Operand<'_>) -> Option<u64> {
    if let [bits] = *operand.bits { Some(bits) } else { None }
}

/// Ops that give one number.
fn to_scalar(op: Op, imm: Imm, x: u128) -> Option<u64> {
    let shape = imm.as_shape();
    let lanes = Lanes::of(shape);
    Some(match op {
        Op::SimdAnyTrue => (x != 0).into(),
        Op::SimdAllTrue => (0..lanes.count()).all(|i| lanes.raw(x, i) != 0).into(),
        Op::SimdBitmask => (0..lanes.count()).fold(0, |mask, i| mask | lanes.raw(x, i) >> (lanes.bits - 1) << i),
        _ => {
            let at = u32::from(imm.as_lane());
            let number = (at < lanes.count()).then(|| lanes.number(x, at))?;
            if shape.scalar().bits() == 32 { (number as u32).into() } else { number as u64 }
        }
    })
}

/// Of the 32 bytes of `x` and `y` those that the low five bits of the bytes of `which` say.
fn shuffle(x: u128, y: u128, which: u128) -> u128 {
    let bytes = Lanes::BYTES;
    bytes.make(|i| {
        let at = bytes.raw(which, i) as u32 % 32;
        bytes.number(if at < 16 { x } else { y }, at % 16)
    })
}

/// Of the bytes of `x` those that the bytes of `which` say, 0 for those that are not there.
fn swizzle(x: u128, which: u128) -> u128 {
    let bytes = Lanes::BYTES;
    bytes.make(|i| {
        let at = bytes.raw(which, i) as u32;
        if at < 16 { bytes.number(x, at) } else { 0 }
    })
}

/// Ops of one value that give a value.
fn unary(op: Op, shape: LaneShape, x: u128) -> Option<u128> {
    let lanes = Lanes::of(shape);
    let half = lanes.half();
    Some(match op {
        Op::SimdAbs | Op::SimdNegate if !shape.is_float() => lanes.make(|i| {
            let x = lanes.number(x, i);
            if op == Op::SimdAbs { x.abs() } else { -x }
        }),
        Op::SimdBitCount => lanes.make(|i| lanes.raw(x, i).count_ones().into()),
        Op::SimdExtendLow => lanes.make(|i| half.number(x, i)),
        Op::SimdExtendHigh => lanes.make(|i| half.number(x, i + lanes.count())),
        Op::SimdAddPairs => lanes.make(|i| half.number(x, 2 * i) + half.number(x, 2 * i + 1)),
        Op::SimdConvert => Lanes::WORDS.make(|i| convert(lanes.raw(x, i), integer(shape), Scalar::F32).into()),
        Op::SimdConvertLow => Lanes::DOUBLES.make(|i| convert(lanes.raw(x, i), integer(shape), Scalar::F64).into()),
        Op::SimdTruncate => lanes.make(|i| convert(lanes.raw(x, i), Scalar::F32, integer(shape)).into()),
        Op::SimdTruncateLow => lower(x, |x| convert(x, Scalar::F64, integer(shape))),
        Op::SimdDemote => lower(x, |x| convert(x, Scalar::F64, Scalar::F32)),
        Op::SimdPromote => Lanes::DOUBLES.make(|i| convert(Lanes::WORDS.raw(x, i), Scalar::F32, Scalar::F64).into()),
        _ => {
            let Kernel::Unary(f) = kernel(scalar_op(op)?, shape.is_float().then(|| shape.scalar())?)? else {
                return None;
            };
            lanes.make(|i| (f.one)(lanes.raw(x, i)).into())
        }
    })
}

/// Two lanes of 64 bits to the two lower ones of 32 bits, 0 above.
fn lower(x: u128, f: impl Fn(u64) -> u64) -> u128 {
    Lanes::WORDS.make(|i| if i < 2 { f(Lanes::DOUBLES.raw(x, i)).into() } else { 0 })
}

/// Type of the 32-bit lanes of a shape.
fn integer(shape: LaneShape) -> Scalar {
    if shape.is_signed() { Scalar::I32 } else { Scalar::U32 }
}

/// Ops of two values.
fn binary(op: Op, shape: LaneShape, x: u128, y: u128) -> Option<u128> {
    let lanes = Lanes::of(shape);
    let product = |from: Lanes, i| from.number(x, i) * from.number(y, i);
    let shorts = Lanes { bits: 16, signed: true };
    Some(match op {
        Op::SimdDot => Lanes::WORDS.make(|i| product(shorts, 2 * i) + product(shorts, 2 * i + 1)),
        Op::SimdMultiplyQ15 => shorts.make(|i| shorts.saturate((product(shorts, i) + 0x4000) >> 15)),
        Op::SimdMultiplyLow => lanes.make(|i| product(lanes.half(), i)),
        Op::SimdMultiplyHigh => lanes.make(|i| product(lanes.half(), i + lanes.count())),
        Op::SimdNarrow => {
            let from = Lanes { bits: 2 * lanes.bits, signed: true };
            let both = |i| if i < from.count() { from.number(x, i) } else { from.number(y, i - from.count()) };
            lanes.make(|i| lanes.saturate(both(i)))
        }
        _ if shape.is_float() => float_binary(op, shape.scalar(), lanes, x, y)?,
        _ => {
            let numbers = |i| integers(op, lanes, lanes.number(x, i), lanes.number(y, i));
            numbers(0)?;
            lanes.make(|i| numbers(i).unwrap_or(0))
        }
    })
}

/// An op on two integer lanes; the result is still to be cut to the lane.
fn integers(op: Op, lanes: Lanes, x: i128, y: i128) -> Option<i128> {
    // All bits of the lane.
    let ones = |b: bool| -i128::from(b);
    Some(match op {
        Op::SimdEqual => ones(x == y),
        Op::SimdNotEqual => ones(x != y),
        Op::SimdLessThan => ones(x < y),
        Op::SimdLessThanEqual => ones(x <= y),
        Op::SimdGreaterThan => ones(x > y),
        Op::SimdGreaterThanEqual => ones(x >= y),
        Op::SimdAdd => x + y,
        Op::SimdSubtract => x - y,
        Op::SimdMultiply => x.wrapping_mul(y),
        Op::SimdAddSaturate => lanes.saturate(x + y),
        Op::SimdSubtractSaturate => lanes.saturate(x - y),
        Op::SimdMin => x.min(y),
        Op::SimdMax => x.max(y),
        Op::SimdAverage => (x + y + 1) >> 1,
        _ => return None,
    })
}

/// An op on the lanes of two values of floats.
fn float_binary(op: Op, scalar: Scalar, lanes: Lanes, x: u128, y: u128) -> Option<u128> {
    if matches!(op, Op::SimdPseudoMin | Op::SimdPseudoMax) {
        // The chosen operand keeps its bits, which the kernels of `min` and `max` do not promise for a NaN.
        let less = |a: u64, b: u64| match scalar {
            Scalar::F32 => f32::get(a) < f32::get(b),
            _ => f64::get(a) < f64::get(b),
        };
        return Some(lanes.make(|i| {
            let (x, y) = (lanes.raw(x, i), lanes.raw(y, i));
            let second = if op == Op::SimdPseudoMin { less(y, x) } else { less(x, y) };
            (if second { y } else { x }).into()
        }));
    }
    let scalar_op = scalar_op(op)?;
    let Kernel::Binary(f) = kernel(scalar_op, scalar)? else { return None };
    let compares = scalar_op.info().class == crate::ops::Class::Compare;
    Some(lanes.make(|i| {
        let bits = i128::from((f.one)(lanes.raw(x, i), lanes.raw(y, i)));
        if compares { -bits } else { bits }
    }))
}

/// The op on one float that a SIMD op does on each lane.
fn scalar_op(op: Op) -> Option<Op> {
    Some(match op {
        Op::SimdEqual => Op::Equal,
        Op::SimdNotEqual => Op::NotEqual,
        Op::SimdLessThan => Op::LessThan,
        Op::SimdLessThanEqual => Op::LessThanEqual,
        Op::SimdGreaterThan => Op::GreaterThan,
        Op::SimdGreaterThanEqual => Op::GreaterThanEqual,
        Op::SimdAbs => Op::Abs,
        Op::SimdNegate => Op::Negate,
        Op::SimdAdd => Op::Add,
        Op::SimdSubtract => Op::Subtract,
        Op::SimdMultiply => Op::Multiply,
        Op::SimdDivide => Op::Divide,
        Op::SimdMin => Op::Minimum,
        Op::SimdMax => Op::Maximum,
        Op::SimdSqrt => Op::Sqrt,
        Op::SimdCeil => Op::Ceil,
        Op::SimdFloor => Op::Floor,
        Op::SimdTrunc => Op::Trunc,
        Op::SimdRoundEven => Op::RoundEven,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
