//! Contents of the accumulators during emission.
//!
//! Every instruction with a one-word result leaves it in the accumulator of its bank as well as in its register. The
//! next instruction that reads the register takes it from the accumulator, if it has a form for that. If this is the
//! last use, and the register itself has not been read, the instruction that defined it need not write the register:
//! its handler is replaced by the form that does not.
//!
//! ```text
//! v2 = add v0, v1     add r2, r0, r1     add acc, r0, r1
//! v3 = load v2        load r3, r2        load r3, acc
//! ```
//!
//! Nothing is known at labels, and after instructions that are not listed as preserving accumulators. A value defined
//! before a jump and read after it is written to its register: at the jump's target the instruction that reads it may
//! be another one. So any other reader, on another path, finds the register written: a value whose last use is in the
//! same straight-line code has no other uses than those in between.

use planish_machine::isa::Reg;

use super::To;
use super::loop_heads::LoopHeads;
use crate::dispatch::operands::{Bank, Pair};
use crate::dispatch::word;

/// Contents of each accumulator, by its bank.
#[derive(Default)]
pub(super) struct Accumulators {
    held: [Held; 3],
    pub(super) loop_heads: LoopHeads,
    /// Whether the code being emitted is a part of an operation, whose other parts may read the same registers.
    pub(super) in_parts: bool,
}

/// Contents of one accumulator.
#[derive(Clone, Copy)]
struct Held {
    /// The register with the same value, or [`NO_REG`].
    reg: Reg,
    /// The instruction that defined it.
    at: usize,
    /// Its handler that writes the accumulator only.
    passes: u64,
    /// Whether the register itself is read.
    is_read: bool,
}

/// No register has this number.
const NO_REG: Reg = Reg(u32::MAX);

impl Held {
    /// Unknown contents.
    const NOTHING: Held = Held { reg: NO_REG, at: 0, passes: 0, is_read: true };
}

impl Default for Held {
    fn default() -> Self {
        Held::NOTHING
    }
}

impl Accumulators {
    /// Resets the contents; keeps the allocations.
    pub(super) fn clear(&mut self) {
        (self.held, self.in_parts) = ([Held::NOTHING; 3], false);
        self.loop_heads.clear();
    }

    /// Forgets all contents.
    pub(super) fn forget(&mut self) {
        self.held = [Held::NOTHING; 3];
        self.loop_heads.end();
    }

    /// The register that each accumulator holds.
    pub(super) fn regs(&self) -> [Option<Reg>; 3] {
        self.held.map(|held| (held.reg != NO_REG).then_some(held.reg))
    }

    /// Whether the accumulator of a bank holds the value of a register.
    pub(super) fn has(&self, reg: Reg, bank: Bank) -> bool {
        self.held[bank as usize].reg == reg
    }

    /// An accumulator that holds the value of a register.
    pub(super) fn bank_of(&self, reg: Reg) -> Option<Bank> {
        [Bank::Int, Bank::Single, Bank::Double].into_iter().find(|&bank| self.has(reg, bank))
    }

    /// Whether the instruction being emitted is the last use of a register.
    pub(super) fn reads_last(&self, to: To<'_, '_>, reg: Reg) -> bool {
        !self.in_parts && to.reads_last(reg)
    }

    /// Records that an instruction reads registers, those of `able` from an accumulator if possible. Returns the number
    /// of the form: 0 if all come from registers, else the operand's number plus one.
    pub(super) fn read(&mut self, to: To<'_, '_>, able: &[(Reg, Bank)], all: &[(Reg, Bank)]) -> usize {
        // Prefer an operand whose register then need not be written.
        let mut chosen = None;
        for (i, &(reg, bank)) in able.iter().enumerate() {
            if self.has(reg, bank) {
                let is_last = self.reads_last(to, reg);
                if is_last || chosen.is_none() {
                    chosen = Some((i, bank, is_last));
                }
                if is_last {
                    break;
                }
            }
        }
        let Some((chosen, bank, is_last)) = chosen else {
            all.iter().for_each(|&(reg, _)| self.is_read(reg));
            return 0;
        };
        for (i, &(reg, _)) in all.iter().enumerate() {
            if i != chosen {
                self.is_read(reg);
            }
        }
        let held = &self.held[bank as usize];
        if is_last && !held.is_read {
            to.directives[held.at] = held.passes;
        }
        chosen + 1
    }

    /// The register itself is read.
    pub(super) fn is_read(&mut self, reg: Reg) {
        self.held.iter_mut().for_each(|held| held.is_read |= held.reg == reg);
    }

    /// Control may leave here to code that reads all registers: values that are live across a jump stay in their
    /// registers, too.
    pub(super) fn all_are_read(&mut self) {
        self.held.iter_mut().for_each(|held| held.is_read = true);
    }

    /// The register gets another value.
    pub(super) fn overwrite(&mut self, reg: Reg) {
        self.loop_heads.overwrite(reg);
        self.held.iter_mut().filter(|held| held.reg == reg).for_each(|held| held.reg = NO_REG);
    }

    /// One register is copied to another; the accumulators stay.
    pub(super) fn copy(&mut self, out: Reg, from: Reg) {
        self.is_read(from);
        self.overwrite(out);
    }

    /// Records that the instruction at `at` has left its result in a register and the accumulator of a bank.
    pub(super) fn write(&mut self, reg: Reg, bank: Bank, at: usize, form: Pair) {
        self.overwrite(reg);
        self.loop_heads.clobber(bank);
        self.held[bank as usize] = Held { reg, at, passes: word(form[1]), is_read: false };
    }
}
