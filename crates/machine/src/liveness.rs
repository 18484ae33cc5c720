//! Liveness: the values that are needed, and their live intervals.
//!
//! *Needed* values are found in one backward walk: a node with an effect or a needed result needs its operands. An
//! input of a block is needed only if it has a reader; only then are the edges' arguments for it. Arguments on back
//! edges are visited when the walk reaches the loop's head, and then transitively among the nodes already passed. A
//! value that is only carried around a loop is therefore not needed (an optimistic fixpoint). Every argument is visited
//! once.
//!
//! *Live intervals* are single intervals from the value's node to its last reader in list order. A reader in a loop
//! that began after the value counts as a reader at the end of that loop, the outermost such.
//!
//! A loop input that is read after the loop *rests*: after its last reader in the loop, and the last edge out of the
//! loop, control can only reach the head, where the input gets a new value. Until then its register may hold that
//! value.

use planish_ir::ops::Op;

use crate::code::{Arg, ArgKind, Code, NONE, Node, RETURN, What};

/// Preferred register of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Hint {
    /// No preference.
    #[default]
    None,
    /// That of this input of a label.
    Input(u32),
    /// That of this input of a loop, for its next iteration.
    NextIteration(u32),
    /// This register: a return slot.
    Reg(u32),
    /// An offset in words into the frame of a callee, and the number of the call.
    Frame(u32, u32),
}

/// Results of the analysis.
#[derive(Clone, Debug, Default)]
pub(crate) struct Liveness {
    /// By value: number of readers; 0: not needed.
    pub(crate) uses: Vec<u32>,
    /// By value with a register: the node where its interval ends. An unread result of a node with an effect ends after
    /// its node. 0 for other values.
    pub(crate) ends: Vec<u32>,
    /// By value: preference of its last reader.
    pub(crate) hints: Vec<Hint>,
    /// By node: number of calls before it; one more entry at the end.
    pub(crate) calls_before: Vec<u32>,
    /// By loop input that is read after the loop: the node from which it rests.
    pub(crate) rests: Vec<u32>,
    /// By value: whether only its number is observed. Empty in a function without floats.
    pub(crate) numbers: Vec<bool>,
    /// By vector that is one of several: the lanes as which it is read.
    pub(crate) lanes: Vec<Option<planish_ir::ops::LaneShape>>,
    pub(crate) work: Vec<u32>,
    /// Labels that are not loops, the last one first.
    pub(crate) labels: Vec<u32>,
    reached: Vec<bool>,
    loops: Vec<Open>,
    /// By label of a loop: the last node with an edge out of it.
    last_exits: Vec<u32>,
}

/// Instead of the node from which a loop input rests: not read after the loop so far.
const IN_LOOP: u32 = u32::MAX - 1;

/// A loop around the current node.
#[derive(Clone, Copy, Debug)]
struct Open {
    start: u32,
    end: u32,
    label: u32,
}

impl Liveness {
    /// Finds the needed values, and turns other nodes into [`What::Nothing`].
    pub(crate) fn mark(&mut self, code: &mut Code) {
        self.uses.clear();
        self.uses.resize(code.values.len(), 0);
        self.reached.clear();
        self.reached.resize(code.nodes.len(), false);
        self.labels.clear();
        let mut depth = 0;
        for i in (0..code.nodes.len()).rev() {
            let node = &code.nodes[i];
            match node.what {
                What::Nothing | What::Inputs => {}
                What::Label(label) => self.labels.push(label),
                What::LoopEnd(_) => depth += 1,
                What::Loop { label, .. } => {
                    self.carry(code, i as u32, label);
                    depth -= 1;
                    if depth == 0 {
                        let end = code.labels[label as usize].end as usize;
                        self.sweep(code, i, end);
                    }
                }
                What::Operation | What::Constant | What::SlotLoad if !is_root(node) => {
                    self.need_if_read(code, i, depth);
                }
                _ => {
                    self.reached[i] = true;
                    self.count_all(code.args_of(node));
                    for edge in code.edges_of(node.what) {
                        self.count_edge(code, edge, i as u32);
                    }
                }
            }
        }
    }

    /// Visits a node without an effect.
    #[inline]
    fn need_if_read(&mut self, code: &mut Code, i: usize, depth: u32) {
        let node = &code.nodes[i];
        let outs = node.outs as usize..node.outs as usize + node.outs_len as usize;
        if self.uses[outs].iter().any(|&uses| uses > 0) {
            self.reached[i] = true;
            self.count_all(code.args_of(node));
        } else if depth == 0 {
            // (In a loop, a reader in the next iteration may still be found.)
            code.nodes[i].what = What::Nothing;
        }
    }

    #[inline]
    fn count_all(&mut self, args: &[Arg]) {
        for arg in args {
            if let Some(v) = arg.as_value() {
                self.uses[v as usize] += 1;
            }
        }
    }

    /// Counts the arguments of an edge of node `i`: all, if it leaves the function; those of needed inputs, if it goes
    /// forward. Back edges are counted at the loop's head.
    #[inline]
    fn count_edge(&mut self, code: &Code, edge: u32, i: u32) {
        let edge = &code.edges[edge as usize];
        if edge.label == RETURN {
            return self.count_all(code.edge_args(edge));
        }
        let label = &code.labels[edge.label as usize];
        if label.node < i {
            return;
        }
        for (k, arg) in code.edge_args(edge).iter().enumerate() {
            if let Some(v) = arg.as_value()
                && self.uses[label.inputs as usize + k] > 0
            {
                self.uses[v as usize] += 1;
            }
        }
    }

    /// Visits the back edges' arguments of needed inputs of the loop at node `head`.
    fn carry(&mut self, code: &Code, head: u32, label: u32) {
        let data = &code.labels[label as usize];
        self.work.extend((data.inputs..data.inputs + data.inputs_len).filter(|&v| self.uses[v as usize] > 0));
        while let Some(v) = self.work.pop() {
            let n = code.values[v as usize].node;
            let node = &code.nodes[n as usize];
            match node.what {
                What::Label(label) | What::Loop { label, .. } => {
                    code.incoming(label, v).for_each(|arg| self.ask(code, head, arg));
                }
                _ if !self.reached[n as usize] => {
                    self.reached[n as usize] = true;
                    code.args_of(node).iter().for_each(|&arg| self.ask(code, head, arg));
                }
                _ => {}
            }
        }
    }

    /// Counts a read. At the first read of a value whose node has been passed, its operands are visited next.
    fn ask(&mut self, code: &Code, head: u32, arg: Arg) {
        if let Some(v) = arg.as_value() {
            let uses = &mut self.uses[v as usize];
            *uses += 1;
            if *uses == 1 && code.values[v as usize].node >= head {
                self.work.push(v);
            }
        }
    }

    /// After the outermost loop from `start` to `end`: nodes not reached are not needed.
    fn sweep(&mut self, code: &mut Code, start: usize, end: usize) {
        for (node, &reached) in code.nodes[start..end].iter_mut().zip(&self.reached[start..end]) {
            if !reached && matches!(node.what, What::Operation | What::Constant | What::SlotLoad) {
                node.what = What::Nothing;
            }
        }
    }

    /// Computes intervals and hints, after [`Liveness::mark`].
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
                What::Nothing | What::Label(_) | What::Inputs => continue,
                What::Operation => {
                    code.args_of(node).iter().for_each(|&arg| self.extend(code, arg, i, Hint::None));
                    self.end_unread(node, i);
                    continue;
                }
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
                    self.end_unread(node, i);
                }
                _ => code.args_of(node).iter().for_each(|&arg| self.extend(code, arg, i, Hint::None)),
            }
            for edge in code.edges_of(node.what) {
                self.edge(code, edge, i, &words);
            }
            if let What::Loop { label, .. } = node.what {
                self.rests[node.outs as usize..][..node.outs_len as usize].fill(IN_LOOP);
                self.loops.push(Open { start: i, end: code.labels[label as usize].end, label });
            }
        }
        self.calls_before.push(calls);
        let last = code.nodes.len() as u32;
        code.slots.iter().for_each(|&slot| self.ends[slot as usize] = last);
        self.finish_rests(code);
    }

    /// Ends the intervals of unread results.
    #[inline]
    fn end_unread(&mut self, node: &Node, i: u32) {
        for v in node.outs..node.outs + u32::from(node.outs_len) {
            if self.uses[v as usize] == 0 {
                self.ends[v as usize] = i + 1;
            }
        }
    }

    /// An input rests after its last reader and the last edge out of the loop.
    fn finish_rests(&mut self, code: &Code) {
        for (label, &last_exit) in code.labels.iter().zip(&self.last_exits) {
            if label.end > 0 {
                for rest in &mut self.rests[label.inputs as usize..][..label.inputs_len as usize] {
                    *rest = if *rest == IN_LOOP { NONE } else { (*rest).max(last_exit) };
                }
            }
        }
    }

    /// An edge from node `i` out of the loops that end before its target.
    fn leave_loops(&mut self, i: u32, to: u32) {
        let mut last = i;
        for open in self.loops.iter().rev().take_while(|open| open.end < to) {
            self.last_exits[open.label as usize] = self.last_exits[open.label as usize].max(last);
            // For outer loops, the edge is possible until the inner loop ends.
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
                self.extend(code, arg, i, if back { Hint::NextIteration(input) } else { Hint::Input(input) });
            }
        }
    }

    /// Extends an interval to a reader at node `i`, whose preference is `hint`.
    #[inline]
    fn extend(&mut self, code: &Code, arg: Arg, i: u32, hint: Hint) {
        match arg.kind() {
            ArgKind::Value(v) => self.extend_value(code, v, i, hint),
            ArgKind::Nested(n) => {
                for arg in code.args_of(&code.nodes[n as usize]) {
                    if let Some(v) = arg.as_value() {
                        self.extend_value(code, v, i, Hint::None);
                    }
                }
            }
            _ => {}
        }
    }

    #[inline]
    fn extend_value(&mut self, code: &Code, v: u32, i: u32, hint: Hint) {
        let made = code.values[v as usize].node;
        let mut end = i;
        if self.loops.last().is_some_and(|open| open.start > made) {
            let outermost = self.loops.partition_point(|open| open.start <= made);
            end = self.loops[outermost].end;
        }
        let at = v as usize;
        let before = self.ends[at];
        self.ends[at] = before.max(end);
        if self.rests[at] == IN_LOOP
            && let What::Loop { label, .. } = code.nodes[made as usize].what
            && i > code.labels[label as usize].end
        {
            self.rests[at] = before.max(made);
        }
        // A copy in every iteration weighs more than one after the loop, and the innermost loop takes precedence.
        if !matches!(self.hints[at], Hint::NextIteration(_)) {
            self.hints[at] = hint;
        }
    }
}

/// Whether a node with results also has an effect.
#[inline]
fn is_root(node: &Node) -> bool {
    matches!(node.what, What::Operation) && !node.op.is_droppable(node.imm) && !reads_only(node.op)
}

/// Size queries may be removed.
fn reads_only(op: Op) -> bool {
    matches!(op, Op::MemorySize | Op::TableSize)
}
