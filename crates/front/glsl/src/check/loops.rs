//! Loops.

use planish_ir::builder::LoopBlocks;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Const, Value};
use planish_ir::source::Span;

use super::names::Entity;
use super::operand::Operand;
use super::{Checker, Construct};
use crate::ast::*;

impl Checker<'_, '_> {
    pub(super) fn while_loop(&mut self, id: StmtId, condition: StmtId, body: StmtId, span: Span) {
        self.webgl_while(span);
        self.push_scope();
        self.enter_loop(id, 1);
        self.loop_parts(Some(condition), None, body, span);
        self.pop_scope();
    }

    pub(super) fn for_loop(
        &mut self,
        id: StmtId,
        init: StmtId,
        condition: Option<StmtId>,
        step: Option<ExprId>,
        body: StmtId,
        span: Span,
    ) {
        self.push_scope();
        self.webgl_for(init, condition, step, span);
        self.statement(init);
        let locked = self.webgl_lock_index(init, body);
        self.enter_loop(id, 1);
        self.loop_parts(condition, step, body, span);
        self.webgl_unlock_index(locked);
        self.pop_scope();
    }

    /// Lowers condition, continue block and body, in this order; continues after the loop.
    fn loop_parts(&mut self, condition: Option<StmtId>, step: Option<ExprId>, body: StmtId, span: Span) {
        self.b.at(span);
        let blocks = self.b.loop_(&[], step.is_some());
        self.b.switch_to(blocks.condition);
        let value = condition.map_or(Const::TRUE.into(), |c| self.loop_condition(c));
        self.b.at(span);
        self.b.loop_if(value);
        if let (Some(next), Some(step)) = (blocks.next, step) {
            self.b.switch_to(next);
            self.loop_step(step);
            self.b.at(span);
            self.b.continue_(blocks.owner, &[]);
        }
        self.frame.flow.conditions += 1;
        let broken = self.loop_body(blocks, body, Self::unscoped, span);
        self.frame.flow.conditions -= 1;
        self.leave_loop();
        self.b.switch_to(blocks.merge);
        self.after_loop(value, broken);
    }

    fn loop_body(&mut self, blocks: LoopBlocks, body: StmtId, lower: fn(&mut Self, StmtId), span: Span) -> bool {
        let reachable = self.frame.reachable;
        self.frame.constructs.push(Construct { is_loop: true, owner: blocks.owner, broken: false });
        let declare_in = self.frame.declare_in.take();
        self.b.switch_to(blocks.body);
        lower(self, body);
        self.b.at(span);
        self.b.continue_(blocks.owner, &[]);
        self.frame.declare_in = declare_in;
        self.frame.reachable = reachable;
        self.frame.constructs.pop().is_some_and(|c| c.broken)
    }

    /// The end of a loop is reachable by its condition or by a `break`.
    fn after_loop(&mut self, condition: Value, broken: bool) {
        let endless = condition == Const::TRUE.into();
        self.frame.reachable &= broken || !endless;
        self.frame.warned_unreachable = false;
    }

    /// The condition of a `for` or `while`, which may declare a variable.
    fn loop_condition(&mut self, condition: StmtId) -> Value {
        let Stmt { kind, span } = self.ast[condition];
        match kind {
            StmtKind::Expr(expr) => self.condition(expr).unwrap_or(Const::TRUE.into()),
            StmtKind::Decl(decl) => {
                self.local_declaration(decl);
                self.declared_condition(decl, span)
            }
            _ => Const::TRUE.into(),
        }
    }

    /// The value of the variable that a condition declares.
    fn declared_condition(&mut self, decl: DeclId, span: Span) -> Value {
        let DeclKind::Variables { declarators, .. } = self.ast[decl].kind else { return Const::TRUE.into() };
        let Some(declarator) = self.ast[declarators].first() else { return Const::TRUE.into() };
        let Some(binding) = self.scopes.lookup(declarator.name.symbol) else { return Const::TRUE.into() };
        binding.used = true;
        let operand = match binding.entity {
            Entity::Variable { address, ty, .. } => Operand::place(address, ty),
            Entity::Value { value, ty } => Operand::value(value, ty),
            _ => return Const::TRUE.into(),
        };
        if operand.ty != planish_ir::entity::Type::BOOL {
            self.fail(Code::E0310, span, "a condition is `bool`");
            return Const::TRUE.into();
        }
        self.load(operand)
    }

    pub(super) fn do_loop(&mut self, id: StmtId, body: StmtId, condition: ExprId, span: Span) {
        self.webgl_while(span);
        self.b.at(span);
        let blocks = self.b.do_loop(&[]);
        self.enter_loop(id, 0);
        let broken = self.loop_body(blocks, body, Self::scoped, span);
        self.b.switch_to(blocks.condition);
        let value = self.condition(condition).unwrap_or(Const::TRUE.into());
        self.b.at(span);
        self.b.loop_if(value);
        self.leave_loop();
        self.b.switch_to(blocks.merge);
        self.after_loop(value, broken);
    }
}
