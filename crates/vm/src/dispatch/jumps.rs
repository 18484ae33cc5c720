//! Jumps. A distance counts words from the beginning of the instruction. Of each pair of handlers the first jumps forward, the
//! second back.
//!
//! ```text
//! two registers: a b distance        a register and a constant: a constant distance, or a _ distance and a word with it
//! a step and a jump: a out distance, and a word: b step _ _, or _ step and a constant of 32 bits
//! two steps, with a jump or none: a out a out, and a word: step step, and in its upper half the distance
//! a test that is kept and a jump: a b distance, and a word: out _, and a constant of 32 bits in place of b
//! a copy and a jump: a out distance                 two copies: a out a out, and a word with the distance
//! ```

// `!(x < y)` is not `x >= y`: either may be NaN.
#![allow(clippy::neg_cmp_op_on_partial_ord, non_camel_case_types)]

use super::operands::{Acc, Forms, Number, Out, Pair, Sink, Slot, Small, Source, UpperHalf, Word};
use super::scalar::{Binary, binaries};
use planish_ir::function::TrapKind;

use super::{Signal, Stop};
use super::{State, handlers, next, register, set, stop_as, upper};

/// Target of a jump whose distance is in the upper half of its operand word.
#[inline(always)]
unsafe fn target(ip: super::Ip) -> super::Ip {
    ip.offset(upper(ip) as isize)
}

/// Jumps to a target. For a jump `BACK`, computing the target would put the load of its distance on the loop's critical
/// path: the processor predicts the next handler, but has to load the address of its operands. So the head that the
/// last jump back has led to is cached and used if the target is equal; the comparison is predicted, too, and the loop
/// does not stall.
macro_rules! leap {
    ($back:expr, $target:expr, $state:expr) => {{
        let target: $crate::dispatch::Ip = $target;
        if $back {
            let head = (*$state.cx).head;
            if target != head {
                std::hint::cold_path();
                (*$state.cx).head = target;
                next!(target, $state)
            }
            next!(unrelated(head), $state)
        }
        next!(target, $state)
    }};
}

pub(crate) use leap;

/// Jumps to a target if a condition holds, else continues at the next instruction: rarely, if the jump closes a loop.
macro_rules! leap_if {
    ($holds:expr, $back:expr, $target:expr, $next:expr, $state:expr) => {{
        if !$holds {
            if $back {
                std::hint::cold_path()
            }
            next!($next, $state)
        }
        leap!($back, $target, $state)
    }};
}

pub(crate) use leap_if;

/// The same address, opaque to the compiler, which would otherwise replace it by the `target` it was compared with.
#[inline(always)]
pub(crate) fn unrelated(ip: super::Ip) -> super::Ip {
    #[cfg(all(planish_threaded, not(miri), not(fuzzing)))]
    {
        let mut ip = ip;
        // SAFETY: there is no instruction in it, so nothing is read through the pointer.
        #[allow(clippy::pointers_in_nomem_asm_block)]
        unsafe {
            std::arch::asm!("/* {0} */", inout(reg) ip, options(pure, nomem, nostack, preserves_flags))
        }
        ip
    }
    #[cfg(not(all(planish_threaded, not(miri), not(fuzzing))))]
    ip
}

/// Handlers of jumps on an op that returns `bool`.
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
            branch_pair::<Self, Slot<0>, Slot<1>>(),
            branch_pair::<Self, Acc, Slot<1>>(),
            branch_pair::<Self, Slot<0>, Acc>(),
        ],
        small: &[branch_pair::<Self, Slot<0>, Small>(), branch_pair::<Self, Acc, Small>()],
        word: &[branch_pair::<Self, Slot<0>, Word<2>>(), branch_pair::<Self, Acc, Word<2>>()],
    };
}

impl<Op: Binary<R = bool>> Jump for Op {}

/// The jumps on the result of a step: by a constant or a register, compared with a register or a constant.
pub(crate) trait Step: Binary<R = bool, T: Integer> {
    /// Its handlers: step and bound in registers, the bound a constant, the step a constant, both constants; each for
    /// the counter in its register, and in the accumulator.
    const STEPS: [[Pair; 2]; 4] = [
        [step_pair::<Self, Slot<0>, false, false>(), step_pair::<Self, Acc, false, false>()],
        [step_pair::<Self, Slot<0>, false, true>(), step_pair::<Self, Acc, false, true>()],
        [step_pair::<Self, Slot<0>, true, false>(), step_pair::<Self, Acc, true, false>()],
        [step_pair::<Self, Slot<0>, true, true>(), step_pair::<Self, Acc, true, true>()],
    ];
}

impl<Op: Binary<R = bool, T: Integer>> Step for Op {}

/// The jumps on a comparison whose result is also kept: if it does not hold, and if it does.
pub(crate) trait Kept: Binary<R = bool> {
    /// Its handlers: of registers, with the first and with the second in the accumulator; with a constant, of a register and
    /// of the accumulator.
    const TESTS: [Pair; 10] = [
        test_pair::<Self, Slot<0>, Slot<1>, false>(),
        test_pair::<Self, Slot<0>, Slot<1>, true>(),
        test_pair::<Self, Acc, Slot<1>, false>(),
        test_pair::<Self, Acc, Slot<1>, true>(),
        test_pair::<Self, Slot<0>, Acc, false>(),
        test_pair::<Self, Slot<0>, Acc, true>(),
        test_pair::<Self, Slot<0>, UpperHalf, false>(),
        test_pair::<Self, Slot<0>, UpperHalf, true>(),
        test_pair::<Self, Acc, UpperHalf, false>(),
        test_pair::<Self, Acc, UpperHalf, true>(),
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
    fn branch[Op: Binary<R = bool>, A: Source, B: Source, const BACK: bool](ip, m) {
        let holds = matches!(Op::value(A::get(ip, &m), B::get(ip, &m)), Ok(true));
        leap_if!(holds, BACK, target(ip), ip.add(A::words::<Op::T>() + B::words::<Op::T>() - 2), m)
    }
    fn step[Op: Binary<R = bool, T: Integer>, A: Source, const STEP: bool, const BOUND: bool, const BACK: bool](ip, m) {
        let word = *ip.add(2);
        let by = if STEP { Op::T::small((word >> 16) as i16) } else { Op::T::get(*m.fp.add((word >> 16) as u16 as usize)) };
        let bound = if BOUND { Op::T::constant((word >> 32) as i32) } else { Op::T::get(*m.fp.add(word as u16 as usize)) };
        let value = A::get::<Op::T>(ip, &m).plus(by);
        Out::<1>::put(ip, &mut m, value);
        let holds = matches!(Op::value(value, bound), Ok(true));
        leap_if!(holds, BACK, target(ip), ip.add(3), m)
    }
    fn steps[A: Source, T: Integer, U: Integer](ip, m) {
        two_steps::<A, T, U>(ip, &mut m);
        next!(ip.add(3), m)
    }
    fn steps_jump[A: Source, T: Integer, U: Integer, const BACK: bool](ip, m) {
        two_steps::<A, T, U>(ip, &mut m);
        leap!(BACK, ip.offset((*ip.add(2) >> 32) as i32 as isize), m)
    }
    fn test[Op: Binary<R = bool>, A: Source, B: Source, const NONZERO: bool, const BACK: bool](ip, m) {
        let holds = matches!(Op::value(A::get(ip, &m), B::get(ip, &m)), Ok(true));
        m.int = holds.into();
        *m.fp.add(*ip.add(2) as u16 as usize) = m.int;
        leap_if!(holds == NONZERO, BACK, target(ip), ip.add(3), m)
    }
    fn copy_jump[A: Source, T: Number, const BACK: bool](ip, m) {
        set(ip, &m, 1, A::get::<T>(ip, &m).put());
        leap!(BACK, target(ip), m)
    }
    fn copy2_jump[const BACK: bool](ip, m) {
        let a = register(ip, &m, 0);
        set(ip, &m, 1, a);
        let b = register(ip, &m, 2);
        set(ip, &m, 3, b);
        leap!(BACK, ip.offset(*ip.add(2) as i32 as isize), m)
    }
    /// `_ _ distance`
    fn jump[const BACK: bool](ip, m) {
        leap!(BACK, target(ip), m)
    }
    /// Jumps through a table: `index _ length`, then distances from here, two a word; the last is for every index out
    /// of range.
    fn table[A: Source](ip, m) {
        let last = upper(ip) as u32 as usize - 1;
        let index = (A::get::<u32>(ip, &m) as usize).min(last);
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

const fn branch_pair<Op: Binary<R = bool>, A: Source, B: Source>() -> Pair {
    [branch::<Op, A, B, false>, branch::<Op, A, B, true>]
}

const fn step_pair<Op: Binary<R = bool, T: Integer>, A: Source, const STEP: bool, const BOUND: bool>() -> Pair {
    [step::<Op, A, STEP, BOUND, false>, step::<Op, A, STEP, BOUND, true>]
}

const fn test_pair<Op: Binary<R = bool>, A: Source, B: Source, const NONZERO: bool>() -> Pair {
    [test::<Op, A, B, NONZERO, false>, test::<Op, A, B, NONZERO, true>]
}

const fn copy_jump_pair<A: Source, T: Number>() -> Pair {
    [copy_jump::<A, T, false>, copy_jump::<A, T, true>]
}

/// The two sums, shared by the forms with and without a following jump.
#[inline(always)]
unsafe fn two_steps<A: Source, T: Integer, U: Integer>(ip: super::Ip, m: &mut State) {
    let word = *ip.add(2);
    let first = A::get::<T>(ip, m).plus(T::small(word as i16));
    set(ip, m, 1, first.put());
    let second = U::get(register(ip, m, 2)).plus(U::small((word >> 16) as i16));
    Out::<3>::put(ip, m, second);
}

/// Two sums, with the first counter in its register and in the accumulator: alone, and with a jump.
pub(crate) type Steps = [(Pair, Pair); 2];

const fn steps_of<T: Integer, U: Integer>() -> Steps {
    [both_steps::<Slot<0>, T, U>(), both_steps::<Acc, T, U>()]
}

const fn both_steps<A: Source, T: Integer, U: Integer>() -> (Pair, Pair) {
    ([steps::<A, T, U>; 2], [steps_jump::<A, T, U, false>, steps_jump::<A, T, U, true>])
}

/// Two sums by whether the first and the second are of 64 bits.
pub(crate) const STEPS: [[Steps; 2]; 2] =
    [[steps_of::<u32, u32>(), steps_of::<u32, u64>()], [steps_of::<u64, u32>(), steps_of::<u64, u64>()]];

/// Handlers of [`table`].
pub(crate) const TABLE: Forms = &[[table::<Slot<0>>; 2], [table::<Acc>; 2]];

/// A jump, and copies from a register and from each accumulator with one, and two copies with one.
pub(crate) const JUMP: Pair = [jump::<false>, jump::<true>];
pub(crate) const COPY_JUMPS: [Pair; 4] = [
    copy_jump_pair::<Slot<0>, u64>(),
    copy_jump_pair::<Acc, u64>(),
    copy_jump_pair::<Acc, f32>(),
    copy_jump_pair::<Acc, f64>(),
];
pub(crate) const COPY2_JUMP: Pair = [copy2_jump::<false>, copy2_jump::<true>];
