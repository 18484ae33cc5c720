//! Statements. Lists and `else if` ladders are walked by loops; other nesting is bounded by the parser.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Type, Value};
use planish_ir::function::Exit;
use planish_ir::module::Stage;
use planish_ir::ops::Op;
use planish_ir::source::Span;

use super::{Checked, Checker};
use crate::ast::*;
use crate::device;

impl Checker<'_, '_> {
    /// A statement, in the scope that is open.
    pub(super) fn statement(&mut self, id: StmtId) {
        let Stmt { kind, span } = self.ast[id];
        if !self.frame.reachable && !matches!(kind, StmtKind::Empty | StmtKind::Case(_) | StmtKind::Default) {
            self.warn_unreachable(span);
        }
        match kind {
            StmtKind::Error | StmtKind::Empty => {}
            StmtKind::Compound(list) => {
                self.push_scope();
                self.statements(list);
                self.pop_scope();
            }
            StmtKind::Decl(decl) => self.local_declaration(decl),
            StmtKind::Expr(expr) => {
                let _ = self.expression(expr);
            }
            StmtKind::If { .. } => self.if_ladder(id),
            StmtKind::Switch { selector, body } => self.switch(selector, body, span),
            StmtKind::Case(_) | StmtKind::Default => {
                self.fail(Code::E0315, span, "a label outside of a `switch`");
            }
            StmtKind::While { condition, body } => self.while_loop(id, condition, body, span),
            StmtKind::DoWhile { body, condition } => self.do_loop(id, body, condition, span),
            StmtKind::For { init, condition, step, body } => self.for_loop(id, init, condition, step, body, span),
            StmtKind::Return(value) => self.return_statement(value, span),
            StmtKind::Break => self.break_statement(span),
            StmtKind::Continue => self.continue_statement(span),
            StmtKind::Discard => self.discard(span),
            StmtKind::IgnoreIntersection => {
                self.end_ray(&device::IGNORE_INTERSECTION, "ignoreIntersectionEXT", span);
            }
            StmtKind::TerminateRay => self.end_ray(&device::TERMINATE_RAY, "terminateRayEXT", span),
            StmtKind::Demote => {
                self.b.at(span);
                self.b.make_all(planish_ir::builder::Request::new(Op::Demote, &[]));
            }
        }
    }

    pub(super) fn push_scope(&mut self) {
        self.scopes.push();
        self.precisions.push();
    }

    /// Statements in order.
    pub(super) fn statements(&mut self, list: List<StmtId>) {
        let ast = self.ast;
        for &statement in &ast[list] {
            self.statement(statement);
        }
    }

    /// The body of a `for` or `while`, which shares the scope of the loop's own variable.
    pub(super) fn unscoped(&mut self, statement: StmtId) {
        match self.ast[statement].kind {
            StmtKind::Compound(list) => self.statements(list),
            _ => self.statement(statement),
        }
    }

    /// A statement with a scope of its own.
    pub(super) fn scoped(&mut self, statement: StmtId) {
        self.push_scope();
        self.statement(statement);
        self.pop_scope();
    }

    /// Goes on in a block that nothing leads to.
    pub(super) fn leave(&mut self) {
        let dead = self.b.new_block();
        self.b.switch_to(dead);
        self.frame.reachable = false;
        self.frame.warned_unreachable = false;
    }

    /// Recursion: as deep as statements nest, which the parser bounds (`MAX_NESTING`).
    fn if_ladder(&mut self, id: StmtId) {
        let (rungs, last) = self.ast.if_ladder(id);
        let mut merges = Vec::with_capacity(rungs.len());
        for rung in &rungs {
            let condition = self.condition(rung.condition).unwrap_or(Const::TRUE.into());
            self.b.at(self.ast[rung.stmt].span);
            let blocks = self.b.if_(condition);
            let reachable = self.frame.reachable;
            let unwritten = self.enter_condition();
            self.b.switch_to(blocks.then);
            self.scoped(rung.accept);
            self.b.merge(&[]);
            let after_then = std::mem::replace(&mut self.frame.flow.unwritten, unwritten);
            merges.push((blocks.merge, self.frame.reachable, after_then));
            self.b.switch_to(blocks.otherwise);
            self.frame.reachable = reachable;
        }
        if let Some(last) = last {
            self.scoped(last);
        }
        for (merge, from_then, unwritten) in merges.into_iter().rev() {
            self.b.merge(&[]);
            self.b.switch_to(merge);
            self.join_flow(unwritten, from_then);
            self.frame.reachable |= from_then;
            self.frame.flow.conditions -= 1;
        }
        self.frame.warned_unreachable = false;
    }

    fn return_statement(&mut self, value: Option<ExprId>, span: Span) {
        let result = self.frame.result.unwrap_or(Type::VOID);
        self.frame.returns = true;
        let operand = value.map(|v| (v, self.expression(v)));
        self.b.at(span);
        let returned = match operand {
            None if result == Type::VOID => Ok(None),
            None => {
                let name = self.type_name(result);
                Err(self.error(
                    Diagnostic::error(
                        Code::E0313,
                        span,
                        format!("the function returns `{name}`, but nothing is returned here"),
                    )
                    .label("a value is missing"),
                ))
            }
            Some((expr, Ok(operand))) if result == Type::VOID => {
                let at = self.span_of(expr);
                let _ = operand;
                Err(self.error(
                    Diagnostic::error(Code::E0313, at, "the function is `void`, but a value is returned")
                        .label("this value goes nowhere"),
                ))
            }
            Some((expr, Ok(operand))) => self.returned_value(expr, operand, result).map(Some),
            Some((_, Err(reported))) => Err(reported),
        };
        self.b.at(span);
        match returned {
            Ok(Some(value)) => self.b.ret(&[value]),
            _ => self.b.ret(&[]),
        }
        self.leave();
    }

    fn returned_value(&mut self, expr: ExprId, operand: super::operand::Operand, result: Type) -> Checked<Value> {
        let span = self.span_of(expr);
        let operand = self.loaded_checked(operand, span)?;
        let value = self.value_as(operand, result, span, "the returned value")?;
        let precision = self.result_precision();
        self.b.refine_precision(value, precision);
        Ok(value)
    }

    fn break_statement(&mut self, span: Span) {
        self.b.at(span);
        let reachable = self.frame.reachable;
        match self.frame.constructs.last_mut() {
            Some(construct) => {
                construct.broken |= reachable;
                let owner = construct.owner;
                self.b.break_(owner, &[]);
                self.leave();
            }
            None => {
                self.fail(Code::E0314, span, "`break` outside of a loop or `switch`");
            }
        }
    }

    fn continue_statement(&mut self, span: Span) {
        self.b.at(span);
        match self.frame.constructs.iter().rev().find(|c| c.is_loop) {
            Some(construct) => {
                let owner = construct.owner;
                self.note_continue();
                self.b.continue_(owner, &[]);
                self.leave();
            }
            None => {
                self.fail(Code::E0314, span, "`continue` outside of a loop");
            }
        }
    }

    fn discard(&mut self, span: Span) {
        self.b.at(span);
        if self.stage() != Stage::Fragment {
            self.fail(Code::E0314, span, "`discard` is only in fragment shaders");
            return;
        }
        self.b.exit(Exit::Discard);
        self.leave();
    }
}
