//! Which values are needed, and until when.
//!
//! *Needed* starts from nodes with an effect and goes back from what is read to what makes it. An input of a block is needed
//! only if somebody reads it; then, and not before, is what the edges bring for it. So a value that is merely carried round
//! and round a loop is not needed (the optimistic fixpoint). Every argument is looked at once.
//!
//! *Until when* is one interval from the value's node to its last reader in the order of the list. A reader in a loop that
//! began after the value counts as a reader at the end of that loop, the outermost such.
//!
//! An input of a loop that is read behind the loop *rests*: after its last reader in the loop, and the last edge out of the
//! loop, control can only go back to the head, where the input gets a new value. Until then its register may hold that.

use planish_ir::ops::Op;

use crate::code::{Arg, ArgKind, Code, NONE, Node, RETURN, What};

/// Where a value would like to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Hint {
    /// Anywhere.
    #[default]
    None,
    /// Where this input of a label is.
    Input(u32),
    /// Where this input of a loop is, for its next round.
    Round(u32),
    /// In a register: a return slot.
    Reg(u32),
    /// So many words into the frame of a callee, by the number of the call.
    Frame(u32, u32),
}

/// What is known of the values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Liveness {
    /// For each value: how often it is read; 0: not needed.
    pub(crate) uses: Vec<u32>,
    /// For each value that is needed: the node where it ends.
    pub(crate) ends: Vec<u32>,
    /// For each value: where its last reader wants it.
    pub(crate) hints: Vec<Hint>,
    /// For each node: the number of calls before it; one more at the end.
    pub(crate) calls_before: Vec<u32>,
    /// For each input of a loop that is read behind the loop: the node from which it rests.
    pub(crate) rests: Vec<u32>,
    /// For each value: whether nobody sees more of it than its number. Empty in a function without floats.
    pub(crate) numbers: Vec<bool>,
    pub(crate) work: Vec<u32>,
    reached: Vec<bool>,
    loops: Vec<Open>,
    /// For each loop, by its label: the last node from which control leaves it.
    last_exits: Vec<u32>,
}

/// A loop around the node that is looked at.
#[derive(Clone, Copy, Debug)]
struct Open {
    start: u32,
    end: u32,
    label: u32,
}

impl Liveness {
    /// Finds out what is needed, and turns what is not into [`What::Nothing`].
    pub(crate) fn mark(&mut self, code: &mut Code) {
        self.uses.clear();
        self.uses.resize(code.values.len(), 0);
        self.reached.clear();
        self.reached.resize(code.nodes.len(), false);
        for i in 0..code.nodes.len() {
            let node = code.nodes[i];
            if is_root(&node) {
                self.reached[i] = true;
                self.read_all(code.args_of(&node));
                for edge in code.edges_of(node.what) {
                    let edge = code.edges[edge as usize];
                    if edge.label == RETURN {
                        self.read_all(code.edge_args(&edge));
                    }
                }
                self.drain(code);
            }
        }
        for (node, &reached) in code.nodes.iter_mut().zip(&self.reached) {
            if !reached {
                node.what = What::Nothing;
            }
        }
    }

    fn read_all(&mut self, args: &[Arg]) {
        args.iter().for_each(|&arg| self.read(arg));
    }

    fn read(&mut self, arg: Arg) {
        if let Some(v) = arg.as_value() {
            let uses = &mut self.uses[v as usize];
            *uses += 1;
            if *uses == 1 {
                self.work.push(v);
            }
        }
    }

    fn drain(&mut self, code: &Code) {
        while let Some(v) = self.work.pop() {
            let n = code.values[v as usize].node as usize;
            let node = code.nodes[n];
            match node.what {
                What::Label(label) | What::Loop { label, .. } => {
                    let data = code.labels[label as usize];
                    let k = v - data.inputs;
                    let mut at = data.edges;
                    while at != NONE {
                        let edge = code.edges[at as usize];
                        self.read(code.args[(edge.args + k) as usize]);
                        at = edge.next;
                    }
                }
                _ if !self.reached[n] => {
                    self.reached[n] = true;
                    self.read_all(code.args_of(&node));
                }
                _ => {}
            }
        }
    }

    /// Intervals and hints, after [`Liveness::mark`].
    pub(crate) fn intervals(&mut self, code: &Code, words: impl Fn(Arg) -> u32) {
        let n = code.values.len();
        self.ends.clear();
        self.ends.resize(n, 0);
        self.hints.clear();
        self.hints.resize(n, Hint::None);
        self.rests.clear();
        self.rests.resize(n, NONE);
        self.last_exits.clear();
        self.last_exits.resize(code.labels.len(), 0);
        self.calls_before.clear();
        self.loops.clear();
        let mut calls = 0;
        for (i, node) in code.nodes.iter().enumerate() {
            let i = i as u32;
            self.calls_before.push(calls);
            match node.what {
                What::Nothing => continue,
                What::LoopEnd(_) => {
                    self.loops.pop();
                    continue;
                }
                What::Call(_) | What::TailCall(_) => {
                    let mut offset = 0;
                    let args = code.args_of(node);
                    for &arg in args {
                        let hint = match node.what {
                            What::Call(_) => Hint::Frame(calls, offset),
                            _ => Hint::Reg(offset),
                        };
                        self.extend(code, arg, i, hint);
                        offset += words(arg);
                    }
                    calls += 1;
                }
                _ => code.args_of(node).iter().for_each(|&arg| self.extend(code, arg, i, Hint::None)),
            }
            for edge in code.edges_of(node.what) {
                self.edge(code, edge, i, &words);
            }
            if let What::Loop { label, .. } = node.what {
                self.loops.push(Open { start: i, end: code.labels[label as usize].end, label });
            }
        }
        self.calls_before.push(calls);
        let last = code.nodes.len() as u32;
        code.slots.iter().for_each(|&slot| self.ends[slot as usize] = last);
        self.finish_rests(code);
    }

    /// An input rests when neither a reader nor a way out is to come.
    fn finish_rests(&mut self, code: &Code) {
        for (v, rest) in self.rests.iter_mut().enumerate() {
            if *rest != NONE
                && let What::Loop { label, .. } = code.nodes[code.values[v].node as usize].what
            {
                *rest = (*rest).max(self.last_exits[label as usize]);
            }
        }
    }

    /// Control goes from node `i` to another one: out of the loops that end before it.
    fn leave_loops(&mut self, i: u32, to: u32) {
        let mut last = i;
        for open in self.loops.iter().rev().take_while(|open| open.end < to) {
            self.last_exits[open.label as usize] = self.last_exits[open.label as usize].max(last);
            // Seen from further out, the way out is open as long as the inner loop may go round.
            last = open.end;
        }
    }

    fn edge(&mut self, code: &Code, edge: u32, i: u32, words: &impl Fn(Arg) -> u32) {
        let edge = &code.edges[edge as usize];
        if edge.label == RETURN {
            let mut offset = 0;
            for &arg in code.edge_args(edge) {
                self.extend(code, arg, i, Hint::Reg(offset));
                offset += words(arg);
            }
            return;
        }
        let label = &code.labels[edge.label as usize];
        let first = label.inputs;
        self.leave_loops(i, label.node);
        let back = label.node < i;
        for (k, &arg) in code.edge_args(edge).iter().enumerate() {
            let input = first + k as u32;
            if self.uses[input as usize] > 0 {
                self.extend(code, arg, i, if back { Hint::Round(input) } else { Hint::Input(input) });
            }
        }
    }

    fn extend(&mut self, code: &Code, arg: Arg, i: u32, hint: Hint) {
        match arg.kind() {
            ArgKind::Value(v) => {
                let made = code.values[v as usize].node;
                let mut end = i;
                if self.loops.last().is_some_and(|open| open.start > made) {
                    let outermost = self.loops.partition_point(|open| open.start <= made);
                    end = self.loops[outermost].end;
                }
                let at = v as usize;
                if let What::Loop { label, .. } = code.nodes[made as usize].what
                    && i > code.labels[label as usize].end
                    && self.rests[at] == NONE
                {
                    self.rests[at] = self.ends[at].max(made);
                }
                self.ends[at] = self.ends[at].max(end);
                // A copy in every round weighs more than one behind the loop, and the innermost loop comes first.
                if !matches!(self.hints[at], Hint::Round(_)) {
                    self.hints[at] = hint;
                }
            }
            ArgKind::Nested(n) => {
                let node = &code.nodes[n as usize];
                for &arg in code.args_of(node) {
                    self.extend(code, arg, i, Hint::None);
                }
            }
            _ => {}
        }
    }
}

/// Whether the node does something besides making values.
fn is_root(node: &Node) -> bool {
    match node.what {
        What::Nothing => false,
        What::Operation => !node.op.is_droppable() && !reads_only(node.op),
        What::Constant | What::SlotLoad => false,
        _ => true,
    }
}

/// Sizes may be read or not.
fn reads_only(op: Op) -> bool {
    matches!(op, Op::MemorySize | Op::TableSize)
}
