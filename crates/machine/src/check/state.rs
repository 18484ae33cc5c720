//! What is known at one place: which values each register holds.

use smallvec::SmallVec;

use crate::code::{ArgKind, Code, Edge, NONE};

/// Something that a register may hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Symbol {
    /// A word of a value.
    Value(u32, u32),
    /// A constant.
    Const(u64),
    /// The register is this word of a slot.
    Slot(u32, u32),
    /// A word of the frame's prelude.
    Prelude(u32),
}

/// All registers at one place.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct State {
    pub(super) regs: Vec<SmallVec<[Symbol; 2]>>,
    /// A node that decides which way to go, and whether its edge is to be taken.
    pub(super) decided: Option<(u32, bool)>,
}

impl State {
    pub(super) fn holds(&self, reg: u32, symbol: Symbol) -> bool {
        self.regs.get(reg as usize).is_some_and(|symbols| symbols.contains(&symbol))
    }

    pub(super) fn set(&mut self, reg: u32, symbols: SmallVec<[Symbol; 2]>) {
        if self.regs.len() <= reg as usize {
            self.regs.resize(reg as usize + 1, SmallVec::new());
        }
        self.regs[reg as usize] = symbols;
    }

    pub(super) fn add(&mut self, reg: u32, symbol: Symbol) {
        if !self.holds(reg, symbol) {
            let mut symbols = self.get(reg);
            symbols.push(symbol);
            self.set(reg, symbols);
        }
    }

    pub(super) fn get(&self, reg: u32) -> SmallVec<[Symbol; 2]> {
        self.regs.get(reg as usize).cloned().unwrap_or_default()
    }

    /// Nothing is known from this register on.
    pub(super) fn forget_from(&mut self, reg: u32) {
        self.regs.truncate(reg as usize);
    }

    /// Only what both know. Whether this one lost something.
    pub(super) fn meet(&mut self, other: &State) -> bool {
        let mut lost = false;
        for (r, symbols) in self.regs.iter_mut().enumerate() {
            let before = symbols.len();
            symbols.retain(|symbol| other.holds(r as u32, *symbol));
            lost |= symbols.len() != before;
        }
        if self.decided != other.decided {
            lost |= self.decided.is_some();
            self.decided = None;
        }
        lost
    }

    /// Along an edge: its label's inputs are what it brings. Into a loop, what the last round made is forgotten.
    pub(super) fn along(&mut self, code: &Code, edge: &Edge, word_bits: u32) {
        self.decided = None;
        let label = &code.labels[edge.label as usize];
        let is_loop = label.end != 0;
        let brings: Vec<(Symbol, Symbol)> = self.brings(code, edge, word_bits);
        for symbols in &mut self.regs {
            let mut new: SmallVec<[Symbol; 2]> =
                brings.iter().filter(|(from, _)| symbols.contains(from)).map(|&(_, to)| to).collect();
            new.extend(symbols.iter().copied().filter(|symbol| match *symbol {
                Symbol::Value(v, _) => {
                    let made = code.values[v as usize].node;
                    !is_loop || label.node == NONE || made < label.node
                }
                _ => true,
            }));
            new.sort_unstable();
            new.dedup();
            *symbols = new;
        }
    }

    fn brings(&self, code: &Code, edge: &Edge, word_bits: u32) -> Vec<(Symbol, Symbol)> {
        let first = code.labels[edge.label as usize].inputs;
        let mut brings = vec![];
        for (input, &arg) in (first..).zip(code.edge_args(edge)) {
            for j in 0..code.values[input as usize].words {
                let from = match arg.kind() {
                    ArgKind::Value(v) => Symbol::Value(v, j),
                    ArgKind::Const(c) => Symbol::Const(word(code, c, j, word_bits)),
                    _ => continue,
                };
                brings.push((from, Symbol::Value(input, j)));
            }
        }
        brings
    }
}

/// A word of a constant.
pub(super) fn word(code: &Code, c: u32, j: u32, word_bits: u32) -> u64 {
    (code.bits(c) >> (j * word_bits)) as u64 & (u64::MAX >> (64 - word_bits))
}
