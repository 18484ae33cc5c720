//! Ops on subgroups that combine the operands of several invocations: by which op, and from which value on.

use crate::ops::Op;
use crate::types::Scalar;

use super::float_bits;

/// The op of two operands by which an op combines numbers or booleans of a type, and the bits of its identity, which combined with any value
/// give that value. `None` for other ops.
pub fn reduction(op: Op, scalar: Scalar) -> Option<(Op, u64)> {
    let ones = u64::MAX >> (64 - scalar.bits());
    let number = |float: f64, integer: u64| if scalar.is_float() { float_bits(scalar, float) } else { integer };
    let (least, greatest) = if scalar.is_signed() { (ones ^ ones >> 1, ones >> 1) } else { (0, ones) };
    let is_bool = scalar == Scalar::Bool;
    Some(match op {
        Op::SubgroupAdd => (Op::Add, 0),
        Op::SubgroupMultiply => (Op::Multiply, number(1.0, 1)),
        Op::SubgroupMin => (Op::Min, number(f64::INFINITY, greatest)),
        Op::SubgroupMax => (Op::Max, number(f64::NEG_INFINITY, least)),
        Op::SubgroupAnd => (if is_bool { Op::LogicalAnd } else { Op::BitwiseAnd }, ones),
        Op::SubgroupOr => (if is_bool { Op::LogicalOr } else { Op::BitwiseOr }, 0),
        Op::SubgroupXor => (if is_bool { Op::LogicalXor } else { Op::BitwiseXor }, 0),
        _ => return None,
    })
}
