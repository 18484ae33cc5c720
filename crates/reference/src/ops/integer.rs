//! Ops on integers: computed exactly, then truncated to the width of the type.

use planish_ir::function::TrapKind;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;

use crate::value::Value;

/// The value of an integer, and its type.
pub(super) fn number(value: &Value) -> Option<(i128, Scalar)> {
    Some(match *value {
        Value::I8(x) => (x.into(), Scalar::I8),
        Value::U8(x) => (x.into(), Scalar::U8),
        Value::I16(x) => (x.into(), Scalar::I16),
        Value::U16(x) => (x.into(), Scalar::U16),
        Value::I32(x) => (x.into(), Scalar::I32),
        Value::U32(x) => (x.into(), Scalar::U32),
        Value::I64(x) => (x.into(), Scalar::I64),
        Value::U64(x) => (x.into(), Scalar::U64),
        _ => return None,
    })
}

/// The low bits of a number as an integer of a type.
pub(super) fn wrap(ty: Scalar, x: i128) -> Value {
    Value::scalar(ty, x as u64)
}

/// An op on integers of one type, except shift amounts and the offsets and counts of bit fields.
pub(super) fn integer(op: Op, args: &[Value]) -> Option<Value> {
    let numbers = args.iter().map(|arg| Some(number(arg)?.0)).collect::<Option<Vec<_>>>()?;
    let ty = number(args.first()?)?.1;
    match *numbers {
        [x] => unary(op, ty, x),
        [x, y] => compare(op, x, y).or_else(|| binary(op, ty, x, y)),
        [x, y, z] => Some(match op {
            Op::Clamp => wrap(ty, (x.max(y)).min(z)),
            Op::MultiplyAdd => wrap(ty, x.wrapping_mul(y).wrapping_add(z)),
            Op::BitfieldExtract => {
                let (offset, count) = field(y, z, ty);
                let bits = (x >> offset) & ones(count);
                let negative = ty.is_signed() && count > 0 && bits >> (count - 1) & 1 == 1;
                wrap(ty, if negative { bits - (1 << count) } else { bits })
            }
            _ => return None,
        }),
        [base, insert, offset, count] if op == Op::BitfieldInsert => {
            let (offset, count) = field(offset, count, ty);
            let mask = ones(count) << offset;
            Some(wrap(ty, base & !mask | insert << offset & mask))
        }
        _ => None,
    }
}

/// A bit field clamped to the word. Offset and count are unsigned.
fn field(offset: i128, count: i128, ty: Scalar) -> (u32, u32) {
    let offset = (offset as u32).min(ty.bits());
    (offset, (count as u32).min(ty.bits() - offset))
}

/// `count` one bits, at the low end.
fn ones(count: u32) -> i128 {
    (1 << count) - 1
}

fn unary(op: Op, ty: Scalar, x: i128) -> Option<Value> {
    let width = ty.bits();
    let bits = x & ones(width);
    let highest = |bits: i128| 127 - bits.leading_zeros() as i128;
    // 64-bit operands give their own type, others `i32`.
    let counted = if width == 64 { ty } else { Scalar::I32 };
    Some(match op {
        Op::Negate => wrap(ty, -x),
        Op::BitwiseNot => wrap(ty, !x),
        Op::Abs => wrap(ty, x.abs()),
        Op::Sign => wrap(ty, x.signum()),
        Op::BitCount => wrap(counted, bits.count_ones().into()),
        Op::FindLsb => wrap(counted, if bits == 0 { -1 } else { bits.trailing_zeros().into() }),
        // The highest bit that differs from the sign; none for 0 and -1.
        Op::FindMsb => wrap(counted, highest(if x < 0 { !x } else { x })),
        Op::CountLeadingZeros => wrap(ty, i128::from(width) - 1 - highest(bits)),
        Op::CountTrailingZeros => wrap(ty, if bits == 0 { width } else { bits.trailing_zeros() }.into()),
        Op::BitReverse => wrap(ty, (0..width).filter(|i| bits >> i & 1 == 1).map(|i| 1 << (width - 1 - i)).sum()),
        Op::NonUniform => wrap(ty, x),
        Op::SignExtend8 => wrap(ty, (x as i8).into()),
        Op::SignExtend16 => wrap(ty, (x as i16).into()),
        Op::SignExtend32 => wrap(ty, (x as i32).into()),
        _ => return None,
    })
}

fn compare(op: Op, x: i128, y: i128) -> Option<Value> {
    Some(Value::Bool(match op {
        Op::Equal => x == y,
        Op::NotEqual => x != y,
        Op::LessThan => x < y,
        Op::LessThanEqual => x <= y,
        Op::GreaterThan => x > y,
        Op::GreaterThanEqual => x >= y,
        _ => return None,
    }))
}

fn binary(op: Op, ty: Scalar, x: i128, y: i128) -> Option<Value> {
    let width = ty.bits();
    let bits = x & ones(width);
    let amount = y as u32 % width;
    Some(wrap(
        ty,
        match op {
            Op::Add => x + y,
            Op::Subtract => x - y,
            Op::Multiply => x.wrapping_mul(y),
            Op::Divide if y == 0 => x,
            Op::Divide => x / y,
            Op::Remainder if y == 0 => 0,
            Op::Remainder => x % y,
            Op::Min => x.min(y),
            Op::Max => x.max(y),
            Op::BitwiseAnd => x & y,
            Op::BitwiseOr => x | y,
            Op::BitwiseXor => x ^ y,
            Op::ShiftLeft => x << amount,
            Op::ShiftRight => x >> amount,
            Op::RotateLeft => bits << amount | bits >> (width - amount),
            Op::RotateRight => bits >> amount | bits << (width - amount),
            _ => return None,
        },
    ))
}

/// Division that traps if there is no quotient, or if it does not fit.
pub(super) fn divide_trapping(op: Op, x: &Value, y: &Value) -> Result<Value, TrapKind> {
    let ((x, ty), (y, _)) = number(x).zip(number(y)).ok_or(TrapKind::User)?;
    if y == 0 {
        return Err(TrapKind::DivisionByZero);
    }
    if op == Op::RemainderTrapping {
        return Ok(wrap(ty, x % y));
    }
    let quotient = wrap(ty, x / y);
    if number(&quotient) == Some((x / y, ty)) { Ok(quotient) } else { Err(TrapKind::IntegerOverflow) }
}

/// Sum and carry, difference and borrow, or the high and the low word of a product, of 32-bit integers.
pub(super) fn two_words(op: Op, x: &Value, y: &Value) -> Option<[Value; 2]> {
    let ((x, ty), (y, _)) = (number(x)?, number(y)?);
    let (x_bits, y_bits) = (x & ones(32), y & ones(32));
    let (first, second) = match op {
        Op::AddCarry => (x_bits + y_bits, (x_bits + y_bits) >> 32),
        Op::SubtractBorrow => (x_bits - y_bits, (x_bits < y_bits).into()),
        _ => ((x * y) >> 32, x * y),
    };
    Some([wrap(ty, first), wrap(ty, second)])
}
