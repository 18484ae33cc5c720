//! Blocks, jumps and calls.
//!
//! A `block` or `if` that is a jump target becomes a `Labelled`, others are inlined into the enclosing block, and a
//! `loop` that is a jump target becomes a `Loop` whose condition always holds; `br` is `Break` or `Continue`,
//! `br_table` a `Switch` with a case for each target. The arguments of a merge block are compared when all of its edges
//! are known: values that are equal on all edges need no block input.

use planish_ir::builder::Request;
use planish_ir::decoration::Precision;
use planish_ir::entity::{Block, Func, Table, Type, Value};
use planish_ir::function::{Args, Case, Exit, TrapKind};
use planish_ir::ops::{Imm, Op};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wasmparser::{BlockType, BrTable, Operator};

use super::{Frame, FrameKind, Translator};
use crate::environment::Signature;
use crate::scan::Construct;

impl<'e> Translator<'e, '_> {
    pub(super) fn push_frame(
        &mut self,
        kind: FrameKind,
        construct: Construct,
        params: usize,
        label_types: &'e [Type],
        results: &'e [Type],
    ) -> &mut Frame<'e> {
        let frame = Frame {
            kind,
            construct,
            height: self.stack.len() - params,
            label_types,
            results,
            owner: None,
            merge: None,
            second: None,
            condition: None,
            mark: self.b.body().local_count() as u32,
            undo: self.undo.len(),
            edges: SmallVec::new(),
        };
        self.frames.push(frame);
        self.frames.last_mut().expect("just pushed")
    }

    /// The local variables in a range of the lists.
    fn listed(&self, (from, to): (u32, u32)) -> &'e [u32] {
        &self.liveness.lists[from as usize..to as usize]
    }

    pub(super) fn control(&mut self, op: &Operator<'_>) -> bool {
        match *op {
            Operator::Block { blockty } => self.block(blockty),
            Operator::Loop { blockty } => self.loop_(blockty),
            Operator::If { blockty } => self.if_(blockty),
            Operator::Else => self.second_arm(),
            Operator::End => self.end(),
            Operator::Br { relative_depth } => {
                self.jump(relative_depth);
                self.reachable = false;
            }
            Operator::BrIf { relative_depth } => self.jump_if(relative_depth),
            Operator::BrTable { ref targets } => self.jump_table(targets),
            Operator::Return => {
                self.jump(self.frames.len() as u32 - 1);
                self.reachable = false;
            }
            Operator::Unreachable => {
                self.b.exit(Exit::Trap(TrapKind::Unreachable));
                self.reachable = false;
            }
            Operator::Call { function_index } => self.call(Op::Call, function_index),
            Operator::ReturnCall { function_index } => {
                self.call(Op::TailCall, function_index);
                self.return_results();
            }
            Operator::CallIndirect { type_index, table_index } => {
                self.call_indirect(Op::CallIndirect, type_index, table_index);
            }
            Operator::ReturnCallIndirect { type_index, table_index } => {
                self.call_indirect(Op::TailCallIndirect, type_index, table_index);
                self.return_results();
            }
            _ => return false,
        }
        true
    }

    /// The next construct, as the scan numbered them.
    fn next_construct(&mut self) -> Construct {
        *self.constructs.next().expect("the scan knows every construct that can be reached")
    }

    fn block(&mut self, ty: BlockType) {
        let construct = self.next_construct();
        let (params, results) = self.env.block_type(ty);
        self.push_frame(FrameKind::Block, construct, params.len(), results, results);
        if construct.targeted {
            self.enter_labelled();
        }
    }

    /// Begins a block of the IR that the topmost frame's jumps leave.
    fn enter_labelled(&mut self) {
        let owner = self.b.block();
        let (body, merge) = self.b.labelled();
        let frame = self.frames.last_mut().expect("a construct is open");
        (frame.owner, frame.merge) = (Some(owner), Some(merge));
        self.b.switch_to(body);
    }

    fn loop_(&mut self, ty: BlockType) {
        let construct = self.next_construct();
        let (params, results) = self.env.block_type(ty);
        if !construct.targeted {
            self.push_frame(FrameKind::Loop, construct, params.len(), params, results);
            return;
        }
        let carried = self.listed(construct.carried);
        let mut first = self.top(params.len());
        first.extend(carried.iter().map(|&local| self.locals[local as usize]));
        self.arguments += first.len();
        let blocks = self.b.loop_(&first, false);
        let at = self.stack.len() - params.len();
        for (index, &ty) in params.iter().enumerate() {
            self.stack[at + index].value = self.b.add_input(blocks.condition, ty, Precision::None);
        }
        for (&local, &value) in carried.iter().zip(&first[params.len()..]) {
            let ty = self.b.type_of(value);
            let input = self.b.add_input(blocks.condition, ty, Precision::None);
            self.set_local(local, input);
        }
        self.b.switch_to(blocks.condition);
        let always = self.b.bool(true);
        self.b.loop_if(always);
        self.b.switch_to(blocks.body);
        // The condition's inputs are visible after the loop too.
        let frame = self.push_frame(FrameKind::Loop, construct, params.len(), params, results);
        (frame.owner, frame.merge) = (Some(blocks.owner), Some(blocks.merge));
        frame.condition = Some(blocks.condition);
    }

    fn if_(&mut self, ty: BlockType) {
        let construct = self.next_construct();
        let condition = self.pop_condition();
        let (params, results) = self.env.block_type(ty);
        let taken = self.stack[self.stack.len() - params.len()..].iter().copied().collect();
        self.push_frame(FrameKind::Then, construct, params.len(), results, results);
        if construct.targeted {
            self.enter_labelled();
        }
        let blocks = self.b.if_(condition);
        if construct.targeted {
            // Both arms leave by the label.
            self.b.exit_block(blocks.merge, Exit::Trap(TrapKind::Unreachable));
        }
        let frame = self.frames.last_mut().expect("just pushed");
        frame.second = Some((blocks.otherwise, taken));
        frame.merge = frame.merge.or(Some(blocks.merge));
        self.b.switch_to(blocks.then);
        self.ifs += 1;
    }

    fn second_arm(&mut self) {
        self.end_arm();
        self.begin_second_arm();
    }

    /// The end of an arm, if it can be reached.
    fn end_arm(&mut self) {
        if self.reachable {
            let frame = self.frames.last().expect("a construct is open");
            let exit = match frame.owner {
                Some(owner) => Exit::Break(owner, Args::new()),
                None => Exit::Merge(Args::new()),
            };
            self.leave(self.frames.len() - 1, exit);
        }
    }

    /// Begins the second arm of the topmost `if` with the operands of the first.
    fn begin_second_arm(&mut self) {
        let frame = self.frames.last_mut().expect("a construct is open");
        frame.kind = FrameKind::Else;
        let (second, taken) = frame.second.take().expect("an `if` has a second arm");
        self.stack.truncate(frame.height);
        self.stack.extend(taken);
        for (local, value) in self.undo.drain(frame.undo..).rev() {
            self.locals[local as usize] = value;
        }
        self.b.switch_to(second);
        self.reachable = true;
    }

    fn end(&mut self) {
        let frame = self.frames.last().expect("a construct is open");
        match frame.kind {
            FrameKind::Function => {
                if self.reachable {
                    self.return_results();
                }
                self.frames.pop();
                return;
            }
            FrameKind::Block | FrameKind::Loop if frame.merge.is_none() => {
                self.frames.pop();
                return;
            }
            FrameKind::Block => {
                if self.reachable {
                    self.leave(self.frames.len() - 1, Exit::Merge(Args::new()));
                }
            }
            FrameKind::Loop | FrameKind::Else => self.end_arm(),
            FrameKind::Then => {
                self.end_arm();
                self.begin_second_arm();
                self.end_arm();
            }
        }
        let frame = self.frames.pop().expect("a construct is open");
        if frame.kind == FrameKind::Else {
            self.ifs -= 1;
            if self.ifs == 0 {
                self.undo.clear();
            }
        }
        self.join(frame);
    }

    /// Ends the current block with a jump to a frame's merge block; [`Translator::join`] adds its arguments.
    fn leave(&mut self, frame: usize, exit: Exit) {
        let (results, live_after) = (self.frames[frame].results.len(), self.frames[frame].construct.live_after);
        let mut args: Args = self.top(results).into_iter().collect();
        args.extend(self.listed(live_after).iter().map(|&local| self.locals[local as usize]));
        self.arguments += args.len();
        let exit = match exit {
            Exit::Break(owner, _) => Exit::Break(owner, args),
            _ => Exit::Merge(args),
        };
        let block = self.b.block();
        self.b.exit(exit);
        self.frames[frame].edges.push(block);
    }

    /// Continues after a construct. A value that is equal on all edges and visible here is used directly; the others
    /// become inputs of the merge block.
    fn join(&mut self, frame: Frame<'_>) {
        let merge = frame.merge.expect("a construct of the IR");
        self.stack.truncate(frame.height);
        self.b.switch_to(merge);
        let Some((&first, others)) = frame.edges.split_first() else {
            self.b.exit(Exit::Trap(TrapKind::Unreachable));
            self.reachable = false;
            return;
        };
        let mut values: SmallVec<[Option<Value>; 8]> = SmallVec::new();
        for &value in self.arguments_of(first) {
            let visible = value.as_local().is_none_or(|local| local.as_u32() < frame.mark);
            values.push(visible.then_some(value));
        }
        for &other in others {
            for (value, &brought) in values.iter_mut().zip(self.arguments_of(other)) {
                *value = value.filter(|value| *value == brought);
            }
        }
        if values.iter().any(Option::is_some) {
            for &edge in &frame.edges {
                let mut index = 0;
                self.arguments_of_mut(edge).retain(|_| {
                    index += 1;
                    values[index - 1].is_none()
                });
            }
        }
        let locals = self.listed(frame.construct.live_after);
        let mut never = Args::new();
        for (index, value) in values.into_iter().enumerate() {
            let local = index.checked_sub(frame.results.len()).map(|index| locals[index]);
            let value = value.unwrap_or_else(|| {
                // A variable that is not live still needs a value of its type.
                let ty = local.map_or_else(|| frame.results[index], |l| self.b.type_of(self.locals[l as usize]));
                never.push(self.zero(ty));
                self.b.add_input(merge, ty, Precision::None)
            });
            match local {
                Some(local) => self.set_local(local, value),
                None => self.push(value),
            }
        }
        // A loop's condition, which always holds, is one more edge to the merge block.
        if let Some(condition) = frame.condition
            && let Exit::LoopIf { merge_args, .. } = &mut self.b.block_mut(condition).exit
        {
            *merge_args = never;
        }
        self.reachable = true;
    }

    fn arguments_of(&self, edge: Block) -> &[Value] {
        match &self.b.body().blocks[edge].exit {
            Exit::Break(_, args) | Exit::Merge(args) => args,
            _ => &[],
        }
    }

    fn arguments_of_mut(&mut self, edge: Block) -> &mut Args {
        match &mut self.b.block_mut(edge).exit {
            Exit::Break(_, args) | Exit::Merge(args) => args,
            other => unreachable!("an edge ends with a jump, not with {other:?}"),
        }
    }

    /// Ends the current block with a jump; the operands stay on the stack, for the fall-through edge of a `br_if`.
    fn jump(&mut self, depth: u32) {
        let index = self.frames.len() - 1 - depth as usize;
        let frame = &self.frames[index];
        match (frame.kind, frame.owner) {
            (FrameKind::Function, _) => {
                let values = self.top(frame.results.len());
                self.b.ret(&values);
            }
            (FrameKind::Loop, Some(owner)) => {
                let carried = frame.construct.carried;
                let mut values = self.top(frame.label_types.len());
                values.extend(self.listed(carried).iter().map(|&local| self.locals[local as usize]));
                self.arguments += values.len();
                self.b.continue_(owner, &values);
            }
            (_, owner) => {
                let owner = owner.expect("the scan knows what is jumped to");
                self.leave(index, Exit::Break(owner, Args::new()));
            }
        }
    }

    /// Number of arguments of a jump.
    fn label_arity(&self, depth: u32) -> usize {
        self.frames[self.frames.len() - 1 - depth as usize].label_types.len()
    }

    fn jump_if(&mut self, depth: u32) {
        let condition = self.pop_condition();
        // Converted before the branch, so that both edges share the result.
        self.top(self.label_arity(depth));
        let blocks = self.b.if_(condition);
        self.b.switch_to(blocks.then);
        self.jump(depth);
        self.b.exit_block(blocks.otherwise, Exit::Merge(Args::new()));
        self.b.switch_to(blocks.merge);
    }

    fn jump_table(&mut self, table: &BrTable<'_>) {
        let selector = self.pop();
        self.top(self.label_arity(table.default()));
        self.reachable = false;
        let mut cases: Vec<Case> = Vec::new();
        let mut depths: Vec<u32> = Vec::new();
        let mut by_depth: FxHashMap<u32, usize> = FxHashMap::default();
        for (index, depth) in table.targets().enumerate() {
            let depth = depth.expect("the scan has read it");
            if depth == table.default() {
                continue;
            }
            let value = self.b.module.consts.i32(index as i32);
            let case = *by_depth.entry(depth).or_insert_with(|| {
                depths.push(depth);
                cases.push(Case { values: SmallVec::new(), is_default: false, block: self.b.new_block() });
                cases.len() - 1
            });
            cases[case].values.push(value);
        }
        if cases.is_empty() {
            self.jump(table.default());
            return;
        }
        depths.push(table.default());
        cases.push(Case { values: SmallVec::new(), is_default: true, block: self.b.new_block() });
        let blocks: Vec<Block> = cases.iter().map(|case| case.block).collect();
        let merge = self.b.switch(selector, cases, &[]);
        self.b.exit_block(merge, Exit::Trap(TrapKind::Unreachable));
        for (block, depth) in blocks.into_iter().zip(depths) {
            self.b.switch_to(block);
            self.jump(depth);
        }
    }

    fn call(&mut self, op: Op, func: u32) {
        let signature = self.env.signature_of(func);
        let mut args = self.take(signature.params.len());
        args.insert(0, Func::from_u32(func).into());
        self.call_node(Request::new(op, &args), signature);
    }

    fn call_indirect(&mut self, op: Op, ty: u32, table: u32) {
        let signature = &self.env.signatures[ty as usize];
        let index = self.pop();
        let mut args = self.take(signature.params.len());
        args.insert(0, index);
        let imm = Imm::table_type(Table::from_u32(table), signature.ty);
        self.call_node(Request::new(op, &args).imm(imm), signature);
    }

    fn call_node(&mut self, request: Request<'_>, signature: &Signature) {
        let results = self.b.make_known(request, &signature.results);
        debug_assert_eq!(results.len(), signature.results.len(), "a call gives what its type says");
        results.into_iter().for_each(|value| self.push(value));
    }

    /// Leaves the function with the topmost operands.
    fn return_results(&mut self) {
        let values = self.take(self.frames[0].results.len());
        self.b.ret(&values);
        self.reachable = false;
    }
}
