//! Ops on the bits of integers.

use super::kernel::{Kernel, kernel};
use crate::ops::Op;
use crate::types::Scalar;

/// Kernel of a bitwise op, shift, rotation or bit query; `None` for others.
pub(super) fn bitwise(op: Op, s: Scalar) -> Option<Kernel> {
    match op {
        Op::BitwiseNot => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x| !x),
        Op::BitwiseAnd => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x, y| x & y),
        Op::BitwiseOr => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x, y| x | y),
        Op::BitwiseXor => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x, y| x ^ y),
        // The amount may be an integer of any width: its low bits are all that counts.
        Op::ShiftLeft => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x, y| x.wrapping_shl(y as u32)),
        Op::ShiftRight => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x, y| x.wrapping_shr(y as u32)),
        Op::RotateLeft => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x, y| x.rotate_left(y as u32 % T::BITS)),
        Op::RotateRight => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x, y| x.rotate_right(y as u32 % T::BITS)),
        Op::BitReverse => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x| x.reverse_bits()),
        Op::CountLeadingZeros => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x| x.leading_zeros() as T),
        Op::CountTrailingZeros => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x| x.trailing_zeros() as T),
        Op::SignExtend8 => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x| x as i8 as T),
        Op::SignExtend16 => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x| x as i16 as T),
        Op::SignExtend32 => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x| x as i32 as T),
        Op::NonUniform => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x| x),
        Op::BitCount => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x| x.count_ones()),
        Op::FindLsb => match s.bits() {
            64 => kernel!(s, [i64 u64], |x| if x == 0 { -1 } else { i64::from(x.trailing_zeros()) }),
            _ => kernel!(s, [i8 u8 i16 u16 i32 u32], |x| if x == 0 { -1 } else { x.trailing_zeros() as i32 }),
        },
        Op::FindMsb if s.is_signed() => match s.bits() {
            64 => kernel!(s, [i64], |x| 63 - i64::from((x ^ x >> 63).leading_zeros())),
            _ => kernel!(s, [i8 i16 i32], |x| T::BITS as i32 - 1 - (x ^ x >> (T::BITS - 1)).leading_zeros() as i32),
        },
        Op::FindMsb => match s.bits() {
            64 => kernel!(s, [u64], |x| 63 - i64::from(x.leading_zeros())),
            _ => kernel!(s, [u8 u16 u32], |x| T::BITS as i32 - 1 - x.leading_zeros() as i32),
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
    bits & u64::MAX >> (64 - s.bits())
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
    macro_rules! each {
        ($($scalar:ident)*) => {
            match (op, s) {
                $((Op::BitfieldExtract, Scalar::$scalar) => {
                    kernel!(Scalar::U64, [u64], |x, o, n| extract(x, o, n, Scalar::$scalar))
                })*
                $((Op::BitfieldInsert, Scalar::$scalar) => {
                    Some(Kernel::Quaternary(|x, y, o, n| insert(x, y, o, n, Scalar::$scalar)))
                })*
                _ => None,
            }
        };
    }
    each!(I8 U8 I16 U16 I32 U32 I64 U64)
}
