//! Control flow: from the IR's constructs to naga's `If`, `Loop` and `Switch`.
//!
//! naga's `Break` and `Continue` know the innermost construct only. A jump over several levels sets a flag, leaves the
//! innermost one, and behind each construct on the way the flag is asked and the way goes on.

use naga::{BinaryOperator as Bin, Expression, Literal, Statement, SwitchCase, SwitchValue, UnaryOperator};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Block, Const, Value};
use planish_ir::function::{Case, Exit, TrapKind};
use planish_ir::walk;

use crate::cases::{Group, falls_from_inside, falls_through, group_cases, push_cases};
use crate::function::{Ex, FunctionLowering, Val};
use crate::types::{Res, fail};

/// What a frame is in naga.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FrameKind {
    /// A `Loop`.
    Loop,
    /// A `Switch`, real or as a block that can be left.
    Switch,
}

/// Where a jump over several levels goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Jump {
    Leave(usize),
    Next(usize),
}

/// A naga construct that `Break` leaves.
#[derive(Debug)]
pub(crate) struct Frame {
    /// The block that the IR's construct ends; `None` for a wrapper of our own.
    owner: Option<Block>,
    kind: FrameKind,
    merge: Option<Block>,
    /// The block whose inputs a `Continue` feeds: the continue block, or the one that rounds begin with.
    next: Option<Block>,
    /// The block that rounds begin with.
    first: Option<Block>,
    in_next: bool,
    leave_flag: Option<Ex>,
    next_flag: Option<Ex>,
    /// Jumps that go through this frame.
    passing: Vec<Jump>,
    /// Whether something breaks to it.
    left: bool,
    /// For a switch with fall-through: the variable with the number of the case, and the case being written.
    falls: Option<(Ex, u32)>,
}

impl Frame {
    fn new(owner: Option<Block>, kind: FrameKind, merge: Option<Block>) -> Self {
        Frame {
            owner,
            kind,
            merge,
            next: None,
            first: None,
            in_next: false,
            leave_flag: None,
            next_flag: None,
            passing: vec![],
            left: false,
            falls: None,
        }
    }
}

/// How a chain of blocks ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// Its end is reached.
    Falls,
    /// All paths leave.
    Leaves,
    /// With the condition of a loop.
    Decides(Block),
}

impl FunctionLowering<'_, '_> {
    /// Lowers a block and what follows it by merges. `merge`: the block that `Merge` feeds.
    pub(crate) fn chain(&mut self, start: Block, merge: Option<Block>) -> Res<End> {
        let mut block = start;
        loop {
            let body = self.body;
            let data = &body.blocks[block];
            let in_loop = self.frames.iter().any(|f| f.kind == FrameKind::Loop);
            for &var in &data.variables {
                self.declare(var, in_loop)?;
            }
            for (i, &node) in data.nodes.iter().enumerate() {
                self.next_op = data.nodes.get(i + 1).map(|&n| body.node(n).op);
                self.node(node)?;
            }
            self.span = data.exit_span;
            let (reached, next) = match &data.exit {
                Exit::If { condition, then, otherwise, merge } => {
                    (self.if_(*condition, *then, *otherwise, *merge)?, *merge)
                }
                Exit::Loop { merge, .. } => (self.loop_(block)?, *merge),
                Exit::DoLoop { merge, .. } => (self.do_loop(block)?, *merge),
                Exit::Switch { selector, cases, args, merge } => {
                    (self.switch(block, *selector, cases, args, *merge)?, *merge)
                }
                Exit::Labelled { body, merge } => (self.labelled(block, *body, *merge)?, *merge),
                Exit::NextBlock { merge } => (true, *merge),
                leaving => return self.leave(leaving, block, merge),
            };
            if !reached {
                return Ok(End::Leaves);
            }
            self.take_inputs(next)?;
            block = next;
        }
    }

    fn leave(&mut self, exit: &Exit, block: Block, merge: Option<Block>) -> Res<End> {
        match exit {
            Exit::Merge(args) => {
                if let Some(merge) = merge {
                    self.feed(merge, args)?;
                }
                Ok(End::Falls)
            }
            Exit::LoopIf { .. } => Ok(End::Decides(block)),
            Exit::Break(owner, args) => self.break_(*owner, args),
            Exit::Continue(owner, args) => self.continue_(*owner, args),
            Exit::Passthrough => {
                let Some(target) = self.frames.iter().rposition(|f| f.falls.is_some()) else {
                    return fail(Code::E0699, self.span, "a switch without a next case");
                };
                let (pointer, case) = self.frames[target].falls.expect("found");
                let value = self.u32(case + 1);
                self.push(Statement::Store { pointer, value });
                if self.frames[target].owner.is_none() {
                    self.jump(Jump::Leave(target))?;
                    return Ok(End::Leaves);
                }
                Ok(End::Falls)
            }
            Exit::Return(values) => {
                self.return_(values)?;
                Ok(End::Leaves)
            }
            Exit::Discard => {
                self.push(Statement::Kill);
                Ok(End::Leaves)
            }
            Exit::Trap(TrapKind::Unreachable) | Exit::Open => {
                let value = match &self.fun.result {
                    Some(result) => {
                        let ty = result.ty;
                        Some(self.pre(Expression::ZeroValue(ty)))
                    }
                    None => None,
                };
                self.push(Statement::Return { value });
                Ok(End::Leaves)
            }
            Exit::Trap(kind) => {
                fail(Code::E0608, self.span, format!("{} has no traps ({})", self.cx.target(), kind.name()))
            }
            _ => fail(Code::E0699, self.span, "the exit does not leave"),
        }
    }

    fn return_(&mut self, values: &[Value]) -> Res<()> {
        let value = match (values, self.results) {
            ([], _) => None,
            ([value], None) => Some(self.expr(*value)?),
            (_, ty) => {
                let mut components = vec![];
                for &v in values {
                    components.push(self.expr(v)?);
                }
                let ty = ty.expect("a struct of several results");
                Some(self.add(Expression::Compose { ty, components }))
            }
        };
        self.push(Statement::Return { value });
        Ok(())
    }

    // If.

    fn if_(&mut self, condition: Value, then: Block, otherwise: Block, merge: Block) -> Res<bool> {
        if self.try_select(condition, then, otherwise, merge)? {
            return Ok(true);
        }
        let condition = self.expr(condition)?;
        let (accept, a) = self.nested(|s| s.chain(then, Some(merge)))?;
        let (reject, b) = self.nested(|s| s.chain(otherwise, Some(merge)))?;
        let (condition, accept, reject) = if accept.is_empty() && !reject.is_empty() {
            (self.unary(UnaryOperator::LogicalNot, condition), reject, accept)
        } else {
            (condition, accept, reject)
        };
        self.push(Statement::If { condition, accept, reject });
        Ok(a == End::Falls || b == End::Falls)
    }

    /// Arms with nothing in them that only choose a value are a `select`. What the IR computes in an arm is computed there:
    /// whether a branch is worth its cost, the schedule has decided.
    fn try_select(&mut self, condition: Value, then: Block, otherwise: Block, merge: Block) -> Res<bool> {
        let body = self.body;
        let inputs = &body.blocks[merge].inputs;
        let chosen = |b: Block| match &body.blocks[b].exit {
            Exit::Merge(args) if body.blocks[b].variables.is_empty() && body.blocks[b].nodes.is_empty() => Some(args),
            _ => None,
        };
        let (Some(a), Some(b)) = (chosen(then), chosen(otherwise)) else { return Ok(false) };
        let selectable = |l| self.cx.types.ir.vector_size(body.local_type(l)).is_some();
        if inputs.is_empty() || !inputs.iter().all(|&l| selectable(l)) {
            return Ok(false);
        }
        let test = self.expr(condition)?;
        for (i, &input) in inputs.iter().enumerate() {
            let (accept, reject) = (self.expr(a[i])?, self.expr(b[i])?);
            let value = self.select(test, accept, reject);
            self.define(input, Val::Expr(value))?;
            self.ready.insert(input);
        }
        Ok(true)
    }

    // Loops.

    /// Whether a chain may stand in `continuing`: nothing in it leaves for outside.
    fn fits_continuing(&self, start: Block) -> bool {
        let body = self.body;
        let inner: rustc_hash::FxHashSet<Block> = walk::events(body, start)
            .filter_map(|e| if let walk::Event::Enter { block, .. } = e { Some(block) } else { None })
            .collect();
        inner.iter().all(|&b| match &body.blocks[b].exit {
            Exit::Return(_) | Exit::Discard | Exit::Trap(_) => false,
            Exit::Break(owner, _) => inner.contains(owner),
            _ => true,
        })
    }

    fn decide(&mut self, end: End, invert: bool) -> Res<Option<(Ex, Block)>> {
        let End::Decides(block) = end else { return Ok(None) };
        let Exit::LoopIf { condition, .. } = &self.body.blocks[block].exit else {
            return fail(Code::E0699, self.span, "a loop without a condition");
        };
        let condition = self.expr(*condition)?;
        Ok(Some((if invert { self.unary(UnaryOperator::LogicalNot, condition) } else { condition }, block)))
    }

    fn is_true(&self, end: End) -> bool {
        let End::Decides(block) = end else { return false };
        matches!(&self.body.blocks[block].exit, Exit::LoopIf { condition, .. } if condition.as_const() == Some(Const::TRUE))
    }

    /// The condition of a round: leaves the loop if it does not hold.
    fn leave_unless(&mut self, end: End, body_inputs: Block, merge: Block) -> Res<()> {
        let End::Decides(block) = end else { return Ok(()) };
        let Exit::LoopIf { body_args, merge_args, .. } = &self.body.blocks[block].exit else { return Ok(()) };
        if !self.is_true(end) {
            let (condition, _) = self.decide(end, true)?.expect("decides");
            let (accept, ()) = self.nested(|s| {
                s.feed(merge, merge_args)?;
                s.push(Statement::Break);
                Ok(())
            })?;
            self.push(Statement::If { condition, accept, reject: naga::Block::new() });
        }
        self.feed(body_inputs, body_args)
    }

    fn loop_(&mut self, owner: Block) -> Res<bool> {
        let Exit::Loop { args, condition, body, next, merge } = &self.body.blocks[owner].exit else {
            return fail(Code::E0699, self.span, "not a loop");
        };
        let (condition, body, next, merge) = (*condition, *body, *next, *merge);
        self.feed(condition, args)?;
        let in_place = next.is_none_or(|n| self.fits_continuing(n));
        let first = if in_place { None } else { Some(self.first_round()) };
        let mut frame = Frame::new(Some(owner), FrameKind::Loop, Some(merge));
        frame.next = Some(next.unwrap_or(condition));
        frame.first = Some(condition);
        self.frames.push(frame);
        let mut endless = false;
        let (block, ()) = self.nested(|s| {
            if let (Some(first), Some(next)) = (first, next) {
                s.later_rounds(first, next)?;
            }
            s.take_inputs(condition)?;
            let end = s.chain(condition, None)?;
            endless = s.is_true(end) || end == End::Leaves;
            s.leave_unless(end, body, merge)?;
            s.take_inputs(body)?;
            if end != End::Leaves {
                let end = s.chain(body, None)?;
                s.trim_continue(end);
            }
            Ok(())
        })?;
        let continuing = match next {
            Some(next) if in_place => self.continuing(next)?.0,
            _ => naga::Block::new(),
        };
        let left = self.finish_loop(block, continuing, None)?;
        Ok(!endless || left)
    }

    fn do_loop(&mut self, owner: Block) -> Res<bool> {
        let Exit::DoLoop { args, body, condition, merge } = &self.body.blocks[owner].exit else {
            return fail(Code::E0699, self.span, "not a loop");
        };
        let (body, condition, merge) = (*body, *condition, *merge);
        self.feed(body, args)?;
        let in_place = self.fits_continuing(condition);
        let first = if in_place { None } else { Some(self.first_round()) };
        let mut frame = Frame::new(Some(owner), FrameKind::Loop, Some(merge));
        (frame.next, frame.first) = (Some(condition), Some(body));
        self.frames.push(frame);
        let mut endless = false;
        let (block, ()) = self.nested(|s| {
            if let Some(first) = first {
                let (accept, ()) = s.nested(|s| {
                    s.frames.last_mut().expect("the loop").in_next = true;
                    s.take_inputs(condition)?;
                    let end = s.chain(condition, None)?;
                    endless = s.is_true(end) || end == End::Leaves;
                    s.leave_unless(end, body, merge)?;
                    s.frames.last_mut().expect("the loop").in_next = false;
                    Ok(())
                })?;
                s.unless_first(first, accept);
            }
            s.take_inputs(body)?;
            let end = s.chain(body, None)?;
            s.trim_continue(end);
            Ok(())
        })?;
        let (mut continuing, mut break_if) = (naga::Block::new(), None);
        if in_place {
            let (block, end) = self.nested_in(2, |s| {
                s.frames.last_mut().expect("the loop").in_next = true;
                s.take_inputs(condition)?;
                let end = s.chain(condition, None)?;
                endless = s.is_true(end) || end == End::Leaves;
                if let End::Decides(b) = end
                    && let Exit::LoopIf { body_args, merge_args, .. } = &s.body.blocks[b].exit
                {
                    s.feed(merge, merge_args)?;
                    s.feed(body, body_args)?;
                }
                if !endless && let Some((leave, _)) = s.decide(end, true)? {
                    break_if = Some(leave);
                }
                Ok(end)
            })?;
            let _ = end;
            continuing = block;
        }
        let left = self.finish_loop(block, continuing, break_if)?;
        Ok(!endless || left)
    }

    /// A variable that is true in the first round; set before the loop.
    fn first_round(&mut self) -> Ex {
        let ty = self.cx.types.vector(naga::Scalar::BOOL, 1);
        let pointer = self.local(Some("first_round".into()), ty, None);
        let value = self.literal(Literal::Bool(true));
        self.push(Statement::Store { pointer, value });
        pointer
    }

    /// Runs the continue block at the beginning of all rounds but the first, where everything is allowed.
    fn later_rounds(&mut self, first: Ex, next: Block) -> Res<()> {
        let (accept, _) = self.continuing(next)?;
        self.unless_first(first, accept);
        Ok(())
    }

    fn unless_first(&mut self, first: Ex, accept: naga::Block) {
        let is_first = self.load_pointer(first);
        let condition = self.unary(UnaryOperator::LogicalNot, is_first);
        self.push(Statement::If { condition, accept, reject: naga::Block::new() });
        let value = self.literal(Literal::Bool(false));
        self.push(Statement::Store { pointer: first, value });
    }

    fn continuing(&mut self, next: Block) -> Res<(naga::Block, End)> {
        self.nested_in(2, |s| {
            s.frames.last_mut().expect("the loop").in_next = true;
            s.take_inputs(next)?;
            let end = s.chain(next, None)?;
            s.frames.last_mut().expect("the loop").in_next = false;
            Ok(end)
        })
    }

    fn finish_loop(&mut self, body: naga::Block, continuing: naga::Block, break_if: Option<Ex>) -> Res<bool> {
        self.push(Statement::Loop { body, continuing, break_if });
        self.finish_frame()
    }

    /// A `Continue` at the end of a loop's body says nothing.
    fn trim_continue(&mut self, end: End) {
        self.flush();
        let len = self.block.len();
        if end == End::Leaves && matches!(self.block.last(), Some(Statement::Continue)) {
            self.block.cull(len - 1..len);
        }
    }

    // Jumps.

    fn frame_of(&self, owner: Block) -> Option<usize> {
        self.frames.iter().rposition(|f| f.owner == Some(owner))
    }

    fn break_(&mut self, owner: Block, args: &[Value]) -> Res<End> {
        let Some(target) = self.frame_of(owner) else {
            return fail(Code::E0699, self.span, "a break to nowhere");
        };
        if let Some(merge) = self.frames[target].merge {
            self.feed(merge, args)?;
        }
        self.frames[target].left = true;
        self.jump(Jump::Leave(target))?;
        Ok(End::Leaves)
    }

    fn continue_(&mut self, owner: Block, args: &[Value]) -> Res<End> {
        let Some(target) = self.frame_of(owner) else {
            return fail(Code::E0699, self.span, "a continue to nowhere");
        };
        let frame = &self.frames[target];
        if frame.in_next {
            // The end of the continue block, or (of a loop that decides at its end) of the body.
            let first = frame.first;
            if let Some(first) = first {
                self.feed(first, args)?;
            }
            return Ok(End::Falls);
        }
        if let Some(next) = frame.next {
            self.feed(next, args)?;
        }
        self.jump(Jump::Next(target))?;
        Ok(End::Leaves)
    }

    fn flag(&mut self, jump: Jump) -> Ex {
        let known = match jump {
            Jump::Leave(t) => self.frames[t].leave_flag,
            Jump::Next(t) => self.frames[t].next_flag,
        };
        if let Some(known) = known {
            return known;
        }
        let ty = self.cx.types.vector(naga::Scalar::BOOL, 1);
        let name = if matches!(jump, Jump::Leave(_)) { "leave" } else { "go_on" };
        let made = self.local(Some(name.into()), ty, None);
        match jump {
            Jump::Leave(t) => self.frames[t].leave_flag = Some(made),
            Jump::Next(t) => self.frames[t].next_flag = Some(made),
        }
        made
    }

    /// The statement that does a jump at once, if there is one: from inside of frame number `from`.
    fn direct(&self, jump: Jump, from: usize) -> Option<Statement> {
        match jump {
            Jump::Leave(target) => (target == from).then_some(Statement::Break),
            Jump::Next(target) => {
                let between = &self.frames[target + 1..=from];
                between.iter().all(|f| f.kind == FrameKind::Switch).then_some(Statement::Continue)
            }
        }
    }

    fn jump(&mut self, jump: Jump) -> Res<()> {
        let top = self.frames.len() - 1;
        if let Some(statement) = self.direct(jump, top) {
            self.push(statement);
            return Ok(());
        }
        let pointer = self.flag(jump);
        let value = self.literal(Literal::Bool(true));
        self.push(Statement::Store { pointer, value });
        self.push(Statement::Break);
        if !self.frames[top].passing.contains(&jump) {
            self.frames[top].passing.push(jump);
        }
        Ok(())
    }

    /// Ends the innermost frame, behind its statement: jumps that go through it go on. Gives whether something left it
    /// for its merge block.
    fn finish_frame(&mut self) -> Res<bool> {
        let frame = self.frames.pop().expect("a frame");
        for jump in frame.passing {
            let top = self.frames.len() - 1;
            let pointer = self.flag(jump);
            let condition = self.load_pointer(pointer);
            let direct = self.direct(jump, top);
            let (accept, ()) = self.nested(|s| {
                match direct {
                    Some(statement) => {
                        let value = s.literal(Literal::Bool(false));
                        s.push(Statement::Store { pointer, value });
                        s.push(statement);
                    }
                    None => s.push(Statement::Break),
                }
                Ok(())
            })?;
            self.push(Statement::If { condition, accept, reject: naga::Block::new() });
            if self.direct(jump, top).is_none() && !self.frames[top].passing.contains(&jump) {
                self.frames[top].passing.push(jump);
            }
        }
        Ok(frame.left)
    }

    // Labelled blocks and switches.

    fn labelled(&mut self, owner: Block, body: Block, merge: Block) -> Res<bool> {
        let ir = self.body;
        let broken = walk::events(ir, body).any(|e| match e {
            walk::Event::Enter { block, .. } => matches!(ir.blocks[block].exit, Exit::Break(b, _) if b == owner),
            walk::Event::Leave { .. } => false,
        });
        if !broken {
            return Ok(self.chain(body, Some(merge))? == End::Falls);
        }
        self.frames.push(Frame::new(Some(owner), FrameKind::Switch, Some(merge)));
        let (block, end) = self.nested_in(2, |s| s.chain(body, Some(merge)))?;
        self.breakable(block);
        let left = self.finish_frame()?;
        Ok(left || end == End::Falls)
    }

    /// A block that `Break` leaves: a switch with one case.
    fn breakable(&mut self, body: naga::Block) {
        let selector = self.i32(0);
        let cases = vec![SwitchCase { value: SwitchValue::Default, body, fall_through: false }];
        self.push(Statement::Switch { selector, cases });
    }

    fn switch_values(&mut self, values: &[Const], selector: Value) -> Vec<SwitchValue> {
        let unsigned = self.type_of(selector) == planish_ir::entity::Type::U32;
        let consts = &self.cx.module.consts;
        let bits = values.iter().filter_map(|&c| consts.as_bits(c));
        bits.map(|b| if unsigned { SwitchValue::U32(b as u32) } else { SwitchValue::I32(b as u32 as i32) }).collect()
    }

    fn switch(&mut self, owner: Block, selector: Value, cases: &[Case], args: &[Value], merge: Block) -> Res<bool> {
        let groups = group_cases(self.body, cases);
        let scalar = self.shape(self.type_of(selector)).0;
        if scalar.bits() != 32 {
            return fail(Code::E0602, self.span, "a switch needs a 32-bit selector");
        }
        if groups.iter().any(|g| falls_through(self.body, g.block)) {
            return self.falling_switch(owner, selector, &groups, args, merge);
        }
        let test = self.expr(selector)?;
        self.frames.push(Frame::new(Some(owner), FrameKind::Switch, Some(merge)));
        let mut made = vec![];
        let mut reached = false;
        for group in &groups {
            let (mut body, end) = self.nested_in(2, |s| s.chain(group.block, Some(merge)))?;
            reached |= end == End::Falls;
            let len = body.len();
            if matches!(body.last(), Some(Statement::Break)) {
                body.cull(len - 1..len);
            }
            let values = self.switch_values(&group.values, selector);
            push_cases(&mut made, values, group.is_default, body);
        }
        if !groups.iter().any(|g| g.is_default) {
            let (body, ()) = self.nested(|s| s.feed(merge, args))?;
            push_cases(&mut made, vec![], true, body);
            reached = true;
        }
        self.push(Statement::Switch { selector: test, cases: made });
        let left = self.finish_frame()?;
        Ok(reached || left)
    }

    /// With fall-through, which WGSL does not have: a switch finds the number of the case, and the cases stand one after
    /// the other in a block that can be left, each under the test for its number.
    fn falling_switch(
        &mut self,
        owner: Block,
        selector: Value,
        groups: &[Group],
        args: &[Value],
        merge: Block,
    ) -> Res<bool> {
        let test = self.expr(selector)?;
        let ty = self.cx.types.vector(naga::Scalar::U32, 1);
        let number = self.local(Some("case_number".into()), ty, None);
        let mut made = vec![];
        for (i, group) in groups.iter().enumerate() {
            let value = self.u32(i as u32);
            let (body, ()) = self.nested(|s| {
                s.push(Statement::Store { pointer: number, value });
                Ok(())
            })?;
            let values = self.switch_values(&group.values, selector);
            push_cases(&mut made, values, group.is_default, body);
        }
        if !groups.iter().any(|g| g.is_default) {
            let value = self.u32(groups.len() as u32);
            let (body, ()) = self.nested(|s| {
                s.feed(merge, args)?;
                s.push(Statement::Store { pointer: number, value });
                Ok(())
            })?;
            push_cases(&mut made, vec![], true, body);
        }
        self.push(Statement::Switch { selector: test, cases: made });
        self.frames.push(Frame::new(Some(owner), FrameKind::Switch, Some(merge)));
        let (block, ()) = self.nested_in(2, |s| {
            for (i, group) in groups.iter().enumerate() {
                let now = s.load_pointer(number);
                let this = s.u32(i as u32);
                let condition = s.binary(Bin::Equal, now, this);
                let falls = Some((number, i as u32));
                let (accept, ()) = s.nested(|s| {
                    if !falls_from_inside(s.body, group.block) {
                        s.frames.last_mut().expect("the switch").falls = falls;
                        s.chain(group.block, Some(merge))?;
                        return Ok(());
                    }
                    // The rest of the case must not run: a block of its own that can be left.
                    s.frames.push(Frame { falls, ..Frame::new(None, FrameKind::Switch, None) });
                    let (block, _) = s.nested_in(2, |s| s.chain(group.block, Some(merge)))?;
                    s.breakable(block);
                    s.finish_frame()?;
                    Ok(())
                })?;
                s.push(Statement::If { condition, accept, reject: naga::Block::new() });
            }
            Ok(())
        })?;
        self.breakable(block);
        self.finish_frame()?;
        Ok(true)
    }
}
