//! Fusion of two adjacent instructions: one dispatch less. The pairs were selected by listing the loops of the
//! workloads of `examples/wasm`.
//!
//! ```text
//! add r1, r1, 4                   step r1, r1, 4, lt r2 → L
//! jump lt r1, r2 → L
//!
//! shift_add r3, r0, 2, r1         load r3, r0 << 2 + r1
//! load r3, r3
//!
//! lt r3, r1, r2                   test r3, lt r1, r2 → L        where r3 is read later, too
//! jump if r3 → L
//!
//! add r1, r1, 4                   steps r1, r1, 4, r2, r2, 1 → L
//! add r2, r2, 1
//! jump L
//!
//! load r3, r1                     load r3, r1, lt r2 → L
//! jump lt r3, r2 → L
//!
//! copy r1, r2                     copy_jump r1, r2 → L
//! jump L
//! ```

use planish_ir::ops::{MemArg, Op, Width};
use planish_machine::isa::{Comparison, Kind, Label, Operand, Operation, Reg};

use super::{Encoder, To, handlers};
use crate::dispatch::bytes::LoadForms;
use crate::dispatch::jumps::{self, Step as _};
use crate::dispatch::operands::Bank;
use crate::dispatch::word;

/// The last instruction, if the next one may be fused with it.
#[derive(Clone, Copy, Default)]
pub(super) enum Last {
    /// None may.
    #[default]
    Other,
    /// One copy, by the number of its handler.
    Copy { at: usize, number: usize },
    /// A constant.
    Constant { at: usize, out: Reg, bits: u32 },
    /// Two copies.
    Copies { at: usize },
    /// A sum, whose operands are in registers.
    Step { at: usize, a: Reg, by: Term, out: Reg, bits: u32 },
    /// Two sums with constants: the registers they add to, and whether they are of 64 bits.
    Steps { at: usize, a: Reg, wide: [bool; 2] },
    /// A comparison of integers, by the number of its form.
    Test { at: usize, comparison: Comparison, form: usize, a: Reg, b: Term, out: Reg },
    /// A load of at most 32 bits into as many, by the number of its form; the first register of its address, and its
    /// result.
    Load { at: usize, form: usize, a: Reg, width: Width, signed: bool, out: Reg },
    /// A shifted value plus another one.
    Scaled { at: usize, out: Reg, is_accumulated: bool, base: Term },
}

/// The second operand of a sum.
#[derive(Clone, Copy)]
pub(super) enum Term {
    Reg(Reg),
    Const(u32),
}

/// The first form of a load at a register, in [`LoadJumps`](crate::dispatch::load_jumps::LoadJumps).
pub(super) const AT: usize = 0;
/// At a register and a constant.
pub(super) const PLUS: usize = 2;
/// At two registers.
pub(super) const SUM: usize = 4;
/// At a shifted register and another one or a constant.
const SCALED: usize = 6;

impl Encoder<'_> {
    /// Records the instruction at `at`, after `before`, as an addition to (or subtraction from) a register.
    pub(super) fn note_step(&self, to: To<'_, '_>, operation: &Operation<'_>, at: usize, before: Last) {
        let bits = operation.operand.bits(64);
        let by = match *operation.args {
            [_, Operand::Reg(b)] if operation.op == Op::Add => Term::Reg(b),
            // (Else it is a word of its own.)
            [_, Operand::Const(k)] if handlers::fits(operation.operand, k) => {
                let k = if operation.op == Op::Add { k as i32 } else { (k as i32).wrapping_neg() };
                match i16::try_from(k) {
                    Ok(_) => Term::Const(k as u32),
                    Err(_) => return,
                }
            }
            _ => return,
        };
        let out = operation.outs[0];
        if let Operand::Reg(a) = operation.args[0] {
            // The counter comes first.
            let (a, by) = match by {
                Term::Reg(b) if b == out => (b, Term::Reg(a)),
                by => (a, by),
            };
            match (before, by) {
                (Last::Step { at: first, by: Term::Const(k), bits: b, .. }, Term::Const(by)) if first + 2 == at => {
                    self.join_steps(to, before, [k, by], [b == 64, bits == 64]);
                }
                _ => self.state.borrow_mut().last = Last::Step { at, a, by, out, bits },
            }
        }
    }

    /// Fuses the last two instructions, which add constants `by`; `before` describes the first one.
    fn join_steps(&self, to: To<'_, '_>, before: Last, by: [u32; 2], wide: [bool; 2]) {
        let Last::Step { at, a, out, .. } = before else { return };
        let [(alone, _), (accumulated, _)] = jumps::STEPS[usize::from(wide[0])][usize::from(wide[1])];
        let second = to.directives[at + 3] & 0xffff_ffff;
        to.directives[at] = word(alone[0]);
        to.directives[at + 1] = self.half(a) | self.half(out) << 16 | second << 32;
        to.directives[at + 2] = u64::from(by[0] as u16) | u64::from(by[1] as u16) << 16;
        to.directives.truncate(at + 3);
        to.spans.truncate(at + 3);
        let mut state = self.state.borrow_mut();
        let result = Reg((second >> 16) as u32);
        state.held.loop_heads.replace(at, a, alone, accumulated);
        state.held.write(result, Bank::Int, at, alone);
        state.last = Last::Steps { at, a, wide };
        if let Some((_, count)) = &mut state.burn {
            *count -= 1;
        }
    }

    /// Fuses a comparison and jump with the preceding step; `false` if there is none.
    pub(super) fn join_step(
        &self,
        to: To<'_, '_>,
        comparison: Comparison,
        args: [Operand<'_>; 2],
        label: Label,
    ) -> bool {
        let Last::Step { at, a, by, out, bits } = self.state.borrow().last else { return false };
        let (bound, mirrored) = match args {
            [Operand::Reg(x), bound] if x == out => (bound, false),
            [bound, Operand::Reg(x)] if x == out => (bound, true),
            _ => return false,
        };
        if comparison.kind.bits(64) != bits || bound == Operand::Reg(out) {
            return false;
        }
        let Some(steps) = handlers::steps(comparison, mirrored) else { return false };
        let (bound_is_constant, bound) = match bound {
            Operand::Reg(b) => (0, self.half(b)),
            Operand::Const(k) if handlers::fits(comparison.kind, k) => (1, u64::from(k as u32) << 32),
            _ => return false,
        };
        let (step_is_constant, by) = self.step_operand(by);
        if let Some(Operand::Reg(b)) = args.iter().find(|&&arg| arg != Operand::Reg(out)) {
            self.state.borrow_mut().held.is_read(*b);
        }
        let [form, accumulated] = steps[bound_is_constant + step_is_constant];
        let mut state = self.state.borrow_mut();
        let handler = form[state.direction(label)];
        to.directives[at] = word(handler);
        to.directives[at + 1] = self.half(a) | self.half(out) << 16;
        to.push(bound | by);
        state.held.loop_heads.replace(at, a, form, accumulated);
        state.held.write(out, Bank::Int, at, [handler; 2]);
        state.held.all_are_read();
        state.jump(2 * (at as u32 + 1) + 1, at as u32, label);
        state.last = Last::Other;
        true
    }

    /// The instruction at `at` compares, in the form with this number.
    pub(super) fn note_test(&self, operation: &Operation<'_>, form: usize, at: usize) {
        let comparison = Comparison { op: operation.op, kind: operation.operand, negated: false };
        let (a, b) = match *operation.args {
            [Operand::Reg(a), Operand::Reg(b)] => (a, Term::Reg(b)),
            [Operand::Reg(a), Operand::Const(k)] if handlers::fits(comparison.kind, k) => (a, Term::Const(k as u32)),
            _ => return,
        };
        if handlers::tests(comparison).is_some() {
            let out = operation.outs[0];
            self.state.borrow_mut().last = Last::Test { at, comparison, form, a, b, out };
        }
    }

    /// Fuses a jump with the preceding comparison; `false` if there is none.
    pub(super) fn join_test(&self, to: To<'_, '_>, condition: Operand<'_>, nonzero: bool, label: Label) -> bool {
        let Last::Test { at, comparison, form, a, b, out } = self.state.borrow().last else { return false };
        let Some(tests) = handlers::tests(comparison).filter(|_| condition == Operand::Reg(out)) else { return false };
        let (number, second, constant) = match b {
            Term::Reg(b) => (form, self.half(b) << 16, 0),
            Term::Const(k) => (3 + form, 0, u64::from(k) << 32),
        };
        let mut state = self.state.borrow_mut();
        let handler = tests[2 * number + usize::from(nonzero)][state.direction(label)];
        to.directives[at] = word(handler);
        to.directives[at + 1] = self.half(a) | second;
        to.push(self.half(out) | constant);
        state.held.write(out, Bank::Int, at, [handler; 2]);
        state.held.all_are_read();
        state.jump(2 * (at as u32 + 1) + 1, at as u32, label);
        state.last = Last::Other;
        true
    }

    /// Fuses a jump with the preceding sum; `false` if there is none.
    pub(super) fn join_sum(&self, to: To<'_, '_>, label: Label) -> bool {
        let last = self.state.borrow().last;
        if let Last::Steps { at, a, wide } = last {
            return self.join_two_sums(to, label, at, a, wide);
        }
        let Last::Step { at, a, by, out, bits } = self.state.borrow().last else { return false };
        let steps = if bits == 64 { jumps::always_i64::STEPS } else { jumps::always_i32::STEPS };
        let (number, by) = self.step_operand(by);
        let [form, accumulated] = steps[number + 1];
        let mut state = self.state.borrow_mut();
        to.directives[at] = word(form[state.direction(label)]);
        to.directives[at + 1] = self.half(a) | self.half(out) << 16;
        to.push(by);
        state.held.loop_heads.replace(at, a, form, accumulated);
        state.jump(2 * (at as u32 + 1) + 1, at as u32, label);
        state.last = Last::Other;
        state.held.forget();
        true
    }

    fn join_two_sums(&self, to: To<'_, '_>, label: Label, at: usize, a: Reg, wide: [bool; 2]) -> bool {
        let [(_, form), (_, accumulated)] = jumps::STEPS[usize::from(wide[0])][usize::from(wide[1])];
        let mut state = self.state.borrow_mut();
        to.directives[at] = word(form[state.direction(label)]);
        state.held.loop_heads.replace(at, a, form, accumulated);
        state.jump(2 * (at as u32 + 2) + 1, at as u32, label);
        state.last = Last::Other;
        state.held.forget();
        true
    }

    /// The addend as an operand of a step: the number of the handler, and its bits.
    fn step_operand(&self, by: Term) -> (usize, u64) {
        match by {
            Term::Reg(b) => (0, self.half(b) << 16),
            Term::Const(k) => (2, u64::from(k as u16) << 16),
        }
    }

    /// Fuses a load with the address that the preceding instruction computes for it alone; `false` if there is none.
    pub(super) fn join_scaled(
        &self,
        to: To<'_, '_>,
        forms: &LoadForms,
        arg: MemArg,
        operation: &Operation<'_>,
    ) -> bool {
        let Last::Scaled { at, out, is_accumulated, base } = self.state.borrow().last else { return false };
        if operation.args[0] != Operand::Reg(out) || !self.state.borrow().held.reads_last(to, out) {
            return false;
        }
        let result = operation.outs[0];
        let (number, constant) = match base {
            Term::Reg(_) => (0, 0),
            Term::Const(k) => (2, u64::from(k) << 32),
        };
        let form = forms.scaled[number + usize::from(is_accumulated)];
        to.directives[at] = word(form[0]);
        let sum = to.directives[at + 1];
        to.directives[at + 1] = sum & !(0xffff << 48) | self.half(result) << 48;
        to.directives.truncate(at + 2);
        to.spans.truncate(at + 2);
        to.push(u64::from(arg.offset) | constant);
        let mut state = self.state.borrow_mut();
        state.held.overwrite(out);
        if operation.result != Kind::V128 {
            state.held.write(result, handlers::bank(operation.result), at, form);
        }
        drop(state);
        self.note_load(at, SCALED + number + usize::from(is_accumulated), Reg(u32::MAX), arg, operation);
        true
    }

    /// The instruction at `at` loads, in the form with this number, from an address that begins with `a`.
    pub(super) fn note_load(&self, at: usize, form: usize, a: Reg, arg: MemArg, operation: &Operation<'_>) {
        let fits = operation.result.bits(64) == 32 && operation.result.is_integer();
        let last = match fits {
            true => Last::Load { at, form, a, width: arg.width, signed: arg.signed, out: operation.outs[0] },
            false => Last::Other,
        };
        self.state.borrow_mut().last = last;
    }

    /// Fuses a comparison and jump with the preceding load; `false` if there is none.
    pub(super) fn join_load(
        &self,
        to: To<'_, '_>,
        comparison: Comparison,
        args: [Operand<'_>; 2],
        label: Label,
    ) -> bool {
        let Last::Load { at, form, a, width, signed, out } = self.state.borrow().last else { return false };
        let (bound, mirrored) = match args {
            [Operand::Reg(x), bound] if x == out => (bound, false),
            [bound, Operand::Reg(x)] if x == out => (bound, true),
            _ => return false,
        };
        let (is_constant, bits) = match bound {
            Operand::Reg(b) if b != out => (0, self.half(b)),
            Operand::Const(k) => match handlers::small(comparison.kind, k) {
                Some(k) => (1, u64::from(k as u16)),
                None => return false,
            },
            _ => return false,
        };
        let Some(jumps) = handlers::load_jumps(width, signed, comparison, mirrored) else { return false };
        let pair = jumps[form][is_constant];
        let mut state = self.state.borrow_mut();
        let handler = pair[state.direction(label)];
        to.directives[at] = word(handler);
        if let Operand::Reg(b) = bound {
            state.held.is_read(b);
        }
        if form % 2 == 0 {
            state.held.loop_heads.replace(at, a, pair, jumps[form + 1][is_constant]);
        }
        state.held.write(out, Bank::Int, at, [handler; 2]);
        state.held.all_are_read();
        let end = to.directives.len();
        to.push(bits);
        state.jump(2 * end as u32 + 1, at as u32, label);
        state.last = Last::Other;
        true
    }

    /// Fuses a jump with preceding copies; `false` if there are none.
    pub(super) fn join_copies(&self, to: To<'_, '_>, label: Label) -> bool {
        let mut state = self.state.borrow_mut();
        match state.last {
            Last::Copy { at, number } => {
                to.directives[at] = word(jumps::COPY_JUMPS[number][state.direction(label)]);
                state.jump(2 * (at as u32 + 1) + 1, at as u32, label);
            }
            Last::Copies { at } => {
                to.directives[at] = word(jumps::COPY2_JUMP[state.direction(label)]);
                to.push(0);
                state.jump(2 * (at as u32 + 2), at as u32, label);
            }
            _ => return false,
        }
        state.last = Last::Other;
        state.held.forget();
        true
    }
}
