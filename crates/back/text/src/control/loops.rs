//! Loops: `while`, `for` and `do` again, and guards where the language has no such loop.

use super::*;
use crate::abilities::Abilities;

/// Maximum number of statements before a loop that are searched for its first values.
const MOST_BEFORE_LOOP: usize = 64;

impl<'m, D: Dialect<'m>> Lower<'_, 'm, D> {
    /// Declares the carried values of a loop with their first values.
    pub(crate) fn carry(&mut self, header: Block, args: &[Value]) {
        let exprs = self.jump_operands(args);
        self.settle_all();
        self.name_inputs(header);
        self.pass_arguments(&self.body.blocks[header].inputs, &exprs);
    }

    pub(crate) fn open_target(&mut self, owner: Block, kind: BreakableKind) -> u32 {
        self.targets.push(Breakable {
            owner,
            kind,
            frame: usize::MAX,
            continues: 0,
            flags: Vec::new(),
            label: None,
            next_label: None,
            is_broken: false,
            is_continued: false,
        });
        self.next_loop += 1;
        self.next_loop - 1
    }

    pub(crate) fn finish_loop(&mut self, owner: Block) {
        let Exit::Loop { body: body_block, next: next_block, merge, .. } = self.body.blocks[owner].exit else { return };
        let next = next_block.and_then(|_| self.closed.pop());
        let (Some(body), Some(condition)) = (self.closed.pop(), self.closed.pop()) else { return };
        let Some(target) = self.targets.pop() else { return };
        let (condition, after) = self.take_results(owner, condition);
        let (test, checked) = self.test(condition, body_block, merge);
        let mut stmts = checked;
        stmts.extend(body.stmts);
        stmts.extend(target.next_label.map(Stmt::Label));
        let mut next = next.map(|f| f.stmts).unwrap_or_default();
        let simple = |next: &[Stmt]| next.iter().all(|s| matches!(s, Stmt::Assign { .. } | Stmt::Expr(_)));
        let for_loops = self.w.abilities.for_loops;
        let most = match for_loops {
            ForLoops::None => 0,
            ForLoops::Single => 1,
            ForLoops::Lists if self.w.minify => usize::MAX,
            ForLoops::Lists => 2,
        };
        if target.continues == 0 && (next.is_empty() || !simple(&next) || next.len() > most) {
            stmts.append(&mut next);
            if for_loops != ForLoops::None {
                next = self.take_step(test, &mut stmts);
            }
        }
        // Each `continue` needs the whole step, so a list of more than two stays in the head.
        let fits = match for_loops {
            ForLoops::None => false,
            ForLoops::Single => next.len() == 1,
            ForLoops::Lists => true,
        };
        if next.is_empty() {
            self.push_while(test, stmts, target);
        } else if fits && simple(&next) {
            self.push_for(owner, test, next, stmts, target);
        } else {
            self.push_stepped(test, next, stmts, target);
        }
        self.take_after(merge, &after.unwrap_or_default());
    }

    /// Passes the merge block of a loop the values that come from its test.
    fn take_after(&mut self, merge: Block, results: &[Expr]) {
        let inputs = &self.body.blocks[merge].inputs;
        let mut rest: (Vec<Local>, Vec<Expr>) = Default::default();
        for (&input, &result) in inputs.iter().zip(results) {
            // A carried value keeps its variable.
            if self.is_carried(result)
                && let Slot::Named(symbol) = self.slots[input.index()]
                && self.undeclared.contains_key(&symbol)
                && self.shared_variable(input).is_none()
            {
                self.undeclared.remove(&symbol);
                self.slots[input.index()] = Slot::Stable(result);
            } else {
                rest.0.push(input);
                rest.1.push(result);
            }
        }
        self.pass_arguments(&rest.0, &rest.1);
    }

    /// The statement at the end of a loop's body that changes a variable of its test: `i++`, the step of a `for`.
    fn take_step(&mut self, test: Option<Expr>, body: &mut Vec<Stmt>) -> Vec<Stmt> {
        let Some(test) = test else { return Vec::new() };
        let tested = self.w.tree.mentioned(test);
        let inside: Vec<Symbol> =
            body.iter().filter_map(|s| if let Stmt::Decl(d) = s { Some(d.symbol) } else { None }).collect();
        let mut after: Vec<Symbol> = Vec::new();
        for at in (body.len().saturating_sub(8)..body.len()).rev() {
            let (target, value) = match body[at] {
                Stmt::Assign { target, op: Some(_), value } => (target, Some(value)),
                Stmt::Expr(e) => (e, None),
                Stmt::Assign { target, op: None, value } => {
                    after.extend(self.w.tree.mentioned(target));
                    after.extend(self.w.tree.mentioned(value));
                    continue;
                }
                _ => break,
            };
            let reads = value.map(|v| self.w.tree.mentioned(v)).unwrap_or_default();
            let step = self.changed(&body[at]).filter(|s| tested.contains(s) && !after.contains(s));
            if step.is_some() && reads.is_empty() && step.is_some_and(|s| !inside.contains(&s)) {
                return vec![body.remove(at)];
            }
            after.extend(self.w.tree.mentioned(target));
            after.extend(reads);
        }
        Vec::new()
    }

    /// If the test alone ends the loop, its values for the merge block can be computed after the loop as well.
    pub(crate) fn take_results(&mut self, owner: Block, mut condition: Frame) -> (Frame, Option<Vec<Expr>>) {
        if self.uses.breaks[owner] > 0 || !condition.stmts.is_empty() {
            return (condition, None);
        }
        let results = match &mut condition.ending {
            Ending::LoopIf { body_args, merge_args, .. } if body_args.is_empty() => std::mem::take(merge_args),
            _ => return (condition, None),
        };
        // Variables that they mention must outlive the loop's head.
        for &result in &results {
            for symbol in self.w.tree.mentioned(result) {
                self.outlive(symbol, self.uses.end[owner]);
            }
        }
        (condition, Some(results))
    }

    /// The condition in a loop's head (`None` if it has none), and the statements of its body before the rest.
    pub(crate) fn test(&mut self, condition: Frame, body: Block, merge: Block) -> (Option<Expr>, Vec<Stmt>) {
        let Frame { mut stmts, ending, .. } = condition;
        let Ending::LoopIf { condition, body_args, merge_args } = ending else { return (None, stmts) };
        let forever = self.w.tree.kind(condition) == ExprKind::Literal(Const::TRUE);
        let inputs = &self.body.blocks[merge].inputs;
        let handed = inputs.iter().copied().zip(merge_args.iter().copied());
        // A constant that only the exit by the test passes may be assigned before the loop.
        let (early, late): (Vec<_>, Vec<_>) = handed.partition(|&(input, e)| self.is_first_value(input, e));
        let mut leave = closed_frame(Vec::new());
        if !forever {
            let (inputs, exprs): (Vec<Local>, Vec<Expr>) = late.into_iter().unzip();
            self.feed_in(&mut leave, &inputs, &exprs);
        }
        let mut enter = closed_frame(Vec::new());
        self.feed_in(&mut enter, &self.body.blocks[body].inputs, &body_args);
        if stmts.is_empty() && leave.stmts.is_empty() && enter.stmts.is_empty() {
            if !forever {
                early.into_iter().for_each(|(input, e)| self.set_before(input, e));
            }
            return ((!forever).then_some(condition), stmts);
        }
        if !forever {
            let (inputs, exprs): (Vec<Local>, Vec<Expr>) = early.into_iter().unzip();
            self.feed_in(&mut leave, &inputs, &exprs);
        }
        if !forever {
            leave.stmts.push(Stmt::Break(None));
            stmts.push(self.if_not(condition, leave.stmts));
        }
        stmts.extend(enter.stmts);
        (None, stmts)
    }

    /// Whether a merge block's input has a variable of its own, which is not read in the loop and written only on exits
    /// from it, and the value is a constant.
    fn is_first_value(&self, input: Local, value: Expr) -> bool {
        let own = self.shared_variable(input).is_none() && matches!(self.slots[input.index()], Slot::Named(_));
        own && self.w.tree.is_literal(value)
    }

    /// Gives an input's variable a constant before the loop that is to be written.
    fn set_before(&mut self, input: Local, value: Expr) {
        let Slot::Named(symbol) = self.slots[input.index()] else { return };
        let frame = self.frames.len() - 1;
        if self.declare(symbol, Some(value), frame) {
            return;
        }
        let declared = self.frames[frame].stmts.iter_mut().rev().take(16).find_map(|s| match s {
            Stmt::Decl(d) if d.symbol == symbol && d.init.is_none() => Some(&mut d.init),
            _ => None,
        });
        match declared {
            Some(init) => *init = Some(value),
            None => {
                let target = self.w.tree.name(symbol);
                self.push(Stmt::Assign { target, op: None, value });
            }
        }
    }

    /// `if (!condition) { stmts }`
    fn if_not(&mut self, condition: Expr, stmts: Vec<Stmt>) -> Stmt {
        let condition = self.w.tree.not(condition);
        let then = self.w.tree.add_list(stmts);
        let otherwise = self.w.tree.add_list(Vec::new());
        Stmt::If { condition, then, otherwise }
    }

    /// Pushes the statement of a construct with the code for jumps over it: flags before, tests after.
    pub(crate) fn push_construct(&mut self, stmt: Stmt, target: Breakable) {
        let outer = self.targets.len();
        for &(flag, to, _) in &target.flags {
            if to + 1 == outer {
                let init = Some(self.w.tree.add(ExprKind::Bool(false)));
                self.push(Stmt::Decl(Decl::plain(flag, Type::BOOL, init)));
            }
        }
        self.push_with_label(stmt, &target);
        for (flag, to, is_continue) in target.flags {
            let condition = self.w.tree.name(flag);
            let arrived = to + 1 == outer;
            let leave = if arrived && is_continue { Stmt::Continue(None) } else { Stmt::Break(None) };
            if let Some(around) = self.targets.last_mut() {
                if arrived && is_continue {
                    around.continues += 1;
                } else if !arrived {
                    around.flags.push((flag, to, is_continue));
                }
            }
            self.push_if(condition, vec![leave], Vec::new());
        }
    }

    pub(crate) fn push_while(&mut self, test: Option<Expr>, body: Vec<Stmt>, target: Breakable) {
        let condition = test.unwrap_or_else(|| self.w.tree.add(ExprKind::Bool(true)));
        let body = self.w.tree.add_list(body);
        self.push_construct(Stmt::While { condition, body }, target);
    }

    /// `for (init; test; next)`, where `init` are the statements directly before the loop that only it needs.
    pub(crate) fn push_for(
        &mut self,
        owner: Block,
        test: Option<Expr>,
        next: Vec<Stmt>,
        body: Vec<Stmt>,
        target: Breakable,
    ) {
        let changed: Vec<Symbol> = next.iter().filter_map(|s| self.changed(s)).collect();
        let init = self.take_init(owner, &changed);
        let init = self.w.tree.add_list(init);
        let next = self.w.tree.add_list(next);
        let body = self.w.tree.add_list(body);
        self.push_construct(Stmt::For { init, condition: test, next, body }, target);
    }

    /// The variable that an assignment or `++` changes.
    pub(crate) fn changed(&self, stmt: &Stmt) -> Option<Symbol> {
        let e = match *stmt {
            Stmt::Assign { target, .. } => target,
            Stmt::Expr(e) => match self.w.tree.kind(e) {
                ExprKind::Prefix(_, a) | ExprKind::Postfix(_, a) => a,
                _ => return None,
            },
            _ => return None,
        };
        self.w.tree.root(e)
    }

    /// Takes the statements at the end of the current list that initialize the variables of the loop's step.
    pub(crate) fn take_init(&mut self, owner: Block, changed: &[Symbol]) -> Vec<Stmt> {
        let end = self.uses.end[owner];
        let mut taken: Vec<Stmt> = Vec::new();
        let mut kept: Vec<Stmt> = Vec::new();
        let single = self.w.abilities.for_loops == ForLoops::Single;
        for _ in 0..MOST_BEFORE_LOOP {
            if single && !taken.is_empty() {
                break;
            }
            let Some(stmt) = self.frames.last_mut().and_then(|f| f.stmts.pop()) else { break };
            let fits = match &stmt {
                Stmt::Decl(decl) => {
                    let alike = taken
                        .first()
                        .is_none_or(|t| matches!(t, Stmt::Decl(d) if d.ty == decl.ty && d.precision == decl.precision));
                    let moves = kept.is_empty() || decl.init.is_some_and(|e| self.w.tree.is_literal(e));
                    let array = matches!(self.w.module.types[decl.ty], TypeKind::Array { .. });
                    let ours = changed.contains(&decl.symbol) && self.ends_before(decl.symbol, end);
                    // Statements that stay must not mention variables whose declarations move past them.
                    let needed = kept.iter().any(|k| match k {
                        Stmt::Decl(Decl { init: Some(e), .. }) => self.w.tree.mentioned(*e).contains(&decl.symbol),
                        _ => false,
                    });
                    let plain = !array && !decl.precise && !decl.is_const && decl.init.is_some();
                    alike && moves && ours && !needed && plain
                }
                Stmt::Assign { target, op: None, .. } => {
                    let ours = matches!(self.w.tree.kind(*target), ExprKind::Name(s) if changed.contains(&s));
                    ours && kept.is_empty() && taken.is_empty()
                }
                _ => false,
            };
            if fits {
                let last = matches!(stmt, Stmt::Assign { .. });
                taken.push(stmt);
                if last {
                    break;
                }
            } else {
                let goes_on = matches!(stmt, Stmt::Decl(_));
                kept.push(stmt);
                if !goes_on {
                    break;
                }
            }
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.stmts.extend(kept.into_iter().rev());
        }
        taken.reverse();
        // First values that are constants may keep the order of the source.
        let constant = |s: &Stmt| matches!(s, Stmt::Decl(d) if d.init.is_some_and(|e| self.w.tree.is_literal(e)));
        if taken.iter().all(constant) {
            taken.sort_by_key(|s| if let Stmt::Decl(d) = s { d.symbol.0 } else { 0 });
        }
        taken
    }

    /// Whether nothing from place `end` on mentions the variable.
    pub(crate) fn ends_before(&self, symbol: Symbol, end: u32) -> bool {
        self.last_mention(symbol).is_some_and(|last| last < end)
    }

    /// A loop whose step is more than a `for` can hold, and which has `continue`s.
    fn push_stepped(&mut self, test: Option<Expr>, next: Vec<Stmt>, mut body: Vec<Stmt>, mut target: Breakable) {
        if self.w.abilities.continuing {
            body.splice(..0, test.map(|test| self.if_not(test, vec![Stmt::Break(None)])));
            let (body, continuing) = (self.w.tree.add_list(body), self.w.tree.add_list(next));
            self.push_construct(Stmt::Loop { body, continuing, break_if: None }, target);
        } else if self.w.abilities.far_jumps == FarJumps::Flags {
            self.push_guarded(test, next, body, target);
        } else {
            self.jump_to_end(&mut body, &mut target);
            body.extend(next);
            self.push_while(test, body, target);
        }
    }

    /// Makes each `continue` of a loop a jump to the end of its body, by a label there.
    fn jump_to_end(&mut self, body: &mut Vec<Stmt>, target: &mut Breakable) {
        if target.continues == 0 {
            return;
        }
        let label = target.next_label.unwrap_or_else(|| self.new_label("next"));
        if self.w.abilities.far_jumps == FarJumps::Goto {
            self.replace_jumps(body, |jump, is_inner| match jump {
                Stmt::Continue(None) if !is_inner => Some(Stmt::Goto(label)),
                _ => None,
            });
            if target.next_label.is_none() {
                body.push(Stmt::Label(label));
            }
            return;
        }
        // In a block with a label, each jump must have one.
        let outer = target.label.unwrap_or_else(|| self.new_label("outer"));
        let mut is_broken = target.is_broken;
        self.replace_jumps(body, |jump, is_inner| match jump {
            Stmt::Continue(None) if !is_inner => Some(Stmt::Break(Some(label))),
            Stmt::Continue(Some(l)) if *l == outer => Some(Stmt::Break(Some(label))),
            Stmt::Break(None) if !is_inner => {
                is_broken = true;
                Some(Stmt::Break(Some(outer)))
            }
            _ => None,
        });
        (target.label, target.is_broken, target.is_continued) = (Some(outer), is_broken, false);
        let inside = self.w.tree.add_list(std::mem::take(body));
        body.push(Stmt::Labelled { label, body: inside });
    }

    /// A loop whose step is more than a `for` can hold, and which has `continue`s: the step runs at the start of every
    /// iteration but the first.
    pub(crate) fn push_guarded(&mut self, test: Option<Expr>, next: Vec<Stmt>, body: Vec<Stmt>, target: Breakable) {
        let (first, decl) = self.flag("first", true);
        self.push(decl);
        let name = self.w.tree.name(first);
        let not_first = self.w.tree.not(name);
        let mut stmts = Vec::new();
        let next = self.w.tree.add_list(next);
        let none = self.w.tree.add_list(Vec::new());
        stmts.push(Stmt::If { condition: not_first, then: next, otherwise: none });
        let value = self.w.tree.add(ExprKind::Bool(false));
        stmts.push(Stmt::Assign { target: name, op: None, value });
        if let Some(test) = test {
            let not = self.w.tree.not(test);
            let then = self.w.tree.add_list(vec![Stmt::Break(None)]);
            stmts.push(Stmt::If { condition: not, then, otherwise: none });
        }
        stmts.extend(body);
        self.push_while(None, stmts, target);
    }

    pub(crate) fn finish_do(&mut self, owner: Block) {
        let Exit::DoLoop { body: body_block, merge, .. } = self.body.blocks[owner].exit else { return };
        let (Some(condition), Some(mut body)) = (self.closed.pop(), self.closed.pop()) else { return };
        let Some(mut target) = self.targets.pop() else { return };
        body.stmts.extend(target.next_label.map(Stmt::Label));
        let Frame { stmts: mut tail, ending, .. } = condition;
        let Ending::LoopIf { condition, body_args, merge_args } = ending else {
            stmts_of(&mut tail, body.stmts);
            self.push_while(None, tail, target);
            return;
        };
        let mut leave = closed_frame(Vec::new());
        self.feed_in(&mut leave, &self.body.blocks[merge].inputs, &merge_args);
        let mut again = closed_frame(Vec::new());
        self.feed_in(&mut again, &self.body.blocks[body_block].inputs, &body_args);
        let copies = !leave.stmts.is_empty() || !again.stmts.is_empty();
        let inside = |s: &Stmt| matches!(s, Stmt::Decl(_));
        let Abilities { do_while, continuing, far_jumps, .. } = self.w.abilities;
        if do_while && !copies && !tail.iter().any(inside) && (tail.is_empty() || target.continues == 0) {
            stmts_of(&mut tail, body.stmts);
            let body = self.w.tree.add_list(tail);
            self.push_construct(Stmt::DoWhile { body, condition }, target);
            return;
        }
        if continuing && !copies {
            let (body, continuing) = (self.w.tree.add_list(body.stmts), self.w.tree.add_list(tail));
            let break_if = Some(self.w.tree.not(condition));
            self.push_construct(Stmt::Loop { body, continuing, break_if }, target);
            return;
        }
        leave.stmts.push(Stmt::Break(None));
        tail.push(self.if_not(condition, leave.stmts));
        tail.extend(again.stmts);
        if target.continues > 0 && far_jumps == FarJumps::Flags {
            self.push_guarded(None, tail, body.stmts, target);
            return;
        }
        let mut stmts = body.stmts;
        self.jump_to_end(&mut stmts, &mut target);
        stmts.extend(tail);
        self.push_while(None, stmts, target);
    }
}

/// Puts statements before others.
fn stmts_of(rest: &mut Vec<Stmt>, first: Vec<Stmt>) {
    rest.splice(..0, first);
}

/// A list that is not being walked.
pub(crate) fn closed_frame(stmts: Vec<Stmt>) -> Frame {
    Frame { stmts, loop_id: 0, condition: None, in_step: None, ending: Ending::Open }
}
