//! Emission of directives from nodes and registers, in one walk over the list.
//!
//! A loop that begins with a test is inverted: the test is repeated at the end of the body, so that an iteration costs
//! one jump.
//!
//! Every edge is a set of copies and a jump. A jump to the next directive is omitted, a jump to a label followed by a
//! jump only is threaded, and unreachable code is not emitted.

mod branch;
mod call;
mod operands;

use planish_ir::entity::Func;
use planish_ir::source::Span;
use planish_target::copies::ParallelCopies;

use crate::allocate::Allocation;
use crate::asm::{FunctionAsm, Spans};
use crate::code::{ArgKind, Code, NONE, RETURN, What};
use crate::compile::Listing;
use crate::isa::{Emitter, Frame, Isa, Kind, Label, LastReads, LoopHead, Operand, Operation, Reg, Temporaries};
use crate::liveness::Liveness;

/// Scratch tables, reused between functions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    /// Final target of a jump to each label.
    goes_to: Vec<u32>,
    /// Number of emitted jumps to each label.
    jumps: Vec<u32>,
    /// Bit set of registers with a live value.
    busy: Vec<u64>,
    /// For each loop that begins with a test: the test's node, and the label after it.
    tests: Vec<(u32, u32)>,
    copies: ParallelCopies<Reg>,
    constants: Vec<(Reg, u64)>,
}

/// Node and edge of each directive, for the checker and listings.
pub(crate) type Origins = Vec<(u32, u32)>;

/// State of the walk.
pub(crate) struct Linear<'a, I: Isa> {
    isa: &'a I,
    func: Func,
    code: &'a Code,
    live: &'a Liveness,
    allocation: &'a Allocation,
    tables: &'a mut Tables,
    directives: Vec<I::Directive>,
    spans: Spans,
    origins: Option<Origins>,
    /// Current node and edge.
    at: (u32, u32),
    span: Span,
    next_label: u32,
    top: u32,
    reachable: bool,
    /// Nodes before this one have been emitted.
    skip_to: usize,
    /// The test at the head of the last inverted loop, and the label after it.
    last_test: (u32, u32),
    /// Labels of the loops around the current node.
    loops: Vec<u32>,
    /// The node whose operands are being read, if values that end there may be overwritten by it.
    reader: u32,
}

/// Emits the code of a function, into the memory of an empty list; with `origins`, also the node of each directive.
pub(crate) fn linear<I: Isa>(
    isa: &I,
    func: Func,
    code: &Code,
    live: &Liveness,
    allocation: &Allocation,
    tables: &mut Tables,
    (directives, spans): Listing<I::Directive>,
    origins: bool,
) -> (FunctionAsm<I::Directive>, Option<Origins>) {
    tables.busy.clear();
    tables.busy.resize(allocation.frame as usize / 64 + 1, 0);
    tables.tests.clear();
    tables.tests.resize(code.labels.len(), (NONE, NONE));
    tables.jumps.clear();
    tables.jumps.resize(code.labels.len(), 0);
    let mut linear = Linear {
        isa,
        func,
        code,
        live,
        allocation,
        tables,
        directives,
        spans,
        origins: origins.then(Vec::new),
        at: (0, NONE),
        span: Span::NONE,
        next_label: code.labels.len() as u32,
        top: allocation.frame,
        reachable: true,
        skip_to: 0,
        last_test: (NONE, NONE),
        loops: Vec::new(),
        reader: NONE,
    };
    linear.take_fixed();
    linear.thread_jumps();
    linear.walk();
    let (args, results) = (code.arg_words, code.result_words);
    let asm = FunctionAsm {
        func,
        labels: linear.next_label,
        frame: linear.top.max(args.max(results) + I::PRELUDE_WORDS),
        directives: linear.directives,
        spans: linear.spans,
        args,
        results,
    };
    (asm, linear.origins)
}

impl<'a, I: Isa> Linear<'a, I> {
    /// Finds labels that are followed by a jump only.
    fn thread_jumps(&mut self) {
        self.tables.goes_to.clear();
        self.tables.goes_to.extend(0..self.code.labels.len() as u32);
        for &label in &self.live.labels {
            let behind = self.next_node(self.code.labels[label as usize].node as usize);
            if let Some(What::Br(edge)) = behind.map(|n| self.code.nodes[n].what) {
                let to = self.code.edges[edge as usize].label;
                if to != RETURN && self.is_plain(edge) {
                    self.tables.goes_to[label as usize] = self.tables.goes_to[to as usize];
                }
            }
        }
    }

    fn walk(&mut self) {
        let (isa, func) = (self.isa, self.func);
        isa.emit_entry(&mut self.emitter(0), func);
        self.note();
        for i in 0..self.code.nodes.len() {
            let node = &self.code.nodes[i];
            if node.what == What::Nothing || i < self.skip_to || matches!(node.what, What::LoopEnd(_)) {
                self.release(i);
                if let What::LoopEnd(label) = node.what {
                    self.wake_inputs(label);
                    self.loops.pop();
                }
                continue;
            }
            if let What::Label(label) = node.what
                && self.tables.jumps[label as usize] > 0
            {
                self.reachable = true;
            }
            if let What::Loop { label, .. } = node.what {
                self.loops.push(label);
            }
            self.take_results(i);
            if self.reachable {
                self.span = node.span;
                self.at = (i as u32, NONE);
                self.emit(i);
                self.note();
            }
            if self.allocation.ending[i] != NONE {
                self.release(i);
                self.take_results(i);
            }
        }
    }

    /// Marks the registers of loop inputs that are read after the loop as occupied again at the label after it.
    fn wake_inputs(&mut self, label: u32) {
        let data = self.code.labels[label as usize];
        for v in data.inputs..data.inputs + data.inputs_len {
            if self.live.rests[v as usize] != NONE {
                self.mark(v, true);
            }
        }
    }

    /// Reserves the prelude and the slots.
    fn take_fixed(&mut self) {
        let prelude = self.own_frame().prelude().0;
        for r in prelude..prelude + I::PRELUDE_WORDS {
            self.tables.busy[r as usize / 64] |= 1 << (r % 64);
        }
        for &slot in &self.code.slots {
            self.mark(slot, true);
        }
    }

    /// Marks the result registers of a node as occupied.
    fn take_results(&mut self, i: usize) {
        let node = &self.code.nodes[i];
        for v in node.outs..node.outs + u32::from(node.outs_len) {
            self.mark(v, true);
        }
    }

    fn release(&mut self, i: usize) {
        let mut v = self.allocation.ending[i];
        while v != NONE {
            if !self.allocation.borrows(v) {
                self.mark(v, false);
            }
            v = self.allocation.next_ending[v as usize];
        }
    }

    #[inline]
    fn mark(&mut self, v: u32, busy: bool) {
        let reg = self.allocation.regs[v as usize];
        if reg != NONE {
            for r in reg..reg + self.code.values[v as usize].words {
                let bit = 1 << (r % 64);
                let word = &mut self.tables.busy[r as usize / 64];
                *word = if busy { *word | bit } else { *word & !bit };
            }
        }
    }

    /// Records the origin of the directives emitted since the last call.
    fn note(&mut self) {
        if let Some(origins) = &mut self.origins {
            origins.resize(self.directives.len(), self.at);
        }
    }

    /// An emitter with temporaries from register `from` on.
    fn emitter(&mut self, from: u32) -> Emitter<'_, I::Directive> {
        let ending = self.allocation.ending.get(self.reader as usize);
        let last_reads = ending.map_or(LastReads::NONE, |&first| LastReads {
            first,
            next: &self.allocation.next_ending,
            regs: &self.allocation.regs,
        });
        let result = self.code.nodes.get(self.reader as usize).map(|node| node.outs as usize);
        Emitter {
            only_number: result.and_then(|v| self.live.numbers.get(v)).copied().unwrap_or(false),
            last_reads,
            directives: &mut self.directives,
            spans: &mut self.spans,
            span: self.span,
            next_label: &mut self.next_label,
            temporaries: Temporaries { busy: &self.tables.busy, from, top: &mut self.top },
        }
    }

    fn emit(&mut self, i: usize) {
        let node = &self.code.nodes[i];
        match node.what {
            What::Nothing | What::LoopEnd(_) => {}
            What::Inputs => {}
            What::Label(label) => {
                if self.tables.jumps[label as usize] > 0 {
                    self.place(Label(label));
                }
            }
            What::Loop { label, edge } => {
                self.move_along(edge);
                self.place(Label(label));
                self.begin_loop(label);
                self.find_test(i, label);
                if self.tables.tests[label as usize].0 == NONE {
                    self.begin_iteration(label);
                }
            }
            What::Br(edge) => self.jump_along(i, edge),
            What::BrIf(_) | What::BrIfZero(_) | What::BrCompare { .. } => self.branch(i),
            What::BrTable { first, count } => self.table(i, first, count),
            What::Call(kind) => self.call(i, kind),
            What::TailCall(kind) => self.tail_call(i, kind),
            What::Operation => self.operation(i),
            What::Constant => {
                let ArgKind::Const(c) = self.code.args_of(node)[0].kind() else { return };
                self.constant(self.reg(node.outs), c);
            }
            What::SlotLoad => self.slot_load(i),
            What::SlotStore => self.slot_store(i),
            What::Unreachable(kind) => {
                let isa = self.isa;
                isa.emit_trap(&mut self.emitter(0), kind);
                self.reachable = false;
            }
        }
    }

    fn place(&mut self, label: Label) {
        let isa = self.isa;
        isa.emit_label(&mut self.emitter(0), label);
    }

    /// Emits what is done where a loop begins.
    fn begin_loop(&mut self, label: u32) {
        let (isa, head) = (self.isa, self.head_of(label));
        isa.emit_loop_head(&mut self.emitter(0), &head);
    }

    /// Emits what is done in each iteration of a loop.
    fn begin_iteration(&mut self, label: u32) {
        let (isa, head) = (self.isa, self.head_of(label));
        isa.emit_iteration(&mut self.emitter(0), &head);
    }

    fn head_of(&self, label: u32) -> LoopHead<'a> {
        let outermost = self.loops.first().copied().unwrap_or(label);
        LoopHead { func: self.func, outermost, label, code: self.code, live: self.live, regs: &self.allocation.regs }
    }

    fn reg(&self, v: u32) -> Reg {
        Reg(self.allocation.regs[v as usize])
    }

    /// Loads the words of a constant into registers.
    fn constant(&mut self, out: Reg, c: u32) {
        let isa = self.isa;
        for (j, bits) in words_of::<I>(self.code, c).into_iter().enumerate() {
            isa.emit_constant(&mut self.emitter(0), out.offset(j as u32), bits);
        }
    }

    /// The frame of the running function.
    fn own_frame(&self) -> Frame {
        Frame { base: Reg(0), args: self.code.arg_words, results: self.code.result_words }
    }

    fn operation(&mut self, i: usize) {
        let node = &self.code.nodes[i];
        let values = node.outs..node.outs + u32::from(node.outs_len);
        let (one, many): ([Reg; 1], smallvec::SmallVec<[Reg; 2]>);
        let outs: &[Reg] = match node.outs_len {
            0 => &[],
            1 => {
                one = [self.reg(node.outs)];
                &one
            }
            _ => {
                many = values.map(|v| self.reg(v)).collect();
                &many
            }
        };
        let (op, imm, operand, result) = (node.op, node.imm, node.operand, node.result);
        self.reader = i as u32;
        self.with_operands(self.code.args_of(node), |linear, args| {
            let isa = linear.isa;
            isa.emit_operation(&mut linear.emitter(0), &Operation { op, imm, operand, result, outs, args });
        });
        self.reader = NONE;
    }

    fn slot_load(&mut self, i: usize) {
        let node = &self.code.nodes[i];
        let (out, words) = (self.reg(node.outs), self.code.values[node.outs as usize].words);
        self.with_operands(self.code.args_of(node), |linear, args| {
            let Operand::Reg(slot) = args[0] else { return };
            let (isa, from) = (linear.isa, slot.offset(node.imm.0 as u32));
            match args.get(1) {
                Some(&index) => isa.emit_indexed_load(&mut linear.emitter(0), out, from, index, words),
                None => (0..words).for_each(|j| isa.emit_copy(&mut linear.emitter(0), out.offset(j), from.offset(j))),
            }
        });
    }

    fn slot_store(&mut self, i: usize) {
        let node = &self.code.nodes[i];
        let args = self.code.args_of(node);
        let (value, words) = (args[1], node.operand.words(I::WORD_BITS));
        self.with_operands(args, |linear, operands| {
            let Operand::Reg(slot) = operands[0] else { return };
            let (isa, to) = (linear.isa, slot.offset(node.imm.0 as u32));
            match (operands.get(2), operands[1], value.kind()) {
                (Some(&index), value, _) => isa.emit_indexed_store(&mut linear.emitter(0), to, index, value, words),
                (None, _, ArgKind::Const(c)) => linear.constant(to, c),
                (None, Operand::Reg(from), _) => {
                    (0..words).for_each(|j| isa.emit_copy(&mut linear.emitter(0), to.offset(j), from.offset(j)));
                }
                _ => {}
            }
        });
    }

    /// Number of words of an argument.
    fn words(&self, arg: crate::code::Arg) -> u32 {
        match arg.kind() {
            ArgKind::Value(v) => self.code.values[v as usize].words,
            _ => self.code.kind_of(arg).words(I::WORD_BITS),
        }
    }

    /// Whether a value has readers.
    fn is_needed(&self, v: u32) -> bool {
        self.live.uses[v as usize] > 0 && self.code.values[v as usize].kind != Kind::None
    }
}

/// A constant as words, the lowest first.
fn words_of<I: Isa>(code: &Code, c: u32) -> smallvec::SmallVec<[u64; 4]> {
    let kind = code.consts[c as usize].kind;
    let bits = code.bits(c);
    let mask = u64::MAX >> (64 - I::WORD_BITS);
    (0..kind.words(I::WORD_BITS)).map(|j| (bits >> (j * I::WORD_BITS)) as u64 & mask).collect()
}
