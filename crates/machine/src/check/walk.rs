//! Symbolic execution: the nodes in order, and for each the events emitted for it.

use planish_ir::ops::Op;
use planish_ir::source::Span;
use smallvec::{SmallVec, smallvec};

use super::neutral::Event;
use super::state::{State, Symbol, last_mentions, word};
use crate::allocate::Allocation;
use crate::asm::FunctionAsm;
use crate::code::{Arg as NodeArg, ArgKind, Code, NONE, Node, RETURN, What};
use crate::isa::{Comparison, Label, Reg};
use crate::reference::{Arg, Directive, Nested, Target};

/// Source location and description of a finding.
pub(super) type Found = (Span, String);

pub(super) struct Checker<'a> {
    code: &'a Code,
    allocation: &'a Allocation,
    asm: &'a FunctionAsm<Event>,
    origins: &'a [(u32, u32)],
    word_bits: u32,
    /// State at each label, labels of the list first.
    labels: Vec<Option<State>>,
    /// For each value, the last node that mentions it: it is removed from the state after that.
    last: Vec<u32>,
    /// Current state; `None` if unreachable.
    here: Option<State>,
    changed: bool,
    problems: Vec<Found>,
    prelude_words: u32,
}

impl<'a> Checker<'a> {
    pub(super) fn new(
        code: &'a Code,
        allocation: &'a Allocation,
        asm: &'a FunctionAsm<Event>,
        origins: &'a [(u32, u32)],
        word_bits: u32,
    ) -> Self {
        let labels = vec![None; asm.labels as usize];
        Checker {
            code,
            allocation,
            asm,
            origins,
            word_bits,
            labels,
            last: last_mentions(code),
            here: None,
            changed: false,
            problems: vec![],
            prelude_words: 0,
        }
    }

    /// Iterates to a fixpoint; returns the findings of the last iteration.
    pub(super) fn run(mut self, prelude_words: u32) -> Vec<Found> {
        self.prelude_words = prelude_words;
        loop {
            self.changed = false;
            self.problems.clear();
            self.iteration();
            if !self.changed {
                return self.problems;
            }
        }
    }

    fn problem(&mut self, node: usize, what: impl Into<String>) {
        let Node { what: kind, op, span, .. } = self.code.nodes[node];
        self.problems.push((span, format!("node {node} ({kind:?} {}): {}", op.text(), what.into())));
    }

    fn begin(&self) -> State {
        let mut state = State::default();
        let inputs = &self.code.nodes[0];
        let mut reg = 0;
        for v in inputs.outs..inputs.outs + u32::from(inputs.outs_len) {
            for j in 0..self.code.values[v as usize].words {
                state.set(reg, smallvec![Symbol::Value(v, j)]);
                reg += 1;
            }
        }
        let prelude = self.asm.args.max(self.asm.results);
        for j in 0..self.prelude_words {
            state.set(prelude + j, smallvec![Symbol::Prelude(j)]);
        }
        for &slot in &self.code.slots {
            let first = self.allocation.regs[slot as usize];
            for j in 0..self.code.values[slot as usize].words {
                state.set(first + j, smallvec![Symbol::Slot(slot, j)]);
            }
        }
        state
    }

    fn iteration(&mut self) {
        self.here = Some(self.begin());
        let (mut at, mut skip) = (0, NONE);
        for i in 0..self.code.nodes.len() {
            let first = at;
            while self.origins.get(at).is_some_and(|&(node, _)| node == i as u32) {
                at += 1;
            }
            let node = self.code.nodes[i];
            if node.what == What::Nothing || i as u32 == skip {
                continue;
            }
            if let What::Label(label) = node.what {
                self.join_label(label);
            }
            if self.here.is_none() {
                continue;
            }
            if let Some((decider, true)) = self.here.as_ref().and_then(|here| here.decided)
                && decider != i as u32
            {
                self.problem(i, format!("control comes here, but node {decider} sends it along its edge"));
            }
            skip = self.node(i, first..at).unwrap_or(skip);
        }
        if at < self.origins.len() {
            self.problems.push((self.asm.spans.at(at), format!("directive {at} belongs to no node")));
        }
    }

    /// Control reaches a label with the given state.
    fn arrive(&mut self, label: u32, state: &State) {
        match &mut self.labels[label as usize] {
            Some(known) => self.changed |= known.meet(state),
            none => {
                let state = none.insert(state.clone());
                if let Some(label) = self.code.labels.get(label as usize) {
                    state.forget_unmentioned(&self.last, label.node);
                }
                self.changed = true;
            }
        }
    }

    /// At a label: the meet of fallthrough and jumps, starting from the state of the last iteration.
    fn join_label(&mut self, label: u32) {
        if let Some(here) = self.here.take() {
            self.arrive(label, &here);
        }
        self.here = self.labels[label as usize].clone();
    }

    /// Takes an edge to the label `to`, possibly through labels that are followed by a jump only.
    fn travel(&mut self, node: usize, edge: u32, to: u32, state: &State) {
        let (mut state, mut edge) = (state.clone(), edge);
        for _ in 0..=self.code.labels.len() {
            let data = self.code.edges[edge as usize];
            if data.label == RETURN {
                return self.problem(node, format!("goes to label {to}, not out of the function"));
            }
            state.along(self.code, &data, self.word_bits);
            if data.label == to {
                return self.arrive(to, &state);
            }
            let behind = self.next_node(self.code.labels[data.label as usize].node as usize);
            match behind.map(|n| self.code.nodes[n].what) {
                Some(What::Br(next)) => edge = next,
                _ => return self.problem(node, format!("goes to label {to}, not to {}", data.label)),
            }
        }
    }

    fn next_node(&self, mut i: usize) -> Option<usize> {
        loop {
            i += 1;
            match self.code.nodes.get(i)?.what {
                What::Nothing | What::LoopEnd(_) => {}
                _ => return Some(i),
            }
        }
    }

    /// Executes the events of a node. Returns the number of a node whose edge was handled here.
    fn node(&mut self, i: usize, events: std::ops::Range<usize>) -> Option<u32> {
        let node = self.code.nodes[i];
        let own = self.code.edges_of(node.what);
        let mut other = None;
        let mut relative = None;
        for e in events {
            let edge = self.origins[e].1;
            if edge != NONE && !own.contains(&edge) {
                other = self.next_node(i).filter(|&n| self.code.nodes[n].what == What::Br(edge));
                if other.is_none() {
                    self.problem(i, format!("takes edge {edge}, which is not its own"));
                }
            }
            match &self.asm.directives[e] {
                Event::Relative(index) => {
                    self.reads_index(i, *index);
                    relative = Some(0);
                }
                Event::Plain(Directive::Jump(to)) if relative.is_some() => {
                    let k = relative.unwrap_or(0);
                    relative = Some(k + 1);
                    self.table_entry(i, k, *to);
                    if let What::BrTable { count, .. } = node.what
                        && k + 2 == count
                    {
                        (relative, self.here) = (None, None);
                    }
                }
                Event::Plain(directive) => self.event(i, edge, directive),
            }
        }
        self.falls(i);
        other.map(|n| n as u32)
    }

    /// After the last event of a node: control that falls through takes the node's edge, if it must.
    fn falls(&mut self, i: usize) {
        let node = self.code.nodes[i];
        let Some(here) = &self.here else { return };
        let edge = match (node.what, here.decided) {
            // The test at the head of the loop was repeated here.
            (What::Br(_), Some((n, true))) if n != i as u32 => {
                self.code.edges_of(self.code.nodes[n as usize].what).start
            }
            (What::Br(edge), _) => edge,
            (What::Loop { label, .. }, _) => {
                // The edge from above was taken before the label's event.
                return if self.labels[label as usize].is_none() {
                    self.problem(i, "the loop has no label")
                };
            }
            (What::BrIf(edge) | What::BrIfZero(edge) | What::BrCompare { edge, .. }, Some((n, true)))
                if n == i as u32 =>
            {
                edge
            }
            (What::BrIf(_) | What::BrIfZero(_) | What::BrCompare { .. }, decided) => {
                if decided != Some((i as u32, false)) {
                    self.problem(i, "control falls through without a decision");
                }
                if let Some(here) = &mut self.here {
                    here.decided = None;
                }
                return;
            }
            (What::BrTable { .. } | What::TailCall(_) | What::Unreachable(_), _) => {
                return self.problem(i, "control falls through past the end");
            }
            _ => return,
        };
        let state = self.here.take().unwrap_or_default();
        // Past the jump of an exchanged branch, to the next label.
        let mut next = self.next_node(i);
        while let Some(n) = next
            && matches!(self.code.nodes[n].what, What::Br(_))
        {
            next = self.next_node(n);
        }
        match next.map(|n| self.code.nodes[n].what) {
            Some(What::Label(label)) => self.travel(i, edge, label, &state),
            _ => self.problem(i, "falls through to no label"),
        }
    }

    fn event(&mut self, i: usize, edge: u32, directive: &Directive) {
        let node = self.code.nodes[i];
        let Some(here) = &mut self.here else {
            if let Directive::Label(label) = directive {
                self.here = self.labels[label.0 as usize].clone();
            }
            return;
        };
        match directive {
            Directive::Label(label) => self.label(i, *label),
            Directive::Copy { out, from } => {
                let symbols = here.get(from.0);
                self.write(i, *out, symbols);
            }
            Directive::Constant { out, bits } => {
                self.write(i, *out, smallvec![Symbol::Const(*bits)]);
            }
            Directive::Jump(to) => {
                let state = self.here.take().unwrap_or_default();
                self.jump(i, edge, *to, &state);
            }
            Directive::JumpIf { .. } | Directive::JumpCompare { .. } => self.conditional(i, edge, directive),
            Directive::JumpTable { index, to } => {
                self.reads_index(i, *index);
                (0u32..).zip(to.iter()).for_each(|(k, &to)| self.table_entry(i, k, to));
                self.here = None;
            }
            Directive::Trap(kind) => {
                if node.what != What::Unreachable(*kind) {
                    self.problem(i, "traps");
                }
                self.here = None;
            }
            Directive::Op { op, outs, args, .. } => self.operation(i, *op, outs, args),
            Directive::IndexedLoad { out, base, index, words } => self.indexed_load(i, *out, *base, index, *words),
            Directive::IndexedStore { base, index, value, words } => {
                self.indexed_store(i, *base, index, value, *words);
            }
            Directive::Call { target, frame } => self.call(i, target, frame.base),
            Directive::TailCall { target, frame } => {
                self.passed(i, target, 0);
                self.has_prelude(i, frame.prelude().0);
                self.here = None;
            }
            Directive::Return => self.leave(i, edge),
        }
    }

    /// A label of the list (a loop's head), or one made by the linear pass.
    fn label(&mut self, i: usize, label: Label) {
        if let What::Loop { edge, .. } = self.code.nodes[i].what {
            let state = self.here.take().unwrap_or_default();
            self.travel(i, edge, label.0, &state);
            self.here = self.labels[label.0 as usize].clone();
        } else if label.0 as usize >= self.code.labels.len() {
            self.join_label(label.0);
        }
    }

    fn jump(&mut self, i: usize, edge: u32, to: Label, state: &State) {
        let what = self.code.nodes[i].what;
        if to.0 as usize >= self.code.labels.len() {
            return self.arrive(to.0, state);
        }
        if let (What::Br(_), Some((n, true))) = (what, state.decided)
            && n != i as u32
        {
            let edge = self.code.edges_of(self.code.nodes[n as usize].what).start;
            return self.travel(i, edge, to.0, state);
        }
        let decided = state.decided == Some((i as u32, true));
        let conditional = matches!(what, What::BrIf(_) | What::BrIfZero(_) | What::BrCompare { .. });
        if conditional && self.code.edges_of(what).contains(&edge) != decided {
            self.problem(i, "jumps along an edge under the wrong condition");
        }
        if edge == NONE {
            return self.problem(i, "jumps along no edge");
        }
        self.travel(i, edge, to.0, state);
    }

    fn table_entry(&mut self, i: usize, k: u32, to: Label) {
        let What::BrTable { first, count } = self.code.nodes[i].what else {
            return self.problem(i, "jumps by a table");
        };
        let Some(state) = self.here.clone() else { return };
        if k >= count {
            self.problem(i, "the table is too long");
        } else if to.0 as usize >= self.code.labels.len() {
            // Its own code determines the edge.
            self.arrive(to.0, &state);
        } else {
            self.travel(i, first + k, to.0, &state);
        }
    }

    fn reads_index(&mut self, i: usize, index: Reg) {
        let node = self.code.nodes[i];
        let arg = self.code.args_of(&node)[0];
        self.reads(i, arg, &Arg::Reg(index));
    }

    /// Recursion: once: the test at the head of a loop is no `Br`.
    fn conditional(&mut self, i: usize, edge: u32, directive: &Directive) {
        let node = self.code.nodes[i];
        if let What::Br(edge) = node.what {
            return self.test_again(i, edge, directive);
        }
        let args: SmallVec<[NodeArg; 2]> = self.code.args_of(&node).into();
        // Implication of a taken jump for the node's condition.
        let (taken, to) = match (directive, node.what) {
            (Directive::JumpIf { condition, nonzero, to }, What::BrIf(_) | What::BrIfZero(_)) => {
                self.reads(i, args[0], condition);
                (*nonzero == matches!(node.what, What::BrIf(_)), *to)
            }
            (Directive::JumpCompare { comparison, args: operands, to }, What::BrCompare { negated, .. }) => {
                self.reads(i, args[0], &operands[0]);
                self.reads(i, args[1], &operands[1]);
                let own = Comparison { op: node.op, kind: node.operand, negated };
                if *comparison != own && *comparison != own.inverse() {
                    self.problem(i, "compares otherwise");
                }
                (*comparison == own, *to)
            }
            // The bounds check of a table.
            (Directive::JumpIf { to, .. } | Directive::JumpCompare { to, .. }, What::BrTable { .. }) => {
                if let Some(state) = self.here.clone() {
                    self.arrive(to.0, &state);
                }
                return;
            }
            _ => return self.problem(i, "jumps on a condition that it has not"),
        };
        let Some(mut state) = self.here.clone() else { return };
        state.decided = Some((i as u32, taken));
        self.jump(i, edge, to, &state);
        if let Some(here) = &mut self.here {
            here.decided = Some((i as u32, !taken));
        }
    }

    /// At the end of an iteration the test at the loop's head may be repeated: the registers are as they are there.
    fn test_again(&mut self, i: usize, edge: u32, directive: &Directive) {
        let data = self.code.edges[edge as usize];
        let Some(here) = &mut self.here else { return };
        if data.label == RETURN {
            return self.problem(i, "tests something at an exit");
        }
        let head = self.code.labels[data.label as usize].node as usize;
        if !matches!(self.code.nodes[head].what, What::Loop { .. }) {
            return self.problem(i, "tests something where no iteration ends");
        }
        here.along(self.code, &data, self.word_bits);
        match self.next_node(head) {
            Some(h) if !matches!(self.code.nodes[h].what, What::Br(_)) => self.conditional(h, NONE, directive),
            _ => self.problem(i, "tests something though the loop does not"),
        }
    }

    /// Writes a word: only certain nodes may write slots and the prelude.
    fn write(&mut self, i: usize, out: Reg, mut symbols: SmallVec<[Symbol; 2]>) {
        let node = self.code.nodes[i];
        let Some(here) = &mut self.here else { return };
        symbols.retain(|symbol| !matches!(symbol, Symbol::Slot(..)));
        match node.what {
            What::SlotStore => {
                let (slot, value) = (self.code.args_of(&node)[0], self.code.args_of(&node)[1]);
                let first = node.imm.0 as u32;
                let slot = slot.as_value().unwrap_or(NONE);
                let j = (0..8).find(|j| here.holds(out.0, Symbol::Slot(slot, first + j)));
                let Some(j) = j else { return self.problem(i, format!("{out} is not the slot")) };
                let want = match value.kind() {
                    ArgKind::Value(v) => Symbol::Value(v, j),
                    ArgKind::Const(c) => Symbol::Const(word(self.code, c, j, self.word_bits)),
                    _ => return,
                };
                if !symbols.contains(&want) {
                    return self.problem(i, format!("stores {symbols:?}, not {want:?}"));
                }
                here.set(out.0, smallvec![Symbol::Slot(slot, first + j)]);
            }
            What::SlotLoad => {
                // Words are copied in order; which one is determined by the source, before the copy.
                let first = self.allocation.regs[node.outs as usize];
                symbols.push(Symbol::Value(node.outs, out.0 - first));
                here.set(out.0, symbols);
            }
            What::Constant => {
                let first = self.allocation.regs[node.outs as usize];
                let ArgKind::Const(c) = self.code.args_of(&node)[0].kind() else { return };
                let want = Symbol::Const(word(self.code, c, out.0 - first, self.word_bits));
                if !symbols.contains(&want) {
                    self.problem(i, format!("{symbols:?} is not the constant"));
                } else {
                    symbols.push(Symbol::Value(node.outs, out.0 - first));
                    here.set(out.0, symbols);
                }
            }
            _ => here.set(out.0, symbols),
        }
    }

    /// Checks that an operand is the argument of the node.
    /// Recursion: once: nested operations have no nested operands (`fuse::absorb`).
    fn reads(&mut self, i: usize, want: NodeArg, have: &Arg) {
        let Some(here) = &self.here else { return };
        let right = match (want.kind(), have) {
            (ArgKind::Value(v), Arg::Reg(r)) => {
                (0..self.code.values[v as usize].words).all(|j| here.holds(r.0 + j, Symbol::Value(v, j)))
            }
            (ArgKind::Const(c), Arg::Const(bits)) => self.code.bits(c) == u128::from(*bits),
            (ArgKind::Const(c), Arg::Wide(bits)) => self.code.bits(c) == *bits,
            (ArgKind::Nested(n), Arg::Nested(inner)) => {
                let Nested { op, imm, operand, result, args } = &**inner;
                let node = self.code.nodes[n as usize];
                let same = (node.op, node.imm, node.operand, node.result) == (*op, *imm, *operand, *result);
                let inner: SmallVec<[NodeArg; 2]> = self.code.args_of(&node).into();
                inner.iter().zip(args).for_each(|(&want, have)| self.reads(i, want, have));
                same && inner.len() == args.len()
            }
            _ => false,
        };
        if !right {
            let known = match (have, &self.here) {
                (Arg::Reg(r), Some(here)) => format!("{:?}", here.get(r.0)),
                _ => String::new(),
            };
            self.problem(i, format!("reads {have:?}, which is {known}, not {want:?}"));
        }
    }

    fn operation(&mut self, i: usize, op: Op, outs: &[Reg], args: &[Arg]) {
        let node = self.code.nodes[i];
        if let What::BrTable { .. } = node.what {
            // The bounds check, in temporaries.
            outs.iter().for_each(|&out| self.write(i, out, SmallVec::new()));
            return;
        }
        let wants: SmallVec<[NodeArg; 4]> = self.code.args_of(&node).into();
        if node.what != What::Operation || node.op != op || wants.len() != args.len() {
            return self.problem(i, format!("does `{}`", op.text()));
        }
        wants.iter().zip(args).for_each(|(&want, have)| self.reads(i, want, have));
        for (v, out) in (node.outs..).zip(outs) {
            for j in 0..self.code.values[v as usize].words {
                self.write(i, out.offset(j), smallvec![Symbol::Value(v, j)]);
            }
        }
    }

    fn indexed_load(&mut self, i: usize, out: Reg, base: Reg, index: &Arg, words: u32) {
        let node = self.code.nodes[i];
        let (slot, want) = (self.code.args_of(&node)[0], self.code.args_of(&node)[1]);
        self.reads(i, want, index);
        self.is_slot(i, slot, node.imm.0 as u32, base);
        for j in 0..words {
            if let Some(here) = &mut self.here {
                here.set(out.0 + j, smallvec![Symbol::Value(node.outs, j)]);
            }
        }
    }

    fn indexed_store(&mut self, i: usize, base: Reg, index: &Arg, value: &Arg, _words: u32) {
        let node = self.code.nodes[i];
        let args: SmallVec<[NodeArg; 3]> = self.code.args_of(&node).into();
        self.reads(i, args[1], value);
        self.reads(i, args[2], index);
        self.is_slot(i, args[0], node.imm.0 as u32, base);
    }

    fn is_slot(&mut self, i: usize, slot: NodeArg, word: u32, base: Reg) {
        let slot = slot.as_value().unwrap_or(NONE);
        if !self.here.as_ref().is_some_and(|here| here.holds(base.0, Symbol::Slot(slot, word))) {
            self.problem(i, format!("{base} is not the slot"));
        }
    }

    /// Checks arguments and callee.
    fn passed(&mut self, i: usize, target: &Target, base: u32) {
        let node = self.code.nodes[i];
        let mut args: SmallVec<[NodeArg; 8]> = self.code.args_of(&node).into();
        match target {
            Target::Value(have) | Target::Table { index: have, .. } => match args.pop() {
                Some(want) => self.reads(i, want, have),
                None => self.problem(i, "has nothing to call"),
            },
            Target::Func(func) | Target::Import(func) => {
                if node.imm.0 != u64::from(func.as_u32()) {
                    self.problem(i, format!("calls {func}"));
                }
            }
        }
        let mut reg = base;
        for arg in args {
            reg = self.in_place(i, arg, reg);
        }
    }

    /// Checks that a value is in a register; returns the register after it.
    fn in_place(&mut self, i: usize, arg: NodeArg, reg: u32) -> u32 {
        let words = match arg.kind() {
            ArgKind::Value(v) => self.code.values[v as usize].words,
            _ => self.code.kind_of(arg).words(self.word_bits),
        };
        for j in 0..words {
            let want = match arg.kind() {
                ArgKind::Value(v) => Symbol::Value(v, j),
                ArgKind::Const(c) => Symbol::Const(word(self.code, c, j, self.word_bits)),
                _ => continue,
            };
            let here = self.here.get_or_insert_default();
            if !here.holds(reg + j, want) {
                let known = here.get(reg + j);
                self.problem(i, format!("r{} holds {known:?}, not {want:?}", reg + j));
            }
        }
        reg + words
    }

    fn call(&mut self, i: usize, target: &Target, base: Reg) {
        self.passed(i, target, base.0);
        let node = self.code.nodes[i];
        let Some(here) = &mut self.here else { return };
        here.forget_from(base.0);
        let mut reg = base.0;
        for v in node.outs..node.outs + u32::from(node.outs_len) {
            for j in 0..self.code.values[v as usize].words {
                here.add(reg, Symbol::Value(v, j));
                reg += 1;
            }
        }
    }

    fn leave(&mut self, i: usize, edge: u32) {
        let what = self.code.nodes[i].what;
        let conditional = matches!(what, What::BrIf(_) | What::BrIfZero(_) | What::BrCompare { .. });
        let decided = self.here.as_ref().is_some_and(|here| here.decided == Some((i as u32, true)));
        if edge == NONE || self.code.edges[edge as usize].label != RETURN {
            return self.problem(i, "returns");
        }
        if conditional && self.code.edges_of(what).contains(&edge) != decided {
            self.problem(i, "returns under the wrong condition");
        }
        let data = self.code.edges[edge as usize];
        let args: SmallVec<[NodeArg; 4]> = self.code.edge_args(&data).into();
        let mut reg = 0;
        for arg in args {
            reg = self.in_place(i, arg, reg);
        }
        self.has_prelude(i, self.asm.args.max(self.asm.results));
        self.here = None;
    }

    fn has_prelude(&mut self, i: usize, at: u32) {
        for j in 0..self.prelude_words {
            if !self.here.as_ref().is_some_and(|here| here.holds(at + j, Symbol::Prelude(j))) {
                self.problem(i, format!("r{} is not word {j} of the prelude", at + j));
            }
        }
    }
}
