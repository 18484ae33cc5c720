//! Constructs as labels, loops and edges.
//!
//! Nothing falls through in the list: every chain of blocks ends with an edge. The linear pass leaves out the jumps that
//! would go to the next directive.

use planish_ir::arena::Id;
use planish_ir::entity::{Block, Value};
use planish_ir::function::{Body, Exit};
use planish_ir::ops::Op;
use smallvec::SmallVec;

use super::{Fallible, Lower};
use crate::code::{Arg, ArgKind, NONE, RETURN, What};
use crate::isa::Isa;

/// The chain that a block belongs to: the block whose construct it is a part of, and which case of a switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    pub(super) owner: u32,
    pub(super) case: u32,
}

/// What is still to be lowered, the next thing last.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    /// A block that control falls into.
    Block(Block, Chain),
    /// A block without inputs, behind a label.
    Arm(u32, Block, Chain),
    /// A block to which edges lead, with inputs.
    Labelled(Block, Chain),
    /// The body of the `Loop` that ends the block `owner`.
    Body(Block, Chain),
    /// The continue block of the loop that ends `owner`, whose rounds begin with a label.
    Next(Block, Chain, u32),
    /// No edge leads back to the label any more.
    EndLoop(u32),
}

impl<I: Isa> Lower<'_, I> {
    pub(super) fn walk(&mut self, body: &Body) -> Fallible<()> {
        self.room.tasks.push(Task::Block(body.entry, Chain { owner: NONE, case: 0 }));
        while let Some(task) = self.room.tasks.pop() {
            match task {
                Task::Block(block, chain) => self.block(body, block, chain)?,
                Task::Arm(label, block, chain) => {
                    if self.place_label(label, None, body) {
                        self.block(body, block, chain)?;
                    }
                }
                Task::Labelled(block, chain) => {
                    if self.place_label(self.room.block_labels[block.index()], Some(block), body) {
                        self.block(body, block, chain)?;
                    }
                }
                Task::Body(block, chain) => {
                    // Its label is never an edge's; it says that the condition's end was reached.
                    if self.room.block_labels[block.index()] != NONE {
                        self.block(body, block, chain)?;
                    }
                }
                Task::Next(block, chain, head) => {
                    self.room.continue_labels[chain.owner as usize] = head;
                    if self.place_label(self.room.block_labels[block.index()], Some(block), body) {
                        self.block(body, block, chain)?;
                    }
                }
                Task::EndLoop(label) => {
                    self.room.code.labels[label as usize].end = self.room.code.nodes.len() as u32;
                    self.new_node(What::LoopEnd(label), &[], &[]);
                }
            }
        }
        Ok(())
    }

    fn block(&mut self, body: &Body, block: Block, chain: Chain) -> Fallible<()> {
        let data = &body.blocks[block];
        for &var in &data.variables {
            self.declare(var)?;
        }
        let tail = self.tail_call(body, block);
        let count = data.nodes.len() - usize::from(tail.is_some());
        for &node in &data.nodes[..count] {
            self.node(body, node)?;
        }
        if let Some(node) = tail {
            return self.tail(body, node);
        }
        self.span = data.exit_span;
        self.exit(body, block, chain)
    }

    fn exit(&mut self, body: &Body, block: Block, chain: Chain) -> Fallible<()> {
        let inside = Chain { owner: block.as_u32(), case: 0 };
        match &body.blocks[block].exit {
            Exit::If { condition, then, otherwise, merge } => {
                self.label_block(*merge);
                self.room.tasks.push(Task::Labelled(*merge, chain));
                self.branch(body, *condition, *then, *otherwise, inside)?;
            }
            Exit::Loop { args, condition, body: round, next, merge } => {
                self.label_block(*merge);
                let head = self.begin_loop(body, args, *condition)?;
                self.room.continue_labels[block.index()] = next.map_or(head, |next| self.label_block(next));
                self.room.tasks.extend([Task::Labelled(*merge, chain), Task::EndLoop(head)]);
                self.room.tasks.extend(next.map(|next| Task::Next(next, inside, head)));
                self.room.tasks.extend([Task::Body(*round, inside), Task::Block(*condition, inside)]);
            }
            Exit::DoLoop { args, body: round, condition, merge } => {
                self.label_block(*merge);
                let head = self.begin_loop(body, args, *round)?;
                self.room.block_labels[round.index()] = head;
                self.room.continue_labels[block.index()] = self.label_block(*condition);
                self.room.tasks.extend([Task::Labelled(*merge, chain), Task::EndLoop(head)]);
                self.room.tasks.extend([Task::Labelled(*condition, inside), Task::Block(*round, inside)]);
            }
            Exit::Switch { selector, cases, args, merge } => {
                self.label_block(*merge);
                self.room.tasks.push(Task::Labelled(*merge, chain));
                self.switch(body, block, *selector, cases, args, *merge)?;
            }
            Exit::Labelled { body: inner, merge } => {
                self.label_block(*merge);
                self.room.tasks.extend([Task::Labelled(*merge, chain), Task::Block(*inner, inside)]);
            }
            Exit::NextBlock { merge } => self.room.tasks.push(Task::Block(*merge, chain)),
            Exit::LoopIf { condition, body_args, merge_args } => {
                self.loop_if(body, chain, *condition, body_args, merge_args)?;
            }
            exit => match self.leaving(body, exit, chain)? {
                Some(edge) => {
                    self.new_node(What::Br(edge), &[], &[]);
                }
                None => self.stop(exit)?,
            },
        }
        Ok(())
    }

    /// An exit that leads nowhere.
    fn stop(&mut self, exit: &Exit) -> Fallible<()> {
        match exit {
            Exit::Trap(kind) => {
                self.new_node(What::Unreachable(*kind), &[], &[]);
                Ok(())
            }
            Exit::Discard => self.unsupported("a register machine has no fragments to discard"),
            _ => self.unsupported("this block does not end"),
        }
    }

    /// The edge of an exit that leaves its chain along one.
    fn leaving(&mut self, body: &Body, exit: &Exit, chain: Chain) -> Fallible<Option<u32>> {
        let (label, args) = match exit {
            Exit::Merge(args) => (self.merge_label(body, Block::from_u32(chain.owner)), args),
            Exit::Break(owner, args) => (self.merge_label(body, *owner), args),
            Exit::Continue(owner, args) => (self.room.continue_labels[owner.index()], args),
            Exit::Return(args) => (RETURN, args),
            Exit::Passthrough => {
                let Exit::Switch { cases, .. } = &body.blocks[Block::from_u32(chain.owner)].exit else {
                    return Ok(None);
                };
                let Some(next) = cases.get(chain.case as usize + 1) else { return Ok(None) };
                self.room.scratch.clear();
                return Ok(Some(self.new_edge(self.room.block_labels[next.block.index()])));
            }
            _ => return Ok(None),
        };
        self.collect(body, args)?;
        if label == RETURN {
            self.collect_out_params()?;
        }
        Ok(Some(self.new_edge(label)))
    }

    /// Behind the results stands what the parameters point to.
    fn collect_out_params(&mut self) -> Fallible<()> {
        for i in 0..self.room.out_params.len() {
            let (pointer, ty) = self.room.out_params[i];
            let value = self.load(pointer, ty)?;
            let mut scratch = std::mem::take(&mut self.room.scratch);
            self.push_parts(value, ty, &mut scratch);
            self.room.scratch = scratch;
        }
        Ok(())
    }

    /// An edge that brings the components of these values.
    pub(super) fn edge_with(&mut self, body: &Body, label: u32, args: &[Value]) -> Fallible<u32> {
        self.collect(body, args)?;
        Ok(self.new_edge(label))
    }

    /// The components of these values, in `scratch`.
    pub(super) fn collect(&mut self, body: &Body, args: &[Value]) -> Fallible<()> {
        self.room.scratch.clear();
        for &value in args {
            let arg = self.arg(value)?;
            if let ArgKind::Many(_) = arg.kind() {
                let mut ty = self.module.type_of(body, value);
                let mut arg = arg;
                if let super::Shape::Pointer = self.room.shapes.of(ty) {
                    // (Of a call: what it points to is the argument.)
                    ty = self.pointee(ty);
                    arg = self.load(arg, ty)?;
                }
                self.need_value(ty)?;
                let mut scratch = std::mem::take(&mut self.room.scratch);
                self.push_parts(arg, ty, &mut scratch);
                self.room.scratch = scratch;
            } else {
                self.room.scratch.push(arg);
            }
        }
        Ok(())
    }

    /// The label of a block to which edges will lead.
    pub(super) fn label_block(&mut self, block: Block) -> u32 {
        let label = self.new_label();
        self.room.block_labels[block.index()] = label;
        label
    }

    pub(super) fn merge_label(&self, body: &Body, owner: Block) -> u32 {
        let merge = body.blocks[owner].exit.merge_block().expect("only constructs are left");
        self.room.block_labels[merge.index()]
    }

    /// The edge of a block that does nothing but leave.
    pub(super) fn only_leaves(&mut self, body: &Body, block: Block, chain: Chain) -> Fallible<Option<u32>> {
        let data = &body.blocks[block];
        if !data.nodes.is_empty() || !data.variables.is_empty() {
            return Ok(None);
        }
        self.leaving(body, &data.exit, chain)
    }

    /// `if`: an arm that only leaves is a conditional edge; the other one follows.
    fn branch(&mut self, body: &Body, condition: Value, then: Block, otherwise: Block, inside: Chain) -> Fallible<()> {
        let (condition, holds) = self.condition(condition)?;
        let branch = |edge: u32, holds: bool| if holds { What::BrIf(edge) } else { What::BrIfZero(edge) };
        if let Some(edge) = self.only_leaves(body, then, inside)? {
            self.new_node(branch(edge, holds), &[condition], &[]);
            self.room.tasks.push(Task::Block(otherwise, inside));
        } else if let Some(edge) = self.only_leaves(body, otherwise, inside)? {
            self.new_node(branch(edge, !holds), &[condition], &[]);
            self.room.tasks.push(Task::Block(then, inside));
        } else {
            let label = self.new_label();
            self.room.scratch.clear();
            let edge = self.new_edge(label);
            self.new_node(branch(edge, !holds), &[condition], &[]);
            self.room.tasks.extend([Task::Arm(label, otherwise, inside), Task::Block(then, inside)]);
        }
        Ok(())
    }

    /// A condition without the negations around it, and whether it must hold.
    pub(super) fn condition(&mut self, value: Value) -> Fallible<(Arg, bool)> {
        let arg = self.arg(value)?;
        let (mut arg, mut holds) = (self.in_register(arg), true);
        while let Some(v) = arg.as_value() {
            let node = self.room.code.nodes[self.room.code.values[v as usize].node as usize];
            if node.what != What::Operation || node.op != Op::LogicalNot {
                break;
            }
            let inner = self.room.code.args[node.args as usize];
            if inner.as_value().is_none() {
                break;
            }
            (arg, holds) = (inner, !holds);
        }
        Ok((arg, holds))
    }

    /// The loop's node; the label of its head.
    fn begin_loop(&mut self, body: &Body, args: &[Value], first: Block) -> Fallible<u32> {
        let head = self.new_label();
        let edge = self.edge_with(body, head, args)?;
        let mut kinds = std::mem::take(&mut self.room.kinds);
        kinds.clear();
        for &input in &body.blocks[first].inputs {
            let ty = body.local_type(input);
            self.need_value(ty)?;
            super::push_kinds(self.module, ty, &mut kinds);
        }
        let node = self.room.code.nodes.len() as u32;
        let inputs = self.new_node(What::Loop { label: head, edge }, &[], &kinds);
        let data = &mut self.room.code.labels[head as usize];
        (data.node, data.inputs, data.inputs_len) = (node, inputs, kinds.len() as u32);
        self.room.kinds = kinds;
        self.bind_inputs(body, first, inputs);
        Ok(head)
    }

    /// The end of a loop's condition.
    fn loop_if(
        &mut self,
        body: &Body,
        chain: Chain,
        condition: Value,
        body_args: &[Value],
        merge_args: &[Value],
    ) -> Fallible<()> {
        let owner = Block::from_u32(chain.owner);
        let always = condition.as_const() == Some(planish_ir::entity::Const::TRUE);
        let merge = self.merge_label(body, owner);
        if let Exit::DoLoop { body: round, .. } = &body.blocks[owner].exit {
            let head = self.room.block_labels[round.index()];
            let (condition, holds) = self.condition(condition)?;
            let again = self.edge_with(body, head, body_args)?;
            if always {
                self.new_node(What::Br(again), &[], &[]);
                return Ok(());
            }
            let what = if holds { What::BrIf(again) } else { What::BrIfZero(again) };
            self.new_node(what, &[condition], &[]);
            let leave = self.edge_with(body, merge, merge_args)?;
            self.new_node(What::Br(leave), &[], &[]);
        } else if let Exit::Loop { body: round, .. } = &body.blocks[owner].exit {
            if !always {
                let (condition, holds) = self.condition(condition)?;
                let leave = self.edge_with(body, merge, merge_args)?;
                let what = if holds { What::BrIfZero(leave) } else { What::BrIf(leave) };
                self.new_node(what, &[condition], &[]);
            }
            for (&input, &value) in body.blocks[*round].inputs.iter().zip(body_args) {
                self.room.map[input.index()] = self.arg(value)?;
            }
            self.room.block_labels[round.index()] = 0;
        }
        Ok(())
    }

    /// Gives the inputs of a block the values from `first` on.
    pub(super) fn bind_inputs(&mut self, body: &Body, block: Block, mut first: u32) {
        for &input in &body.blocks[block].inputs {
            let ty = body.local_type(input);
            self.room.map[input.index()] = self.arg_of_values(first, ty);
            first += self.room.shapes.components(ty).unwrap_or(0);
        }
    }

    /// Puts a label here and names the inputs of its block; false if nothing leads here. All edges to it are known.
    fn place_label(&mut self, label: u32, block: Option<Block>, body: &Body) -> bool {
        let data = self.room.code.labels[label as usize];
        if data.edge_count == 0 {
            return false;
        }
        self.span = block.map_or(self.span, |block| body.blocks[block].exit_span);
        let inputs = block.map_or(&[][..], |block| &body.blocks[block].inputs);
        let mut alias: SmallVec<[Arg; 8]> = SmallVec::new();
        if !inputs.is_empty() {
            alias = self.equal_arguments(data.edges);
        }
        let last = self.room.code.nodes.len() as u32 - 1;
        if data.edge_count == 1 && self.room.code.nodes[last as usize].what == What::Br(data.edges) {
            // Control comes from the line above only.
            self.room.code.nodes[last as usize].what = What::Nothing;
            self.room.code.labels[label as usize].edge_count = 0;
        } else {
            let node = self.room.code.nodes.len() as u32;
            let mut kinds = std::mem::take(&mut self.room.kinds);
            kinds.clear();
            inputs.iter().for_each(|&input| super::push_kinds(self.module, body.local_type(input), &mut kinds));
            let mut fresh = alias.iter().map(|&alias| alias == Arg::NONE);
            kinds.retain(|_| fresh.next() == Some(true));
            let first = self.new_node(What::Label(label), &[], &kinds);
            let data = &mut self.room.code.labels[label as usize];
            (data.node, data.inputs, data.inputs_len) = (node, first, kinds.len() as u32);
            self.room.kinds = kinds;
            let fresh = alias.iter_mut().filter(|alias| **alias == Arg::NONE);
            fresh.zip(first..).for_each(|(alias, value)| *alias = Arg::value(value));
        }
        let mut at = 0;
        for &input in inputs {
            let n = self.room.shapes.components(body.local_type(input)).unwrap_or(0) as usize;
            let parts = &alias[at..at + n];
            self.room.map[input.index()] = match (self.room.shapes.of(body.local_type(input)), parts) {
                (super::Shape::One(_), &[one]) => one,
                _ => {
                    let start = self.room.many.len() as u32;
                    self.room.many.extend_from_slice(parts);
                    Arg::many(start)
                }
            };
            at += n;
        }
        true
    }

    /// For each argument of the edges to a label: what all of them bring, if that is one and the same; else
    /// [`Arg::NONE`]. Only such arguments stay with the edges.
    fn equal_arguments(&mut self, first: u32) -> SmallVec<[Arg; 8]> {
        let edge = self.room.code.edges[first as usize];
        let mut same: SmallVec<[Arg; 8]> = SmallVec::from_slice(self.room.code.edge_args(&edge));
        let mut at = edge.next;
        while at != NONE {
            let edge = self.room.code.edges[at as usize];
            for (same, &arg) in same.iter_mut().zip(self.room.code.edge_args(&edge)) {
                if *same != arg && !self.is_same_constant(*same, arg) {
                    *same = Arg::NONE;
                }
            }
            at = edge.next;
        }
        let kept = same.iter().filter(|same| **same == Arg::NONE).count() as u32;
        let mut at = first;
        while kept < same.len() as u32 && at != NONE {
            let edge = &mut self.room.code.edges[at as usize];
            let (start, next) = (edge.args as usize, edge.next);
            edge.args_len = kept;
            let mut to = start;
            for (i, same) in same.iter().enumerate() {
                if *same == Arg::NONE {
                    self.room.code.args[to] = self.room.code.args[start + i];
                    to += 1;
                }
            }
            at = next;
        }
        same
    }

    fn is_same_constant(&self, a: Arg, b: Arg) -> bool {
        match (a.kind(), b.kind()) {
            (ArgKind::Const(a), ArgKind::Const(b)) => {
                self.room.code.bits(a) == self.room.code.bits(b)
                    && self.room.code.consts[a as usize].kind == self.room.code.consts[b as usize].kind
            }
            _ => false,
        }
    }
}
