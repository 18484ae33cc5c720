//! Lanes of 128-bit values, by the rules of WebAssembly 2.0.

use planish_ir::entity::Type;
use planish_ir::ops::{Imm, LaneShape, Op};
use planish_ir::types::{Scalar, Types};

use super::parts::scalar_of;
use super::{componentwise, convert::convert, word};
use crate::value::Value;

/// The bits of each lane, lane 0 first.
fn bits(shape: LaneShape, x: u128) -> Vec<u128> {
    (0..shape.lanes()).map(|lane| x >> (lane * shape.bits()) & ones(shape.bits())).collect()
}

fn ones(count: u32) -> u128 {
    (1 << count) - 1
}

/// The number of each lane, signed or unsigned by the shape.
fn numbers(shape: LaneShape, x: u128) -> Vec<i128> {
    let number = |bits: u128| {
        let negative = shape.is_signed() && bits >> (shape.bits() - 1) == 1;
        if negative { bits as i128 - (1 << shape.bits()) } else { bits as i128 }
    };
    bits(shape, x).into_iter().map(number).collect()
}

/// Joins lanes, each truncated to its width.
fn join(shape: LaneShape, lanes: impl IntoIterator<Item = i128>) -> Value {
    let place = |(i, lane): (usize, i128)| (lane as u128 & ones(shape.bits())) << (i as u32 * shape.bits());
    Value::V128(lanes.into_iter().enumerate().map(place).fold(0, |whole, lane| whole | lane))
}

/// Saturates to the range of a lane.
fn saturate(shape: LaneShape, x: i128) -> i128 {
    let width = shape.bits();
    if shape.is_signed() { x.clamp(-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { x.clamp(0, (1 << width) - 1) }
}

/// Lanes of another width, with the signedness of a shape.
fn with_width(shape: LaneShape, width: u32) -> LaneShape {
    let same = |s: &LaneShape| s.bits() == width && s.is_signed() == shape.is_signed() && !s.is_float();
    LaneShape::ALL.into_iter().find(same).unwrap_or(shape)
}

/// Signed lanes of another width.
fn signed(width: u32) -> LaneShape {
    with_width(LaneShape::I32x4, width)
}

/// An op on the lanes of 128-bit values; `None` for other ops.
pub(super) fn lanes(types: &Types, op: Op, imm: Imm, args: &[Value], result: Type) -> Option<Value> {
    let shape = imm.as_shape();
    match *args {
        [Value::V128(x)] => unary(types, op, imm, x, result),
        [Value::V128(x), Value::V128(y)] => binary(op, shape, x, y),
        [Value::V128(x), Value::V128(y), Value::V128(z)] => match op {
            Op::SimdShuffle => {
                let bytes: Vec<u128> = [bits(LaneShape::U8x16, x), bits(LaneShape::U8x16, y)].concat();
                let chosen = numbers(LaneShape::U8x16, z).into_iter().map(|n| bytes[n as usize % 32] as i128);
                Some(join(LaneShape::U8x16, chosen))
            }
            Op::SimdSelect => Some(Value::V128(x & z | y & !z)),
            _ => None,
        },
        [ref scalar] => match op {
            Op::SimdSplat => Some(join(shape, vec![word(scalar).into(); shape.lanes() as usize])),
            Op::SimdLow => Some(Value::V128(word(scalar).into())),
            _ => None,
        },
        [Value::V128(x), ref scalar] => match op {
            Op::SimdInsert => {
                let mut lanes = numbers(shape, x);
                *lanes.get_mut(usize::from(imm.as_lane()))? = word(scalar).into();
                Some(join(shape, lanes))
            }
            Op::SimdShiftLeft | Op::SimdShiftRight => {
                let amount = word(scalar) as u32 % shape.bits();
                let shift = |lane: i128| if op == Op::SimdShiftLeft { lane << amount } else { lane >> amount };
                Some(join(shape, numbers(shape, x).into_iter().map(shift)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// A scalar op of the same name on float lanes.
fn floats(op: Op, shape: LaneShape, operands: &[u128]) -> Option<Value> {
    let lanes: Vec<Vec<u128>> = operands.iter().map(|&x| bits(shape, x)).collect();
    let lane = |i: usize| {
        let args: Vec<Value> = lanes.iter().map(|x| Value::scalar(shape.scalar(), x[i] as u64)).collect();
        Some(word(&componentwise(op, &args)?).into())
    };
    Some(join(shape, (0..shape.lanes() as usize).map(lane).collect::<Option<Vec<_>>>()?))
}

/// Converts each lane from one shape to another, from the first on; zeros above.
fn converted(x: u128, from: LaneShape, to: LaneShape) -> Option<Value> {
    let scalar = |shape: LaneShape| match (shape.scalar(), shape.is_signed()) {
        (Scalar::I32, false) => Scalar::U32,
        (Scalar::I64, false) => Scalar::U64,
        (scalar, _) => scalar,
    };
    let lane = |x: u128| Some(word(&convert(&Value::scalar(scalar(from), x as u64), scalar(to))?).into());
    let lanes = bits(from, x).into_iter().take(to.lanes() as usize).map(lane).collect::<Option<Vec<_>>>()?;
    Some(join(to, lanes))
}

fn unary(types: &Types, op: Op, imm: Imm, x: u128, result: Type) -> Option<Value> {
    let shape = imm.as_shape();
    // Lanes of half the width: all, and the half of them that an op reads.
    let narrow = || numbers(with_width(shape, shape.bits() / 2), x);
    let half = shape.lanes() as usize;
    let i32 = |x: bool| Value::I32(x.into());
    Some(match op {
        Op::SimdNot => Value::V128(!x),
        Op::SimdAnyTrue => i32(x != 0),
        Op::SimdAllTrue => i32(!bits(shape, x).contains(&0)),
        Op::SimdBitmask => {
            let highest = bits(shape, x).into_iter().map(|lane| lane >> (shape.bits() - 1)).enumerate();
            Value::I32(highest.map(|(i, bit)| (bit as i32) << i).sum())
        }
        Op::SimdExtract => {
            Value::scalar(scalar_of(types, result)?, *numbers(shape, x).get(usize::from(imm.as_lane()))? as u64)
        }
        Op::SimdAbs if shape.is_float() => floats(Op::Abs, shape, &[x])?,
        Op::SimdNegate if shape.is_float() => floats(Op::Negate, shape, &[x])?,
        Op::SimdAbs => join(shape, numbers(shape, x).into_iter().map(i128::abs)),
        Op::SimdNegate => join(shape, numbers(shape, x).into_iter().map(|lane| -lane)),
        Op::SimdBitCount => join(shape, bits(shape, x).into_iter().map(|lane| lane.count_ones().into())),
        Op::SimdExtendLow => join(shape, narrow().into_iter().take(half)),
        Op::SimdExtendHigh => join(shape, narrow().into_iter().skip(half)),
        Op::SimdAddPairs => join(shape, narrow().chunks(2).map(|pair| pair[0] + pair[1])),
        Op::SimdSqrt => floats(Op::Sqrt, shape, &[x])?,
        Op::SimdCeil => floats(Op::Ceil, shape, &[x])?,
        Op::SimdFloor => floats(Op::Floor, shape, &[x])?,
        Op::SimdTrunc => floats(Op::Trunc, shape, &[x])?,
        Op::SimdRoundEven => floats(Op::RoundEven, shape, &[x])?,
        Op::SimdConvert => converted(x, shape, LaneShape::F32x4)?,
        Op::SimdConvertLow => converted(x, shape, LaneShape::F64x2)?,
        Op::SimdTruncate => converted(x, LaneShape::F32x4, shape)?,
        Op::SimdTruncateLow => converted(x, LaneShape::F64x2, shape)?,
        Op::SimdDemote => converted(x, LaneShape::F64x2, LaneShape::F32x4)?,
        Op::SimdPromote => converted(x, LaneShape::F32x4, LaneShape::F64x2)?,
        _ => return None,
    })
}

fn binary(op: Op, shape: LaneShape, x: u128, y: u128) -> Option<Value> {
    match op {
        Op::SimdAnd => return Some(Value::V128(x & y)),
        Op::SimdAndNot => return Some(Value::V128(x & !y)),
        Op::SimdOr => return Some(Value::V128(x | y)),
        Op::SimdXor => return Some(Value::V128(x ^ y)),
        Op::SimdSwizzle => {
            let bytes = numbers(LaneShape::U8x16, x);
            let chosen = numbers(LaneShape::U8x16, y).into_iter();
            return Some(join(LaneShape::U8x16, chosen.map(|n| bytes.get(n as usize).copied().unwrap_or(0))));
        }
        Op::SimdNarrow => {
            let wide = signed(2 * shape.bits());
            let all = numbers(wide, x).into_iter().chain(numbers(wide, y));
            return Some(join(shape, all.map(|lane| saturate(shape, lane))));
        }
        Op::SimdDot => {
            let products = zip(LaneShape::I16x8, x, y, |x, y| x * y);
            return Some(join(LaneShape::I32x4, products.chunks(2).map(|pair| pair[0] + pair[1])));
        }
        Op::SimdMultiplyQ15 => {
            let rounded = |x: i128, y: i128| saturate(LaneShape::I16x8, (x * y + 0x4000) >> 15);
            return Some(join(LaneShape::I16x8, zip(LaneShape::I16x8, x, y, rounded)));
        }
        Op::SimdMultiplyLow | Op::SimdMultiplyHigh => {
            let half = shape.lanes() as usize;
            let products = zip(with_width(shape, shape.bits() / 2), x, y, |x, y| x * y).into_iter();
            let skipped = if op == Op::SimdMultiplyHigh { half } else { 0 };
            return Some(join(shape, products.skip(skipped).take(half)));
        }
        _ => {}
    }
    if shape.is_float() { float_binary(op, shape, x, y) } else { integer_binary(op, shape, x, y) }
}

fn zip(shape: LaneShape, x: u128, y: u128, f: impl Fn(i128, i128) -> i128) -> Vec<i128> {
    numbers(shape, x).into_iter().zip(numbers(shape, y)).map(|(x, y)| f(x, y)).collect()
}

fn float_binary(op: Op, shape: LaneShape, x: u128, y: u128) -> Option<Value> {
    let scalar = match op {
        Op::SimdAdd => Op::Add,
        Op::SimdSubtract => Op::Subtract,
        Op::SimdMultiply => Op::Multiply,
        Op::SimdDivide => Op::Divide,
        Op::SimdMin => Op::Minimum,
        Op::SimdMax => Op::Maximum,
        _ => return choice(op, shape, x, y),
    };
    floats(scalar, shape, &[x, y])
}

/// Comparisons, and the ops that select one of two floats with its bits.
fn choice(op: Op, shape: LaneShape, x: u128, y: u128) -> Option<Value> {
    let lane = |(x, y): (u128, u128)| {
        let value = |bits: u128| Value::scalar(shape.scalar(), bits as u64);
        let holds = |op: Op, x: u128, y: u128| Some(componentwise(op, &[value(x), value(y)])? == Value::Bool(true));
        let ones_if = |holds: bool| if holds { -1 } else { 0 };
        Some(match op {
            Op::SimdEqual => ones_if(holds(Op::Equal, x, y)?),
            Op::SimdNotEqual => ones_if(holds(Op::NotEqual, x, y)?),
            Op::SimdLessThan => ones_if(holds(Op::LessThan, x, y)?),
            Op::SimdLessThanEqual => ones_if(holds(Op::LessThanEqual, x, y)?),
            Op::SimdGreaterThan => ones_if(holds(Op::GreaterThan, x, y)?),
            Op::SimdGreaterThanEqual => ones_if(holds(Op::GreaterThanEqual, x, y)?),
            Op::SimdPseudoMin => (if holds(Op::LessThan, y, x)? { y } else { x }) as i128,
            Op::SimdPseudoMax => (if holds(Op::LessThan, x, y)? { y } else { x }) as i128,
            _ => return None,
        })
    };
    Some(join(shape, bits(shape, x).into_iter().zip(bits(shape, y)).map(lane).collect::<Option<Vec<_>>>()?))
}

fn integer_binary(op: Op, shape: LaneShape, x: u128, y: u128) -> Option<Value> {
    let ones_if = |holds: bool| if holds { -1 } else { 0 };
    let lane: Box<dyn Fn(i128, i128) -> i128> = match op {
        Op::SimdAdd => Box::new(|x, y| x + y),
        Op::SimdSubtract => Box::new(|x, y| x - y),
        Op::SimdMultiply => Box::new(|x, y| x.wrapping_mul(y)),
        Op::SimdAddSaturate => Box::new(|x, y| saturate(shape, x + y)),
        Op::SimdSubtractSaturate => Box::new(|x, y| saturate(shape, x - y)),
        Op::SimdMin => Box::new(|x, y| x.min(y)),
        Op::SimdMax => Box::new(|x, y| x.max(y)),
        Op::SimdAverage => Box::new(|x, y| (x + y + 1) / 2),
        Op::SimdEqual => Box::new(|x, y| ones_if(x == y)),
        Op::SimdNotEqual => Box::new(|x, y| ones_if(x != y)),
        Op::SimdLessThan => Box::new(|x, y| ones_if(x < y)),
        Op::SimdLessThanEqual => Box::new(|x, y| ones_if(x <= y)),
        Op::SimdGreaterThan => Box::new(|x, y| ones_if(x > y)),
        Op::SimdGreaterThanEqual => Box::new(|x, y| ones_if(x >= y)),
        _ => return None,
    };
    Some(join(shape, zip(shape, x, y, lane)))
}
