//! From a function's blocks to statements: the frames, and the pending values.
//!
//! A value that is used once is pending, as an expression, until it is written where it is used. Before anything that
//! would change its value (a store to what it reads, a call), it is given a name instead; so is a value that is used
//! twice, crosses into a loop, or has grown too deep.

use planish_ir::arena::Id;
use planish_ir::decoration::Decoration;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Block, Func, Local, Type, Value, Var};
use planish_ir::function::{Body, Direction, Function};
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::AddressSpace;
use planish_target::structure;
use rustc_hash::FxHashMap;

use crate::abilities::{Parameters, Results};
use crate::assigned;
use crate::coalesce::{self, Variables};
use crate::control::{Breakable, Ending, OpenLoop, OpenSwitch};
use crate::dialect::Dialect;
use crate::effects::Effects;
use crate::insert::LaneList;
use crate::nesting;
use crate::tree::{Decl, Expr, ExprKind, Infix, List, Stmt, Symbol};
use crate::uses::Uses;

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
pub(crate) struct LocalVar {
    pub(crate) symbol: Symbol,
    pub(crate) frame: usize,
    pub(crate) declared: bool,
}

/// One function while it is written.
pub struct Lower<'w, 'm, D> {
    /// The output.
    pub w: &'w mut D,
    /// The function.
    pub func: Func,
    /// Its body.
    pub body: &'m Body,
    pub(crate) uses: Uses,
    pub(crate) slots: Vec<Slot>,
    /// Which values share a variable.
    pub(crate) variables: Variables,
    /// By class: its variable.
    pub(crate) class_symbols: Vec<Option<Symbol>>,
    pub(crate) symbol_classes: FxHashMap<Symbol, u32>,
    /// Variables of values that are not declared yet: a value, and how many statement lists are around the declaring one.
    pub(crate) undeclared: FxHashMap<Symbol, (Local, usize)>,
    pub(crate) vars: FxHashMap<Var, LocalVar>,
    /// The variable or value that a symbol names.
    pub(crate) origins: FxHashMap<Symbol, Value>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) closed: Vec<Frame>,
    /// Pending values with effects, oldest first.
    pub(crate) pending: Vec<Local>,
    /// The components of vectors that constructors make out of another and new components.
    pub(crate) lanes: FxHashMap<Expr, LaneList>,
    /// Right operands of compound assignments to come: the result, the operand, its expression and effects.
    pub(crate) compounds: Vec<(Local, Value, Expr, Effects)>,
    /// Conditions of the `If`s around, with their effects.
    pub(crate) ifs: Vec<(Expr, Effects)>,
    pub(crate) loops: Vec<OpenLoop>,
    pub(crate) switches: Vec<OpenSwitch>,
    pub(crate) targets: Vec<Breakable>,
    /// Effects of the operands taken since the last `begin`.
    pub(crate) acc: Effects,
    pub(crate) next_loop: u32,
    /// Extra `out` parameters for the results after the first.
    pub(crate) result_params: Vec<Symbol>,
    pub(crate) labels: Vec<Symbol>,
    /// The place in the source of the current node, for messages.
    pub span: Span,
}

/// A function as it is printed.
pub struct Written {
    /// The function.
    pub func: Func,
    /// Its parameters.
    pub params: Vec<Symbol>,
    /// Parameters for the results after the first, if [`Results::Parameters`].
    pub result_params: Vec<Symbol>,
    /// Further parameters of the language's own, as the samplers of textures. Lowering makes none.
    pub own_params: Vec<Symbol>,
    /// Labels of [`Stmt::Labelled`] and [`Stmt::Label`]; their names differ from all others of the function.
    pub labels: Vec<Symbol>,
    /// Parameters that the function assigns to, if the language asks ([`Abilities::immutable_declarations`](crate::Abilities::immutable_declarations)).
    pub mutable_params: Vec<Symbol>,
    /// Statements.
    pub body: List,
}

impl Written {
    /// Everything that has a name throughout the function.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> {
        self.params.iter().chain(&self.result_params).chain(&self.own_params).chain(&self.labels).copied()
    }
}

/// Writes the body of `func`; `None` if it has none, or with an error in the output.
pub fn write_function<'m, D: Dialect<'m>>(w: &mut D, func: Func) -> Option<Written> {
    let module = w.module;
    let function: &'m Function = &module.funcs[func];
    let body = function.body.as_ref()?;
    if let Some(place) = nesting::certainly_too_deep(body, w.abilities.nesting) {
        too_deep(w, place);
        return None;
    }
    let uses = Uses::of(w, body);
    let mut directions: Vec<Direction> = function.params.iter().map(|p| p.direction).collect();
    if !w.abilities.mutable_parameters {
        // No value may share the variable of a parameter.
        directions.clear();
    }
    let variables = coalesce::find(module, body, &directions, &uses, w.abilities.plain_loops);
    let top = Frame { stmts: Vec::new(), loop_id: 0, condition: None, in_step: None, ending: Ending::Open };
    let mut lower = Lower {
        func,
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
        labels: Vec::new(),
        span: function.span,
        w,
    };
    let params = lower.bind_params(function);
    function.results.iter().for_each(|r| lower.w.check_type(r.ty, function.span));
    if lower.w.abilities.several_results == Results::Parameters {
        let results = (1..function.results.len()).map(|i| lower.w.tree.add_symbol(format!("result_{i}"))).collect();
        lower.result_params = results;
    }
    D::begin_function(&mut lower);
    let Ok(()) = structure::write(&mut lower, body);
    let mut stmts = lower.frames.pop().map(|f| f.stmts).unwrap_or_default();
    if matches!(stmts.last(), Some(Stmt::Return(None))) {
        stmts.pop();
    }
    let (result_params, labels) = (lower.result_params, lower.labels);
    let (old, body) = (body, w.tree.add_list(stmts));
    if nesting::is_too_deep(&w.tree, body, w.abilities.nesting) {
        too_deep(w, nesting::place(old, w.abilities.nesting));
    }
    let mut written =
        Written { func, params, result_params, own_params: Vec::new(), labels, mutable_params: Vec::new(), body };
    if w.abilities.immutable_declarations {
        assigned::find(&mut w.tree, &mut written);
    }
    Some(written)
}

fn too_deep<'m, D: Dialect<'m>>(w: &mut D, place: Span) {
    let (language, most) = (w.language, w.abilities.nesting);
    let message = format!("{language} is written with at most {most} nested statements, and this is deeper");
    w.error(Code::E0690, place, message);
}

impl<'m, D: Dialect<'m>> Lower<'_, 'm, D> {
    fn bind_params(&mut self, function: &'m Function) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        let inputs = &self.body.blocks[self.body.entry].inputs;
        for (param, &input) in function.params.iter().zip(inputs) {
            let symbol = self.user_symbol(&param.name.text);
            let mut name = self.w.param(symbol, param.ty);
            if self.is_by_pointer(param.ty) {
                name = self.w.tree.add(ExprKind::Deref(name));
            }
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
        if self.w.abilities.mutable_parameters {
            self.merge_params_with_variables(function, &symbols);
        }
        symbols
    }

    /// Whether a parameter of a type is a pointer in the output. Handles are passed as they are.
    pub(crate) fn is_by_pointer(&self, ty: Type) -> bool {
        let pointee = self.w.module.types.pointee(ty);
        self.w.abilities.parameters == Parameters::Pointers
            && pointee.is_some_and(|(_, space)| space != AddressSpace::Handle)
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
    pub(crate) fn write_block(&mut self, block: Block) {
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
        let module = self.w.module;
        if self.uses.var_count[var] == 0 || self.vars.get(&var).is_some_and(|v| v.declared && v.frame == 0) {
            return;
        }
        let data = &module.vars[var];
        self.w.check_type(data.ty, data.span);
        let symbol = self.user_symbol(&data.name.text);
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

    pub(crate) fn decl_of(&mut self, var: Var, symbol: Symbol, init: Option<Expr>) -> Stmt {
        let data = &self.w.module.vars[var];
        let is_const = data.is_const && data.initializer.is_some() && init.is_some();
        let precise = data.decorations.has(Decoration::Precise);
        Stmt::Decl(Decl { symbol, ty: data.ty, precision: data.precision, precise, is_const, is_assigned: true, init })
    }

    /// The name of a variable; a local one is declared by now.
    /// Recursion: one level, as the variable has an entry in the table then.
    pub(crate) fn var_expr(&mut self, var: Var) -> Expr {
        let module = self.w.module;
        if self.w.module.vars[var].space != AddressSpace::Function {
            return D::global(self, var);
        }
        let Some(&LocalVar { symbol, frame, declared }) = self.vars.get(&var) else {
            // A variable that no block lists: declared at the top, as the verifier will have complained about.
            let symbol = self.user_symbol(&module.vars[var].name.text);
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
    pub(crate) fn undeclared(&mut self, pointer: Value) -> Option<(Var, Symbol)> {
        let var = pointer.as_var()?;
        let local = self.vars.get_mut(&var)?;
        if local.declared || local.frame != self.frames.len() - 1 {
            return None;
        }
        local.declared = true;
        Some((var, local.symbol))
    }

    /// Appends a statement.
    pub fn push(&mut self, stmt: Stmt) {
        if let Some(frame) = self.frames.last_mut() {
            frame.stmts.push(stmt);
        }
    }
}
