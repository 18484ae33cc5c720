//! What the accumulators hold while code is emitted.
//!
//! Every instruction with a result of one word leaves it in the accumulator of its bank as well as in its register. The next
//! instruction that reads the register takes it from the accumulator, if it has a form for that. If it is the last one to read
//! it, and nobody has read the register itself, the instruction that made it need not write the register: its handler is
//! exchanged for the one that does not.
//!
//! ```text
//! v2 = add v0, v1     add r2, r0, r1     add acc, r0, r1
//! v3 = load v2        load r3, r2        load r3, acc
//! ```
//!
//! Nothing is known at labels, and behind what does not say that it keeps accumulators. What was made before a jump is
//! written if it is read behind it: the jump may bring it to a label without an instruction that reads it. So whoever reads the
//! register otherwise, on another way, finds it written: a value whose last reader is in the same straight piece of code has no
//! other readers behind its maker but those in between.

use planish_machine::isa::Reg;

use super::To;
use super::rounds::Rounds;
use crate::dispatch::operands::{Bank, Pair};
use crate::dispatch::word;

/// What each accumulator holds, by its bank.
#[derive(Default)]
pub(super) struct Accumulators {
    held: [Held; 3],
    pub(super) rounds: Rounds,
    /// Whether what is emitted is only a part of an operation, whose other parts may read the same registers.
    pub(super) in_parts: bool,
}

/// What one accumulator holds.
#[derive(Clone, Copy)]
struct Held {
    /// The register that holds the same, or [`NO_REG`].
    reg: Reg,
    /// The instruction that made it.
    at: usize,
    /// Its handler that writes the accumulator only.
    passes: u64,
    /// Whether somebody reads the register.
    is_read: bool,
}

/// No register has this number.
const NO_REG: Reg = Reg(u32::MAX);

impl Held {
    /// Nothing that is known.
    const NOTHING: Held = Held { reg: NO_REG, at: 0, passes: 0, is_read: true };
}

impl Default for Held {
    fn default() -> Self {
        Held::NOTHING
    }
}

impl Accumulators {
    /// As new, but for the memory.
    pub(super) fn clear(&mut self) {
        (self.held, self.in_parts) = ([Held::NOTHING; 3], false);
        self.rounds.clear();
    }

    /// Nothing is known any more.
    pub(super) fn forget(&mut self) {
        self.held = [Held::NOTHING; 3];
        self.rounds.end();
    }

    /// The register that each accumulator holds.
    pub(super) fn regs(&self) -> [Option<Reg>; 3] {
        self.held.map(|held| (held.reg != NO_REG).then_some(held.reg))
    }

    /// Whether the accumulator of a bank holds what the register does.
    pub(super) fn has(&self, reg: Reg, bank: Bank) -> bool {
        self.held[bank as usize].reg == reg
    }

    /// An accumulator that holds what the register does.
    pub(super) fn bank_of(&self, reg: Reg) -> Option<Bank> {
        [Bank::Int, Bank::Single, Bank::Double].into_iter().find(|&bank| self.has(reg, bank))
    }

    /// Whether nobody reads a register behind what is being emitted.
    pub(super) fn reads_last(&self, to: To<'_, '_>, reg: Reg) -> bool {
        !self.in_parts && to.reads_last(reg)
    }

    /// An instruction reads registers, those of `able` from an accumulator if they are there: gives the number of the form
    /// that it takes, 0 if all come from registers.
    pub(super) fn read(&mut self, to: To<'_, '_>, able: &[(Reg, Bank)], all: &[(Reg, Bank)]) -> usize {
        // What need not be written any more is the better choice.
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

    /// Control may go elsewhere, where all registers are read: what a jump brings along stays in its register, too.
    pub(super) fn all_are_read(&mut self) {
        self.held.iter_mut().for_each(|held| held.is_read = true);
    }

    /// The register gets another value.
    pub(super) fn overwrite(&mut self, reg: Reg) {
        self.rounds.overwrite(reg);
        self.held.iter_mut().filter(|held| held.reg == reg).for_each(|held| held.reg = NO_REG);
    }

    /// One register is copied to another; the accumulators stay.
    pub(super) fn copy(&mut self, out: Reg, from: Reg) {
        self.is_read(from);
        self.overwrite(out);
    }

    /// The instruction at `at` has left its result in a register and the accumulator of a bank.
    pub(super) fn write(&mut self, reg: Reg, bank: Bank, at: usize, form: Pair) {
        self.overwrite(reg);
        self.rounds.clobber(bank);
        self.held[bank as usize] = Held { reg, at, passes: word(form[1]), is_read: false };
    }
}
