//! Constructs as labels, loops and edges.
//!
//! Nothing falls through in the list: every chain of blocks ends with an edge. The linear pass leaves out the jumps that
//! would go to the next directive.

use planish_ir::arena::Id;
use planish_ir::entity::{Block, Value};
use planish_ir::function::{Body, Exit};
use planish_ir::ops::Op;
use planish_target::structure::{Arm, Arms, If, Jump, Label, Loop, LoopIf, Only, StructuredWriter, Switch};
use smallvec::SmallVec;

use super::{Fallible, Lower};
use crate::code::{Arg, ArgKind, NONE, RETURN, What};
use crate::isa::Machine;

/// Writes the constructs of one function.
pub(super) struct Constructs<'l, 'm, 'b, I> {
    pub(super) lower: &'l mut Lower<'m, I>,
    pub(super) body: &'b Body,
}

impl<'b, I: Machine> StructuredWriter<'b> for Constructs<'_, '_, 'b, I> {
    type Error = Box<planish_ir::diagnostic::Diagnostic>;

    fn block(&mut self, block: Block) -> Fallible<bool> {
        self.lower.block(self.body, block)
    }

    fn begin_if(&mut self, branch: &If<'b>) -> Fallible<Arms> {
        self.lower.label_block(branch.merge);
        self.lower.branch(self.body, branch)
    }

    fn else_(&mut self, _: Block) -> Fallible<()> {
        let label = self.lower.room.else_labels.pop().expect("an arm was begun");
        self.lower.place_label(label, None, self.body);
        Ok(())
    }

    fn begin_loop(&mut self, l: &Loop<'b>) -> Fallible<()> {
        self.lower.label_block(l.merge);
        self.lower.begin_loop(self.body, l)
    }

    fn loop_if(&mut self, l: &Loop<'b>, test: &LoopIf<'b>) -> Fallible<()> {
        self.lower.loop_if(self.body, l, test)
    }

    fn end_body(&mut self, l: &Loop<'b>, _: bool) -> Fallible<bool> {
        l.next.map_or(Ok(false), |next| Ok(self.lower.place_block(next, self.body)))
    }

    fn end_loop(&mut self, l: &Loop<'b>) -> Fallible<()> {
        let label = self.lower.label_of(l.head);
        self.lower.room.code.labels[label as usize].end = self.lower.room.code.nodes.len() as u32;
        self.lower.new_node(What::LoopEnd(label), &[], &[]);
        Ok(())
    }

    fn begin_switch(&mut self, switch: &Switch<'b>, arms: &[Arm<'b>]) -> Fallible<()> {
        self.lower.label_block(switch.merge);
        self.lower.switch(self.body, switch, arms)
    }

    fn begin_case(&mut self, switch: &Switch<'b>, number: usize) -> Fallible<bool> {
        let label = self.lower.label_of(switch.cases[number].block);
        Ok(self.lower.place_label(label, None, self.body))
    }

    fn begin_labelled(&mut self, _: Block, merge: Block) -> Fallible<()> {
        self.lower.label_block(merge);
        Ok(())
    }

    fn merge(&mut self, _: Block, merge: Block, _: bool) -> Fallible<bool> {
        Ok(self.lower.place_block(merge, self.body))
    }

    fn jump(&mut self, jump: &Jump<'b>) -> Fallible<()> {
        let edge = self.lower.edge_of(self.body, jump)?;
        self.lower.new_node(What::Br(edge), &[], &[]);
        Ok(())
    }

    fn leave(&mut self, _: Block, exit: &'b Exit) -> Fallible<()> {
        let Exit::Return(args) = exit else { return self.lower.stop(exit) };
        let edge = self.lower.return_edge(self.body, args)?;
        self.lower.new_node(What::Br(edge), &[], &[]);
        Ok(())
    }
}

impl<I: Machine> Lower<'_, I> {
    /// Lowers variables and nodes of a block; `false` if it ends with a tail call.
    fn block(&mut self, body: &Body, block: Block) -> Fallible<bool> {
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
            self.tail(body, node)?;
            return Ok(false);
        }
        self.span = data.exit_span;
        Ok(true)
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

    /// The edge of a jump.
    pub(super) fn edge_of(&mut self, body: &Body, jump: &Jump<'_>) -> Fallible<u32> {
        self.edge_with(body, self.label_of(jump.block), jump.args)
    }

    fn return_edge(&mut self, body: &Body, args: &[Value]) -> Fallible<u32> {
        self.collect(body, args)?;
        self.collect_out_params()?;
        Ok(self.new_edge(RETURN))
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

    /// Gives a block to which edges will lead a label.
    pub(super) fn label_block(&mut self, block: Block) -> u32 {
        let label = self.new_label();
        self.room.block_labels[block.index()] = label;
        label
    }

    pub(super) fn label_of(&self, block: Block) -> u32 {
        self.room.block_labels[block.index()]
    }

    fn place_block(&mut self, block: Block, body: &Body) -> bool {
        self.place_label(self.label_of(block), Some(block), body)
    }

    /// The edge of an arm that does nothing but leave.
    pub(super) fn only_leaves(&mut self, body: &Body, arm: &Arm<'_>) -> Fallible<Option<u32>> {
        match arm.only {
            Some(Only::Jump(jump)) if !matches!(jump.label, Label::Case(_)) => self.edge_of(body, &jump).map(Some),
            Some(Only::Leave(Exit::Return(args))) => self.return_edge(body, args).map(Some),
            _ => Ok(None),
        }
    }

    /// `if`: an arm that only leaves is a conditional edge; the other one follows.
    fn branch(&mut self, body: &Body, branch: &If<'_>) -> Fallible<Arms> {
        let (condition, holds) = self.condition(branch.condition)?;
        let branch_if = |edge: u32, holds: bool| if holds { What::BrIf(edge) } else { What::BrIfZero(edge) };
        let [then, otherwise] = &branch.arms;
        for (arm, other, holds) in [(then, otherwise, holds), (otherwise, then, !holds)] {
            if let Some(edge) = self.only_leaves(body, arm)? {
                self.new_node(branch_if(edge, holds), &[condition], &[]);
                return Ok(Arms::rest(other.block));
            }
        }
        let label = self.new_label();
        self.room.scratch.clear();
        let edge = self.new_edge(label);
        self.new_node(branch_if(edge, !holds), &[condition], &[]);
        self.room.else_labels.push(label);
        Ok(Arms::both(branch))
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

    /// The loop's node; labels of its head and of what comes last in an iteration.
    fn begin_loop(&mut self, body: &Body, l: &Loop<'_>) -> Fallible<()> {
        let head = self.label_block(l.head);
        l.next.map(|next| self.label_block(next));
        let edge = self.edge_with(body, head, l.args)?;
        let mut kinds = std::mem::take(&mut self.room.kinds);
        kinds.clear();
        for &input in &body.blocks[l.head].inputs {
            let ty = body.local_type(input);
            self.need_value(ty)?;
            super::push_kinds(self.module, ty, &mut kinds);
        }
        let node = self.room.code.nodes.len() as u32;
        let inputs = self.new_node(What::Loop { label: head, edge }, &[], &kinds);
        let data = &mut self.room.code.labels[head as usize];
        (data.node, data.inputs, data.inputs_len) = (node, inputs, kinds.len() as u32);
        self.room.kinds = kinds;
        self.bind_inputs(body, l.head, inputs);
        Ok(())
    }

    /// The end of a loop's condition.
    fn loop_if(&mut self, body: &Body, l: &Loop<'_>, test: &LoopIf<'_>) -> Fallible<()> {
        let merge = self.label_of(l.merge);
        if l.tests_last {
            let (condition, holds) = self.condition(test.condition)?;
            let again = self.edge_with(body, self.label_of(l.head), test.body_args)?;
            if test.always() {
                self.new_node(What::Br(again), &[], &[]);
                return Ok(());
            }
            let what = if holds { What::BrIf(again) } else { What::BrIfZero(again) };
            self.new_node(what, &[condition], &[]);
            let leave = self.edge_with(body, merge, test.merge_args)?;
            self.new_node(What::Br(leave), &[], &[]);
            return Ok(());
        }
        if !test.always() {
            let (condition, holds) = self.condition(test.condition)?;
            let leave = self.edge_with(body, merge, test.merge_args)?;
            let what = if holds { What::BrIfZero(leave) } else { What::BrIf(leave) };
            self.new_node(what, &[condition], &[]);
        }
        for (&input, &value) in body.blocks[l.body].inputs.iter().zip(test.body_args) {
            self.room.map[input.index()] = self.arg(value)?;
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
