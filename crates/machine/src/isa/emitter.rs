//! Output of directives, with fresh labels and temporary registers.

use planish_ir::source::Span;

use super::{Label, Reg};
use crate::asm::Spans;
use crate::code::NONE;

/// Receives directives, records the current source span for each, and provides fresh labels and temporary registers.
pub struct Emitter<'a, D> {
    /// Directives emitted so far.
    pub directives: &'a mut Vec<D>,
    /// Their spans.
    pub spans: &'a mut Spans,
    /// The span of the next directives.
    pub span: Span,
    /// The number of the next fresh label.
    pub(crate) next_label: &'a mut u32,
    /// Temporary registers.
    pub temporaries: Temporaries<'a>,
    /// Whether only the number of the operation's float result is observed, so that any NaN will do: all readers are
    /// arithmetic, comparisons, or conversions.
    pub only_number: bool,
    /// Registers at their last read.
    pub(crate) last_reads: LastReads<'a>,
}

impl<D> Emitter<'_, D> {
    /// Appends a directive.
    pub fn push(&mut self, directive: D) {
        self.spans.push(self.directives.len(), self.span);
        self.directives.push(directive);
    }

    /// A fresh label.
    pub fn new_label(&mut self) -> Label {
        *self.next_label += 1;
        Label(*self.next_label - 1)
    }

    /// `words` consecutive registers without a live value, for the rest of the operation, jump or call being emitted.
    pub fn temporary(&mut self, words: u32) -> Reg {
        self.temporaries.take(words)
    }

    /// Whether the register is not read after the operation or jump being emitted, so that its value need not be
    /// written if the operation finds it elsewhere. Conservative: may be false for a register that is not read.
    pub fn reads_last(&self, reg: Reg) -> bool {
        self.last_reads.contains(reg)
    }
}

/// Values whose live range ends at the current node.
#[derive(Clone, Copy)]
pub(crate) struct LastReads<'a> {
    /// Head of the linked list of values.
    pub(crate) first: u32,
    pub(crate) next: &'a [u32],
    /// Registers, by value.
    pub(crate) regs: &'a [u32],
}

impl LastReads<'_> {
    /// The empty list.
    pub(crate) const NONE: LastReads<'static> = LastReads { first: NONE, next: &[], regs: &[] };

    fn contains(self, reg: Reg) -> bool {
        let mut v = self.first;
        while v != NONE {
            if self.regs[v as usize] == reg.0 {
                return true;
            }
            v = self.next[v as usize];
        }
        false
    }
}

/// Registers without a live value at one position.
pub struct Temporaries<'a> {
    /// Bit set of occupied registers; all beyond its end are free.
    pub(crate) busy: &'a [u64],
    /// Lowest register that may be used: frames of callees, or the targets of parallel copies, are below.
    pub(crate) from: u32,
    /// One past the highest register ever used in this function.
    pub(crate) top: &'a mut u32,
}

impl Temporaries<'_> {
    fn is_busy(&self, reg: u32) -> bool {
        self.busy.get(reg as usize / 64).is_some_and(|word| word >> (reg % 64) & 1 != 0)
    }

    fn take(&mut self, words: u32) -> Reg {
        let mut first = self.from;
        while let Some(taken) = (first..first + words).rev().find(|&r| self.is_busy(r)) {
            first = taken + 1;
            // Skips full words of the set.
            while first.is_multiple_of(64) && self.busy.get(first as usize / 64) == Some(&u64::MAX) {
                first += 64;
            }
        }
        self.from = first + words;
        *self.top = (*self.top).max(first + words);
        Reg(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporaries_come_from_the_gaps() {
        let (busy, mut top) = ([0b1011_0111, u64::MAX], 130);
        let mut free = Temporaries { busy: &busy, from: 0, top: &mut top };
        assert_eq!(free.take(1), Reg(3));
        assert_eq!(free.take(2), Reg(8));
        assert_eq!(free.take(1), Reg(10));
        assert_eq!(free.take(60), Reg(128));
        assert_eq!(*free.top, 188);
    }
}
