//! Ways through a syntax tree that do not recurse.

use super::*;

/// One step of an `if … else if … else …` ladder; see [`Ast::if_ladder`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rung {
    /// The `if` statement.
    pub stmt: StmtId,
    /// Its condition.
    pub condition: ExprId,
    /// The statement that it guards.
    pub accept: StmtId,
}

/// The chain of binary operators, commas and postfix operators on a left operand; see [`Ast::left_spine`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftSpine {
    /// The innermost left operand: not itself a binary operator, comma, field, index, call of a method or postfix operator.
    pub leaf: ExprId,
    /// The enclosing expressions, innermost first; the last is the argument of [`Ast::left_spine`].
    pub around: Vec<ExprId>,
}

impl Ast {
    /// The leftmost operand of an expression: the left operand of a binary operator or comma, the base of a postfix
    /// expression, the object of a method call. The length of such chains is unbounded.
    pub fn left_operand(&self, expr: ExprId) -> Option<ExprId> {
        match self[expr].kind {
            ExprKind::Binary { lhs, .. } | ExprKind::Comma { lhs, .. } => Some(lhs),
            ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => Some(base),
            ExprKind::Postfix { operand, .. } => Some(operand),
            ExprKind::Call { callee, .. } if !matches!(self[callee].kind, ExprKind::Name(_)) => Some(callee),
            _ => None,
        }
    }

    /// Follows [`Ast::left_operand`] to the end, so that a pass handles `a + b + c + …` with a loop: first the leaf,
    /// then each of `around` in order. O(length of the chain).
    pub fn left_spine(&self, expr: ExprId) -> LeftSpine {
        let mut around = vec![];
        let mut leaf = expr;
        while let Some(inner) = self.left_operand(leaf) {
            around.push(leaf);
            leaf = inner;
        }
        around.reverse();
        LeftSpine { leaf, around }
    }

    /// The steps of the `if` ladder that starts at `stmt`, and the last `else` branch. A statement that is no `if` is
    /// its own last branch of a ladder without steps.
    pub fn if_ladder(&self, stmt: StmtId) -> (Vec<Rung>, Option<StmtId>) {
        let mut rungs = vec![];
        let mut next = Some(stmt);
        while let Some(stmt) = next {
            let StmtKind::If { condition, accept, reject } = self[stmt].kind else { break };
            rungs.push(Rung { stmt, condition, accept });
            next = reject;
        }
        (rungs, next)
    }

    /// The expression without the parentheses around it.
    pub fn unparenthesized(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Paren(inner) = self[expr].kind {
            expr = inner;
        }
        expr
    }

    /// Calls `visit` with each direct operand of an expression, in source order; array dimensions of a constructor's
    /// type included.
    pub fn for_each_operand(&self, expr: ExprId, mut visit: impl FnMut(ExprId)) {
        match self[expr].kind {
            ExprKind::Error
            | ExprKind::Name(_)
            | ExprKind::Bool(_)
            | ExprKind::Int { .. }
            | ExprKind::Short { .. }
            | ExprKind::Long(_)
            | ExprKind::UnsignedLong(_)
            | ExprKind::Float(_)
            | ExprKind::Half(_)
            | ExprKind::Double(_) => {}
            ExprKind::Paren(inner) => visit(inner),
            ExprKind::Prefix { operand, .. } | ExprKind::Postfix { operand, .. } => visit(operand),
            ExprKind::Binary { lhs, rhs, .. } | ExprKind::Comma { lhs, rhs } => {
                visit(lhs);
                visit(rhs);
            }
            ExprKind::Assign { target, value, .. } => {
                visit(target);
                visit(value);
            }
            ExprKind::Ternary { condition, accept, reject } => {
                visit(condition);
                visit(accept);
                visit(reject);
            }
            ExprKind::Call { callee, args } => {
                visit(callee);
                self[args].iter().copied().for_each(visit);
            }
            ExprKind::Construct { ty, args } => {
                self[self[ty].dims].iter().filter_map(|dim| dim.size).for_each(&mut visit);
                self[args].iter().copied().for_each(visit);
            }
            ExprKind::Field { base, .. } => visit(base),
            ExprKind::Index { base, index } => {
                visit(base);
                visit(index);
            }
            ExprKind::InitList(items) => self[items].iter().copied().for_each(visit),
        }
    }

    /// Calls `visit` with `expr` and everything in it, users before operands, in source order; does not recurse.
    pub fn for_each_expr_in(&self, expr: ExprId, mut visit: impl FnMut(ExprId)) {
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            visit(expr);
            let mark = pending.len();
            self.for_each_operand(expr, |operand| pending.push(operand));
            pending[mark..].reverse();
        }
    }
}
