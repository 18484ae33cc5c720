//! Loads and stores.

use planish_ir::arena::Id;
use planish_ir::entity::{Node, Type, Value};
use planish_ir::ops::{Lanes, Op};
use planish_ir::types::TypeKind;

use crate::dialect::Dialect;
use crate::effects::node_effects;
use crate::lower::{Lower, Slot};
use crate::tree::{Callee, Decl, Expr, ExprKind, Stmt};

impl<'m, D: Dialect<'m>> Lower<'_, 'm, D> {
    pub(crate) fn load(&mut self, node: Node, pointer: Value) {
        let Some(result) = self.body.result(node) else { return };
        let lanes = self.swizzled(pointer).filter(|_| !self.w.abilities.swizzles);
        if self.is_place(result) || lanes.is_some() {
            // A handle cannot be pending, nor what is mentioned several times: the index is materialized now.
            if let Some(local) = pointer.as_local() {
                self.materialize(local);
            }
        }
        let mut expr = self.operand(pointer);
        if lanes.is_some()
            && let ExprKind::Swizzle(base, lanes) = self.w.tree.kind(expr)
        {
            expr = self.construct_from(base, lanes, self.body.local_type(result));
        }
        let expr = D::load(self, expr);
        let own = node_effects(self.w.module, self.body, &self.w.summaries, node);
        self.finish(result, expr, &own);
    }

    pub(crate) fn store(&mut self, node: Node, pointer: Value, value: Value) {
        let own = node_effects(self.w.module, self.body, &self.w.summaries, node);
        self.w.check_assignable(self.w.module.type_of(self.body, value), self.span);
        if self.uses.compound[node]
            && let Some(local) = value.as_local()
            && let Slot::Compound(op, right) = self.slots[local.index()]
        {
            let target = self.operand(pointer);
            self.begin();
            self.compounds.retain(|c| c.0 != local);
            self.order(&own);
            let scalar = matches!(self.w.module.types[self.body.local_type(local)], TypeKind::Scalar(_));
            let stmt = self.compound_assignment(target, scalar, op, right);
            self.push(stmt);
            return;
        }
        let declares = pointer.as_var().and_then(|v| self.vars.get(&v)).is_some_and(|v| !v.declared);
        let expr = match value.as_const() {
            Some(c) if declares => self.initial(c),
            _ => self.operand(value),
        };
        if let Some((var, symbol)) = self.undeclared(pointer) {
            self.order(&own);
            let decl = self.decl_of(var, symbol, Some(expr));
            self.push(decl);
            return;
        }
        let splits = self.swizzled(pointer).is_some() && !self.w.abilities.assignments_to_swizzles;
        if splits && let Some(local) = pointer.as_local() {
            self.materialize(local);
        }
        let target = self.operand(pointer);
        self.begin();
        self.order(&own);
        if splits && let ExprKind::Swizzle(base, lanes) = self.w.tree.kind(target) {
            self.assign_lanes(base, lanes, value, expr);
            return;
        }
        D::store(self, target, expr);
    }

    /// The components that a pointer leads to, if they are several.
    fn swizzled(&self, pointer: Value) -> Option<Lanes> {
        let data = self.body.node(self.body.node_of(pointer)?);
        (data.op == Op::AccessVectorComponentMulti).then(|| data.imm.as_lanes())
    }

    /// `vec2(v.x, v.y)` for `v.xy`; the vector may be mentioned several times.
    pub fn construct_from(&mut self, base: Expr, lanes: Lanes, ty: Type) -> Expr {
        let parts: Vec<Expr> = lanes.iter().map(|l| self.swizzle(base, Lanes::new(&[l]))).collect();
        self.w.tree.call(Callee::Type(ty), &parts)
    }

    /// `v.x = t.x; v.y = t.y;` for `v.xy = t`.
    fn assign_lanes(&mut self, base: Expr, lanes: Lanes, value: Value, expr: Expr) {
        let whole = if self.w.tree.is_literal(expr) { expr } else { self.copy_of(value, expr) };
        for (i, lane) in lanes.iter().enumerate() {
            let target = self.swizzle(base, Lanes::new(&[lane]));
            let value = self.swizzle(whole, Lanes::new(&[i as u8]));
            self.push(Stmt::Assign { target, op: None, value });
        }
    }

    /// A new variable with the value of an expression.
    pub(crate) fn copy_of(&mut self, value: Value, expr: Expr) -> Expr {
        let symbol = self.w.tree.add_symbol("t");
        let precision = self.w.module.precision_of(self.body, value);
        let decl = Decl { precision, ..Decl::plain(symbol, self.type_of(value), Some(expr)) };
        self.push(Stmt::Decl(decl));
        self.w.tree.name(symbol)
    }
}
