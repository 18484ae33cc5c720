//! Switches: `switch` again, or a sequence of `if … else if` where the version has none.

use super::loops::closed_frame;
use super::*;
use crate::abilities::Abilities;

impl<'m, D: Dialect<'m>> Lower<'_, 'm, D> {
    pub(crate) fn enter_switch(&mut self, switch: &Switch<'m>) {
        let &Switch { owner, selector, args, merge, .. } = switch;
        self.begin();
        let mut selector = self.operand(selector);
        let defaults: Vec<Expr> = args.iter().map(|&a| self.operand(a)).collect();
        self.settle_all();
        self.name_inputs(merge);
        let is_chain = self.is_chain(switch);
        if is_chain {
            selector = self.name_selector(owner, selector);
        }
        self.open_target(owner, if is_chain { BreakableKind::Once } else { BreakableKind::Switch });
        if let Some(target) = self.targets.last_mut() {
            target.frame = self.frames.len();
        }
        self.switches.push(OpenSwitch { selector, defaults });
    }

    /// Whether a switch is written as `if`s.
    fn is_chain(&self, switch: &Switch<'m>) -> bool {
        let Abilities { switches, fallthrough, .. } = self.w.abilities;
        let falls = |case: &Case| {
            let mut block = case.block;
            while let Some(merge) = self.body.blocks[block].exit.merge_block() {
                block = merge;
            }
            self.body.blocks[block].exit == Exit::Passthrough
        };
        let others = &switch.cases[..switch.cases.len().saturating_sub(1)];
        !switches || !fallthrough && others.iter().any(falls)
    }

    pub(crate) fn name_selector(&mut self, owner: Block, selector: Expr) -> Expr {
        if matches!(self.w.tree.kind(selector), ExprKind::Literal(_)) {
            return selector;
        }
        let Exit::Switch { selector: value, .. } = &self.body.blocks[owner].exit else { return selector };
        let symbol = self.w.tree.add_symbol("selector");
        self.push(Stmt::Decl(Decl {
            symbol,
            ty: self.w.module.type_of(self.body, *value),
            precision: self.w.module.precision_of(self.body, *value),
            precise: false,
            is_const: false,
            is_assigned: true,
            init: Some(selector),
        }));
        self.w.tree.name(symbol)
    }

    pub(crate) fn finish_switch(&mut self, switch: &Switch<'m>, selector: Expr, defaults: &[Expr]) {
        let owner = switch.owner;
        let mut cases = switch.cases.to_vec();
        let mut bodies = self.closed.split_off(self.closed.len() - cases.len());
        let Some(target) = self.targets.pop() else { return };
        if !cases.iter().any(|c| c.is_default) {
            let mut none = closed_frame(Vec::new());
            self.feed_in(&mut none, &self.body.blocks[switch.merge].inputs, defaults);
            if !none.stmts.is_empty() {
                if let Some(last) = bodies.last_mut().filter(|b| matches!(b.ending, Ending::Passthrough)) {
                    last.ending = Ending::CaseBreak;
                }
                cases.push(Case { values: Default::default(), is_default: true, block: owner });
                bodies.push(none);
            }
        }
        if !self.is_chain(switch) {
            let Abilities { case_breaks, fallthrough, .. } = self.w.abilities;
            let mut written = Vec::new();
            for (case, mut body) in cases.iter().zip(bodies) {
                let last = written.len() + 1 == cases.len();
                let falls = matches!(body.ending, Ending::Passthrough) && !last;
                match body.ending {
                    Ending::CaseBreak if case_breaks => body.stmts.push(Stmt::Break(None)),
                    Ending::Passthrough if last && case_breaks => body.stmts.push(Stmt::Break(None)),
                    // The end of the last case, which only languages with fallthrough may leave open.
                    Ending::Open if case_breaks && !fallthrough => body.stmts.push(Stmt::Break(None)),
                    _ => {}
                }
                let values = case.values.to_vec();
                let body = self.w.tree.add_list(body.stmts);
                written.push(SwitchCase { values, is_default: case.is_default, falls, body });
            }
            self.push_construct(Stmt::Switch { selector, cases: written }, target);
        } else {
            self.push_chain(owner, selector, &cases, bodies, target);
        }
    }

    /// A switch for targets without one. Cases that only break at their end become `if … else if`; others are written
    /// in a loop of one iteration, in which falling through sets a flag.
    pub(crate) fn push_chain(
        &mut self,
        owner: Block,
        selector: Expr,
        cases: &[Case],
        bodies: Vec<Frame>,
        mut target: Breakable,
    ) {
        let tails = bodies.iter().filter(|b| matches!(b.ending, Ending::CaseBreak)).count() as u32;
        let count = bodies.len();
        let falls = bodies.iter().take(count.max(1) - 1).any(|b| matches!(b.ending, Ending::Passthrough));
        // A `continue` of the loop around must leave it too, by a flag; a `break` in a case needs the loop of one
        // iteration.
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
                Ending::CaseBreak => {
                    let leave = self.leave_once(&mut target);
                    body.stmts.push(leave);
                }
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
    pub(crate) fn case_test(&mut self, selector: Expr, case: &Case, cases: &[Case]) -> Expr {
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
}
