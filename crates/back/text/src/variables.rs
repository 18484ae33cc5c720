//! Variables of values: where they are declared, and how values get into them.

use planish_ir::arena::Id;
use planish_ir::entity::{Block, Local};
use planish_ir::types::{Scalar, TypeKind};
use planish_target::copies::{Step, sequence_assignments};

use crate::abilities::Abilities;
use crate::dialect::Dialect;
use crate::effects::{Effects, Region};
use crate::lower::{Lower, Slot};
use crate::tree::{Expr, ExprKind, Infix, Stmt, Symbol};

impl<'m, D: Dialect<'m>> Lower<'_, 'm, D> {
    /// The variable of a value, which perhaps is not declared yet.
    pub(crate) fn variable(&mut self, local: Local) -> Symbol {
        let class = self.variables.class[local];
        if let Some(symbol) = self.class_symbols[class as usize] {
            self.slots[local.index()] = Slot::Named(symbol);
            return symbol;
        }
        let symbol = self.new_temporary(local);
        let depth = if class == 0 { self.variables.depth[local] } else { self.variables.classes[class as usize].depth };
        self.undeclared.insert(symbol, (local, depth as usize));
        if class != 0 {
            self.class_symbols[class as usize] = Some(symbol);
            self.symbol_classes.insert(symbol, class);
        }
        self.slots[local.index()] = Slot::Named(symbol);
        symbol
    }

    /// The variable that a value shares with others, if one of them has been named.
    pub(crate) fn shared_variable(&self, local: Local) -> Option<Symbol> {
        self.class_symbols[self.variables.class[local] as usize]
    }

    /// Declares a variable, unless that has been done: in the list that holds all that mention it. Gives whether the
    /// declaration could take its first value, which is computed in the list `frame`.
    pub(crate) fn declare(&mut self, symbol: Symbol, init: Option<Expr>, frame: usize) -> bool {
        let Some((local, depth)) = self.undeclared.remove(&symbol) else { return false };
        let depth = depth.min(frame);
        let init = init.filter(|_| depth == frame);
        let decl = self.temporary(local, symbol, init);
        self.frames[depth].stmts.push(decl);
        init.is_some()
    }

    /// Puts a value into its variable, in the list `frame`.
    pub(crate) fn set(&mut self, local: Local, value: Option<Expr>, frame: usize) -> Symbol {
        let symbol = self.variable(local);
        self.order_write(symbol);
        if !self.declare(symbol, value, frame)
            && let Some(value) = value
        {
            let stmt = self.assignment(symbol, local, value);
            self.frames[frame].stmts.push(stmt);
        }
        symbol
    }

    /// Gives names to pending values that mention a variable that is about to change.
    pub(crate) fn order_write(&mut self, symbol: Symbol) {
        if let Some(&class) = self.symbol_classes.get(&symbol) {
            let mut effects = Effects::default();
            effects.writes.add(Region::Shares(class));
            self.order(&effects);
        }
    }

    /// Assigns to a block's inputs, as if all at once.
    pub(crate) fn pass_arguments(&mut self, inputs: &[Local], exprs: &[Expr]) {
        let mut copies: Vec<(Symbol, Local, Expr)> = Vec::new();
        for (&input, &expr) in inputs.iter().zip(exprs) {
            let Slot::Named(symbol) = self.slots[input.index()] else {
                // The input has no uses; the effects of computing the value must still happen.
                if matches!(self.w.tree.kind(expr), ExprKind::Call(..) | ExprKind::Prefix(..) | ExprKind::Postfix(..)) {
                    self.push(Stmt::Expr(expr));
                }
                continue;
            };
            if self.w.tree.kind(expr) != ExprKind::Name(symbol) {
                copies.push((symbol, input, expr));
            }
        }
        let reads = |&(symbol, _, expr): &(Symbol, Local, Expr)| (Some(symbol), self.w.tree.mentioned(expr));
        let assignments: Vec<(Option<Symbol>, Vec<Symbol>)> = copies.iter().map(reads).collect();
        for step in sequence_assignments(&assignments) {
            let (Step::Assign(at) | Step::Save(at) | Step::Restore(at)) = step;
            let (symbol, input, expr) = copies[at];
            if let Step::Save(_) = step {
                let saved = self.w.tree.add_symbol("next");
                let decl = self.temporary(input, saved, Some(expr));
                self.push(decl);
                copies[at].2 = self.w.tree.name(saved);
                continue;
            }
            self.order_write(symbol);
            if !self.declare(symbol, Some(expr), self.frames.len() - 1) {
                let stmt = self.assignment(symbol, input, expr);
                self.push(stmt);
            }
        }
    }

    /// An assignment to the variable of a value.
    pub(crate) fn assignment(&mut self, symbol: Symbol, local: Local, expr: Expr) -> Stmt {
        let target = self.w.tree.name(symbol);
        let scalar = matches!(self.w.module.types[self.body.local_type(local)], TypeKind::Scalar(_));
        self.assign(target, scalar, expr)
    }

    /// `target = expr`, or `target op= x` or `target++` if the expression has that form.
    pub(crate) fn assign(&mut self, target: Expr, scalar: bool, expr: Expr) -> Stmt {
        let is_it = |l: &Self, e: Expr| l.w.tree.is_same_place(e, target);
        let (op, value) = match self.w.tree.kind(expr) {
            ExprKind::Infix(op, a, b) if is_it(self, a) && op.has_assignment() => (op, b),
            // These operators are commutative; a product with a matrix would not be.
            ExprKind::Infix(op @ (Infix::Add | Infix::And | Infix::Or | Infix::Xor), a, b) if is_it(self, b) => (op, a),
            ExprKind::Infix(Infix::Mul, a, b) if scalar && is_it(self, b) => (Infix::Mul, a),
            _ => return Stmt::Assign { target, op: None, value: expr },
        };
        match self.w.abilities.compound_assignment {
            true => self.compound_assignment(target, scalar, op, value),
            false => self.step(target, scalar, op, value).unwrap_or(Stmt::Assign { target, op: None, value: expr }),
        }
    }

    /// `target op= value`, or `target++`.
    pub(crate) fn compound_assignment(&mut self, target: Expr, scalar: bool, op: Infix, value: Expr) -> Stmt {
        self.step(target, scalar, op, value).unwrap_or(Stmt::Assign { target, op: Some(op), value })
    }

    /// `target++` or `target--`.
    fn step(&mut self, target: Expr, scalar: bool, op: Infix, value: Expr) -> Option<Stmt> {
        let Abilities { increments, float_increments, .. } = self.w.abilities;
        let has_it = increments && (float_increments || !self.is_float(value));
        let operator = match op {
            Infix::Add => "++",
            Infix::Sub => "--",
            _ => return None,
        };
        let is_step = has_it && scalar && self.is_one(value);
        is_step.then(|| Stmt::Expr(self.w.tree.add(ExprKind::Postfix(operator, target))))
    }

    fn is_float(&self, e: Expr) -> bool {
        match self.w.tree.kind(e) {
            ExprKind::Literal(c) => {
                let scalar = self.w.module.types.scalar_of(self.w.module.consts[c].ty);
                scalar.is_some_and(Scalar::is_float)
            }
            ExprKind::Float(_) => true,
            _ => false,
        }
    }

    pub(crate) fn is_one(&self, e: Expr) -> bool {
        match self.w.tree.kind(e) {
            ExprKind::Literal(c) => {
                let (ty, bits) = (self.w.module.consts[c].ty, self.w.module.consts.as_bits(c));
                match self.w.module.types[ty] {
                    TypeKind::Scalar(Scalar::F32) => bits == Some(1.0f32.to_bits().into()),
                    TypeKind::Scalar(s) => s.is_integer() && bits == Some(1),
                    _ => false,
                }
            }
            ExprKind::Float(f) => f == 1.0,
            ExprKind::Int(i) => i == 1,
            _ => false,
        }
    }

    /// A variable for each block input that anything reads; the first assignment declares it.
    pub(crate) fn name_inputs(&mut self, block: Block) {
        let body = self.body;
        for &input in &body.blocks[block].inputs {
            if self.uses.count[input] > 0 {
                self.variable(input);
            }
        }
    }
}
