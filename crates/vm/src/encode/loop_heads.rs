//! Loops entered with the same register in an accumulator on every edge: the first reader takes it from there, and no
//! iteration waits for a store of the one before.
//!
//! ```text
//!    shl r9, r7, 1           acc: r9
//! L: store [r9], 1           store [acc], 1
//!    step r9, r7, lt r5 → L  step r9 = acc + r7, lt r5 → L        acc: r9
//! ```

use planish_machine::isa::{Label, Reg};

use crate::dispatch::operands::{Bank, Pair};
use crate::dispatch::word;

/// The register that each accumulator holds, by its bank.
type Regs = [Option<Reg>; 3];

/// The loops of a function.
#[derive(Default)]
pub(super) struct LoopHeads {
    heads: Vec<Head>,
    /// For each label: its head, or another state.
    labels: Vec<u32>,
    /// Contents of the accumulators since the last label, if it is a head.
    now: Regs,
    readers: Vec<Reader>,
}

/// No jump to the label so far.
const UNKNOWN: u32 = u32::MAX;
/// It is no head.
const PLAIN: u32 = u32::MAX - 1;

/// A label with a fall-through edge, to which all jumps are backward.
struct Head {
    /// Contents of each accumulator there, on every edge.
    held: [Option<Reg>; 3],
    /// Whether there is a jump to it.
    is_loop: bool,
}

/// An instruction that reads from its register a value that an accumulator held at a head.
struct Reader {
    head: usize,
    reg: Reg,
    bank: Bank,
    at: usize,
    old: Pair,
    new: Pair,
}

impl LoopHeads {
    /// As new, but for the memory.
    pub(super) fn clear(&mut self) {
        self.heads.clear();
        self.labels.clear();
        self.readers.clear();
        self.now = [None; 3];
    }

    /// A label, with the contents of the accumulators at the fall-through edge.
    pub(super) fn begin(&mut self, label: Label, held: Regs) {
        let head = self.heads.len() as u32;
        let state = self.label(label);
        if *state == UNKNOWN && held != [None; 3] {
            *state = head;
            self.heads.push(Head { held, is_loop: false });
            self.now = held;
        } else {
            *state = PLAIN;
            self.now = [None; 3];
        }
    }

    /// A jump to a label, with the contents of the accumulators.
    pub(super) fn arrive(&mut self, label: Label, held: Regs) {
        let state = self.label(label);
        if *state == UNKNOWN {
            *state = PLAIN;
        }
        let head = *state as usize;
        if let Some(head) = self.heads.get_mut(head) {
            head.is_loop = true;
            for (expected, held) in head.held.iter_mut().zip(held) {
                *expected = expected.filter(|&reg| held == Some(reg));
            }
        }
    }

    fn label(&mut self, label: Label) -> &mut u32 {
        let at = label.0 as usize;
        if self.labels.len() <= at {
            self.labels.resize(at + 1, UNKNOWN);
        }
        &mut self.labels[at]
    }

    /// An instruction reads a register; it could read the accumulator of a bank by another form.
    pub(super) fn read(&mut self, reg: Reg, bank: Bank, at: usize, old: Pair, new: Pair) {
        if self.now[bank as usize] == Some(reg) {
            self.readers.push(Reader { head: self.heads.len() - 1, reg, bank, at, old, new });
        }
    }

    /// The instruction at `at`, which reads a register, has been replaced.
    pub(super) fn replace(&mut self, at: usize, reg: Reg, old: Pair, new: Pair) {
        for reader in self.readers.iter_mut().rev().take_while(|reader| reader.at == at) {
            if reader.reg == reg {
                (reader.old, reader.new) = (old, new);
            }
        }
    }

    /// The register gets another value.
    pub(super) fn overwrite(&mut self, reg: Reg) {
        self.now.iter_mut().filter(|now| **now == Some(reg)).for_each(|now| *now = None);
    }

    /// The accumulator gets another value.
    pub(super) fn clobber(&mut self, bank: Bank) {
        self.now[bank as usize] = None;
    }

    /// All of them.
    pub(super) fn end(&mut self) {
        self.now = [None; 3];
    }

    /// Switches the readers to their accumulator forms at heads whose edges agree.
    pub(super) fn finish(&self, code: &mut [u64]) {
        for reader in &self.readers {
            let head = &self.heads[reader.head];
            if head.is_loop && head.held[reader.bank as usize] == Some(reader.reg) {
                // It may have been replaced, or need its register no more.
                let form = reader.old.iter().position(|&old| code[reader.at] == word(old));
                if let Some(form) = form {
                    code[reader.at] = word(reader.new[form]);
                }
            }
        }
    }
}
