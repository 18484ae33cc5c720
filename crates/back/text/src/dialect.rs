//! The interface of a language.

use std::ops::DerefMut;
use std::sync::Arc;

use planish_ir::arena::SideTable;
use planish_ir::decoration::NameSource;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Const, Func, Local, Node, Type, Value, Var};
use planish_ir::function::{Body, TrapKind};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::TypeKind;

use crate::lower::Lower;
use crate::text::Text;
use crate::tree::{Expr, ExprKind, Infix, Stmt, Symbol};

/// A language, as [`Lower`] knows it. It is the dialect's own state together with the [`Text`] that all languages have, to
/// which it dereferences: `lower.w.tree` is the tree of the output, `lower.w.version` a field of the dialect.
///
/// Functions that need a place in a function take the [`Lower`]; the others belong to the output.
pub trait Dialect<'m>: DerefMut<Target = Text<'m>> + Sized {
    /// Words of the language.
    type Words: Words;

    /// Words of the language and version.
    fn words(&self) -> Self::Words;

    // Nodes.

    /// The expression of a node with one result or none, which is neither memory access nor call nor the replacement of a
    /// part: arithmetic, constructors, textures, atomics. Operands come from [`Lower::operand`], each exactly once; `None`
    /// is a refusal, which is reported by [`Dialect::lacks`].
    fn expression(lower: &mut Lower<'_, 'm, Self>, node: Node) -> Option<Expr>;

    /// Writes a node that is no expression, as one with two results, by statements: [`Lower::push`], [`Lower::set_result`],
    /// [`Lower::finish`]. Returns false for nodes that [`Dialect::expression`] takes.
    fn statement(_: &mut Lower<'_, 'm, Self>, _: Node) -> bool {
        false
    }

    /// The message that the target has no such node.
    fn lacks(lower: &Lower<'_, 'm, Self>, node: Node) -> (Code, String) {
        let op = lower.body.node(node).op;
        (Code::E0604, format!("{} has no operation `{}`", lower.w.target_name, op.text()))
    }

    /// The pointer to a part, where it is no `base.member`, `base[index]` or `base.xy`; also for checks of the index.
    fn access(_: &mut Lower<'_, 'm, Self>, _: Node) -> Option<Expr> {
        None
    }

    /// The index of a part that an insertion replaces, from the operand `value` into `len` parts; also for checks of it.
    fn part_index(_: &mut Lower<'_, 'm, Self>, index: Expr, _: (Value, Option<u32>)) -> Expr {
        index
    }

    /// The value at a place, where reading it is more than mentioning it.
    fn load(_: &mut Lower<'_, 'm, Self>, place: Expr) -> Expr {
        place
    }

    /// Writes a value to a place.
    fn store(lower: &mut Lower<'_, 'm, Self>, target: Expr, value: Expr) {
        lower.push(Stmt::Assign { target, op: None, value });
    }

    /// The operator of a node that computes exactly `a op b`, so that `a = a op b` may be `a op= b`.
    fn assign_operator(&self, body: &Body, node: Node) -> Option<Infix> {
        let op = body.node(node).op;
        Infix::of(op).filter(|i| i.has_assignment() && op != Op::MatrixTimesVector)
    }

    /// A value that a texture op takes in place of its operands 1 and 2, which are parts of it and have no other uses.
    /// `uses` counts the uses of each value as an operand.
    fn whole_operand(_: &Module, _: &Body, _: &SideTable<Local, u32>, _: Node) -> Option<Value> {
        None
    }

    /// Whether [`Dialect::choose`] may give values of a type.
    fn may_choose(&self, ty: Type) -> bool {
        !self.module.types.contains(ty, &mut |k| matches!(k, TypeKind::Array { .. }))
    }

    /// `c ? a : b`, where it is not `c && a` or the like.
    fn choose(lower: &mut Lower<'_, 'm, Self>, c: Expr, a: Expr, b: Expr) -> Expr {
        lower.w.tree.add(ExprKind::Ternary(c, a, b))
    }

    // Functions.

    /// Called before the first block of a function, for declarations of the dialect's own by [`Lower::push`].
    fn begin_function(_: &mut Lower<'_, 'm, Self>) {}

    /// The value that a function gives back, from its results: the first, or [`ExprKind::Results`]. An entry point may give
    /// back its outputs, which are no results. Statements before the `return` may be pushed.
    fn returned(lower: &mut Lower<'_, 'm, Self>, results: &[Expr]) -> Option<Expr> {
        lower.result_value(results)
    }

    /// Writes the end of a fragment's invocation. Where it goes on as a helper, a `return` has to follow.
    fn discard(lower: &mut Lower<'_, 'm, Self>) {
        lower.push(Stmt::Discard);
    }

    /// Arguments of a call before those of the program: a context. The head of the function has parameters for them.
    fn leading_arguments(_: &mut Lower<'_, 'm, Self>, _: Func) -> Vec<Expr> {
        Vec::new()
    }

    /// An argument of a call of a function of the program. A language may need a variable for it.
    fn argument(lower: &mut Lower<'_, 'm, Self>, value: Value) -> Expr {
        lower.operand(value)
    }

    /// A global variable as an expression: a name, or a [`ExprKind::Field`] of a parameter of the dialect's own.
    fn global(lower: &mut Lower<'_, 'm, Self>, var: Var) -> Expr {
        let symbol = lower.w.global_symbol(var);
        lower.w.tree.name(symbol)
    }

    /// The statement of a trap. `None`: nothing is written, as after it nothing is defined, or it was reported.
    fn trap(lower: &mut Lower<'_, 'm, Self>, kind: TrapKind) -> Option<Stmt> {
        if kind != TrapKind::Unreachable {
            lower.w.unsupported("a trap", lower.span);
        }
        None
    }

    // Constants.

    /// A constant at a use: by a name if it is a table, or written out.
    fn constant(&mut self, c: Const, span: Span) -> Expr {
        let ty = self.module.consts[c].ty;
        self.check_type(ty, span);
        if !self.has_name(c) {
            return self.literal(c, span);
        }
        let symbol = match self.const_global(c) {
            Some(var) => self.global_symbol(var),
            None => self.table_symbol(c),
        };
        self.tree.name(symbol)
    }

    /// A constant written out.
    fn literal(&mut self, c: Const, span: Span) -> Expr {
        let ty = self.module.consts[c].ty;
        self.check_type(ty, span);
        self.tree.add(ExprKind::Literal(c))
    }

    /// Whether a constant is a table with a name of its own.
    fn has_name(&self, c: Const) -> bool {
        matches!(self.module.types[self.module.consts[c].ty], TypeKind::Array { .. })
    }

    // Names.

    /// The name of a global that cannot be another.
    fn fixed_global(&self, _: Var) -> Option<Arc<str>> {
        None
    }

    /// The name of a function that cannot be another, as `main`.
    fn fixed_function(&self, _: Func) -> Option<Arc<str>> {
        None
    }

    /// Whether a function without a body is one that the host gives, and is called by its name.
    fn imports(&self, _: Func) -> bool {
        false
    }

    /// Parameters that a function has in front of its own. Overloads have the same ones, or a call could mean several.
    fn added_params(&self, _: Func) -> &[Symbol] {
        &[]
    }

    /// A parameter as an expression; `ty` is its type in the program.
    fn param(&mut self, symbol: Symbol, _ty: Type) -> Expr {
        self.tree.name(symbol)
    }

    /// A call of a function of the module with what belongs to it: the operator that hands on its trap, say.
    fn finish_call(&mut self, _: Func, call: Expr) -> Expr {
        call
    }

    /// The symbol of a global.
    fn global_symbol(&mut self, var: Var) -> Symbol {
        if let Some(symbol) = self.known_global(var) {
            return symbol;
        }
        let data = &self.module.vars[var];
        let hint: Arc<str> = match data.name.source {
            NameSource::Interface => data.name.text.clone(),
            _ => self.words().sanitize(&data.name.text).into(),
        };
        self.check_type(data.ty, data.span);
        if let Some(init) = data.initializer {
            self.literal(init, data.span);
        }
        let symbol = match self.fixed_global(var) {
            Some(name) => self.tree.add_named(name),
            None => self.tree.add_symbol(hint),
        };
        self.set_global(var, symbol);
        symbol
    }

    /// The symbol of a function.
    fn func_symbol(&mut self, func: Func) -> Symbol {
        if let Some(symbol) = self.known_func(func) {
            return symbol;
        }
        let symbol = match self.fixed_function(func) {
            Some(name) => self.tree.add_named(name),
            None => {
                let hint = self.words().sanitize(self.module.outside_name(func));
                self.tree.add_symbol(hint)
            }
        };
        self.set_func(func, symbol);
        symbol
    }

    // Types.

    /// The symbol of a struct or block type; its members get theirs. Members of a struct have their names at once, those
    /// of a block (`Struct::is_block`) when names are assigned.
    fn struct_symbol(&mut self, ty: Type) -> Symbol {
        let words = self.words();
        self.add_struct(ty, &words)
    }

    /// The symbol of a member.
    fn member_symbol(&mut self, ty: Type, index: u32) -> Symbol {
        self.struct_symbol(ty);
        self.known_member(ty, index).unwrap_or(Symbol(0))
    }

    /// Prepares a type for writing: structs in it get symbols (parts first), and types that the target lacks are
    /// reported. Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn check_type(&mut self, ty: Type, span: Span) {
        if !self.first_check(ty) {
            return;
        }
        let module = self.module;
        match &module.types[ty] {
            TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } => self.check_type(*element, span),
            TypeKind::Struct(structure) => {
                structure.members.iter().for_each(|m| self.check_type(m.ty, span));
                self.struct_symbol(ty);
            }
            TypeKind::Pointer { pointee, .. } => self.check_type(*pointee, span),
            _ => {}
        }
        self.check_kind(ty, span);
    }

    /// Reports a type that the target lacks, if its parts are fine: [`Text::lacks_type`]. Called once a type.
    fn check_kind(&mut self, ty: Type, span: Span);

    /// Reports a type whose values cannot be assigned.
    fn check_assignable(&mut self, _: Type, _: Span) {}
}

/// Words of a language: those that no name may be.
pub trait Words: Copy {
    /// Whether a word is a keyword or reserved.
    fn is_reserved(&self, word: &str) -> bool;

    /// Whether a word is a function or type of the language, which a name of module scope must not hide, and a local one only
    /// if the function does not mention it.
    fn is_builtin(&self, word: &str) -> bool;

    /// Whether a name of the host has to change. Hosts look names up, so a name that is only reserved may stay.
    fn is_refused(&self, word: &str) -> bool {
        self.is_reserved(word) || self.is_builtin(word)
    }

    /// `text` as an identifier; never empty.
    fn sanitize(&self, text: &str) -> String {
        sanitize(text, &[])
    }

    /// Whether a struct of this name is declared by the language.
    fn fixed_struct(&self, _: &str) -> bool {
        false
    }
}

/// `text` as an identifier of letters, digits and single underscores, which begins with no digit and none of the
/// prefixes.
pub fn sanitize(text: &str, reserved_prefixes: &[&str]) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let c = if c.is_ascii_alphanumeric() { c } else { '_' };
        if c != '_' || !out.ends_with('_') {
            out.push(c);
        }
    }
    while let Some(prefix) = reserved_prefixes.iter().find(|&prefix| out.starts_with(prefix)) {
        out.drain(..prefix.len());
    }
    if out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, 'n');
    }
    out.truncate(200);
    if out.is_empty() || out == "_" { "t".into() } else { out }
}
