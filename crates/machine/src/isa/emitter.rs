//! Where directives go, and where they find labels and registers of their own.

use planish_ir::source::Span;

use super::{Label, Reg};
use crate::asm::Spans;
use crate::code::NONE;

/// Takes directives, gives each the source span that is being translated, and hands out fresh labels and free registers.
pub struct Emitter<'a, D> {
    /// The directives so far.
    pub directives: &'a mut Vec<D>,
    /// Their spans.
    pub spans: &'a mut Spans,
    /// The span of the next directives.
    pub span: Span,
    /// The number of the next fresh label.
    pub(crate) next_label: &'a mut u32,
    /// Registers that are free here.
    pub temporaries: Temporaries<'a>,
    /// Whether nobody sees more of the operation's result, a float, than its number, so that any NaN will do. What reads it
    /// is arithmetic, compares, or converts.
    pub only_number: bool,
    /// Registers that nobody reads any more.
    pub(crate) last_reads: LastReads<'a>,
}

impl<D> Emitter<'_, D> {
    /// Adds a directive.
    pub fn push(&mut self, directive: D) {
        self.spans.push(self.directives.len(), self.span);
        self.directives.push(directive);
    }

    /// A label that nobody has used.
    pub fn new_label(&mut self) -> Label {
        *self.next_label += 1;
        Label(*self.next_label - 1)
    }

    /// So many consecutive registers that hold nothing here, and are free for the rest of the operation, jump or call that
    /// is being emitted.
    pub fn temporary(&mut self, words: u32) -> Reg {
        self.temporaries.take(words)
    }

    /// Whether nobody reads what a register holds behind the operation or jump that is being emitted, so that it need not
    /// be there if the operation finds it elsewhere. (Not all that are not read are known.)
    pub fn reads_last(&self, reg: Reg) -> bool {
        self.last_reads.contains(reg)
    }
}

/// The values that end with what is being emitted.
#[derive(Clone, Copy)]
pub(crate) struct LastReads<'a> {
    /// The first of them, then the next one of each.
    pub(crate) first: u32,
    pub(crate) next: &'a [u32],
    /// The registers of all values.
    pub(crate) regs: &'a [u32],
}

impl LastReads<'_> {
    /// None.
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

/// The free registers at one place: the gaps between those that hold a value.
pub struct Temporaries<'a> {
    /// A bit for each register that is taken; what lies beyond is free.
    pub(crate) busy: &'a [u64],
    /// No register below is asked for: the frames of callees, or those that parallel copies write, lie there.
    pub(crate) from: u32,
    /// One past the highest register that was ever handed out in this function.
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
            // Whole words of the set that are full are skipped at once.
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
