//! Ops on the bits of integers.

use super::kernel::{Kernel, kernel};
use crate::ops::Op;
use crate::types::Scalar;

/// Kernel of a bitwise op, shift, rotation or bit query; `None` for others.
pub(super) fn bitwise(op: Op, s: Scalar) -> Option<Kernel> {
    match op {
        Op::BitwiseNot => kernel!(s, [i32 u32 i64 u64], |x| !x),
        Op::BitwiseAnd => kernel!(s, [i32 u32 i64 u64], |x, y| x & y),
        Op::BitwiseOr => kernel!(s, [i32 u32 i64 u64], |x, y| x | y),
        Op::BitwiseXor => kernel!(s, [i32 u32 i64 u64], |x, y| x ^ y),
        // The amount may be an integer of any width: its low bits are all that counts.
        Op::ShiftLeft => kernel!(s, [i32 u32 i64 u64], |x, y| x.wrapping_shl(y as u32)),
        Op::ShiftRight => kernel!(s, [i32 u32 i64 u64], |x, y| x.wrapping_shr(y as u32)),
        Op::RotateLeft => kernel!(s, [i32 u32 i64 u64], |x, y| x.rotate_left(y as u32 % T::BITS)),
        Op::RotateRight => kernel!(s, [i32 u32 i64 u64], |x, y| x.rotate_right(y as u32 % T::BITS)),
        Op::BitReverse => kernel!(s, [i32 u32 i64 u64], |x| x.reverse_bits()),
        Op::CountLeadingZeros => kernel!(s, [i32 u32 i64 u64], |x| x.leading_zeros() as T),
        Op::CountTrailingZeros => kernel!(s, [i32 u32 i64 u64], |x| x.trailing_zeros() as T),
        Op::SignExtend8 => kernel!(s, [i32 u32 i64 u64], |x| x as i8 as T),
        Op::SignExtend16 => kernel!(s, [i32 u32 i64 u64], |x| x as i16 as T),
        Op::SignExtend32 => kernel!(s, [i32 u32 i64 u64], |x| x as i32 as T),
        // 32-bit operands give `i32`, which has the same bits as their own type.
        Op::BitCount => kernel!(s, [i32 u32 i64 u64], |x| x.count_ones() as T),
        Op::FindLsb => {
            kernel!(s, [i32 u32 i64 u64], |x| if x == 0 { (0 as T).wrapping_sub(1) } else { x.trailing_zeros() as T })
        }
        Op::FindMsb => match s {
            Scalar::I32 | Scalar::I64 => {
                kernel!(s, [i32 i64], |x| {
                    let differs = if x < 0 { !x } else { x };
                    T::BITS as T - 1 - differs.leading_zeros() as T
                })
            }
            _ => kernel!(s, [u32 u64], |x| (T::BITS as T).wrapping_sub(1).wrapping_sub(x.leading_zeros() as T)),
        },
        _ => None,
    }
}

/// A field of `count` bits from `offset` on, cut to the word of `width` bits: its offset and its mask, at the bottom.
/// Negative numbers count as large ones.
fn field(offset: u64, count: u64, width: u32) -> (u32, u64) {
    let offset = (offset as u32).min(width);
    let count = (count as u32).min(width - offset);
    (offset, if count == 0 { 0 } else { u64::MAX >> (64 - count) })
}

/// `count` bits from `offset` on, sign-extended if the type is signed.
pub(super) fn extract(x: u64, offset: u64, count: u64, s: Scalar) -> u64 {
    let (offset, mask) = field(offset, count, s.bits());
    if mask == 0 {
        return 0;
    }
    let bits = x >> offset & mask;
    let negative = s.is_signed() && bits & (mask ^ mask >> 1) != 0;
    let bits = if negative { bits | !mask } else { bits };
    if s.bits() == 32 { bits & 0xffff_ffff } else { bits }
}

/// `base` with `count` bits from `offset` on replaced by the low bits of `insert`.
pub(super) fn insert(base: u64, insert: u64, offset: u64, count: u64, s: Scalar) -> u64 {
    let (offset, mask) = field(offset, count, s.bits());
    if mask == 0 {
        return base;
    }
    base & !(mask << offset) | (insert & mask) << offset
}

/// Kernel of a bit-field op.
pub(super) fn fields(op: Op, s: Scalar) -> Option<Kernel> {
    match (op, s) {
        (Op::BitfieldExtract, Scalar::I32) => kernel!(Scalar::U64, [u64], |x, o, n| extract(x, o, n, Scalar::I32)),
        (Op::BitfieldExtract, Scalar::U32) => kernel!(Scalar::U64, [u64], |x, o, n| extract(x, o, n, Scalar::U32)),
        (Op::BitfieldExtract, Scalar::I64) => kernel!(Scalar::U64, [u64], |x, o, n| extract(x, o, n, Scalar::I64)),
        (Op::BitfieldExtract, Scalar::U64) => kernel!(Scalar::U64, [u64], |x, o, n| extract(x, o, n, Scalar::U64)),
        (Op::BitfieldInsert, Scalar::I32 | Scalar::U32) => {
            Some(Kernel::Quaternary(|x, y, o, n| insert(x, y, o, n, Scalar::U32)))
        }
        (Op::BitfieldInsert, Scalar::I64 | Scalar::U64) => {
            Some(Kernel::Quaternary(|x, y, o, n| insert(x, y, o, n, Scalar::U64)))
        }
        _ => None,
    }
}
