//! Componentwise ops on integers and booleans, comparisons, and the ops with two result words.

use super::half::Half;
use super::kernel::{Component, Kernel, kernel};
use super::{Fault, float};
use crate::function::TrapKind;
use crate::ops::Op;
use crate::types::Scalar;

/// Total integer division: `x / 0 = x`, and the least integer over -1 is itself.
trait Division: Copy + PartialEq + Default {
    fn quotient(self, by: Self) -> Self;
    fn remainder(self, by: Self) -> Self;
    /// Whether the quotient does not fit.
    fn overflows(self, by: Self) -> bool;
}

macro_rules! division {
    ($($t:ident)*) => { $(
        impl Division for $t {
            #[inline(always)]
            fn quotient(self, by: Self) -> Self {
                if by == 0 { self } else { self.wrapping_div(by) }
            }
            #[inline(always)]
            fn remainder(self, by: Self) -> Self {
                if by == 0 { 0 } else { self.wrapping_rem(by) }
            }
            fn overflows(self, by: Self) -> bool {
                by != 0 && self.checked_div(by).is_none()
            }
        }
    )* };
}
division!(i8 u8 i16 u16 i32 u32 i64 u64);

/// Kernel of an arithmetic op on integers; `None` for others.
pub(super) fn integer(op: Op, s: Scalar) -> Option<Kernel> {
    match op {
        Op::Negate => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x| x.wrapping_neg()),
        Op::Add => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x, y| x.wrapping_add(y)),
        Op::Subtract => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x, y| x.wrapping_sub(y)),
        Op::Multiply => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x, y| x.wrapping_mul(y)),
        Op::MultiplyAdd => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        Op::Divide => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x, y| x.quotient(y)),
        Op::Remainder => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x, y| x.remainder(y)),
        Op::Min => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x, y| float::min(x, y)),
        Op::Max => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x, y| float::max(x, y)),
        Op::Clamp => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64], |x, low, high| float::clamp(x, low, high)),
        Op::Abs => match s {
            _ if s.is_signed() => kernel!(s, [i8 i16 i32 i64], |x| x.wrapping_abs()),
            _ => kernel!(s, [u8 u16 u32 u64], |x| x),
        },
        Op::Sign => match s {
            _ if s.is_signed() => kernel!(s, [i8 i16 i32 i64], |x| x.signum()),
            _ => kernel!(s, [u8 u16 u32 u64], |x| (x != 0) as T),
        },
        _ => None,
    }
}

/// Kernel of an op on booleans.
pub(super) fn boolean(op: Op) -> Option<Kernel> {
    match op {
        Op::LogicalNot => kernel!(Scalar::Bool, [bool], |x| !x),
        Op::LogicalAnd => kernel!(Scalar::Bool, [bool], |x, y| x & y),
        Op::LogicalOr => kernel!(Scalar::Bool, [bool], |x, y| x | y),
        Op::LogicalXor => kernel!(Scalar::Bool, [bool], |x, y| x ^ y),
        _ => None,
    }
}

/// Kernel of a comparison.
pub(super) fn comparison(op: Op, s: Scalar) -> Option<Kernel> {
    match op {
        Op::Equal => kernel!(s, [bool i8 u8 i16 u16 i32 u32 i64 u64 Half f32 f64], |x, y| x == y),
        Op::NotEqual => kernel!(s, [bool i8 u8 i16 u16 i32 u32 i64 u64 Half f32 f64], |x, y| x != y),
        Op::LessThan => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64 Half f32 f64], |x, y| x < y),
        Op::LessThanEqual => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64 Half f32 f64], |x, y| x <= y),
        Op::GreaterThan => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64 Half f32 f64], |x, y| x > y),
        Op::GreaterThanEqual => kernel!(s, [i8 u8 i16 u16 i32 u32 i64 u64 Half f32 f64], |x, y| x >= y),
        _ => None,
    }
}

/// Kernel of `condition ? a : b`, on bits of any kind.
pub(super) fn select() -> Option<Kernel> {
    kernel!(Scalar::U64, [u64], |c, a, b| if c != 0 { a } else { b })
}

/// Division that traps; `remainder` gives the rest.
pub(super) fn trapping(x: u64, y: u64, s: Scalar, remainder: bool) -> Result<u64, Fault> {
    fn divide<T: Division + Component>(x: u64, y: u64, remainder: bool) -> Result<u64, Fault> {
        let (x, y) = (T::get(x), T::get(y));
        if y == T::default() {
            return Err(Fault::Trap(TrapKind::DivisionByZero));
        }
        if remainder {
            return Ok(x.remainder(y).put());
        }
        if x.overflows(y) {
            return Err(Fault::Trap(TrapKind::IntegerOverflow));
        }
        Ok(x.quotient(y).put())
    }
    match s {
        Scalar::I32 => divide::<i32>(x, y, remainder),
        Scalar::U32 => divide::<u32>(x, y, remainder),
        Scalar::I64 => divide::<i64>(x, y, remainder),
        Scalar::U64 => divide::<u64>(x, y, remainder),
        _ => Err(Fault::NoMeaning),
    }
}

/// The two result words of an op on two 32-bit words.
pub(super) fn two_words(op: Op, x: u64, y: u64, s: Scalar) -> Option<(u64, u64)> {
    let (a, b) = (x as u32, y as u32);
    Some(match op {
        Op::AddCarry => {
            let (sum, carry) = a.overflowing_add(b);
            (sum.into(), carry.into())
        }
        Op::SubtractBorrow => {
            let (difference, borrow) = a.overflowing_sub(b);
            (difference.into(), borrow.into())
        }
        Op::MultiplyExtended => {
            let product = match s {
                Scalar::I32 => (a as i32 as i64 * b as i32 as i64) as u64,
                _ => a as u64 * b as u64,
            };
            (product >> 32, product & 0xffff_ffff)
        }
        _ => return None,
    })
}
