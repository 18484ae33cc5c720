//! Jumps: `break`, `continue` and `goto`, and flags over several constructs where the language has nothing else.

use planish_ir::entity::Type;

use super::*;
use crate::abilities::Abilities;
use crate::tree::List;

impl<'m, D: Dialect<'m>> Lower<'_, 'm, D> {
    /// Statements that jumps to their end may leave: a loop of one iteration, or what has a label.
    pub(super) fn push_once(&mut self, mut body: Vec<Stmt>, target: Breakable) {
        let Abilities { do_while, plain_loops, far_jumps, .. } = self.w.abilities;
        if far_jumps == FarJumps::Goto {
            body.into_iter().for_each(|s| self.push(s));
            self.push_label_after(&target);
            return;
        }
        if far_jumps == FarJumps::Labels {
            match target.label.filter(|_| target.is_broken) {
                Some(label) => self.push_block(label, body),
                None => body.into_iter().for_each(|s| self.push(s)),
            }
            return;
        }
        if do_while && !plain_loops {
            let body = self.w.tree.add_list(body);
            let condition = self.w.tree.add(ExprKind::Bool(false));
            self.push_construct(Stmt::DoWhile { body, condition }, target);
            return;
        }
        if !plain_loops {
            if !matches!(body.last(), Some(Stmt::Break(_) | Stmt::Continue(_) | Stmt::Return(_))) {
                body.push(Stmt::Break(None));
            }
            self.push_while(None, body, target);
            return;
        }
        let body = self.w.tree.add_list(body);
        // WebGL 1 takes no other loop than this.
        let symbol = self.w.tree.add_symbol("once");
        let (zero, one) = (self.w.tree.add(ExprKind::Int(0)), self.w.tree.add(ExprKind::Int(1)));
        let name = self.w.tree.name(symbol);
        let decl = Stmt::Decl(Decl::plain(symbol, Type::I32, Some(zero)));
        let init = self.w.tree.add_list(vec![decl]);
        let condition = Some(self.w.tree.infix(Infix::Lt, name, one));
        let step = self.w.tree.add(ExprKind::Postfix("++", name));
        let next = self.w.tree.add_list(vec![Stmt::Expr(step)]);
        self.push_construct(Stmt::For { init, condition, next, body }, target);
    }

    /// `break` or `continue`.
    pub(super) fn jump_to(&mut self, jump: &Jump<'m>, is_continue: bool) {
        let &Jump { owner, args, block, .. } = jump;
        let exprs = self.jump_operands(args);
        let Some(to) = self.targets.iter().rposition(|t| t.owner == owner) else {
            self.w.internal("a jump leaves no construct around it", self.span);
            return;
        };
        let current = self.frames.len() - 1;
        let innermost = to + 1 == self.targets.len();
        let at_end = innermost && current == self.targets[to].frame;
        let inputs: &[Local] = &self.body.blocks[block].inputs;
        let exprs = if is_continue { self.with_steps(inputs, args, exprs) } else { exprs };
        self.pass_arguments(inputs, &exprs);
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

    /// For WebGL 1: the step of a counter is written with the counter, as `i + 1`, even if it has a name.
    fn with_steps(&mut self, inputs: &[Local], args: &[Value], exprs: Vec<Expr>) -> Vec<Expr> {
        if !self.w.abilities.plain_loops {
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
                    let op = self.w.assign_operator(body, node).unwrap_or(Infix::Add);
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

    /// Whether `break` or `continue` passes through a construct as if it were none.
    fn is_transparent(&self, target: &Breakable) -> bool {
        match target.kind {
            BreakableKind::Loop => false,
            BreakableKind::Switch => !self.w.abilities.breaks_leave_switches,
            BreakableKind::Once => self.w.abilities.far_jumps != FarJumps::Flags,
        }
    }

    pub(super) fn push_jump(&mut self, to: usize, is_continue: bool) {
        let last = self.targets.len() - 1;
        // `continue` passes through switches.
        let passes = |t: &Breakable| is_continue && t.kind == BreakableKind::Switch || self.is_transparent(t);
        let near =
            self.targets[to + 1..].iter().all(passes) && (is_continue || !self.is_transparent(&self.targets[to]));
        if near || self.w.abilities.far_jumps != FarJumps::Flags {
            self.targets[to].continues += u32::from(is_continue);
        }
        if near {
            self.push(if is_continue { Stmt::Continue(None) } else { Stmt::Break(None) });
            return;
        }
        match self.w.abilities.far_jumps {
            FarJumps::Flags => {}
            FarJumps::Labels => {
                let label = self.label(to);
                let target = &mut self.targets[to];
                target.is_continued |= is_continue;
                target.is_broken |= !is_continue;
                self.push(if is_continue { Stmt::Continue(Some(label)) } else { Stmt::Break(Some(label)) });
                return;
            }
            FarJumps::Goto => {
                self.targets[to].is_broken |= !is_continue;
                let label = if is_continue { self.next_label(to) } else { self.label(to) };
                self.push(Stmt::Goto(label));
                return;
            }
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
        self.push(Stmt::Break(None));
    }

    /// The label of a construct.
    fn label(&mut self, to: usize) -> Symbol {
        if let Some(label) = self.targets[to].label {
            return label;
        }
        let hint = if self.targets[to].kind == BreakableKind::Loop { "outer" } else { "block" };
        let label = self.new_label(if self.w.abilities.far_jumps == FarJumps::Goto { "leave" } else { hint });
        self.targets[to].label = Some(label);
        label
    }

    /// The label at the end of a loop's body.
    fn next_label(&mut self, to: usize) -> Symbol {
        if let Some(label) = self.targets[to].next_label {
            return label;
        }
        let label = self.new_label("next");
        self.targets[to].next_label = Some(label);
        label
    }

    pub(super) fn new_label(&mut self, hint: &str) -> Symbol {
        let label = self.w.tree.add_symbol(hint);
        self.labels.push(label);
        label
    }

    /// `leave:`, after a construct that a `goto` leaves.
    pub(super) fn push_label_after(&mut self, target: &Breakable) {
        if let Some(label) = target.label.filter(|_| self.w.abilities.far_jumps == FarJumps::Goto) {
            self.push(Stmt::Label(label));
        }
    }

    /// Leaves the cases of a switch that is written as [`BreakableKind::Once`].
    pub(super) fn leave_once(&mut self, target: &mut Breakable) -> Stmt {
        if self.w.abilities.far_jumps == FarJumps::Flags {
            return Stmt::Break(None);
        }
        let label = target.label.unwrap_or_else(|| self.new_label("leave"));
        target.label = Some(label);
        target.is_broken = true;
        if self.w.abilities.far_jumps == FarJumps::Goto { Stmt::Goto(label) } else { Stmt::Break(Some(label)) }
    }

    /// Replaces jumps in statements and all within them. `f` gets a jump, and whether it is in a loop within.
    pub(super) fn replace_jumps(&mut self, body: &mut [Stmt], mut f: impl FnMut(&Stmt, bool) -> Option<Stmt>) {
        let mut lists: Vec<(List, bool)> = Vec::new();
        let mut replace = |stmts: &mut [Stmt], is_inner: bool, lists: &mut Vec<(List, bool)>| {
            for stmt in stmts {
                match stmt {
                    Stmt::Break(_) | Stmt::Continue(_) => {
                        if let Some(other) = f(stmt, is_inner) {
                            *stmt = other;
                        }
                    }
                    _ => lists.extend(stmt.lists().into_iter().map(|l| (l, is_inner || stmt.is_loop()))),
                }
            }
        };
        replace(body, false, &mut lists);
        while let Some((list, is_inner)) = lists.pop() {
            replace(self.w.tree.list_mut(list), is_inner, &mut lists);
        }
    }

    /// A block with a label. Jumps to the loop around it mention that by its label, as Rust requires.
    fn push_block(&mut self, label: Symbol, mut body: Vec<Stmt>) {
        if let Some(to) = self.targets.iter().rposition(|t| t.kind == BreakableKind::Loop) {
            let outer = self.label(to);
            let [mut is_broken, mut is_continued] = [false; 2];
            self.replace_jumps(&mut body, |jump, is_inner| match jump {
                Stmt::Break(None) if !is_inner => {
                    is_broken = true;
                    Some(Stmt::Break(Some(outer)))
                }
                Stmt::Continue(None) if !is_inner => {
                    is_continued = true;
                    Some(Stmt::Continue(Some(outer)))
                }
                _ => None,
            });
            self.targets[to].is_broken |= is_broken;
            self.targets[to].is_continued |= is_continued;
        }
        let body = self.w.tree.add_list(body);
        self.push(Stmt::Labelled { label, body });
    }

    /// Pushes the statement of a construct, with its label if something mentions that.
    pub(super) fn push_with_label(&mut self, stmt: Stmt, target: &Breakable) {
        match target.label.filter(|_| target.is_broken || target.is_continued) {
            Some(label) if self.w.abilities.far_jumps == FarJumps::Labels => {
                if stmt.is_loop() {
                    let body = self.w.tree.add_list(vec![stmt]);
                    self.push(Stmt::Labelled { label, body });
                } else {
                    self.push_block(label, vec![stmt]);
                }
            }
            _ => self.push(stmt),
        }
        self.push_label_after(target);
    }
}
