//! Control flow under masks. A construct ends when every lane in it has left it; the lanes that went to its merge block
//! then continue there together.

use std::sync::Arc;

use planish_ir::entity::{Block, Value};
use planish_ir::function::{Exit, TrapKind};

use super::{Machine, blend, spread};
use crate::mask::Mask;
use crate::program::{Code, Program};
use crate::stop::Stop;

/// A construct with active lanes.
pub(super) struct Construct {
    /// The block that it ends, which identifies it.
    owner: Block,
    merge: Block,
    /// Lanes waiting in the merge block.
    merged: Mask,
    kind: Kind,
}

enum Kind {
    If {
        otherwise: Block,
        /// Lanes that have not executed it yet.
        pending: Mask,
    },
    Loop {
        condition: Block,
        body: Block,
        next: Option<Block>,
        phase: Phase,
        /// Lanes waiting for the next part of the iteration.
        continued: Mask,
    },
    Switch {
        /// The cases' blocks, and the lanes of each.
        cases: Vec<(Block, Mask)>,
        at: usize,
    },
    Labelled,
}

/// Part of an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Condition,
    Body,
    Next,
}

impl<'m> Machine<'m> {
    /// Runs until the outermost frame has returned.
    pub(super) fn run(&mut self) -> Result<(), Stop> {
        let mut program = Arc::clone(self.program());
        while let Some(frame) = self.frames.last() {
            let func = frame.func;
            if !Arc::ptr_eq(&program, self.program()) {
                program = Arc::clone(self.program());
            }
            let code = program.code[func.as_u32() as usize].as_ref().expect("only decoded functions are entered");
            if self.run_nodes(&program, code)? {
                self.steps += 1;
                if self.steps > self.limits.steps {
                    return Err(Stop::StepLimit);
                }
                self.charge();
                self.exit(&program, code)?;
            }
        }
        Ok(())
    }

    /// Runs the nodes of the block; returns false if a call began.
    fn run_nodes(&mut self, program: &Program<'m>, code: &Code) -> Result<bool, Stop> {
        let frame = self.frames.last_mut().expect("a frame runs");
        let (func, mut next) = (frame.func, frame.next);
        let end = code.blocks[frame.block.as_u32() as usize].insts.1 as usize;
        let body = program.body(func).expect("decoded functions have bodies");
        self.steps += (end - next) as u64;
        let is_watched = self.watch.is_some();
        while next < end {
            let inst = &code.insts[next];
            next += 1;
            self.frames.last_mut().expect("a frame runs").next = next;
            if is_watched {
                self.charge();
                self.note_call(body, code, inst);
            }
            if self.step(body, code, inst)? {
                self.steps -= (end - next) as u64;
                return Ok(false);
            }
            if is_watched {
                self.note_node(body, code, inst);
            }
        }
        Ok(true)
    }

    fn operand_column(&self, program: &Program<'m>, code: &Code, value: Value, c: usize) -> Vec<u64> {
        match program.exit_operand(code, value) {
            Ok(operand) => self.view().column(operand, c).to_vec(),
            Err(word) => vec![word],
        }
    }

    /// The running lanes in which a boolean is true.
    fn where_true(&mut self, program: &Program<'m>, code: &Code, condition: Value) -> Mask {
        let mask = match program.exit_operand(code, condition) {
            Ok(operand) => self.cx.active.select(self.view().column(operand, 0)),
            Err(_) => self.cx.active,
        };
        if self.watch.is_some() {
            self.note_condition(|lane| mask.has(lane));
        }
        mask
    }

    /// Assigns `args` to the inputs of a block, in the given lanes. All are read before any is written.
    fn pass_arguments(&mut self, program: &Program<'m>, code: &Code, block: Block, args: &[Value], mask: &Mask) {
        let func = self.frames.last().expect("a frame runs").func;
        let inputs = &program.block(func, block).inputs;
        if inputs.is_empty() {
            return;
        }
        let sizes = inputs.iter().map(|&input| code.slot(input).1 as usize);
        let moving = self.collect(program, code, args.iter().copied().zip(sizes));
        let full = mask.count() == self.n;
        let mut columns = moving.chunks(self.n);
        for &input in inputs.iter().take(args.len()) {
            let (at, size) = code.slot(input);
            for (c, column) in columns.by_ref().take(size as usize).enumerate() {
                let at = self.cx.regs + (at as usize + c) * self.n;
                blend(&mut self.regs[at..at + self.n], column, mask, full);
            }
        }
        self.moving = moving;
    }

    /// The columns of values, concatenated; the caller returns the buffer to `self.moving`.
    fn collect(
        &mut self,
        program: &Program<'m>,
        code: &Code,
        values: impl Iterator<Item = (Value, usize)>,
    ) -> Vec<u64> {
        let mut moving = std::mem::take(&mut self.moving);
        moving.clear();
        let view = self.view();
        for (value, size) in values {
            for c in 0..size {
                let at = moving.len();
                moving.resize(at + self.n, 0);
                match program.exit_operand(code, value) {
                    Ok(operand) => spread(&mut moving[at..], view.column(operand, c)),
                    Err(word) => moving[at..].fill(word),
                }
            }
        }
        moving
    }

    /// Writes the running lanes' results to the caller's frame.
    fn write_results(&mut self, program: &Program<'m>, code: &Code, values: &[Value]) {
        let size = |value| program.exit_operand(code, value).map_or(1, |o| o.size());
        let moving = self.collect(program, code, values.iter().map(|&v| (v, size(v))));
        let to = self.frames.last().expect("a frame runs").results;
        for (c, column) in moving.chunks(self.n).enumerate() {
            let at = to + c * self.n;
            blend(&mut self.regs[at..at + self.n], column, &self.cx.active, self.cx.full);
        }
        self.moving = moving;
    }

    fn push(&mut self, owner: Block, merge: Block, kind: Kind) {
        self.constructs.push(Construct { owner, merge, merged: Mask::NONE, kind });
    }

    /// Executes the exit of the running block.
    fn exit(&mut self, program: &Arc<Program<'m>>, code: &Code) -> Result<(), Stop> {
        let frame = self.frames.last().expect("a frame runs");
        let (func, owner) = (frame.func, frame.block);
        let active = self.cx.active;
        match &program.block(func, owner).exit {
            Exit::If { condition, then, otherwise, merge } => {
                let yes = self.where_true(program, code, *condition);
                let kind = Kind::If { otherwise: *otherwise, pending: active.without(&yes) };
                self.push(owner, *merge, kind);
                if !yes.is_empty() {
                    self.goto(code, *then, yes);
                    return Ok(());
                }
            }
            Exit::Loop { args, condition, body, next, merge } => {
                self.pass_arguments(program, code, *condition, args, &active);
                let (condition, body, next) = (*condition, *body, *next);
                let kind = Kind::Loop { condition, body, next, phase: Phase::Condition, continued: Mask::NONE };
                self.push(owner, *merge, kind);
                self.goto(code, condition, active);
                return Ok(());
            }
            Exit::DoLoop { args, body, condition, merge } => {
                self.pass_arguments(program, code, *body, args, &active);
                let (condition, body) = (*condition, *body);
                let kind = Kind::Loop { condition, body, next: None, phase: Phase::Body, continued: Mask::NONE };
                self.push(owner, *merge, kind);
                self.goto(code, body, active);
                return Ok(());
            }
            Exit::Switch { selector, cases, args, merge } => {
                let selector = self.operand_column(program, code, *selector, 0);
                let at = |lane: usize| if let [one] = *selector { one } else { selector[lane] };
                let mut rest = active;
                let mut masks = vec![Mask::NONE; cases.len()];
                for lane in active.lanes() {
                    let wanted = at(lane);
                    let matches = |c: &planish_ir::entity::Const| program.module.consts.as_bits(*c) == Some(wanted);
                    let case = cases.iter().position(|case| case.values.iter().any(matches));
                    if let Some(case) = case.or_else(|| cases.iter().position(|c| c.is_default)) {
                        masks[case].insert(lane);
                    }
                }
                for mask in &masks {
                    rest = rest.without(mask);
                }
                self.pass_arguments(program, code, *merge, args, &rest);
                let cases = cases.iter().map(|c| c.block).zip(masks).collect();
                self.push(owner, *merge, Kind::Switch { cases, at: 0 });
                self.constructs.last_mut().expect("just pushed").merged = rest;
            }
            Exit::Labelled { body, merge } => {
                self.push(owner, *merge, Kind::Labelled);
                self.goto(code, *body, active);
                return Ok(());
            }
            Exit::NextBlock { merge } => {
                self.goto(code, *merge, active);
                return Ok(());
            }
            Exit::Merge(args) => {
                let Some(top) = self.top_construct() else { return Err(self.malformed("a merge without a construct")) };
                let merge = self.constructs[top].merge;
                self.pass_arguments(program, code, merge, args, &active);
                let merged = self.constructs[top].merged.or(&active);
                self.constructs[top].merged = merged;
            }
            Exit::Break(label, args) => {
                let Some(at) = self.find(*label) else { return Err(self.malformed("a break out of nothing")) };
                self.pass_arguments(program, code, self.constructs[at].merge, args, &active);
                self.constructs[at].merged = self.constructs[at].merged.or(&active);
            }
            Exit::Continue(label, args) => self.continue_(program, code, *label, args)?,
            Exit::LoopIf { condition, body_args, merge_args } => {
                let yes = self.where_true(program, code, *condition);
                return self.loop_if(program, code, yes, body_args, merge_args);
            }
            Exit::Passthrough => self.pass_through()?,
            Exit::Return(values) => {
                if self.watch.is_some() {
                    self.note_return(program, code, values);
                }
                self.write_results(program, code, values);
                let frame = self.frames.last_mut().expect("a frame runs");
                frame.returned = frame.returned.or(&active);
            }
            Exit::Discard => {
                self.note_discard();
                self.helpers = self.helpers.or(&active);
                if self.lanes.without(&self.helpers).is_empty() {
                    self.frames.clear();
                    return Ok(());
                }
                self.fall_out(active);
            }
            Exit::Trap(kind) => self.trap(*kind, active)?,
            Exit::Open => return Err(self.malformed("a block without an end")),
        }
        self.advance(program)
    }

    fn malformed(&self, what: &str) -> Stop {
        Stop::unsupported(what, self.span())
    }

    /// Traps, unless only helper lanes are active.
    fn trap(&mut self, kind: TrapKind, active: Mask) -> Result<(), Stop> {
        if !active.without(&self.helpers).is_empty() {
            return Err(Stop::Trap { kind, span: self.span() });
        }
        self.fall_out(active);
        Ok(())
    }

    /// Discarded lanes, which continue as helpers for derivatives, leave the innermost construct.
    fn fall_out(&mut self, active: Mask) {
        match self.top_construct() {
            Some(top) => self.constructs[top].merged = self.constructs[top].merged.or(&active),
            None => {
                let frame = self.frames.last_mut().expect("a frame runs");
                frame.returned = frame.returned.or(&active);
            }
        }
    }

    /// The innermost construct of the top frame.
    fn top_construct(&self) -> Option<usize> {
        let base = self.frames.last()?.constructs;
        (self.constructs.len() > base).then(|| self.constructs.len() - 1)
    }

    /// The construct of the top frame with this label.
    fn find(&self, label: Block) -> Option<usize> {
        let base = self.frames.last()?.constructs;
        (base..self.constructs.len()).rev().find(|&i| self.constructs[i].owner == label)
    }

    fn continue_(&mut self, program: &Program<'m>, code: &Code, label: Block, args: &[Value]) -> Result<(), Stop> {
        let active = self.cx.active;
        let Some(at) = self.find(label) else { return Err(self.malformed("a continue of nothing")) };
        let target = match self.constructs[at].kind {
            Kind::Loop { condition, next, phase, .. } => match next {
                Some(next) if phase != Phase::Next => next,
                _ => condition,
            },
            _ => return Err(self.malformed("a continue of no loop")),
        };
        self.pass_arguments(program, code, target, args, &active);
        if let Kind::Loop { continued, .. } = &mut self.constructs[at].kind {
            *continued = continued.or(&active);
        }
        Ok(())
    }

    fn loop_if(
        &mut self,
        program: &Arc<Program<'m>>,
        code: &Code,
        yes: Mask,
        body_args: &[Value],
        merge_args: &[Value],
    ) -> Result<(), Stop> {
        let no = self.cx.active.without(&yes);
        let Some(top) = self.top_construct() else { return Err(self.malformed("a condition without a loop")) };
        let Kind::Loop { body, .. } = self.constructs[top].kind else {
            return Err(self.malformed("a condition without a loop"));
        };
        let merge = self.constructs[top].merge;
        if !no.is_empty() {
            self.pass_arguments(program, code, merge, merge_args, &no);
            self.constructs[top].merged = self.constructs[top].merged.or(&no);
        }
        // Helper lanes alone do not iterate: their loop might not end.
        if yes.without(&self.helpers).is_empty() {
            self.constructs[top].merged = self.constructs[top].merged.or(&yes);
            return self.advance(program);
        }
        self.pass_arguments(program, code, body, body_args, &yes);
        if let Kind::Loop { phase, .. } = &mut self.constructs[top].kind {
            *phase = Phase::Body;
        }
        self.goto(code, body, yes);
        Ok(())
    }

    fn pass_through(&mut self) -> Result<(), Stop> {
        let active = self.cx.active;
        let top = self.top_construct();
        match top.map(|top| &mut self.constructs[top]) {
            Some(Construct { kind: Kind::Switch { cases, at }, merged, .. }) => match cases.get_mut(*at) {
                Some((_, mask)) => *mask = mask.or(&active),
                None => *merged = merged.or(&active),
            },
            _ => return Err(self.malformed("a passthrough without a switch")),
        }
        Ok(())
    }

    /// Selects the next block when no lane is left in the running one.
    fn advance(&mut self, program: &Arc<Program<'m>>) -> Result<(), Stop> {
        // The program of a caller in another instance.
        let mut other: Option<Arc<Program<'m>>> = None;
        loop {
            let Some(frame) = self.frames.last() else { return Ok(()) };
            if self.constructs.len() == frame.constructs {
                if self.leave()? {
                    return Ok(());
                }
                other = Some(Arc::clone(self.program()));
                continue;
            }
            let program = other.as_ref().unwrap_or(program);
            let code = program.code[frame.func.as_u32() as usize].as_ref().expect("decoded");
            let helpers = self.helpers;
            let top = self.constructs.last_mut().expect("there is one");
            match &mut top.kind {
                Kind::If { otherwise, pending } if !pending.is_empty() => {
                    let mask = std::mem::replace(pending, Mask::NONE);
                    let block = *otherwise;
                    self.goto(code, block, mask);
                    return Ok(());
                }
                Kind::Loop { condition, next, phase, continued, .. } if !continued.is_empty() => {
                    let mask = std::mem::replace(continued, Mask::NONE);
                    let block = match (*phase, *next) {
                        (Phase::Body, Some(next)) => {
                            *phase = Phase::Next;
                            next
                        }
                        _ => {
                            *phase = Phase::Condition;
                            *condition
                        }
                    };
                    if mask.without(&helpers).is_empty() {
                        top.merged = top.merged.or(&mask);
                        continue;
                    }
                    self.goto(code, block, mask);
                    return Ok(());
                }
                Kind::Switch { cases, at } if *at < cases.len() => {
                    let (block, mask) = cases[*at];
                    *at += 1;
                    if !mask.is_empty() {
                        self.goto(code, block, mask);
                        return Ok(());
                    }
                }
                _ => {
                    let done = self.constructs.pop().expect("there is one");
                    if !done.merged.is_empty() {
                        self.goto(code, done.merge, done.merged);
                        return Ok(());
                    }
                }
            }
        }
    }
}
