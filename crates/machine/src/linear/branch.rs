//! Edges: copies and jumps.

use planish_ir::ops::Op;
use smallvec::SmallVec;

use super::{Linear, words_of};
use crate::code::{Arg, ArgKind, Code, NONE, Node, RETURN, What};
use crate::isa::{Comparison, Isa, Kind, Label, Operand, Operation, Reg, TableJumps};
use crate::liveness::Liveness;

/// Condition of a conditional jump.
#[derive(Clone, Copy)]
enum Test {
    /// Whether operand 0 is nonzero (`true`) or zero.
    NonZero(bool),
    /// A comparison of operands 0 and 1.
    Compare(Comparison),
}

impl Test {
    fn inverse(self) -> Test {
        match self {
            Test::NonZero(nonzero) => Test::NonZero(!nonzero),
            Test::Compare(comparison) => Test::Compare(comparison.inverse()),
        }
    }
}

/// The edge and the condition of a branch; `None` for other nodes.
fn test_of(node: &Node) -> Option<(u32, Test)> {
    Some(match node.what {
        What::BrIf(edge) => (edge, Test::NonZero(true)),
        What::BrIfZero(edge) => (edge, Test::NonZero(false)),
        What::BrCompare { edge, negated } => {
            (edge, Test::Compare(Comparison { op: node.op, kind: node.operand, negated }))
        }
        _ => return None,
    })
}

impl<'a, I: Isa> Linear<'a, I> {
    /// Calls `f` with target, argument and number of words of each copy of an edge.
    fn each_move(code: &Code, live: &Liveness, regs: &[u32], edge: u32, mut f: impl FnMut(Reg, Arg, u32)) {
        let edge = &code.edges[edge as usize];
        let args = code.edge_args(edge);
        if edge.label == RETURN {
            let mut to = 0;
            for &arg in args {
                let words = code.kind_of(arg).words(I::WORD_BITS);
                f(Reg(to), arg, words);
                to += words;
            }
            return;
        }
        let first = code.labels[edge.label as usize].inputs;
        for (input, &arg) in (first..).zip(args) {
            if live.uses[input as usize] > 0 {
                f(Reg(regs[input as usize]), arg, code.values[input as usize].words);
            }
        }
    }

    /// Whether an edge needs no copies.
    pub(super) fn is_plain(&self, edge: u32) -> bool {
        let (mut plain, regs) = (true, &self.allocation.regs);
        Self::each_move(self.code, self.live, regs, edge, |to, arg, words| {
            plain &= words == 0 || arg.as_value().is_some_and(|v| Reg(regs[v as usize]) == to);
        });
        plain
    }

    /// Emits the copies of an edge.
    pub(super) fn move_along(&mut self, edge: u32) {
        self.note();
        self.at.1 = edge;
        let (code, regs, tables) = (self.code, &self.allocation.regs, &mut *self.tables);
        Self::each_move(code, self.live, regs, edge, |to, arg, words| match arg.kind() {
            ArgKind::Value(v) => {
                let from = Reg(regs[v as usize]);
                if from != to {
                    (0..words).for_each(|j| tables.copies.add(to.offset(j), from.offset(j)));
                }
            }
            ArgKind::Const(c) => {
                let words = words_of::<I>(code, c);
                tables.constants.extend(words.into_iter().zip(0..).map(|(bits, j)| (to.offset(j), bits)));
            }
            kind => unreachable!("an edge brings no {kind:?}"),
        });
        self.make_copies();
    }

    /// Emits the collected copies and constants.
    pub(super) fn make_copies(&mut self) {
        let isa = self.isa;
        if let Some((to, from)) = self.tables.copies.only() {
            self.tables.copies.clear();
            if to != from {
                isa.emit_copy(&mut self.emitter(0), to, from);
            }
        } else if !self.tables.copies.is_empty() {
            let mut copies = std::mem::take(&mut self.tables.copies);
            let temporary = copies.needs_temporary().then(|| self.copy_temporary(&copies));
            copies.sequence(
                || temporary.expect("it was asked for"),
                |to, from| isa.emit_copy(&mut self.emitter(0), to, from),
            );
            self.tables.copies = copies;
        }
        self.tables.copies.clear();
        for i in 0..self.tables.constants.len() {
            let (to, bits) = self.tables.constants[i];
            isa.emit_constant(&mut self.emitter(0), to, bits);
        }
        self.tables.constants.clear();
    }

    /// A register that neither holds a value nor is about to.
    fn copy_temporary(&mut self, copies: &planish_target::copies::ParallelCopies<Reg>) -> Reg {
        let mut busy = std::mem::take(&mut self.tables.busy);
        let before = busy.clone();
        for to in copies.targets().chain(self.tables.constants.iter().map(|&(to, _)| to)) {
            if let Some(word) = busy.get_mut(to.0 as usize / 64) {
                *word |= 1 << (to.0 % 64);
            }
        }
        // Targets in a callee's frame may lie beyond the allocated registers.
        let from = copies.targets().map(|to| to.0 + 1).filter(|&end| end > busy.len() as u32 * 64).max().unwrap_or(0);
        self.tables.busy = busy;
        let temporary = self.emitter(from).temporary(1);
        self.tables.busy = before;
        temporary
    }

    /// The next emitted node, and its number.
    pub(super) fn next_node(&self, mut i: usize) -> Option<usize> {
        loop {
            i += 1;
            match self.code.nodes.get(i)?.what {
                What::Nothing | What::LoopEnd(_) => {}
                _ => return Some(i),
            }
        }
    }

    /// Whether control falls through from after node `i` to the target of a jump to the label.
    fn falls_to(&self, i: usize, label: u32) -> bool {
        let next = self.next_node(i).map(|next| self.code.nodes[next].what);
        matches!(next, Some(What::Label(next)) if next == label || next == self.tables.goes_to[label as usize])
    }

    /// Takes an edge from node `i`: copies and jump.
    pub(super) fn jump_along(&mut self, i: usize, edge: u32) {
        self.move_along(edge);
        let label = self.code.edges[edge as usize].label;
        if label != RETURN && self.tables.tests[label as usize].0 != NONE {
            self.note();
            self.at.1 = NONE;
            self.begin_loop(label);
            self.note();
            return self.test_again(i, label);
        }
        if label == RETURN || !self.falls_to(i, label) {
            self.leave_along(edge);
            self.reachable = false;
        }
    }

    /// Whether the loop at node `i` begins with a test that leaves it by a plain jump, on either outcome. A label is
    /// then placed after the test, the target of the repeated test at the end of the body.
    pub(super) fn find_test(&mut self, i: usize, label: u32) {
        let Some(h) = self.next_node(i) else { return };
        let Some((edge, test)) = test_of(&self.code.nodes[h]) else { return };
        let data = self.code.edges[edge as usize];
        let args = self.code.args_of(&self.code.nodes[h]);
        let leaves =
            data.label != RETURN && self.code.labels[data.label as usize].node > self.code.labels[label as usize].end;
        let able = self.can(test, args) && self.can(test.inverse(), args);
        if leaves && able && self.is_plain(edge) && self.exchanged(h, data.label).is_none() {
            let behind = self.new_label();
            self.last_test = (h as u32, behind.0);
            self.tables.tests[label as usize] = self.last_test;
        }
    }

    /// The end of an iteration: repeats the test at the head of the loop, inverted.
    fn test_again(&mut self, i: usize, label: u32) {
        let (h, behind) = self.tables.tests[label as usize];
        let node = &self.code.nodes[h as usize];
        let Some((edge, test)) = test_of(node) else { unreachable!("it was a test before") };
        let code: &'a Code = self.code;
        self.conditional(test.inverse(), code.args_of(node), Label(behind));
        let label = self.code.edges[edge as usize].label;
        if !self.falls_to(i, label) {
            let (isa, target) = (self.isa, self.target(label));
            isa.emit_jump(&mut self.emitter(0), target);
            self.reachable = false;
        }
    }

    /// Emits the jump or return of an edge after its copies.
    fn leave_along(&mut self, edge: u32) {
        let isa = self.isa;
        match self.code.edges[edge as usize].label {
            RETURN => {
                let own = self.own_frame();
                isa.emit_return(&mut self.emitter(0), own);
            }
            label => {
                let target = self.target(label);
                isa.emit_jump(&mut self.emitter(0), target);
            }
        }
        self.note();
    }

    /// Final target of a jump to a label, which is counted.
    fn target(&mut self, label: u32) -> Label {
        let label = self.tables.goes_to[label as usize];
        self.tables.jumps[label as usize] += 1;
        Label(label)
    }

    fn can(&self, test: Test, args: &[Arg]) -> bool {
        match test {
            Test::NonZero(nonzero) => self.isa.jumps_if(nonzero),
            Test::Compare(comparison) => {
                let immediate = match args[1].kind() {
                    ArgKind::Const(c) => Some(self.code.consts[c as usize].bits),
                    _ => None,
                };
                self.isa.jumps_on(comparison, immediate)
            }
        }
    }

    /// Reads the operands of the branch at node `i`. Their live ranges may end there, but not those of the edge's
    /// arguments.
    fn read_test(&mut self, i: usize, test: Test, args: &[Arg], target: Label) {
        let brings = self.code.edges_of(self.code.nodes[i].what).any(|edge| {
            let brought = self.code.edge_args(&self.code.edges[edge as usize]);
            brought.iter().any(|arg| arg.as_value().is_some_and(|v| self.live.ends[v as usize] == i as u32))
        });
        self.reader = if brings { NONE } else { i as u32 };
        self.conditional(test, args, target);
        self.reader = NONE;
    }

    fn conditional(&mut self, test: Test, args: &[Arg], target: Label) {
        self.with_operands(args, |linear, operands| {
            let isa = linear.isa;
            match test {
                Test::NonZero(nonzero) => {
                    isa.emit_conditional_jump(&mut linear.emitter(0), operands[0], nonzero, target);
                }
                Test::Compare(comparison) => {
                    let operands = [operands[0], operands[1]];
                    isa.emit_conditional_jump_compare(&mut linear.emitter(0), comparison, operands, target);
                }
            }
        });
    }

    /// A conditional edge. If the fallthrough is only a jump, and the branch target follows that jump, condition and
    /// targets are exchanged.
    pub(super) fn branch(&mut self, i: usize) {
        let Some((edge, test)) = test_of(&self.code.nodes[i]) else { unreachable!("it is no branch") };
        let label = self.code.edges[edge as usize].label;
        if let Some((next, other)) = self.exchanged(i, label) {
            self.branch_along(i, test.inverse(), other);
            self.at.1 = NONE;
            self.move_along(edge);
            self.skip_to = next + 1;
            return;
        }
        self.branch_along(i, test, edge);
    }

    /// The jump after a branch to `label`, with its edge, if the label follows it.
    fn exchanged(&self, i: usize, label: u32) -> Option<(usize, u32)> {
        let next = self.next_node(i)?;
        match self.code.nodes[next].what {
            What::Br(other) if label != RETURN && self.falls_to(next, label) => Some((next, other)),
            _ => None,
        }
    }

    /// The three forms of a conditional edge, in order of preference.
    fn branch_along(&mut self, i: usize, test: Test, edge: u32) {
        let code: &'a Code = self.code;
        let args = code.args_of(&code.nodes[i]);
        let label = self.code.edges[edge as usize].label;
        self.at.1 = edge;
        let plain = label != RETURN && self.is_plain(edge);
        if plain && self.can(test, args) {
            let target = self.target(label);
            self.read_test(i, test, args, target);
            self.note();
            // (Tests at the head of a loop have no copies.)
            if self.last_test.0 == i as u32 {
                self.at.1 = NONE;
                let behind = self.last_test.1;
                self.place(Label(behind));
                let label = *self.loops.last().expect("a test at the head of a loop is in it");
                self.begin_iteration(label);
            }
            return;
        }
        let goes_on = self.new_label();
        if self.can(test.inverse(), args) {
            self.at.1 = NONE;
            self.read_test(i, test.inverse(), args, goes_on);
            self.move_along(edge);
            self.leave_along(edge);
        } else {
            let leaves = self.new_label();
            let isa = self.isa;
            self.at.1 = NONE;
            self.read_test(i, test, args, leaves);
            isa.emit_jump(&mut self.emitter(0), goes_on);
            self.place(leaves);
            self.move_along(edge);
            self.leave_along(edge);
        }
        self.at.1 = NONE;
        self.place(goes_on);
        self.note();
    }

    pub(super) fn new_label(&mut self) -> Label {
        self.emitter(0).new_label()
    }

    /// A table of edges; the last is for out-of-range indices.
    pub(super) fn table(&mut self, i: usize, first: u32, count: u32) {
        let isa = self.isa;
        let ArgKind::Value(index) = self.code.args_of(&self.code.nodes[i])[0].kind() else {
            unreachable!("an index is in a register")
        };
        let index = self.reg(index);
        let style = isa.table_jumps();
        let with_default = style == TableJumps::TableWithDefault;
        let listed = count - u32::from(!with_default);
        // Edges without copies are jump targets directly, others through a label of their own.
        let mut targets: SmallVec<[Label; 16]> = SmallVec::new();
        let mut indirect: SmallVec<[(Label, u32); 8]> = SmallVec::new();
        let beyond = self.new_label();
        for edge in first..first + listed {
            let label = self.code.edges[edge as usize].label;
            if label != RETURN && self.is_plain(edge) {
                targets.push(self.target(label));
            } else {
                let own = self.new_label();
                targets.push(own);
                indirect.push((own, edge));
            }
        }
        if !with_default {
            self.check_bounds(index, listed, beyond);
            indirect.push((beyond, first + listed));
        }
        if style == TableJumps::Relative {
            isa.emit_relative_jump(&mut self.emitter(0), index);
            targets.iter().for_each(|&target| isa.emit_jump(&mut self.emitter(0), target));
        } else {
            isa.emit_jump_table(&mut self.emitter(0), index, &targets);
        }
        self.note();
        for (label, edge) in indirect {
            self.at.1 = NONE;
            self.place(label);
            self.move_along(edge);
            self.leave_along(edge);
        }
        self.reachable = false;
    }

    /// Jumps to `beyond` if the index is not below `count`.
    fn check_bounds(&mut self, index: Reg, count: u32, beyond: Label) {
        let isa = self.isa;
        let count = u64::from(count);
        let comparison = Comparison { op: Op::GreaterThanEqual, kind: Kind::U32, negated: false };
        let operands = [Operand::Reg(index), Operand::Const(count)];
        let mut to = self.emitter(0);
        if isa.jumps_on(comparison, Some(count)) {
            return isa.emit_conditional_jump_compare(&mut to, comparison, operands, beyond);
        }
        let below = to.temporary(1);
        let mut args = operands;
        if !isa.takes_immediate(Op::LessThan, Kind::U32, 1, count) {
            let limit = to.temporary(1);
            isa.emit_constant(&mut to, limit, count);
            args[1] = Operand::Reg(limit);
        }
        let holds_if = !isa.jumps_if(true);
        let op = if holds_if { Op::LessThan } else { Op::GreaterThanEqual };
        let (operand, result) = (Kind::U32, Kind::Bool);
        let imm = planish_ir::ops::Imm::NONE;
        isa.emit_operation(&mut to, &Operation { op, imm, operand, result, outs: &[below], args: &args });
        isa.emit_conditional_jump(&mut to, Operand::Reg(below), !holds_if, beyond);
    }
}
