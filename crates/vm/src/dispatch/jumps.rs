//! Jumps. A distance counts words from the beginning of the instruction.
//!
//! ```text
//! two registers: a b distance        a register and a constant: a constant distance, or a _ distance and a word with it
//! ```

// `!(x < y)` is not `x >= y`: one of them may be no number.
#![allow(clippy::neg_cmp_op_on_partial_ord, non_camel_case_types)]

use super::operands::{Acc, Forms, Slot, Small, Source, Word};
use super::scalar::{Binary, binaries};
use planish_ir::function::TrapKind;

use super::{Signal, Stop};
use super::{handlers, next, register, stop_as, upper};

/// Where a jump with the distance in the upper half of its operand word goes.
#[inline(always)]
unsafe fn target(ip: super::Ip) -> super::Ip {
    ip.offset(upper(ip) as isize)
}

/// Handlers of jumps on what gives a `bool`.
#[derive(Clone, Copy)]
pub(crate) struct JumpForms {
    /// On two registers.
    pub(crate) registers: Forms,
    /// On a register and a constant of 16 bits.
    pub(crate) small: Forms,
    /// On a register and a constant.
    pub(crate) word: Forms,
}

/// The jumps on a test.
pub(crate) trait Jump: Binary<R = bool> {
    /// Its handlers.
    const JUMPS: JumpForms = JumpForms {
        registers: &[
            [branch::<Self, Slot<0>, Slot<1>>; 2],
            [branch::<Self, Acc, Slot<1>>; 2],
            [branch::<Self, Slot<0>, Acc>; 2],
        ],
        small: &[[branch::<Self, Slot<0>, Small>; 2], [branch::<Self, Acc, Small>; 2]],
        word: &[[branch::<Self, Slot<0>, Word<2>>; 2], [branch::<Self, Acc, Word<2>>; 2]],
    };
}

impl<Op: Binary<R = bool>> Jump for Op {}

// Tests that only jumps have.
binaries! {
    and_i32 u32 bool |a, b| a & b != 0;
    nand_i32 u32 bool |a, b| a & b == 0;
    and_i64 u64 bool |a, b| a & b != 0;
    nand_i64 u64 bool |a, b| a & b == 0;
    nlt_f32 f32 bool |a, b| !(a < b);
    nle_f32 f32 bool |a, b| !(a <= b);
    ngt_f32 f32 bool |a, b| !(a > b);
    nge_f32 f32 bool |a, b| !(a >= b);
    nlt_f64 f64 bool |a, b| !(a < b);
    nle_f64 f64 bool |a, b| !(a <= b);
    ngt_f64 f64 bool |a, b| !(a > b);
    nge_f64 f64 bool |a, b| !(a >= b);
}

handlers! {
    fn branch[Op: Binary<R = bool>, A: Source, B: Source](ip, m) {
        let holds = matches!(Op::value(A::get(ip, &m), B::get(ip, &m)), Ok(true));
        next!(if holds { target(ip) } else { ip.add(A::words::<Op::T>() + B::words::<Op::T>() - 2) }, m)
    }
    /// `_ _ distance`
    fn jump(ip, m) {
        next!(target(ip), m)
    }
    /// To where a table says: `index _ length`, then distances from here, two a word; the last is for every index beyond.
    fn table(ip, m) {
        let last = upper(ip) as u32 as usize - 1;
        let index = (register(ip, &m, 0) as u32 as usize).min(last);
        let distance = *ip.add(2).cast::<i32>().add(index);
        next!(ip.offset(distance as isize), m)
    }
    /// `_ _ kind`
    fn trap(ip, m) {
        let kind = TrapKind::ALL[upper(ip) as usize];
        stop_as(m.cx, ip, Stop::Trap(kind))
    }
    /// Burns fuel: `_ _ amount`
    fn burn(ip, m) {
        let left = (*m.cx).fuel - i64::from(upper(ip));
        if left < 0 {
            (*m.cx).resume = (ip, m.fp, m.memory, m.size);
            return Signal::OutOfFuel;
        }
        (*m.cx).fuel = left;
        next!(ip.add(2), m)
    }
}
