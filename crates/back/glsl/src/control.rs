//! Constructs: how `If`, `Loop`, `DoLoop`, `Switch` and `Labelled` become statements and expressions again.

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
    FinishIf { owner: Block, condition: Expr, effects: Effects },
    FinishLoop(Block),
    FinishDo(Block),
    FinishSwitch { owner: Block, selector: Expr },
    FinishLabelled { owner: Block, once: bool },
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
            Task::FinishSwitch { owner, selector } => self.finish_switch(owner, selector),
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

    fn name_inputs(&mut self, block: Block) {
        for &input in &self.body.blocks[block].inputs {
            if self.uses.count[input] > 0 {
                let symbol = self.new_temporary(input);
                self.slots[input.index()] = Slot::Named(symbol);
            }
        }
    }

    /// `T name = init;` for inputs that have their symbols already.
    fn declare_named(&mut self, inputs: &[Local], inits: &[Expr]) {
        for (i, &input) in inputs.iter().enumerate() {
            if let Slot::Named(symbol) = self.slots[input.index()] {
                let decl = self.temporary(input, symbol, inits.get(i).copied());
                self.push(decl);
            }
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
                (&[a], &[b], &[input]) if self.may_choose(input) => {
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
        inputs.iter().for_each(|&i| self.declare_input(i, None));
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
        let stmts = std::mem::take(&mut frame.stmts);
        let ours = self.frames.last_mut().map(|f| std::mem::replace(&mut f.stmts, stmts)).unwrap_or_default();
        self.feed(inputs, exprs, false);
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

    fn enter_loop(&mut self, owner: Block, exit: &'m Exit) {
        let Exit::Loop { args, condition, body, next, merge } = exit else { return };
        self.carry(*condition, args);
        if let Some(next) = next {
            self.body.blocks[*next].inputs.iter().for_each(|&i| self.declare_input(i, None));
        }
        self.name_inputs(*merge);
        let id = self.open_target(owner, BreakableKind::Loop);
        self.tasks.extend([Task::Block(*merge), Task::FinishLoop(owner)]);
        if let Some(next) = next {
            self.tasks.extend([Task::Close, Task::Block(*next), Task::Open(Role::Next(owner, id))]);
        }
        self.tasks.extend([
            Task::Close,
            Task::Block(*body),
            Task::Open(Role::Body(owner, id)),
            Task::Close,
            Task::Block(*condition),
            Task::Open(Role::Condition(owner, id)),
        ]);
    }

    fn enter_do(&mut self, owner: Block, exit: &'m Exit) {
        let Exit::DoLoop { args, body, condition, merge } = exit else { return };
        self.carry(*body, args);
        self.body.blocks[*condition].inputs.iter().for_each(|&i| self.declare_input(i, None));
        self.name_inputs(*merge);
        let id = self.open_target(owner, BreakableKind::Loop);
        self.tasks.extend([
            Task::Block(*merge),
            Task::FinishDo(owner),
            Task::Close,
            Task::Block(*condition),
            Task::Open(Role::Condition(owner, id)),
            Task::Close,
            Task::Block(*body),
            Task::Open(Role::Body(owner, id)),
        ]);
    }

    /// Declares the carried values of a loop with their first values.
    fn carry(&mut self, header: Block, args: &[Value]) {
        let exprs = self.jump_operands(args);
        self.settle_all();
        let inputs = &self.body.blocks[header].inputs;
        for (&input, &expr) in inputs.iter().zip(&exprs) {
            self.declare_input(input, Some(expr));
        }
    }

    fn open_target(&mut self, owner: Block, kind: BreakableKind) -> u32 {
        self.targets.push(Breakable { owner, kind, frame: usize::MAX, continues: 0, flags: Vec::new() });
        self.next_loop += 1;
        self.next_loop - 1
    }

    fn finish_loop(&mut self, owner: Block) {
        let Exit::Loop { body: body_block, next: next_block, merge, .. } = self.body.blocks[owner].exit else { return };
        let next = next_block.and_then(|_| self.closed.pop());
        let (Some(body), Some(condition)) = (self.closed.pop(), self.closed.pop()) else { return };
        let Some(target) = self.targets.pop() else { return };
        let (condition, after) = self.take_results(owner, condition);
        if after.is_none() {
            self.declare_merge(merge);
        }
        let (test, checked) = self.test(condition, body_block, merge);
        let mut stmts = checked;
        stmts.extend(body.stmts);
        let next = next.map(|f| f.stmts).unwrap_or_default();
        let simple = next.iter().all(|s| matches!(s, Stmt::Assign { .. } | Stmt::Expr(_)));
        if next.is_empty() {
            self.push_while(test, stmts, target);
        } else if simple {
            self.push_for(owner, test, next, stmts, target);
        } else if target.continues == 0 {
            stmts.extend(next);
            self.push_while(test, stmts, target);
        } else {
            self.push_guarded(test, next, stmts, target);
        }
        self.skip_unreached(owner, test);
        let inputs = &self.body.blocks[merge].inputs;
        for (&input, result) in inputs.iter().zip(after.unwrap_or_default()) {
            // A carried value keeps its variable.
            if self.is_carried(result) {
                self.slots[input.index()] = Slot::Stable(result);
            } else {
                self.declare_named(&[input], &[result]);
            }
        }
    }

    /// If the test alone ends the loop, its values for the merge block can be computed after the loop as well.
    fn take_results(&mut self, owner: Block, mut condition: Frame) -> (Frame, Option<Vec<Expr>>) {
        if self.uses.breaks[owner] > 0 || !condition.stmts.is_empty() {
            return (condition, None);
        }
        let results = match &mut condition.ending {
            Ending::LoopIf { body_args, merge_args, .. } if body_args.is_empty() => std::mem::take(merge_args),
            _ => return (condition, None),
        };
        // What they mention must outlive the loop's head.
        for &result in &results {
            for symbol in self.w.tree.mentioned(result) {
                self.outlive(symbol, self.uses.end[owner]);
            }
        }
        (condition, Some(results))
    }

    /// What a loop tests in its head, and what it must do in its body before the rest.
    fn test(&mut self, condition: Frame, body: Block, merge: Block) -> (Option<Expr>, Vec<Stmt>) {
        let Frame { mut stmts, ending, .. } = condition;
        let Ending::LoopIf { condition, body_args, merge_args } = ending else { return (None, stmts) };
        let forever = self.w.tree.kind(condition) == ExprKind::Literal(Const::TRUE);
        let plain = stmts.is_empty() && body_args.is_empty() && merge_args.is_empty();
        if plain {
            return ((!forever).then_some(condition), stmts);
        }
        let merge_inputs = &self.body.blocks[merge].inputs;
        let ours = self.frames.last_mut().map(|f| std::mem::replace(&mut f.stmts, stmts)).unwrap_or_default();
        if !forever {
            let mut leave =
                Frame { stmts: Vec::new(), loop_id: 0, condition: None, in_step: None, ending: Ending::Leaves };
            self.feed_in(&mut leave, merge_inputs, &merge_args);
            leave.stmts.push(Stmt::Break);
            let not = self.w.tree.not(condition);
            self.push_if(not, leave.stmts, Vec::new());
        }
        let inputs = &self.body.blocks[body].inputs;
        self.declare_named(inputs, &body_args);
        stmts = self.frames.last_mut().map(|f| std::mem::replace(&mut f.stmts, ours)).unwrap_or_default();
        (None, stmts)
    }

    fn declare_merge(&mut self, merge: Block) {
        let inputs = &self.body.blocks[merge].inputs;
        self.declare_named(inputs, &[]);
    }

    /// A loop that only `break` leaves, without any, ends nowhere.
    fn skip_unreached(&mut self, owner: Block, test: Option<Expr>) {
        let Exit::Loop { condition, .. } = self.body.blocks[owner].exit else { return };
        let data = &self.body.blocks[condition];
        let forever = matches!(&data.exit, Exit::LoopIf { condition, .. } if condition.as_const() == Some(Const::TRUE));
        if test.is_none() && forever && self.uses.breaks[owner] == 0 {
            self.skip_merge();
        }
    }

    /// The statement of a construct with what jumps over it need: flags before, guards after.
    fn push_construct(&mut self, stmt: Stmt, target: Breakable) {
        let outer = self.targets.len();
        for &(flag, to, _) in &target.flags {
            if to + 1 == outer {
                let init = Some(self.w.tree.add(ExprKind::Bool(false)));
                self.push(plain_decl(flag, Type::BOOL, init));
            }
        }
        self.push(stmt);
        for (flag, to, is_continue) in target.flags {
            let condition = self.w.tree.name(flag);
            let arrived = to + 1 == outer;
            let leave = if arrived && is_continue { Stmt::Continue } else { Stmt::Break };
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

    fn push_while(&mut self, test: Option<Expr>, body: Vec<Stmt>, target: Breakable) {
        let condition = test.unwrap_or_else(|| self.w.tree.add(ExprKind::Bool(true)));
        let body = self.w.tree.add_list(body);
        self.push_construct(Stmt::While { condition, body }, target);
    }

    /// `for (init; test; next)`, where `init` is what stands just before and belongs to the loop alone.
    fn push_for(&mut self, owner: Block, test: Option<Expr>, next: Vec<Stmt>, body: Vec<Stmt>, target: Breakable) {
        let changed: Vec<Symbol> = next.iter().filter_map(|s| self.changed(s)).collect();
        let init = self.take_init(owner, &changed);
        let init = self.w.tree.add_list(init);
        let next = self.w.tree.add_list(next);
        let body = self.w.tree.add_list(body);
        self.push_construct(Stmt::For { init, condition: test, next, body }, target);
    }

    /// The variable that an assignment or `++` changes.
    fn changed(&self, stmt: &Stmt) -> Option<Symbol> {
        let mut e = match *stmt {
            Stmt::Assign { target, .. } => target,
            Stmt::Expr(e) => match self.w.tree.kind(e) {
                ExprKind::Prefix(_, a) | ExprKind::Postfix(_, a) => a,
                _ => return None,
            },
            _ => return None,
        };
        loop {
            e = match self.w.tree.kind(e) {
                ExprKind::Name(s) => return Some(s),
                ExprKind::Index(a, _) | ExprKind::Member(a, ..) | ExprKind::Swizzle(a, _) => a,
                _ => return None,
            };
        }
    }

    /// Takes the statements at the end of the current list that initialize what the loop steps.
    fn take_init(&mut self, owner: Block, changed: &[Symbol]) -> Vec<Stmt> {
        let end = self.uses.end[owner];
        let mut taken: Vec<Stmt> = Vec::new();
        let mut kept: Vec<Stmt> = Vec::new();
        for _ in 0..8 {
            let Some(stmt) = self.frames.last_mut().and_then(|f| f.stmts.pop()) else { break };
            let fits = match &stmt {
                Stmt::Decl(decl) => {
                    let alike = taken
                        .first()
                        .is_none_or(|t| matches!(t, Stmt::Decl(d) if d.ty == decl.ty && d.precision == decl.precision));
                    let moves = kept.is_empty() || decl.init.is_some_and(|e| self.is_literal(e));
                    let array = matches!(self.w.module.types[decl.ty], TypeKind::Array { .. });
                    let ours = changed.contains(&decl.symbol) && self.ends_before(decl.symbol, end);
                    // What stays behind must not mention what moves past it.
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
        // First values that are constants may stand in the order in which the source has them.
        let constant = |s: &Stmt| matches!(s, Stmt::Decl(d) if d.init.is_some_and(|e| self.is_literal(e)));
        if taken.iter().all(constant) {
            taken.sort_by_key(|s| if let Stmt::Decl(d) = s { d.symbol.0 } else { 0 });
        }
        taken
    }

    fn is_literal(&self, e: Expr) -> bool {
        matches!(self.w.tree.kind(e), ExprKind::Literal(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_))
    }

    /// Whether nothing from place `end` on mentions the variable.
    fn ends_before(&self, symbol: Symbol, end: u32) -> bool {
        self.last_mention(symbol).is_some_and(|last| last < end)
    }

    /// A loop whose step is more than a `for` can hold, and which has `continue`s: the step runs at the start of every
    /// round but the first.
    fn push_guarded(&mut self, test: Option<Expr>, next: Vec<Stmt>, body: Vec<Stmt>, target: Breakable) {
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
            let then = self.w.tree.add_list(vec![Stmt::Break]);
            stmts.push(Stmt::If { condition: not, then, otherwise: none });
        }
        stmts.extend(body);
        self.push_while(None, stmts, target);
    }

    fn finish_do(&mut self, owner: Block) {
        let Exit::DoLoop { body: body_block, merge, .. } = self.body.blocks[owner].exit else { return };
        let (Some(condition), Some(body)) = (self.closed.pop(), self.closed.pop()) else { return };
        let Some(target) = self.targets.pop() else { return };
        self.declare_merge(merge);
        let Frame { stmts: tail, ending, .. } = condition;
        let mut stmts = body.stmts;
        let Ending::LoopIf { condition, body_args, merge_args } = ending else {
            stmts.extend(tail);
            self.push_while(None, stmts, target);
            return;
        };
        if tail.is_empty() && body_args.is_empty() && merge_args.is_empty() {
            let body = self.w.tree.add_list(stmts);
            self.push_construct(Stmt::DoWhile { body, condition }, target);
            return;
        }
        let merge_inputs = &self.body.blocks[merge].inputs;
        let body_inputs = &self.body.blocks[body_block].inputs;
        if target.continues == 0 {
            let (again, _) = self.flag("again", false);
            self.push(plain_decl(again, Type::BOOL, None));
            let mut rest = Frame { stmts: tail, loop_id: 0, condition: None, in_step: None, ending: Ending::Open };
            let name = self.w.tree.name(again);
            rest.stmts.push(Stmt::Assign { target: name, op: None, value: condition });
            self.feed_in(&mut rest, merge_inputs, &merge_args);
            self.feed_all_in(&mut rest, body_inputs, &body_args);
            stmts.extend(rest.stmts);
            let body = self.w.tree.add_list(stmts);
            self.push_construct(Stmt::DoWhile { body, condition: name }, target);
            return;
        }
        let mut leave = Frame { stmts: Vec::new(), loop_id: 0, condition: None, in_step: None, ending: Ending::Open };
        self.feed_in(&mut leave, merge_inputs, &merge_args);
        leave.stmts.push(Stmt::Break);
        let mut head = Frame { stmts: tail, loop_id: 0, condition: None, in_step: None, ending: Ending::Open };
        let not = self.w.tree.not(condition);
        let then = self.w.tree.add_list(leave.stmts);
        let otherwise = self.w.tree.add_list(Vec::new());
        head.stmts.push(Stmt::If { condition: not, then, otherwise });
        self.feed_all_in(&mut head, body_inputs, &body_args);
        self.push_guarded(None, head.stmts, stmts, target);
    }

    fn feed_all_in(&mut self, frame: &mut Frame, inputs: &[Local], exprs: &[Expr]) {
        let stmts = std::mem::take(&mut frame.stmts);
        let ours = self.frames.last_mut().map(|f| std::mem::replace(&mut f.stmts, stmts)).unwrap_or_default();
        self.feed(inputs, exprs, true);
        if let Some(current) = self.frames.last_mut() {
            frame.stmts = std::mem::replace(&mut current.stmts, ours);
        }
    }

    // Switch.

    fn enter_switch(&mut self, owner: Block, selector: Value, cases: &'m [Case], args: &[Value], merge: Block) {
        self.begin();
        let mut selector = self.operand(selector);
        let defaults: Vec<Expr> = args.iter().map(|&a| self.operand(a)).collect();
        self.settle_all();
        let has_default = cases.iter().any(|c| c.is_default);
        let inputs: &[Local] = &self.body.blocks[merge].inputs;
        for (i, &input) in inputs.iter().enumerate() {
            let init = if has_default { None } else { defaults.get(i).copied() };
            self.declare_input(input, init);
        }
        if !self.w.target.is_modern() {
            selector = self.name_selector(owner, selector);
        }
        self.open_target(owner, if self.w.target.is_modern() { BreakableKind::Switch } else { BreakableKind::Once });
        if let Some(target) = self.targets.last_mut() {
            target.frame = self.frames.len();
        }
        self.tasks.extend([Task::Block(merge), Task::FinishSwitch { owner, selector }]);
        for case in cases.iter().rev() {
            self.tasks.extend([Task::Close, Task::Block(case.block), Task::Open(Role::Arm)]);
        }
    }

    fn name_selector(&mut self, owner: Block, selector: Expr) -> Expr {
        if matches!(self.w.tree.kind(selector), ExprKind::Literal(_)) {
            return selector;
        }
        let Exit::Switch { selector: value, .. } = &self.body.blocks[owner].exit else { return selector };
        let symbol = self.w.tree.add_symbol("selector");
        self.push(Stmt::Decl(crate::tree::Decl {
            symbol,
            ty: self.w.module.type_of(self.body, *value),
            precision: self.w.module.precision_of(self.body, *value),
            precise: false,
            is_const: false,
            init: Some(selector),
        }));
        self.w.tree.name(symbol)
    }

    fn finish_switch(&mut self, owner: Block, selector: Expr) {
        let Exit::Switch { cases, .. } = &self.body.blocks[owner].exit else { return };
        let bodies = self.closed.split_off(self.closed.len() - cases.len());
        let Some(target) = self.targets.pop() else { return };
        let all_leave = cases.iter().any(|c| c.is_default)
            && self.uses.breaks[owner] == 0
            && bodies.iter().all(|b| matches!(b.ending, Ending::Leaves));
        if self.w.target.is_modern() {
            let mut written = Vec::new();
            for (case, mut body) in cases.iter().zip(bodies) {
                let last = written.len() + 1 == cases.len();
                match body.ending {
                    Ending::CaseBreak => body.stmts.push(Stmt::Break),
                    Ending::Passthrough if last => body.stmts.push(Stmt::Break),
                    _ => {}
                }
                let values = case.values.to_vec();
                let body = self.w.tree.add_list(body.stmts);
                written.push(SwitchCase { values, is_default: case.is_default, body });
            }
            self.push_construct(Stmt::Switch { selector, cases: written }, target);
        } else {
            self.push_chain(owner, selector, cases, bodies, target);
        }
        if all_leave {
            self.skip_merge();
        }
    }

    /// A switch for targets without one. Cases that only break at their end become an `if` chain; others stand in a
    /// loop of one round, where falling through sets a flag.
    fn push_chain(&mut self, owner: Block, selector: Expr, cases: &[Case], bodies: Vec<Frame>, target: Breakable) {
        let tails = bodies.iter().filter(|b| matches!(b.ending, Ending::CaseBreak)).count() as u32;
        let count = bodies.len();
        let falls = bodies.iter().take(count.max(1) - 1).any(|b| matches!(b.ending, Ending::Passthrough));
        // A `continue` of the loop around must not be caught, which flags see to; a `break` inside needs the round.
        let needs_round = falls || self.uses.breaks[owner] != tails || !target.flags.is_empty();
        let tests: Vec<Expr> = cases.iter().map(|c| self.case_test(selector, c, cases)).collect();
        if !needs_round {
            let mut rest: Vec<Stmt> = Vec::new();
            let default = cases.iter().position(|c| c.is_default);
            let mut bodies: Vec<Vec<Stmt>> = bodies.into_iter().map(|b| b.stmts).collect();
            if let Some(d) = default {
                rest = std::mem::take(&mut bodies[d]);
            }
            for (i, stmts) in bodies.into_iter().enumerate().rev() {
                if Some(i) == default {
                    continue;
                }
                let then = self.w.tree.add_list(stmts);
                let otherwise = self.w.tree.add_list(std::mem::take(&mut rest));
                rest.push(Stmt::If { condition: tests[i], then, otherwise });
            }
            rest.into_iter().for_each(|s| self.push(s));
            return;
        }
        let (fell, decl) = self.flag("fell", false);
        let mut round = Vec::new();
        if falls {
            round.push(decl);
        }
        let none = self.w.tree.add_list(Vec::new());
        let mut fallen = false;
        for (i, (test, mut body)) in tests.into_iter().zip(bodies).enumerate() {
            let name = self.w.tree.name(fell);
            let condition = if fallen { self.w.tree.infix(Infix::LogicOr, name, test) } else { test };
            match body.ending {
                Ending::CaseBreak => body.stmts.push(Stmt::Break),
                Ending::Passthrough if i + 1 < count => {
                    let value = self.w.tree.add(ExprKind::Bool(true));
                    body.stmts.push(Stmt::Assign { target: name, op: None, value });
                    fallen = true;
                }
                _ => {}
            }
            let then = self.w.tree.add_list(body.stmts);
            round.push(Stmt::If { condition, then, otherwise: none });
        }
        self.push_once(round, target);
    }

    /// `selector == a || selector == b`; for the default, that it is none of the others.
    fn case_test(&mut self, selector: Expr, case: &Case, cases: &[Case]) -> Expr {
        let values: Vec<Const> = if case.is_default {
            cases.iter().filter(|c| !c.is_default).flat_map(|c| c.values.iter().copied()).collect()
        } else {
            case.values.to_vec()
        };
        let (compare, join) = if case.is_default { (Infix::Ne, Infix::LogicAnd) } else { (Infix::Eq, Infix::LogicOr) };
        let mut tests: Vec<Expr> = Vec::new();
        for value in values {
            let value = self.constant(value);
            tests.push(self.w.tree.infix(compare, selector, value));
        }
        // Joined in pairs, so that the expression stays flat.
        while tests.len() > 1 {
            let join_pair = |pair: &[Expr]| match *pair {
                [a, b] => self.w.tree.infix(join, a, b),
                _ => pair[0],
            };
            tests = tests.chunks(2).map(join_pair).collect();
        }
        tests.pop().unwrap_or_else(|| self.w.tree.add(ExprKind::Bool(case.is_default)))
    }

    // Labelled.

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
        self.declare_merge(merge);
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
        self.feed(inputs, &exprs, is_continue);
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
