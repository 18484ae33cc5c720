//! Constructs: how `If`, `Loop`, `DoLoop`, `Switch` and `Labelled` become statements and expressions again.

mod loops;
mod switches;

use planish_ir::arena::Id;
use planish_ir::entity::{Block, Const, Local, Type, Value};
use planish_ir::function::{Case, Exit};
use planish_ir::types::TypeKind;

use crate::effects::Effects;
use crate::function::{Frame, Lower, Slot};
use crate::ops::plain_decl;
use crate::tree::{Decl, Expr, ExprKind, Infix, Stmt, SwitchCase, Symbol};

/// How a frame ended.
#[derive(Default)]
pub(crate) enum Ending {
    /// It has not.
    #[default]
    Open,
    /// By handing values to the merge block.
    Merge(Vec<Expr>, Effects),
    /// Nothing comes after it.
    Leaves,
    /// A loop's condition.
    LoopIf { condition: Expr, body_args: Vec<Expr>, merge_args: Vec<Expr> },
    /// A case that goes to the end of its switch.
    CaseBreak,
    /// A case that goes to the next one.
    Passthrough,
}

/// What `break` and `continue` may mean where they stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BreakableKind {
    Loop,
    Switch,
    /// A loop of one round, which stands for a labelled block.
    Once,
}

/// A construct of the output that a `break` leaves.
pub(crate) struct Breakable {
    pub(crate) owner: Block,
    pub(crate) kind: BreakableKind,
    /// The frame whose end is the end of a round.
    pub(crate) frame: usize,
    /// `continue` statements written.
    pub(crate) continues: u32,
    /// Jumps over this construct: flag, where to, whether to continue there.
    pub(crate) flags: Vec<(Symbol, usize, bool)>,
}

/// What is left to do, last first.
pub(crate) enum Task {
    Block(Block),
    Open(Role),
    Close,
    FinishIf {
        owner: Block,
        condition: Expr,
        effects: Effects,
    },
    FinishLoop(Block),
    FinishDo(Block),
    /// With what the merge block gets if no case matches.
    FinishSwitch {
        owner: Block,
        selector: Expr,
        defaults: Vec<Expr>,
    },
    FinishLabelled {
        owner: Block,
        once: bool,
    },
}

/// What a frame is for.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    /// Arm or case.
    Arm,
    /// A part of the loop that ends this block.
    Condition(Block, u32),
    Body(Block, u32),
    Next(Block, u32),
    /// Body of a labelled block.
    Labelled(bool),
}

impl<'m> Lower<'_, 'm> {
    pub(crate) fn step(&mut self, task: Task) {
        match task {
            Task::Block(block) => self.block(block),
            Task::Open(role) => self.open(role),
            Task::Close => {
                if let Some(frame) = self.frames.pop() {
                    self.closed.push(frame);
                }
            }
            Task::FinishIf { owner, condition, effects } => self.finish_if(owner, condition, &effects),
            Task::FinishLoop(owner) => self.finish_loop(owner),
            Task::FinishDo(owner) => self.finish_do(owner),
            Task::FinishSwitch { owner, selector, defaults } => self.finish_switch(owner, selector, &defaults),
            Task::FinishLabelled { owner, once } => self.finish_labelled(owner, once),
        }
    }

    fn open(&mut self, role: Role) {
        let outer = self.frames.len() - 1;
        let mut frame = Frame {
            stmts: Vec::new(),
            loop_id: self.frames[outer].loop_id,
            condition: None,
            in_step: None,
            ending: Ending::Open,
        };
        match role {
            Role::Arm => {}
            Role::Condition(owner, id) => {
                frame.loop_id = id;
                let end = match self.body.blocks[owner].exit {
                    Exit::Loop { body, .. } => self.uses.order[body],
                    _ => self.uses.end[owner],
                };
                frame.condition = Some((end, outer));
            }
            Role::Body(owner, id) => {
                frame.loop_id = id;
                self.set_target_frame();
                // The condition of a `Loop` may hand values to its body.
                if let Exit::Loop { body, .. } = self.body.blocks[owner].exit {
                    self.name_inputs(body);
                }
            }
            Role::Next(owner, id) => {
                frame.loop_id = id;
                frame.in_step = Some(owner);
            }
            Role::Labelled(once) => {
                if once {
                    self.set_target_frame();
                }
            }
        }
        self.frames.push(frame);
    }

    fn set_target_frame(&mut self) {
        let frame = self.frames.len();
        if let Some(target) = self.targets.last_mut() {
            target.frame = frame;
        }
    }

    fn end(&mut self, ending: Ending) {
        if let Some(frame) = self.frames.last_mut() {
            frame.ending = ending;
        }
    }

    pub(crate) fn leave_or_enter(&mut self, block: Block, exit: &'m Exit) {
        match exit {
            Exit::If { condition, then, otherwise, merge } => {
                self.enter_if(block, *condition, *then, *otherwise, *merge)
            }
            Exit::Loop { .. } => self.enter_loop(block, exit),
            Exit::DoLoop { .. } => self.enter_do(block, exit),
            Exit::Switch { selector, cases, args, merge } => self.enter_switch(block, *selector, cases, args, *merge),
            Exit::Labelled { body, merge } => self.enter_labelled(block, *body, *merge),
            Exit::NextBlock { merge } => self.tasks.push(Task::Block(*merge)),
            Exit::Merge(args) => {
                let exprs = self.jump_operands(args);
                let effects = self.taken();
                self.end(Ending::Merge(exprs, effects));
            }
            Exit::Break(owner, args) => self.jump(*owner, args, false),
            Exit::Continue(owner, args) => self.jump(*owner, args, true),
            Exit::LoopIf { condition, body_args, merge_args } => {
                self.begin();
                let condition = self.operand(*condition);
                let body_args = body_args.iter().map(|&a| self.operand(a)).collect();
                let merge_args = merge_args.iter().map(|&a| self.operand(a)).collect();
                self.end(Ending::LoopIf { condition, body_args, merge_args });
            }
            Exit::Passthrough => self.end(Ending::Passthrough),
            Exit::Return(values) => self.leave_function(values),
            Exit::Discard => {
                self.push(Stmt::Discard);
                self.end(Ending::Leaves);
            }
            Exit::Trap(kind) => {
                if *kind != planish_ir::function::TrapKind::Unreachable {
                    self.w.unsupported("a trap", self.span);
                }
                self.end(Ending::Leaves);
            }
            Exit::Open => {
                self.w.internal("a block has no exit", self.span);
                self.end(Ending::Leaves);
            }
        }
    }

    fn leave_function(&mut self, values: &[Value]) {
        let exprs = self.jump_operands(values);
        let extra = self.result_params.clone();
        for (&symbol, &value) in extra.iter().zip(exprs.iter().skip(1)) {
            let target = self.w.tree.name(symbol);
            self.push(Stmt::Assign { target, op: None, value });
        }
        self.push(Stmt::Return(exprs.first().copied()));
        self.end(Ending::Leaves);
    }

    // If.

    fn enter_if(&mut self, owner: Block, condition: Value, then: Block, otherwise: Block, merge: Block) {
        self.begin();
        let condition = self.operand(condition);
        let effects = self.taken();
        if self.body.blocks[merge].inputs.len() != 1 {
            self.settle_all();
        }
        self.tasks.extend([
            Task::Block(merge),
            Task::FinishIf { owner, condition, effects },
            Task::Close,
            Task::Block(otherwise),
            Task::Open(Role::Arm),
            Task::Close,
            Task::Block(then),
            Task::Open(Role::Arm),
        ]);
    }

    fn finish_if(&mut self, owner: Block, condition: Expr, effects: &Effects) {
        let (Some(mut otherwise), Some(mut then)) = (self.closed.pop(), self.closed.pop()) else { return };
        let Some(merge) = self.body.blocks[owner].exit.merge_block() else { return };
        let inputs: &[Local] = &self.body.blocks[merge].inputs;
        let empty = then.stmts.is_empty() && otherwise.stmts.is_empty();
        if empty && let (Ending::Merge(a, a_effects), Ending::Merge(b, b_effects)) = (&then.ending, &otherwise.ending) {
            match (&a[..], &b[..], inputs) {
                (&[a], &[b], &[input]) if self.may_choose(input) && !self.keeps(input, a, b) => {
                    let expr = self.choose(condition, a, b);
                    let mut all = effects.clone();
                    all.add(a_effects);
                    all.add(b_effects);
                    self.begin();
                    self.finish(input, expr, &all);
                    return;
                }
                ([], [], []) => {
                    if !effects.writes.is_empty() {
                        self.push(Stmt::Expr(condition));
                    }
                    return;
                }
                _ => {}
            }
        }
        self.settle_all();
        self.name_inputs(merge);
        let mut goes_on = false;
        for frame in [&mut then, &mut otherwise] {
            if let Ending::Merge(exprs, _) = &frame.ending {
                goes_on = true;
                let exprs = exprs.clone();
                self.feed_in(frame, inputs, &exprs);
            }
        }
        self.push_if(condition, then.stmts, otherwise.stmts);
        if !goes_on {
            self.skip_merge();
        }
    }

    /// Nothing reaches the merge block that is next: leaves it out.
    fn skip_merge(&mut self) {
        if matches!(self.tasks.last(), Some(Task::Block(_))) {
            self.tasks.pop();
        }
        self.end(Ending::Leaves);
    }

    /// `feed` into a frame that is not open.
    fn feed_in(&mut self, frame: &mut Frame, inputs: &[Local], exprs: &[Expr]) {
        for (&input, &expr) in inputs.iter().zip(exprs) {
            if let Slot::Named(symbol) = self.slots[input.index()] {
                self.declare(symbol, None, self.frames.len() - 1);
                // What waits and mentions the variable gets its name here, not where the variable is assigned.
                if self.w.tree.kind(expr) != ExprKind::Name(symbol) {
                    self.order_write(symbol);
                }
            }
        }
        let stmts = std::mem::take(&mut frame.stmts);
        let ours = self.frames.last_mut().map(|f| std::mem::replace(&mut f.stmts, stmts)).unwrap_or_default();
        self.feed(inputs, exprs);
        if let Some(current) = self.frames.last_mut() {
            frame.stmts = std::mem::replace(&mut current.stmts, ours);
        }
    }

    pub(crate) fn push_if(&mut self, condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>) {
        let (condition, then, otherwise) = if then.is_empty() && !otherwise.is_empty() {
            (self.w.tree.not(condition), otherwise, then)
        } else {
            (condition, then, otherwise)
        };
        let then = self.w.tree.add_list(then);
        let otherwise = self.w.tree.add_list(otherwise);
        self.push(Stmt::If { condition, then, otherwise });
    }

    /// Whether one of the values is what the input's variable holds already, so that only the other is assigned.
    fn keeps(&self, input: Local, a: Expr, b: Expr) -> bool {
        let name = self.shared_variable(input).map(ExprKind::Name);
        name.is_some_and(|n| self.w.tree.kind(a) == n || self.w.tree.kind(b) == n)
    }

    /// Whether `?:` may give values of the input's type.
    fn may_choose(&self, input: Local) -> bool {
        let ty = self.body.local_type(input);
        let has_array = self.w.module.types.contains(ty, &mut |k| matches!(k, TypeKind::Array { .. }));
        !has_array
    }

    /// `c && a`, `c || b` or `c ? a : b`.
    pub(crate) fn choose(&mut self, c: Expr, a: Expr, b: Expr) -> Expr {
        let tree = &mut self.w.tree;
        match (tree.kind(a), tree.kind(b)) {
            (ExprKind::Literal(Const::TRUE), ExprKind::Literal(Const::FALSE)) => c,
            (ExprKind::Literal(Const::FALSE), ExprKind::Literal(Const::TRUE)) => tree.not(c),
            (_, ExprKind::Literal(Const::FALSE)) => tree.infix(Infix::LogicAnd, c, a),
            (ExprKind::Literal(Const::TRUE), _) => tree.infix(Infix::LogicOr, c, b),
            _ => tree.add(ExprKind::Ternary(c, a, b)),
        }
    }

    // Loops.

    fn enter_labelled(&mut self, owner: Block, body: Block, merge: Block) {
        self.settle_all();
        let once = self.uses.breaks[owner] > 0;
        self.name_inputs(merge);
        if once {
            self.open_target(owner, BreakableKind::Once);
        }
        self.tasks.extend([
            Task::Block(merge),
            Task::FinishLabelled { owner, once },
            Task::Close,
            Task::Block(body),
            Task::Open(Role::Labelled(once)),
        ]);
    }

    fn finish_labelled(&mut self, owner: Block, once: bool) {
        let Some(mut body) = self.closed.pop() else { return };
        let Some(merge) = self.body.blocks[owner].exit.merge_block() else { return };
        let reached = once || matches!(body.ending, Ending::Merge(..));
        if let Ending::Merge(exprs, _) = &body.ending {
            let exprs = exprs.clone();
            let inputs = &self.body.blocks[merge].inputs;
            self.feed_in(&mut body, inputs, &exprs);
        }
        if once {
            let Some(target) = self.targets.pop() else { return };
            self.push_once(body.stmts, target);
        } else {
            body.stmts.into_iter().for_each(|s| self.push(s));
        }
        if !reached {
            self.skip_merge();
        }
    }

    /// A loop of one round that `break` may leave.
    fn push_once(&mut self, body: Vec<Stmt>, target: Breakable) {
        let body = self.w.tree.add_list(body);
        if self.w.target.version != 100 {
            let condition = self.w.tree.add(ExprKind::Bool(false));
            self.push_construct(Stmt::DoWhile { body, condition }, target);
            return;
        }
        // WebGL 1 takes no other loop than this.
        let symbol = self.w.tree.add_symbol("once");
        let (zero, one) = (self.w.tree.add(ExprKind::Int(0)), self.w.tree.add(ExprKind::Int(1)));
        let name = self.w.tree.name(symbol);
        let decl = plain_decl(symbol, Type::I32, Some(zero));
        let init = self.w.tree.add_list(vec![decl]);
        let condition = Some(self.w.tree.infix(Infix::Lt, name, one));
        let step = self.w.tree.add(ExprKind::Postfix("++", name));
        let next = self.w.tree.add_list(vec![Stmt::Expr(step)]);
        self.push_construct(Stmt::For { init, condition, next, body }, target);
    }

    // Jumps.

    /// `Break` or `Continue` to the construct that ends `owner`.
    fn jump(&mut self, owner: Block, args: &[Value], is_continue: bool) {
        let exprs = self.jump_operands(args);
        let Some(to) = self.targets.iter().rposition(|t| t.owner == owner) else {
            self.w.internal("a jump leaves no construct around it", self.span);
            return;
        };
        let current = self.frames.len() - 1;
        let innermost = to + 1 == self.targets.len();
        let at_end = innermost && current == self.targets[to].frame;
        let header = match (is_continue, &self.body.blocks[owner].exit) {
            (false, exit) => exit.merge_block(),
            (true, Exit::Loop { next: Some(next), condition, .. }) => {
                // The step itself goes back to the condition.
                Some(if self.in_step(owner) { *condition } else { *next })
            }
            (true, Exit::Loop { condition, .. } | Exit::DoLoop { condition, .. }) => Some(*condition),
            (true, _) => None,
        };
        let inputs: &[Local] = header.map_or(&[], |h| &self.body.blocks[h].inputs);
        let exprs = if is_continue { self.with_steps(inputs, args, exprs) } else { exprs };
        self.feed(inputs, &exprs);
        if is_continue && (at_end || self.in_step(owner)) {
            self.end(Ending::Leaves);
            return;
        }
        if !is_continue && at_end && self.targets[to].kind != BreakableKind::Loop {
            let is_case = matches!(self.body.blocks[owner].exit, Exit::Switch { .. });
            let ending = if is_case { Ending::CaseBreak } else { Ending::Leaves };
            self.end(ending);
            return;
        }
        self.push_jump(to, is_continue);
        self.end(Ending::Leaves);
    }

    /// For WebGL 1: what a counter becomes is said by the counter, `i + 1`, also where that has a name.
    fn with_steps(&mut self, inputs: &[Local], args: &[Value], exprs: Vec<Expr>) -> Vec<Expr> {
        if !self.w.target.wants_plain_loops() {
            return exprs;
        }
        let body = self.body;
        let mut said = Vec::with_capacity(exprs.len());
        for ((&input, &arg), expr) in inputs.iter().zip(args).zip(exprs) {
            // A variable of its own still has the counter's value.
            let own = self.shared_variable(input).is_none();
            let step = crate::coalesce::step_of(body, input, arg).filter(|_| own);
            said.push(match (step, &self.slots[input.index()]) {
                (Some(node), &Slot::Named(symbol)) if matches!(self.w.tree.kind(expr), ExprKind::Name(_)) => {
                    let (name, by) = (self.w.tree.name(symbol), self.operand(body.args(node)[1]));
                    let op = crate::ops::infix_of(body.node(node).op).unwrap_or(Infix::Add);
                    self.w.tree.infix(op, name, by)
                }
                _ => expr,
            });
        }
        said
    }

    /// Whether the current frame is the step of that loop.
    fn in_step(&self, owner: Block) -> bool {
        self.frames.last().is_some_and(|f| f.in_step == Some(owner))
    }

    fn push_jump(&mut self, to: usize, is_continue: bool) {
        let last = self.targets.len() - 1;
        // `continue` passes through switches.
        let through = if is_continue {
            (to + 1..=last).all(|i| self.targets[i].kind == BreakableKind::Switch)
        } else {
            to == last
        };
        if through {
            if is_continue {
                self.targets[to].continues += 1;
            }
            self.push(if is_continue { Stmt::Continue } else { Stmt::Break });
            return;
        }
        let known = self.targets[last].flags.iter().find(|f| f.1 == to && f.2 == is_continue).map(|f| f.0);
        let flag = known.unwrap_or_else(|| {
            let flag = self.w.tree.add_symbol(if is_continue { "go_on" } else { "leave" });
            self.targets[last].flags.push((flag, to, is_continue));
            flag
        });
        let target = self.w.tree.name(flag);
        let value = self.w.tree.add(ExprKind::Bool(true));
        self.push(Stmt::Assign { target, op: None, value });
        self.push(Stmt::Break);
    }
}
