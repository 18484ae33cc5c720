//! Abstract state at one position: the set of values of each register.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use crate::code::{Arg, ArgKind, Code, Edge, NONE, What};

/// A possible content of a register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Symbol {
    /// A word of a value.
    Value(u32, u32),
    /// A constant.
    Const(u64),
    /// This word of a slot, which has the register for itself.
    Slot(u32, u32),
    /// A word of the frame's prelude.
    Prelude(u32),
}

/// The registers with known contents at one position.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct State {
    regs: BTreeMap<u32, Symbols>,
    /// A node with a decided condition, and whether its edge is taken.
    pub(super) decided: Option<(u32, bool)>,
}

/// Contents of a register.
pub(super) type Symbols = SmallVec<[Symbol; 2]>;

impl State {
    pub(super) fn holds(&self, reg: u32, symbol: Symbol) -> bool {
        self.regs.get(&reg).is_some_and(|symbols| symbols.contains(&symbol))
    }

    pub(super) fn set(&mut self, reg: u32, symbols: Symbols) {
        if symbols.is_empty() {
            self.regs.remove(&reg);
        } else {
            self.regs.insert(reg, symbols);
        }
    }

    pub(super) fn add(&mut self, reg: u32, symbol: Symbol) {
        let symbols = self.regs.entry(reg).or_default();
        if !symbols.contains(&symbol) {
            symbols.push(symbol);
        }
    }

    pub(super) fn get(&self, reg: u32) -> Symbols {
        self.regs.get(&reg).cloned().unwrap_or_default()
    }

    /// Removes the contents of all registers from this one on.
    pub(super) fn forget_from(&mut self, reg: u32) {
        self.regs.split_off(&reg);
    }

    /// Removes values that are not mentioned from a node on; `last` is the last mention of each value.
    pub(super) fn forget_unmentioned(&mut self, last: &[u32], node: u32) {
        self.keep(|symbol| !matches!(symbol, Symbol::Value(v, _) if last[v as usize] < node));
    }

    /// Intersects with another state. Returns whether this one changed.
    pub(super) fn meet(&mut self, other: &State) -> bool {
        let mut lost = false;
        self.regs.retain(|reg, symbols| {
            let before = symbols.len();
            let known = other.regs.get(reg);
            symbols.retain(|symbol| known.is_some_and(|known| known.contains(symbol)));
            lost |= symbols.len() != before;
            !symbols.is_empty()
        });
        if self.decided != other.decided {
            lost |= self.decided.is_some();
            self.decided = None;
        }
        lost
    }

    fn keep(&mut self, mut kept: impl FnMut(Symbol) -> bool) {
        self.regs.retain(|_, symbols| {
            symbols.retain(|symbol| kept(*symbol));
            !symbols.is_empty()
        });
    }

    /// Applies an edge: its label's inputs become names of its arguments. Into a loop, values of the last iteration are
    /// removed.
    pub(super) fn along(&mut self, code: &Code, edge: &Edge, word_bits: u32) {
        self.decided = None;
        let label = &code.labels[edge.label as usize];
        let mut brings: Vec<(Symbol, Symbol)> = self.brings(code, edge, word_bits);
        brings.sort_unstable();
        let is_loop = label.end != 0 && label.node != NONE;
        let is_of_round =
            |symbol: Symbol| matches!(symbol, Symbol::Value(v, _) if code.values[v as usize].node >= label.node);
        self.regs.retain(|_, symbols| {
            let new: Symbols = symbols.iter().flat_map(|&symbol| brought(&brings, symbol)).collect();
            if is_loop {
                symbols.retain(|symbol| !is_of_round(*symbol));
            }
            for symbol in new {
                if !symbols.contains(&symbol) {
                    symbols.push(symbol);
                }
            }
            !symbols.is_empty()
        });
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

/// The new names of a symbol along an edge, by the sorted list of its arguments.
fn brought(brings: &[(Symbol, Symbol)], from: Symbol) -> impl Iterator<Item = Symbol> {
    let first = brings.partition_point(|&(other, _)| other < from);
    brings[first..].iter().take_while(move |&&(other, _)| other == from).map(|&(_, to)| to)
}

/// A word of a constant.
pub(super) fn word(code: &Code, c: u32, j: u32, word_bits: u32) -> u64 {
    (code.bits(c) >> (j * word_bits)) as u64 & (u64::MAX >> (64 - word_bits))
}

/// For each value, the last node that mentions it on any path; for a value from outside of a loop that is mentioned in
/// it, the end of the loop.
pub(super) fn last_mentions(code: &Code) -> Vec<u32> {
    let mut last = vec![0; code.values.len()];
    // Enclosing loops: first and last node.
    let mut loops: Vec<(u32, u32)> = vec![];
    for (i, node) in (0..).zip(&code.nodes) {
        loops.retain(|&(_, end)| end >= i);
        if let What::Loop { label, .. } = node.what {
            loops.push((i, code.labels[label as usize].end));
        }
        let mut mention = |arg: Arg| {
            if let Some(v) = arg.as_value() {
                let made = code.values[v as usize].node;
                let outside = loops.partition_point(|&(start, _)| start <= made);
                let at = loops.get(outside).map_or(i, |&(_, end)| end.max(i));
                last[v as usize] = at.max(last[v as usize]);
            }
        };
        for &arg in code.args_of(node) {
            match arg.kind() {
                ArgKind::Nested(n) => code.args_of(&code.nodes[n as usize]).iter().copied().for_each(&mut mention),
                _ => mention(arg),
            }
        }
        for edge in code.edges_of(node.what) {
            code.edge_args(&code.edges[edge as usize]).iter().copied().for_each(&mut mention);
        }
    }
    last
}
