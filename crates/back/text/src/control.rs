//! Constructs: how `If`, `Loop`, `DoLoop`, `Switch` and `Labelled` become statements and expressions again.

mod jumps;
mod loops;
mod switches;

use std::convert::Infallible;

use planish_ir::arena::Id;
use planish_ir::entity::{Block, Const, Local, Type, Value};
use planish_ir::function::{Case, Exit};
use planish_ir::types::TypeKind;
use planish_target::structure::{Arm, Arms, If, Jump, Label, Loop, LoopIf, StructuredWriter, Switch};

use crate::abilities::{Choice, FarJumps, ForLoops, Parameters, Results};
use crate::dialect::Dialect;
use crate::effects::Effects;
use crate::lower::{Frame, Lower, Slot};
use crate::tree::{Decl, Expr, ExprKind, Infix, Stmt, SwitchCase, Symbol};

/// Values of more names and numbers than this are not computed if they may not be needed.
const MOST_EAGER: u16 = 8;

/// Exit of a frame.
#[derive(Default)]
pub(crate) enum Ending {
    /// It has not.
    #[default]
    Open,
    /// By passing values to the merge block.
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

/// Construct that a `break` or `continue` may refer to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BreakableKind {
    Loop,
    Switch,
    /// A loop of one iteration, which replaces a labelled block.
    Once,
}

/// A construct of the output that a `break` leaves.
pub(crate) struct Breakable {
    pub(crate) owner: Block,
    pub(crate) kind: BreakableKind,
    /// The frame whose end is the end of an iteration.
    pub(crate) frame: usize,
    /// `continue` statements written.
    pub(crate) continues: u32,
    /// Jumps over this construct: flag, where to, whether to continue there.
    pub(crate) flags: Vec<(Symbol, usize, bool)>,
    /// The label of the construct, and of the statement after it.
    pub(crate) label: Option<Symbol>,
    /// The label of a loop's step, if some jump needs one.
    pub(crate) next_label: Option<Symbol>,
    /// A `break` mentions the label.
    pub(crate) is_broken: bool,
    /// A `continue` mentions the label.
    pub(crate) is_continued: bool,
}

/// A loop that is being written.
pub(crate) struct OpenLoop {
    id: u32,
    /// Whether something gets to its body.
    has_body: bool,
}

/// A switch that is being written.
pub(crate) struct OpenSwitch {
    selector: Expr,
    /// Arguments for the merge block if no case matches.
    defaults: Vec<Expr>,
}

/// Role of a frame in its construct.
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

impl<'m, D: Dialect<'m>> StructuredWriter<'m> for Lower<'_, 'm, D> {
    type Error = Infallible;

    fn block(&mut self, block: Block) -> Result<bool, Infallible> {
        self.write_block(block);
        Ok(true)
    }

    fn begin_if(&mut self, branch: &If<'m>) -> Result<Arms, Infallible> {
        self.begin();
        let condition = self.operand(branch.condition);
        let effects = self.taken();
        if self.body.blocks[branch.merge].inputs.len() != 1 {
            self.settle_all();
        }
        self.ifs.push((condition, effects));
        self.open(Role::Arm);
        Ok(Arms::both(branch))
    }

    fn else_(&mut self, _: Block) -> Result<(), Infallible> {
        self.close();
        self.open(Role::Arm);
        Ok(())
    }

    fn end_if(&mut self, owner: Block) -> Result<(), Infallible> {
        self.close();
        let (condition, effects) = self.ifs.pop().expect("an `If` was begun");
        self.finish_if(owner, condition, &effects);
        Ok(())
    }

    fn begin_loop(&mut self, l: &Loop<'m>) -> Result<(), Infallible> {
        self.carry(l.head, l.args);
        l.next.into_iter().for_each(|next| self.name_inputs(next));
        self.name_inputs(l.merge);
        let id = self.open_target(l.owner, BreakableKind::Loop);
        self.loops.push(OpenLoop { id, has_body: l.tests_last });
        self.open(if l.tests_last { Role::Body(l.owner, id) } else { Role::Condition(l.owner, id) });
        Ok(())
    }

    fn loop_if(&mut self, _: &Loop<'m>, test: &LoopIf<'m>) -> Result<(), Infallible> {
        self.begin();
        let condition = self.operand(test.condition);
        let body_args = test.body_args.iter().map(|&a| self.operand(a)).collect();
        let merge_args = test.merge_args.iter().map(|&a| self.operand(a)).collect();
        self.end(Ending::LoopIf { condition, body_args, merge_args });
        Ok(())
    }

    fn begin_body(&mut self, l: &Loop<'m>) -> Result<(), Infallible> {
        if !l.tests_last {
            self.close();
            let open = self.loops.last_mut().expect("a loop was begun");
            open.has_body = true;
            let id = open.id;
            self.open(Role::Body(l.owner, id));
        }
        Ok(())
    }

    fn end_body(&mut self, l: &Loop<'m>, _: bool) -> Result<bool, Infallible> {
        self.close();
        let id = self.loops.last().expect("a loop was begun").id;
        if l.next.is_some() {
            self.open(if l.tests_last { Role::Condition(l.owner, id) } else { Role::Next(l.owner, id) });
        }
        Ok(l.next.is_some())
    }

    fn end_loop(&mut self, l: &Loop<'m>) -> Result<(), Infallible> {
        let has_body = self.loops.pop().is_some_and(|open| open.has_body);
        if l.next.is_some() || !has_body {
            self.close();
        }
        if !has_body {
            let parts = 1 + usize::from(l.next.is_some());
            self.closed.extend((0..parts).map(|_| loops::closed_frame(Vec::new())));
        }
        if l.tests_last {
            self.finish_do(l.owner);
        } else {
            self.finish_loop(l.owner);
        }
        Ok(())
    }

    fn begin_switch(&mut self, switch: &Switch<'m>, _: &[Arm<'m>]) -> Result<(), Infallible> {
        self.enter_switch(switch);
        Ok(())
    }

    fn begin_case(&mut self, _: &Switch<'m>, _: usize) -> Result<bool, Infallible> {
        self.open(Role::Arm);
        Ok(true)
    }

    fn end_case(&mut self, _: &Switch<'m>, _: usize) -> Result<(), Infallible> {
        self.close();
        Ok(())
    }

    fn end_switch(&mut self, switch: &Switch<'m>) -> Result<(), Infallible> {
        let OpenSwitch { selector, defaults } = self.switches.pop().expect("a switch was begun");
        self.finish_switch(switch, selector, &defaults);
        Ok(())
    }

    fn begin_labelled(&mut self, owner: Block, merge: Block) -> Result<(), Infallible> {
        self.settle_all();
        let once = self.uses.breaks[owner] > 0;
        self.name_inputs(merge);
        if once {
            self.open_target(owner, BreakableKind::Once);
        }
        self.open(Role::Labelled(once));
        Ok(())
    }

    fn end_labelled(&mut self, owner: Block) -> Result<(), Infallible> {
        self.close();
        self.finish_labelled(owner);
        Ok(())
    }

    fn merge(&mut self, _: Block, _: Block, reached: bool) -> Result<bool, Infallible> {
        if !reached {
            self.end(Ending::Leaves);
        }
        Ok(reached)
    }

    fn jump(&mut self, jump: &Jump<'m>) -> Result<(), Infallible> {
        match jump.label {
            Label::Case(_) => self.end(Ending::Passthrough),
            Label::Merge if jump.falls => {
                let exprs = self.jump_operands(jump.args);
                let effects = self.taken();
                self.end(Ending::Merge(exprs, effects));
            }
            label => self.jump_to(jump, label != Label::Merge),
        }
        Ok(())
    }

    fn leave(&mut self, _: Block, exit: &'m Exit) -> Result<(), Infallible> {
        match exit {
            Exit::Return(values) => {
                self.leave_function(values);
                return Ok(());
            }
            Exit::Discard => D::discard(self),
            Exit::Trap(kind) => {
                if let Some(stmt) = D::trap(self, *kind) {
                    self.push(stmt);
                }
            }
            _ => self.w.internal("a block has no exit", self.span),
        }
        self.end(Ending::Leaves);
        Ok(())
    }
}

impl<'m, D: Dialect<'m>> Lower<'_, 'm, D> {
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
                // The condition of a `Loop` may pass values to its body.
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

    fn close(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.closed.push(frame);
        }
    }

    fn leave_function(&mut self, values: &[Value]) {
        let exprs = self.jump_operands(values);
        let value = D::returned(self, &exprs);
        self.push(Stmt::Return(value));
        self.end(Ending::Leaves);
    }

    /// The value that gives back the results of a function; those after the first are written through parameters where
    /// the language has no value of several.
    pub fn result_value(&mut self, results: &[Expr]) -> Option<Expr> {
        if self.w.abilities.several_results == Results::Value && results.len() > 1 {
            let args = self.w.tree.add_args(results);
            return Some(self.w.tree.add(ExprKind::Results(self.func, args)));
        }
        let extra = self.result_params.clone();
        for (&symbol, &value) in extra.iter().zip(results.iter().skip(1)) {
            let mut target = self.w.tree.name(symbol);
            if self.w.abilities.parameters == Parameters::Pointers {
                target = self.w.tree.add(ExprKind::Deref(target));
            }
            self.push(Stmt::Assign { target, op: None, value });
        }
        results.first().copied()
    }

    // If.

    fn finish_if(&mut self, owner: Block, condition: Expr, effects: &Effects) {
        let (Some(mut otherwise), Some(mut then)) = (self.closed.pop(), self.closed.pop()) else { return };
        let Some(merge) = self.body.blocks[owner].exit.merge_block() else { return };
        let inputs: &[Local] = &self.body.blocks[merge].inputs;
        let empty = then.stmts.is_empty() && otherwise.stmts.is_empty();
        if empty && let (Ending::Merge(a, a_effects), Ending::Merge(b, b_effects)) = (&then.ending, &otherwise.ending) {
            match (&a[..], &b[..], inputs) {
                (&[a], &[b], &[input])
                    if self.may_choose_here(input, (a, a_effects), (b, b_effects)) && !self.keeps(input, a, b) =>
                {
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
        for frame in [&mut then, &mut otherwise] {
            if let Ending::Merge(exprs, _) = &frame.ending {
                let exprs = exprs.clone();
                self.feed_in(frame, inputs, &exprs);
            }
        }
        self.push_if(condition, then.stmts, otherwise.stmts);
    }

    /// `pass_arguments` into a frame that is not open.
    fn feed_in(&mut self, frame: &mut Frame, inputs: &[Local], exprs: &[Expr]) {
        for (&input, &expr) in inputs.iter().zip(exprs) {
            if let Slot::Named(symbol) = self.slots[input.index()] {
                self.declare(symbol, None, self.frames.len() - 1);
                // Pending values that mention the variable get their names here, not where the variable is assigned.
                if self.w.tree.kind(expr) != ExprKind::Name(symbol) {
                    self.order_write(symbol);
                }
            }
        }
        let stmts = std::mem::take(&mut frame.stmts);
        let ours = self.frames.last_mut().map(|f| std::mem::replace(&mut f.stmts, stmts)).unwrap_or_default();
        self.pass_arguments(inputs, exprs);
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

    /// Whether an expression gives one of two values, instead of an `if`.
    fn may_choose_here(&self, input: Local, a: (Expr, &Effects), b: (Expr, &Effects)) -> bool {
        if !self.w.may_choose(self.body.local_type(input)) {
            return false;
        }
        // Operators of conditions compute their right side if they must.
        let may_compute_both = self.w.abilities.lazy_logic || !a.1.is_unconditional() && !b.1.is_unconditional();
        let is_condition = (self.is_bool(a.0) || self.is_bool(b.0)) && may_compute_both;
        let is_short = |(e, effects): (Expr, &Effects)| {
            effects.writes.is_empty() && !effects.quad && self.w.tree.leaves(e) <= MOST_EAGER
        };
        match self.w.abilities.choice {
            Choice::Lazy => true,
            Choice::Eager => is_condition || is_short(a) && is_short(b),
            Choice::None => is_condition,
        }
    }

    fn is_bool(&self, e: Expr) -> bool {
        matches!(self.w.tree.kind(e), ExprKind::Literal(Const::TRUE | Const::FALSE) | ExprKind::Bool(_))
    }

    /// Whether the input's variable holds one of the values already, so that only the other is assigned.
    fn keeps(&self, input: Local, a: Expr, b: Expr) -> bool {
        let name = self.shared_variable(input).map(ExprKind::Name);
        name.is_some_and(|n| self.w.tree.kind(a) == n || self.w.tree.kind(b) == n)
    }

    /// `c && a`, `c || b` or `c ? a : b`.
    pub fn choose(&mut self, c: Expr, a: Expr, b: Expr) -> Expr {
        let tree = &mut self.w.tree;
        match (tree.kind(a), tree.kind(b)) {
            (ExprKind::Literal(Const::TRUE), ExprKind::Literal(Const::FALSE)) => c,
            (ExprKind::Literal(Const::FALSE), ExprKind::Literal(Const::TRUE)) => tree.not(c),
            (_, ExprKind::Literal(Const::FALSE)) => tree.infix(Infix::LogicAnd, c, a),
            (ExprKind::Literal(Const::TRUE), _) => tree.infix(Infix::LogicOr, c, b),
            _ => D::choose(self, c, a, b),
        }
    }

    // Loops.

    fn finish_labelled(&mut self, owner: Block) {
        let Some(mut body) = self.closed.pop() else { return };
        let Some(merge) = self.body.blocks[owner].exit.merge_block() else { return };
        if let Ending::Merge(exprs, _) = &body.ending {
            let exprs = exprs.clone();
            let inputs = &self.body.blocks[merge].inputs;
            self.feed_in(&mut body, inputs, &exprs);
        }
        if self.uses.breaks[owner] > 0 {
            let Some(target) = self.targets.pop() else { return };
            self.push_once(body.stmts, target);
        } else {
            body.stmts.into_iter().for_each(|s| self.push(s));
        }
    }
}
