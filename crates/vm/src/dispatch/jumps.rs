//! Jumps. A distance counts words from the beginning of the instruction.
//!
//! ```text
//! two registers: a b distance        a register and a constant: a constant distance, or a _ distance and a word with it
//! a step and a jump: a out distance, and a word: b step _ _, or _ step and a constant of 32 bits
//! a test that is kept and a jump: a b distance, and a word: out _, and a constant of 32 bits in place of b
//! a copy and a jump: a out distance                 two copies: a out a out, and a word with the distance
//! ```

// `!(x < y)` is not `x >= y`: one of them may be no number.
#![allow(clippy::neg_cmp_op_on_partial_ord, non_camel_case_types)]

use super::operands::{Acc, Forms, Number, Out, Sink, Slot, Small, Source, UpperHalf, Word};
use super::scalar::{Binary, binaries};
use planish_ir::function::TrapKind;

use super::{Handler, handlers, next, register, set, stop_as, upper};
use super::{Signal, Stop};

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

/// The jumps on what a number is after a step: by a constant or a register, against a register or a constant.
pub(crate) trait Step: Binary<R = bool, T: Integer> {
    /// Its handlers: step and bound in registers, the bound a constant, the step a constant, both constants; each for what
    /// counts in its register, and in the accumulator.
    const STEPS: [[Handler; 2]; 4] = [
        [step::<Self, Slot<0>, false, false>, step::<Self, Acc, false, false>],
        [step::<Self, Slot<0>, false, true>, step::<Self, Acc, false, true>],
        [step::<Self, Slot<0>, true, false>, step::<Self, Acc, true, false>],
        [step::<Self, Slot<0>, true, true>, step::<Self, Acc, true, true>],
    ];
}

impl<Op: Binary<R = bool, T: Integer>> Step for Op {}

/// The jumps on a comparison that is also kept, if it does not hold and if it does.
pub(crate) trait Kept: Binary<R = bool> {
    /// Its handlers: of registers, with the first and with the second in the accumulator; with a constant, of a register and
    /// of the accumulator.
    const TESTS: [Handler; 10] = [
        test::<Self, Slot<0>, Slot<1>, false>,
        test::<Self, Slot<0>, Slot<1>, true>,
        test::<Self, Acc, Slot<1>, false>,
        test::<Self, Acc, Slot<1>, true>,
        test::<Self, Slot<0>, Acc, false>,
        test::<Self, Slot<0>, Acc, true>,
        test::<Self, Slot<0>, UpperHalf, false>,
        test::<Self, Slot<0>, UpperHalf, true>,
        test::<Self, Acc, UpperHalf, false>,
        test::<Self, Acc, UpperHalf, true>,
    ];
}

impl<Op: Binary<R = bool>> Kept for Op {}

/// A number that counts.
pub(crate) trait Integer: Number {
    /// The sum, which wraps.
    fn plus(self, step: Self) -> Self;
}

macro_rules! integers {
    ($($t:ident)*) => { $(
        impl Integer for $t {
            #[inline(always)]
            fn plus(self, step: Self) -> Self {
                self.wrapping_add(step)
            }
        }
    )* };
}

integers! { i32 u32 i64 u64 }

// Tests that only jumps have.
binaries! {
    always_i32 u32 bool |_a, _b| true;
    always_i64 u64 bool |_a, _b| true;
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
    fn step[Op: Binary<R = bool, T: Integer>, A: Source, const STEP: bool, const BOUND: bool](ip, m) {
        let word = *ip.add(2);
        let by = if STEP { Op::T::small((word >> 16) as i16) } else { Op::T::get(*m.fp.add((word >> 16) as u16 as usize)) };
        let bound = if BOUND { Op::T::constant((word >> 32) as i32) } else { Op::T::get(*m.fp.add(word as u16 as usize)) };
        let value = A::get::<Op::T>(ip, &m).plus(by);
        Out::<1>::put(ip, &mut m, value);
        let holds = matches!(Op::value(value, bound), Ok(true));
        next!(if holds { target(ip) } else { ip.add(3) }, m)
    }
    fn test[Op: Binary<R = bool>, A: Source, B: Source, const NONZERO: bool](ip, m) {
        let holds = matches!(Op::value(A::get(ip, &m), B::get(ip, &m)), Ok(true));
        m.int = holds.into();
        *m.fp.add(*ip.add(2) as u16 as usize) = m.int;
        next!(if holds == NONZERO { target(ip) } else { ip.add(3) }, m)
    }
    fn copy_jump[A: Source, T: Number](ip, m) {
        set(ip, &m, 1, A::get::<T>(ip, &m).put());
        next!(target(ip), m)
    }
    fn copy2_jump(ip, m) {
        let a = register(ip, &m, 0);
        set(ip, &m, 1, a);
        let b = register(ip, &m, 2);
        set(ip, &m, 3, b);
        next!(ip.offset(*ip.add(2) as i32 as isize), m)
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

/// Copies from a register and from each accumulator, with a jump.
pub(crate) const COPY_JUMPS: [Handler; 4] =
    [copy_jump::<Slot<0>, u64>, copy_jump::<Acc, u64>, copy_jump::<Acc, f32>, copy_jump::<Acc, f64>];
