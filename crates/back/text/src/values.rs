//! Pending values: expressions that wait for the place where they are used, and the names that they get where they
//! cannot.

use planish_ir::arena::Id;
use planish_ir::entity::{Const, Local, Node, Type, Value, ValueKind};
use planish_ir::ops::{Class, Op};
use planish_ir::types::TypeKind;

use crate::dialect::{Dialect, Words};
use crate::effects::{Effects, Region};
use crate::lower::{Lower, Slot};
use crate::tree::{Decl, Expr, ExprKind, Stmt, Symbol};

/// Expressions higher than this are cut by a temporary, so that no reader of the output needs a deep stack.
const MOST_DEPTH: u16 = 48;
/// Operands of more names and numbers than this get a name, so that lines stay readable; the limit is lower for names
/// that the user gave.
const MOST_LEAVES: u16 = 12;
/// See [`MOST_LEAVES`].
const MOST_LEAVES_OF_A_NAMED: u16 = 8;
/// Maximum number of pending values; above it, the oldest gets a name. It bounds the search for conflicts.
const MOST_PENDING: usize = 48;

impl<'m, D: Dialect<'m>> Lower<'_, 'm, D> {
    /// Forgets the effects of operands taken before.
    pub fn begin(&mut self) {
        self.acc = Effects::default();
    }

    /// The effects of the operands taken since `begin`.
    pub(crate) fn taken(&mut self) -> Effects {
        std::mem::take(&mut self.acc)
    }

    /// A constant as an expression.
    pub fn constant(&mut self, c: Const) -> Expr {
        self.w.constant(c, self.span)
    }

    /// A constant as the first value of a variable: arrays are written out.
    pub(crate) fn initial(&mut self, c: Const) -> Expr {
        self.w.literal(c, self.span)
    }

    /// Consumes an operand: returns it as an expression. A value without further uses is no longer pending.
    pub fn operand(&mut self, value: Value) -> Expr {
        match value.kind() {
            ValueKind::Const(c) => self.constant(c),
            ValueKind::Var(v) => self.var_expr(v),
            ValueKind::Func(_) => {
                self.w.unsupported("a reference to a function", self.span);
                self.w.tree.add(ExprKind::Int(0))
            }
            ValueKind::Local(l) => self.local_operand(l),
        }
    }

    /// Recursion: over the accesses that a pointer is made of, at most one per level of the type.
    fn local_operand(&mut self, local: Local) -> Expr {
        let current = self.frames.len() - 1;
        match &self.slots[local.index()] {
            Slot::Stable(e) => *e,
            &Slot::Named(s) => {
                if let class @ 1.. = self.variables.class[local] {
                    self.acc.reads.add(Region::Shares(class));
                }
                self.w.tree.name(s)
            }
            &Slot::Pending { expr, ref effects, frame, left } => {
                let other_loop = self.frames.get(frame).is_none_or(|f| f.loop_id != self.frames[current].loop_id);
                let crosses =
                    frame != current && (other_loop || effects.as_ref().is_some_and(|e| e.is_unconditional()));
                if crosses {
                    self.materialize(local);
                    return self.local_operand(local);
                }
                let effects = effects.clone();
                if left > 1 {
                    self.slots[local.index()] = Slot::Pending { expr, effects: effects.clone(), frame, left: left - 1 };
                } else {
                    self.slots[local.index()] = Slot::None;
                    self.pending.retain(|&p| effects.is_none() || p != local);
                }
                self.acc.add(&effects.unwrap_or_default());
                expr
            }
            Slot::None if let Some(node) = self.fixed_place(local) => self.access(node),
            Slot::None | Slot::Compound(..) => {
                self.w.internal("a value is used out of its scope", self.span);
                self.w.tree.add(ExprKind::Int(0))
            }
        }
    }

    /// The access of a pointer that always leads to the same place, so that it can be written before it is made.
    fn fixed_place(&self, local: Local) -> Option<Node> {
        let node = self.body.node_of(local.into())?;
        let is_fixed = self.body.args(node).iter().skip(1).all(|i| i.as_const().is_some());
        (self.body.node(node).op.info().class == Class::Access && is_fixed).then_some(node)
    }

    /// An operand that is mentioned several times: a name or a constant.
    pub fn stable_operand(&mut self, value: Value) -> Expr {
        if let Some(local) = value.as_local()
            && matches!(self.slots[local.index()], Slot::Pending { .. })
        {
            self.materialize(local);
        }
        self.operand(value)
    }

    /// An operand for a place where the target may not evaluate it at all, as the right side of `&&`.
    pub fn conditional_operand(&mut self, value: Value) -> Expr {
        if let Some(local) = value.as_local()
            && let Slot::Pending { effects: Some(effects), .. } = &self.slots[local.index()]
            && effects.is_unconditional()
        {
            self.materialize(local);
        }
        self.operand(value)
    }

    /// Materializes a pending value: gives it a name, in the frame where it was computed.
    pub(crate) fn materialize(&mut self, local: Local) {
        let Slot::Pending { expr, effects, frame, .. } = self.slots[local.index()].clone() else { return };
        if frame >= self.frames.len() {
            // Its user was refused, or the module is not valid.
            self.w.internal("a value outlives its scope", self.span);
            self.forget(local);
            return;
        }
        if effects.is_some() {
            self.pending.retain(|&p| p != local);
        }
        if self.is_place(local) {
            self.settle_indices(local, expr, frame);
            self.slots[local.index()] = Slot::Stable(expr);
            return;
        }
        if !self.settle_splat(local, expr, frame) {
            self.set(local, Some(expr), frame);
        }
    }

    /// Of a vector that repeats a scalar, the scalar gets the name: operators take it without a constructor.
    fn settle_splat(&mut self, local: Local, expr: Expr, frame: usize) -> bool {
        let ExprKind::Splat(ty, inner) = self.w.tree.kind(expr) else { return false };
        let scalar = self.body.node_of(local.into()).and_then(|n| self.body.args(n).first());
        let Some(scalar) = scalar.map(|&s| self.w.module.type_of(self.body, s)) else { return false };
        let fits = matches!(self.w.module.types[scalar], TypeKind::Scalar(_))
            && self.variables.class[local] == 0
            && self.variables.depth[local] as usize >= frame;
        if fits {
            let symbol = self.new_temporary(local);
            let decl = self.temporary(local, symbol, Some(inner));
            let Stmt::Decl(decl) = decl else { return false };
            self.frames[frame].stmts.push(Stmt::Decl(Decl { ty: scalar, ..decl }));
            let name = self.w.tree.name(symbol);
            self.slots[local.index()] = Slot::Stable(self.w.tree.add(ExprKind::Splat(ty, name)));
        }
        fits
    }

    /// Drops a value that will not be written.
    pub(crate) fn forget(&mut self, local: Local) {
        self.pending.retain(|&p| p != local);
        let nothing = self.w.tree.add(ExprKind::Int(0));
        self.slots[local.index()] = Slot::Stable(nothing);
    }

    /// A pointer has no name, but the indices in it may have.
    fn settle_indices(&mut self, mut local: Local, mut expr: Expr, frame: usize) {
        loop {
            let Some(node) = self.body.node_of(local.into()) else { return };
            let args = self.body.args(node);
            match self.w.tree.kind(expr) {
                ExprKind::Index(base, index) => {
                    if let Some(&value) = args.get(1)
                        && !self.is_trivial(index)
                    {
                        let symbol = self.w.tree.add_symbol("index");
                        let ty = self.w.module.type_of(self.body, value);
                        let precision = self.w.module.precision_of(self.body, value);
                        let decl = Decl {
                            symbol,
                            ty,
                            precision,
                            precise: false,
                            is_const: false,
                            is_assigned: true,
                            init: Some(index),
                        };
                        self.frames[frame].stmts.push(Stmt::Decl(decl));
                        let name = self.w.tree.name(symbol);
                        self.w.tree.set_index(expr, name);
                    }
                    expr = base;
                }
                ExprKind::Member(base, ..) | ExprKind::Field(base, _) | ExprKind::Swizzle(base, _) => expr = base,
                _ => return,
            }
            match args.first().and_then(|a| a.as_local()) {
                Some(next) => local = next,
                None => return,
            }
        }
    }

    /// Gives a name to every pending value whose computation is observable and must happen here.
    pub(crate) fn settle_all(&mut self) {
        for local in self.pending.clone() {
            if let Slot::Pending { effects: Some(effects), .. } = &self.slots[local.index()]
                && effects.is_unconditional()
            {
                self.materialize(local);
            }
        }
    }

    /// Gives names to the pending values whose order with `effects` is observable.
    pub fn order(&mut self, effects: &Effects) {
        if effects.is_free() {
            return;
        }
        for i in 0..self.compounds.len() {
            let (local, value, expr, ref waiting) = self.compounds[i];
            if waiting.conflicts(effects)
                && let Slot::Compound(op, _) = self.slots[local.index()]
            {
                let symbol = self.w.tree.add_symbol("t");
                let ty = self.w.module.type_of(self.body, value);
                let precision = self.w.module.precision_of(self.body, value);
                self.push(Stmt::Decl(Decl {
                    symbol,
                    ty,
                    precision,
                    precise: false,
                    is_const: false,
                    is_assigned: true,
                    init: Some(expr),
                }));
                let name = self.w.tree.name(symbol);
                self.slots[local.index()] = Slot::Compound(op, name);
            }
        }
        if self.pending.is_empty() {
            return;
        }
        let conflicting: Vec<Local> = self
            .pending
            .iter()
            .copied()
            .filter(|l| match &self.slots[l.index()] {
                Slot::Pending { effects: Some(waiting), .. } => waiting.conflicts(effects),
                _ => false,
            })
            .collect();
        conflicting.into_iter().for_each(|l| self.materialize(l));
    }

    /// Whether the value is a pointer or an opaque handle, which no variable can hold.
    pub(crate) fn is_place(&self, local: Local) -> bool {
        let ty = self.body.local_type(local);
        matches!(self.w.module.types[ty], TypeKind::Pointer { .. }) || self.w.module.types.is_opaque(ty)
    }

    /// Recursion: over the expression, whose depth [`MOST_DEPTH`] bounds.
    pub fn is_trivial(&self, e: Expr) -> bool {
        match self.w.tree.kind(e) {
            ExprKind::Name(_) | ExprKind::Result(..) => true,
            _ if self.w.tree.is_literal(e) => true,
            ExprKind::Splat(_, a) | ExprKind::Deref(a) => self.is_trivial(a),
            ExprKind::Member(a, ..) | ExprKind::Field(a, _) | ExprKind::Swizzle(a, _) => {
                self.w.tree.depth(e) <= 5 && self.is_trivial(a)
            }
            ExprKind::Index(a, i) => self.w.tree.depth(e) <= 5 && self.is_trivial(a) && self.is_trivial(i),
            _ => false,
        }
    }

    pub(crate) fn new_temporary(&mut self, local: Local) -> Symbol {
        let hint = self.hint(local);
        let symbol = self.w.tree.add_symbol(hint);
        self.origins.insert(symbol, local.into());
        symbol
    }

    /// Whether an expression is a constant or the variable of a value, which nothing changes where it is visible.
    pub(crate) fn is_carried(&self, e: Expr) -> bool {
        match self.w.tree.kind(e) {
            ExprKind::Name(s) if self.symbol_classes.contains_key(&s) => false,
            ExprKind::Name(s) => self.origins.get(&s).is_some_and(|v| v.as_local().is_some()),
            ExprKind::Literal(_) => true,
            _ => false,
        }
    }

    /// Notes that the block at `place` mentions the value or variable of a symbol.
    pub(crate) fn outlive(&mut self, symbol: Symbol, place: u32) {
        if let Some(&class) = self.symbol_classes.get(&symbol) {
            let last = &mut self.variables.classes[class as usize].last;
            *last = place.max(*last);
        }
        match self.origins.get(&symbol).map(|v| v.kind()) {
            Some(ValueKind::Var(v)) => self.uses.last_var[v] = self.uses.last_var[v].max(place),
            Some(ValueKind::Local(l)) => self.variables.last[l] = self.variables.last[l].max(place),
            _ => {}
        }
    }

    /// The place of the last block that mentions the value or variable of a symbol; `None` if it is unknown.
    pub(crate) fn last_mention(&self, symbol: Symbol) -> Option<u32> {
        if let Some(&class) = self.symbol_classes.get(&symbol) {
            return Some(self.variables.classes[class as usize].last);
        }
        match self.origins.get(&symbol)?.kind() {
            // A pointer into a composite may be used later than it is made.
            ValueKind::Var(v) => {
                self.w.module.types.part_count(self.w.module.vars[v].ty).is_none().then(|| self.uses.last_var[v])
            }
            ValueKind::Local(l) => Some(self.variables.last[l]),
            ValueKind::Const(_) | ValueKind::Func(_) => None,
        }
    }

    /// The name of a value in the program: that of the variable that it was last assigned to, or, for a vector that
    /// repeats a scalar, the scalar's.
    fn user_name(&self, local: Local) -> Option<String> {
        let splat = |&node: &Node| self.body.node(node).op == Op::ConstructVectorFromScalar;
        let scalar = || self.body.args(self.body.node_of(local.into()).filter(splat)?)[0].as_local();
        let var = self.body.origin(local).or_else(|| self.body.origin(scalar()?))?;
        let text = &self.w.module.vars[var].name.text;
        (!text.is_empty()).then(|| self.hint_of(text))
    }

    /// A name for a value without one.
    fn hint(&self, local: Local) -> String {
        if let Some(name) = self.user_name(local) {
            return name;
        }
        let Some(node) = self.body.node_of(local.into()) else {
            let scalar = self.body.local_type(local);
            return if scalar == Type::I32 || scalar == Type::U32 { "i".into() } else { "t".into() };
        };
        let args = self.body.args(node);
        match self.body.node(node).op {
            Op::Load => match args[0].as_var() {
                Some(v) => format!("{}_was", self.hint_of(&self.w.module.vars[v].name.text)),
                None => "t".into(),
            },
            Op::Call => match args[0].as_func() {
                Some(f) => format!("{}_result", self.hint_of(&self.w.module.funcs[f].name.text)),
                None => "t".into(),
            },
            op if op.info().class == Class::Texture => "texel".into(),
            _ => "t".into(),
        }
    }

    /// The declaration of a temporary.
    pub(crate) fn temporary(&mut self, local: Local, symbol: Symbol, init: Option<Expr>) -> Stmt {
        let data = self.body.local(local);
        let precise = self.body.node_of(local.into()).is_some_and(|n| self.body.node(n).precise);
        self.w.check_type(data.ty, self.span);
        self.w.check_assignable(data.ty, self.span);
        Stmt::Decl(Decl {
            symbol,
            ty: data.ty,
            precision: data.precision,
            precise,
            is_const: false,
            is_assigned: true,
            init,
        })
    }

    /// Decides how a value is written: nowhere, at its uses, or as a variable. `own` are the effects of computing it
    /// without those of the operands consumed.
    pub fn finish(&mut self, local: Local, expr: Expr, own: &Effects) {
        let mut effects = self.taken();
        self.order(own);
        effects.add(own);
        let count = self.uses.count[local];
        if count == 0 {
            if !effects.writes.is_empty() {
                self.push(Stmt::Expr(expr));
            }
            return;
        }
        let free = effects.is_free();
        if free && (self.is_trivial(expr) || self.is_place(local)) {
            self.slots[local.index()] = Slot::Stable(expr);
            return;
        }
        let frame = self.frames.len() - 1;
        // True for values of a loop's condition with uses in its body or after it.
        let outlives = (self.variables.depth[local] as usize) < frame;
        let short = (self.is_trivial(expr) || self.is_place(local)) && effects.only_shares();
        let keep = outlives || count > 1 && !short || self.w.tree.depth(expr) > MOST_DEPTH;
        let effects = (!free).then(|| Box::new(effects));
        let waits = effects.is_some();
        self.slots[local.index()] = Slot::Pending { expr, effects, frame, left: count };
        if waits {
            self.pending.push(local);
        }
        if keep {
            self.materialize(local);
        } else if self.pending.len() > MOST_PENDING {
            self.materialize(self.pending[0]);
        }
    }

    /// Gives names to operands that are too long to be read well in another expression. Conditions and steps of loops
    /// stay whole: they hold no statements.
    pub(crate) fn name_long(&mut self, operands: &[Value]) {
        if self.w.minify {
            return;
        }
        for local in operands.iter().filter_map(|o| o.as_local()) {
            let Slot::Pending { expr, .. } = self.slots[local.index()] else { continue };
            let leaves = self.w.tree.leaves(expr);
            if leaves > MOST_LEAVES || leaves > MOST_LEAVES_OF_A_NAMED && self.user_name(local).is_some() {
                // Tested last, since few operands are long and many frames may be open.
                if self.frames.iter().any(|f| f.condition.is_some() || f.in_step.is_some()) {
                    return;
                }
                self.materialize(local);
            }
        }
    }

    /// A new variable that is best called as the user calls something.
    pub(crate) fn user_symbol(&mut self, text: &str) -> Symbol {
        let hint = self.hint_of(text);
        self.w.tree.add_symbol(hint)
    }

    /// A hint for a name; `t` if there is none.
    pub(crate) fn hint_of(&self, text: &str) -> String {
        self.w.words().sanitize(text)
    }
}
