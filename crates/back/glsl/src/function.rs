//! From a function's blocks to statements: the frames, and the pending values.
//!
//! A value that is used once is pending, as an expression, until it is written where it is used. Before anything that
//! would change its value (a store to what it reads, a call), it is given a name instead; so is a value that is used
//! twice, crosses into a loop, or has grown too deep.
//! whole: pending values and the frames they are written to depend on each other throughout.

use planish_ir::arena::Id;
use planish_ir::decoration::{Decoration, Precision};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Block, Func, Local, Node, Type, Value, ValueKind, Var};
use planish_ir::function::{Body, Direction, Function};
use planish_ir::ops::{Class, Op};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, TypeKind};
use planish_target::structure;
use rustc_hash::FxHashMap;

use crate::coalesce::{self, Variables};
use crate::control::{Breakable, Ending, OpenLoop, OpenSwitch};
use crate::effects::{Effects, Region, node_effects};
use crate::insert::LaneList;
use crate::nesting;
use crate::tree::{Decl, Expr, ExprKind, Infix, List, Stmt, Symbol};
use crate::uses::Uses;
use crate::writer::Writer;

/// Expressions higher than this are cut by a temporary, so that no reader of the output needs a deep stack.
const MOST_DEPTH: u16 = 48;
/// Operands of more names and numbers than this get a name, so that lines stay readable; the limit is lower for names
/// that the user gave.
const MOST_LEAVES: u16 = 12;
/// See [`MOST_LEAVES`].
const MOST_LEAVES_OF_A_NAMED: u16 = 8;
/// Maximum number of pending values; above it, the oldest gets a name. It bounds the search for conflicts.
const MOST_PENDING: usize = 48;

/// State of a value while its function is written.
#[derive(Clone, Default)]
pub(crate) enum Slot {
    /// Not computed yet, or written already where it was used.
    #[default]
    None,
    /// An expression that may be written anywhere, any number of times.
    Stable(Expr),
    /// A pending expression with `left` uses to come: one, or several if it is short. `frame` is the place where it
    /// would get a name.
    Pending { expr: Expr, effects: Option<Box<Effects>>, frame: usize, left: u32 },
    /// A variable holds it.
    Named(Symbol),
    /// `op` and right operand of a compound assignment.
    Compound(Infix, Expr),
}

/// A statement list that is being made.
pub(crate) struct Frame {
    pub(crate) stmts: Vec<Stmt>,
    /// Number of the innermost loop that it runs in.
    pub(crate) loop_id: u32,
    /// For a loop's condition: the first place after it, and the frame around the loop.
    pub(crate) condition: Option<(u32, usize)>,
    /// The loop whose step it is.
    pub(crate) in_step: Option<Block>,
    pub(crate) ending: Ending,
}

/// A local variable of the IR.
#[derive(Clone, Copy)]
struct LocalVar {
    symbol: Symbol,
    frame: usize,
    declared: bool,
}

/// Writes one function.
pub(crate) struct Lower<'w, 'm> {
    pub(crate) w: &'w mut Writer<'m>,
    pub(crate) body: &'m Body,
    pub(crate) uses: Uses,
    pub(crate) slots: Vec<Slot>,
    /// Which values share a variable.
    pub(crate) variables: Variables,
    /// By class: its variable.
    pub(crate) class_symbols: Vec<Option<Symbol>>,
    pub(crate) symbol_classes: FxHashMap<Symbol, u32>,
    /// Variables of values that are not declared yet: a value, and how many statement lists are around the declaring one.
    pub(crate) undeclared: FxHashMap<Symbol, (Local, usize)>,
    vars: FxHashMap<Var, LocalVar>,
    /// The variable or value that a symbol names.
    origins: FxHashMap<Symbol, Value>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) closed: Vec<Frame>,
    /// Pending values with effects, oldest first.
    pending: Vec<Local>,
    /// The components of vectors that constructors make out of another and new components.
    pub(crate) lanes: FxHashMap<Expr, LaneList>,
    /// Right operands of compound assignments to come: the result, the operand, its expression and effects.
    compounds: Vec<(Local, Value, Expr, Effects)>,
    /// Conditions of the `If`s around, with their effects.
    pub(crate) ifs: Vec<(Expr, Effects)>,
    pub(crate) loops: Vec<OpenLoop>,
    pub(crate) switches: Vec<OpenSwitch>,
    pub(crate) targets: Vec<Breakable>,
    /// Effects of the operands taken since the last `begin`.
    acc: Effects,
    pub(crate) next_loop: u32,
    /// Extra `out` parameters for the results after the first.
    pub(crate) result_params: Vec<Symbol>,
    pub(crate) span: Span,
}

/// A function as it is printed.
pub(crate) struct Written {
    pub(crate) func: Func,
    pub(crate) params: Vec<Symbol>,
    pub(crate) result_params: Vec<Symbol>,
    pub(crate) body: List,
}

/// Writes the body of `func`.
pub(crate) fn write_function(w: &mut Writer<'_>, func: Func) -> Option<Written> {
    let function: &Function = &w.module.funcs[func];
    let body = function.body.as_ref()?;
    if let Some(place) = nesting::certainly_too_deep(body) {
        too_deep(w, place);
        return None;
    }
    let uses = Uses::of(w.module, body, &w.summaries);
    let directions: Vec<Direction> = function.params.iter().map(|p| p.direction).collect();
    let variables = coalesce::find(w.module, body, &directions, &uses, w.target.wants_plain_loops());
    let top = Frame { stmts: Vec::new(), loop_id: 0, condition: None, in_step: None, ending: Ending::Open };
    let mut lower = Lower {
        body,
        uses,
        slots: vec![Slot::None; body.local_count()],
        class_symbols: vec![None; variables.classes.len()],
        symbol_classes: FxHashMap::default(),
        undeclared: FxHashMap::default(),
        variables,
        vars: FxHashMap::default(),
        origins: FxHashMap::default(),
        frames: vec![top],
        closed: Vec::new(),
        pending: Vec::new(),
        lanes: FxHashMap::default(),
        compounds: Vec::new(),
        ifs: Vec::new(),
        loops: Vec::new(),
        switches: Vec::new(),
        targets: Vec::new(),
        acc: Effects::default(),
        next_loop: 1,
        result_params: Vec::new(),
        span: function.span,
        w,
    };
    let params = lower.bind_params(function);
    function.results.iter().for_each(|r| lower.w.check_type(r.ty, function.span));
    let results = (1..function.results.len()).map(|i| lower.w.tree.add_symbol(format!("result_{i}"))).collect();
    lower.result_params = results;
    let Ok(()) = structure::write(&mut lower, body);
    let mut stmts = lower.frames.pop().map(|f| f.stmts).unwrap_or_default();
    if matches!(stmts.last(), Some(Stmt::Return(None))) {
        stmts.pop();
    }
    let result_params = lower.result_params;
    let (old, body) = (body, w.tree.add_list(stmts));
    if nesting::is_too_deep(&w.tree, body) {
        too_deep(w, nesting::place(old));
    }
    Some(Written { func, params, result_params, body })
}

fn too_deep(w: &mut Writer<'_>, place: Span) {
    let most = nesting::MOST;
    let message = format!("GLSL is written with at most {most} nested statements, and this is deeper");
    w.error(Code::E0690, place, message);
}

impl<'m> Lower<'_, 'm> {
    fn bind_params(&mut self, function: &'m Function) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        let inputs = &self.body.blocks[self.body.entry].inputs;
        for (param, &input) in function.params.iter().zip(inputs) {
            let symbol = self.w.tree.add_symbol(hint_of(&param.name.text));
            let name = self.w.tree.name(symbol);
            self.slots[input.index()] = match self.variables.class[input] {
                0 => Slot::Stable(name),
                class => {
                    self.class_symbols[class as usize] = Some(symbol);
                    self.symbol_classes.insert(symbol, class);
                    Slot::Named(symbol)
                }
            };
            self.w.check_type(param.ty, param.span);
            symbols.push(symbol);
        }
        self.merge_params_with_variables(function, &symbols);
        symbols
    }

    /// A variable that begins as the value of a parameter *is* the parameter, if nothing else reads the latter.
    fn merge_params_with_variables(&mut self, function: &Function, symbols: &[Symbol]) {
        let entry = &self.body.blocks[self.body.entry];
        for &node in &entry.nodes {
            let data = self.body.node(node);
            if data.op != Op::Store {
                return;
            }
            let &[pointer, value] = self.body.args(node) else { return };
            let place = value.as_local().and_then(|l| entry.inputs.iter().position(|&i| i == l));
            let (Some(var), Some(place)) = (pointer.as_var(), place) else { return };
            let fits = entry.variables.contains(&var)
                && self.w.module.vars[var].initializer.is_none()
                && function.params[place].direction == Direction::In
                && self.uses.count[entry.inputs[place]] == 1
                && !self.vars.contains_key(&var);
            if fits {
                self.uses.dead[node] = true;
                self.vars.insert(var, LocalVar { symbol: symbols[place], frame: 0, declared: true });
            }
        }
    }

    /// Writes the nodes of a block.
    pub(crate) fn block(&mut self, block: Block) {
        let data = &self.body.blocks[block];
        for &var in &data.variables {
            self.declare_later(var);
        }
        for &node in &data.nodes {
            if !self.uses.dead[node] {
                self.span = self.body.node(node).span;
                self.node(node);
            }
        }
        self.span = data.exit_span;
    }

    fn declare_later(&mut self, var: Var) {
        if self.uses.var_count[var] == 0 || self.vars.get(&var).is_some_and(|v| v.declared && v.frame == 0) {
            return;
        }
        let data = &self.w.module.vars[var];
        self.w.check_type(data.ty, data.span);
        let symbol = self.w.tree.add_symbol(hint_of(&data.name.text));
        self.origins.insert(symbol, var.into());
        let current = self.frames.len() - 1;
        let Some((_, outer)) = self.frames[current].condition else {
            self.vars.insert(var, LocalVar { symbol, frame: current, declared: false });
            return;
        };
        // The loop's body may read variables of its condition, so they are declared before the loop.
        self.vars.insert(var, LocalVar { symbol, frame: outer, declared: true });
        let decl = self.decl_of(var, symbol, None);
        self.frames[outer].stmts.push(decl);
        if let Some(init) = data.initializer {
            let target = self.w.tree.name(symbol);
            let value = self.constant(init);
            self.push(Stmt::Assign { target, op: None, value });
        }
    }

    fn decl_of(&mut self, var: Var, symbol: Symbol, init: Option<Expr>) -> Stmt {
        let data = &self.w.module.vars[var];
        let is_const = data.is_const && data.initializer.is_some() && init.is_some();
        let precise = data.decorations.has(Decoration::Precise);
        Stmt::Decl(Decl { symbol, ty: data.ty, precision: data.precision, precise, is_const, init })
    }

    /// The name of a variable; a local one is declared by now.
    /// Recursion: one level, as the variable has an entry in the table then.
    pub(crate) fn var_expr(&mut self, var: Var) -> Expr {
        if self.w.module.vars[var].space != AddressSpace::Function {
            return self.w.global_expr(var);
        }
        let Some(&LocalVar { symbol, frame, declared }) = self.vars.get(&var) else {
            // A variable that no block lists: declared at the top, as the verifier will have complained about.
            let symbol = self.w.tree.add_symbol(hint_of(&self.w.module.vars[var].name.text));
            self.vars.insert(var, LocalVar { symbol, frame: 0, declared: false });
            return self.var_expr(var);
        };
        if !declared {
            let init = self.w.module.vars[var].initializer.map(|c| self.initial(c));
            let decl = self.decl_of(var, symbol, init);
            self.frames[frame].stmts.push(decl);
            self.vars.insert(var, LocalVar { symbol, frame, declared: true });
        }
        self.w.tree.name(symbol)
    }

    /// The symbol under which a store may declare its variable: nothing has mentioned it, and it lives right here.
    fn undeclared(&mut self, pointer: Value) -> Option<(Var, Symbol)> {
        let var = pointer.as_var()?;
        let local = self.vars.get_mut(&var)?;
        if local.declared || local.frame != self.frames.len() - 1 {
            return None;
        }
        local.declared = true;
        Some((var, local.symbol))
    }

    /// Appends a statement.
    pub(crate) fn push(&mut self, stmt: Stmt) {
        if let Some(frame) = self.frames.last_mut() {
            frame.stmts.push(stmt);
        }
    }

    // Values.

    /// Forgets the effects of operands taken before.
    pub(crate) fn begin(&mut self) {
        self.acc = Effects::default();
    }

    /// The effects of the operands taken since `begin`.
    pub(crate) fn taken(&mut self) -> Effects {
        std::mem::take(&mut self.acc)
    }

    /// A constant as an expression.
    pub(crate) fn constant(&mut self, c: planish_ir::entity::Const) -> Expr {
        self.w.const_expr(c, self.span)
    }

    /// A constant as the first value of a variable: arrays are written out.
    fn initial(&mut self, c: planish_ir::entity::Const) -> Expr {
        self.w.literal(c, self.span)
    }

    /// Consumes an operand: returns it as an expression. A value without further uses is no longer pending.
    pub(crate) fn operand(&mut self, value: Value) -> Expr {
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
    pub(crate) fn stable_operand(&mut self, value: Value) -> Expr {
        if let Some(local) = value.as_local()
            && matches!(self.slots[local.index()], Slot::Pending { .. })
        {
            self.materialize(local);
        }
        self.operand(value)
    }

    /// An operand for a place where the target may not evaluate it at all, as the right side of `&&`.
    pub(crate) fn conditional_operand(&mut self, value: Value) -> Expr {
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
                        let decl = Decl { symbol, ty, precision, precise: false, is_const: false, init: Some(index) };
                        self.frames[frame].stmts.push(Stmt::Decl(decl));
                        let name = self.w.tree.name(symbol);
                        self.w.tree.set_index(expr, name);
                    }
                    expr = base;
                }
                ExprKind::Member(base, ..) | ExprKind::Swizzle(base, _) => expr = base,
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
    pub(crate) fn order(&mut self, effects: &Effects) {
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
    fn is_place(&self, local: Local) -> bool {
        let ty = self.body.local_type(local);
        matches!(self.w.module.types[ty], TypeKind::Pointer { .. }) || self.w.module.types.is_opaque(ty)
    }

    /// Recursion: over the expression, whose depth [`MOST_DEPTH`] bounds.
    pub(crate) fn is_trivial(&self, e: Expr) -> bool {
        match self.w.tree.kind(e) {
            ExprKind::Name(_) | ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Literal(_) => {
                true
            }
            ExprKind::Splat(_, a) => self.is_trivial(a),
            ExprKind::Member(a, ..) | ExprKind::Swizzle(a, _) => self.w.tree.depth(e) <= 5 && self.is_trivial(a),
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
        (!text.is_empty()).then(|| hint_of(text))
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
                Some(v) => format!("{}_was", hint_of(&self.w.module.vars[v].name.text)),
                None => "t".into(),
            },
            Op::Call => match args[0].as_func() {
                Some(f) => format!("{}_result", hint_of(&self.w.module.funcs[f].name.text)),
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
        Stmt::Decl(Decl { symbol, ty: data.ty, precision: data.precision, precise, is_const: false, init })
    }

    /// Decides how a value is written: nowhere, at its uses, or as a variable. `own` are the effects of computing it
    /// without those of the operands consumed.
    pub(crate) fn finish(&mut self, local: Local, expr: Expr, own: &Effects) {
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
    fn name_long(&mut self, operands: &[Value]) {
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

    // Nodes.

    fn node(&mut self, node: Node) {
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
            Op::Call => self.call(node, args),
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

    fn load(&mut self, node: Node, pointer: Value) {
        let Some(result) = self.body.result(node) else { return };
        if self.is_place(result) {
            // A handle cannot be pending: its index is materialized now.
            if let Some(local) = pointer.as_local() {
                self.materialize(local);
            }
        }
        let expr = self.operand(pointer);
        let own = node_effects(self.w.module, self.body, &self.w.summaries, node);
        self.finish(result, expr, &own);
    }

    fn store(&mut self, node: Node, pointer: Value, value: Value) {
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
            self.push(Stmt::Assign { target, op: Some(op), value: right });
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
        let target = self.operand(pointer);
        self.begin();
        self.order(&own);
        self.push(Stmt::Assign { target, op: None, value: expr });
    }

    fn compound(&mut self, node: Node, args: &[Value]) {
        let op = crate::ops::infix_of(self.body.node(node).op);
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
        let right = self.unsplat(operand);
        self.slots[result.index()] = Slot::Compound(op.unwrap_or(Infix::Add), right);
    }

    fn call(&mut self, node: Node, args: &[Value]) {
        let Some(callee) = args[0].as_func() else {
            self.w.unsupported("a call through a reference", self.span);
            return;
        };
        let function = &self.w.module.funcs[callee];
        let symbol = self.w.func_symbol(callee);
        let mut own = node_effects(self.w.module, self.body, &self.w.summaries, node);
        let mut exprs: Vec<Expr> = Vec::with_capacity(args.len());
        for (i, &arg) in args.iter().enumerate().skip(1) {
            let passed = self.uses.passed.get(&(node, i)).copied();
            if let Some(region) = passed.and_then(|p| crate::effects::region_of(self.w.module, self.body, p)) {
                own.reads.add(region);
                own.writes.add(region);
            }
            exprs.push(self.operand(passed.unwrap_or(arg)));
        }
        let mut results = self.body.results(node);
        let first = results.next();
        for extra in results {
            let symbol = self.set(extra, None, self.frames.len() - 1);
            exprs.push(self.w.tree.name(symbol));
        }
        let several = function.results.len() > 1;
        let expr = self.w.tree.call(crate::tree::Callee::User(symbol), &exprs);
        match first {
            Some(result) if several => {
                // The other results exist once the call has run, so it runs here.
                self.order(&own);
                self.begin();
                self.set(result, Some(expr), self.frames.len() - 1);
            }
            Some(result) => self.finish(result, expr, &own),
            None => {
                self.begin();
                self.order(&own);
                self.push(Stmt::Expr(expr));
            }
        }
    }

    /// Operands of a jump, in order.
    pub(crate) fn jump_operands(&mut self, args: &[Value]) -> Vec<Expr> {
        self.begin();
        args.iter().map(|&a| self.operand(a)).collect()
    }

    /// A helper variable of type `bool`.
    pub(crate) fn flag(&mut self, hint: &str, init: bool) -> (Symbol, Stmt) {
        let symbol = self.w.tree.add_symbol(hint);
        let init = Some(self.w.tree.add(ExprKind::Bool(init)));
        let decl = Decl { symbol, ty: Type::BOOL, precision: Precision::None, precise: false, is_const: false, init };
        (symbol, Stmt::Decl(decl))
    }
}

/// A hint for a name; `t` if there is none.
pub(crate) fn hint_of(text: &str) -> String {
    crate::words::sanitize(text)
}
