//! Nodes: memory, calls, and the ops that the language writes.

use planish_ir::arena::Id;
use planish_ir::entity::{Local, Node, Type, Value};
use planish_ir::ops::{Class, Lanes, Op};

use crate::coalesce::is_insert;
use crate::dialect::Dialect;
use crate::effects::{Effects, node_effects};
use crate::lower::{Lower, Slot};
use crate::tree::{Decl, Expr, ExprKind, Infix, Stmt, Symbol};

impl<'m, D: Dialect<'m>> Lower<'_, 'm, D> {
    pub(crate) fn node(&mut self, node: Node) {
        let data = self.body.node(node);
        let args = self.body.args(node);
        if data.op != Op::Store {
            self.name_long(args);
        }
        self.begin();
        match data.op {
            Op::Load if self.uses.compound[node] => {
                let own = node_effects(self.w.module, self.body, &self.w.summaries, node);
                self.order(&own);
            }
            Op::Load => self.load(node, args[0]),
            Op::Store => self.store(node, args[0], args[1]),
            Op::Call | Op::TailCall => self.call(node, args),
            _ if self.uses.compound[node] => self.compound(node, args),
            op if op.info().class == Class::Access => {
                let expr = self.access(node);
                if let Some(result) = self.body.result(node) {
                    self.finish(result, expr, &Effects::default());
                }
            }
            _ => self.compute(node),
        }
    }

    fn compound(&mut self, node: Node, args: &[Value]) {
        let op = self.w.assign_operator(self.body, node);
        let Some(result) = self.body.result(node) else { return };
        // The operand is pending within the slot. Nothing writes memory before the store, so reads of the operand may
        // be deferred too; its writes may not, for a load in between must see them.
        if let Some(local) = args[1].as_local()
            && let Slot::Pending { effects: Some(effects), .. } = &self.slots[local.index()]
            && !effects.writes.is_empty()
        {
            self.materialize(local);
        }
        let operand = self.operand(args[1]);
        let effects = self.taken();
        if !effects.is_free() {
            self.compounds.push((result, args[1], operand, effects));
        }
        let right = if self.w.abilities.scalar_operands { self.unsplat(operand) } else { operand };
        self.slots[result.index()] = Slot::Compound(op.unwrap_or(Infix::Add), right);
    }

    /// Operands of a jump, in order.
    pub(crate) fn jump_operands(&mut self, args: &[Value]) -> Vec<Expr> {
        self.begin();
        args.iter().map(|&a| self.operand(a)).collect()
    }

    /// A node that is neither memory access, call nor pointer.
    fn compute(&mut self, node: Node) {
        let data = self.body.node(node);
        let own = node_effects(self.w.module, self.body, &self.w.summaries, node);
        if D::statement(self, node) {
            return;
        }
        if let Some(result) = self.body.result(node)
            && is_insert(data.op)
        {
            self.insert(node, result);
            return;
        }
        let expr = if self.body.results(node).len() > 1 { None } else { D::expression(self, node) };
        let Some(expr) = expr else {
            self.refuse(node);
            return;
        };
        match self.body.result(node) {
            Some(result) => self.finish(result, expr, &own),
            None => {
                self.begin();
                self.order(&own);
                self.push(Stmt::Expr(expr));
            }
        }
    }

    /// Reports that the target has no such op, and goes on with a placeholder value.
    pub fn refuse(&mut self, node: Node) {
        let (code, message) = D::lacks(self, node);
        self.w.error(code, self.span, message);
        self.begin();
        // The operands that were not taken yet never will be.
        for local in self.body.args(node).iter().filter_map(|a| a.as_local()) {
            if matches!(self.slots[local.index()], Slot::Pending { .. }) {
                self.forget(local);
            }
        }
        for result in self.body.results(node) {
            let zero = self.w.tree.add(ExprKind::Int(0));
            self.slots[result.index()] = Slot::Stable(zero);
        }
    }

    /// The pointer to a part.
    pub(crate) fn access(&mut self, node: Node) -> Expr {
        if let Some(expr) = D::access(self, node) {
            return expr;
        }
        let data = self.body.node(node);
        let args = self.body.args(node);
        let base = self.operand(args[0]);
        match data.op {
            Op::AccessVectorComponent => self.swizzle(base, Lanes::new(&[data.imm.as_index() as u8])),
            Op::AccessVectorComponentMulti => self.swizzle(base, data.imm.as_lanes()),
            Op::AccessStructField => {
                let pointer = self.type_of(args[0]);
                let ty = self.w.module.types.pointee(pointer).map_or(pointer, |(ty, _)| ty);
                self.w.tree.add(ExprKind::Member(base, ty, data.imm.as_index()))
            }
            _ => {
                let index = self.operand(args[1]);
                self.w.tree.add(ExprKind::Index(base, index))
            }
        }
    }

    /// `v.yx`; a swizzle of a swizzle is one. A scalar has no components to name.
    pub fn swizzle(&mut self, e: Expr, lanes: Lanes) -> Expr {
        match self.w.tree.kind(e) {
            ExprKind::Swizzle(inner, under) => {
                let through: Vec<u8> = lanes.iter().map(|l| under.get(l as usize)).collect();
                self.w.tree.add(ExprKind::Swizzle(inner, Lanes::new(&through)))
            }
            ExprKind::Splat(_, inner) if lanes.len() == 1 => inner,
            ExprKind::Literal(c) if lanes.len() == 1 => {
                let part = self.w.module.consts.as_parts(c).and_then(|p| p.get(lanes.get(0) as usize).copied());
                match part {
                    Some(part) => self.w.constant(part, self.span),
                    None => self.w.tree.add(ExprKind::Swizzle(e, lanes)),
                }
            }
            _ => self.w.tree.add(ExprKind::Swizzle(e, lanes)),
        }
    }

    /// The scalar that an expression repeats in every component.
    pub fn scalar_of_splat(&self, e: Expr) -> Option<ExprKind> {
        match self.w.tree.kind(e) {
            ExprKind::Splat(_, inner) => Some(self.w.tree.kind(inner)),
            ExprKind::Literal(c) => self.w.splat_part(c).map(ExprKind::Literal),
            _ => None,
        }
    }

    /// `vec3(s)` → `s`.
    pub fn unsplat(&mut self, e: Expr) -> Expr {
        match self.w.tree.kind(e) {
            ExprKind::Splat(_, inner) => inner,
            ExprKind::Literal(c) => match self.w.splat_part(c) {
                Some(part) => self.w.constant(part, self.span),
                None => e,
            },
            _ => e,
        }
    }

    /// The type of a value.
    pub fn type_of(&self, value: Value) -> Type {
        self.w.module.type_of(self.body, value)
    }

    /// Number of mentions of a result in the output. One without any needs no variable.
    pub fn use_count(&self, local: Local) -> u32 {
        self.uses.count[local]
    }

    /// The value that [`Dialect::whole_operand`] has found for a texture op.
    pub fn whole_operand(&self, node: Node) -> Option<Value> {
        self.uses.whole.get(&node).copied()
    }

    /// The expression of an operand that has none of its uses yet, to look at; [`Lower::operand`] takes it.
    pub fn pending(&self, value: Value) -> Option<Expr> {
        match self.slots[value.as_local()?.index()] {
            Slot::Pending { expr, .. } => Some(expr),
            _ => None,
        }
    }

    /// Puts a result into a variable here, or only declares that (`None`): for nodes with several results, and for calls
    /// that write through a parameter. Returns the variable's name.
    pub fn set_result(&mut self, local: Local, value: Option<Expr>) -> Expr {
        let symbol = self.set(local, value, self.frames.len() - 1);
        self.w.tree.name(symbol)
    }

    /// A helper variable of type `bool`.
    pub(crate) fn flag(&mut self, hint: &str, init: bool) -> (Symbol, Stmt) {
        let symbol = self.w.tree.add_symbol(hint);
        let init = Some(self.w.tree.add(ExprKind::Bool(init)));
        (symbol, Stmt::Decl(Decl::plain(symbol, Type::BOOL, init)))
    }
}
