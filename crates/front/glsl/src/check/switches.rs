//! `switch`: labels are gathered first, then each case is lowered into its block.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Type};
use planish_ir::function::Case;
use planish_ir::source::Span;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Checked, Checker, Construct};
use crate::ast::*;

/// The statements after a run of labels.
struct Arm {
    case: Case,
    statements: Vec<StmtId>,
    label: Span,
}

impl Checker<'_, '_> {
    pub(super) fn switch(&mut self, selector: ExprId, body: List<StmtId>, span: Span) {
        if !self.version.at_least(300, 130) {
            let version = self.version;
            self.fail(Code::E0311, span, format!("{version} has no `switch`"));
        }
        let value = self.value(selector);
        let value = value.and_then(|v| match v.ty {
            Type::I32 | Type::U32 => Ok(v),
            ty => {
                let (name, at) = (self.type_name(ty), self.span_of(selector));
                Err(self.error(
                    Diagnostic::error(
                        Code::E0315,
                        at,
                        format!("a `switch` selects by `int` or `uint`, not by `{name}`"),
                    )
                    .label(format!("this is `{name}`")),
                ))
            }
        });
        self.push_scope();
        let ty = value.map_or(Type::I32, |v| v.ty);
        let arms = self.arms(body, ty);
        let selector = value.map_or(Const::I32_ZERO.into(), |v| v.value);
        self.b.at(span);
        let owner = self.b.block();
        let cases = arms.iter().map(|arm| arm.case.clone()).collect();
        let merge = self.b.switch(selector, cases, &[]);
        let written = self.unwritten_but_written_in(&self.ast[body]);
        self.lower_arms(arms, owner);
        self.frame.flow.unwritten.retain(|entry| !written.contains(entry));
        self.pop_scope();
        self.b.switch_to(merge);
    }

    fn lower_arms(&mut self, arms: Vec<Arm>, owner: planish_ir::entity::Block) {
        let reachable = self.frame.reachable;
        let has_default = arms.iter().any(|a| a.case.is_default);
        self.frame.constructs.push(Construct { is_loop: false, owner, broken: false });
        let outer = self.frame.declare_in.replace(owner);
        let last = arms.len().wrapping_sub(1);
        let mut falls_out = false;
        let unwritten = self.enter_condition();
        for (i, arm) in arms.into_iter().enumerate() {
            self.b.switch_to(arm.case.block);
            self.frame.reachable &= i > 0;
            self.join_flow(unwritten.clone(), reachable);
            self.frame.reachable = reachable;
            if i == last && arm.statements.is_empty() && self.is_es() {
                self.fail(Code::E0315, arm.label, "a `switch` ends with a label that no statement follows");
            }
            for statement in arm.statements {
                self.statement(statement);
            }
            self.b.at(arm.label);
            if i == last {
                falls_out = self.frame.reachable;
                self.b.break_(owner, &[]);
            } else {
                self.b.exit(planish_ir::function::Exit::Passthrough);
            }
        }
        self.frame.flow.conditions -= 1;
        self.frame.flow.unwritten = unwritten;
        self.frame.declare_in = outer;
        let broken = self.frame.constructs.pop().is_some_and(|c| c.broken);
        self.frame.reachable = reachable && (broken || falls_out || !has_default);
        self.frame.warned_unreachable = false;
    }

    /// Splits the body of a `switch` at its labels.
    fn arms(&mut self, body: List<StmtId>, ty: Type) -> Vec<Arm> {
        let ast = self.ast;
        let mut arms: Vec<Arm> = vec![];
        let mut seen: FxHashMap<Const, Span> = FxHashMap::default();
        let mut default: Option<Span> = None;
        for &id in &ast[body] {
            let span = ast[id].span;
            match ast[id].kind {
                StmtKind::Case(expr) => {
                    let value = self.label_value(expr, ty);
                    let arm = self.arm_for_label(&mut arms, span);
                    if let Ok(value) = value {
                        if let Some(&earlier) = seen.get(&value) {
                            self.error(
                                Diagnostic::error(Code::E0315, span, "this value has a label already")
                                    .also(earlier, "the first label"),
                            );
                            continue;
                        }
                        seen.insert(value, span);
                        arms[arm].case.values.push(value);
                    }
                }
                StmtKind::Default => {
                    let arm = self.arm_for_label(&mut arms, span);
                    if let Some(earlier) = default.replace(span) {
                        self.error(
                            Diagnostic::error(Code::E0315, span, "a second `default`").also(earlier, "the first one"),
                        );
                    }
                    arms[arm].case.is_default = true;
                }
                _ => match arms.last_mut() {
                    Some(arm) => arm.statements.push(id),
                    None => {
                        self.fail(Code::E0315, span, "a statement in a `switch` before its first label");
                    }
                },
            }
        }
        arms
    }

    /// The arm that a label belongs to: labels in a row share one.
    fn arm_for_label(&mut self, arms: &mut Vec<Arm>, label: Span) -> usize {
        if arms.last().is_none_or(|arm| !arm.statements.is_empty()) {
            let block = self.b.new_block();
            let case = Case { values: SmallVec::new(), is_default: false, block };
            arms.push(Arm { case, statements: vec![], label });
        }
        arms.len() - 1
    }

    fn label_value(&mut self, expr: ExprId, ty: Type) -> Checked<Const> {
        let span = self.span_of(expr);
        let operand = self.expression(expr)?;
        let constant = self.require_constant(operand, span, "a label")?;
        if operand.ty == ty {
            return Ok(constant);
        }
        let value = self.value_as(operand, ty, span, "a label")?;
        value.as_const().ok_or(super::Reported)
    }
}
