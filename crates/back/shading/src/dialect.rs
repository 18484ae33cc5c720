//! A shading language as a dialect of the text back end.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use planish_back_text::syntax::{Place, default_number};
use planish_back_text::tree::{Decl, Expr, ExprKind, Infix, Symbol};
use planish_back_text::{Dialect, Style, Syntax, Text, Written, lower, needs_parentheses};
use planish_ir::arena::Id;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Const, Func, Node, Type, Value, Var};
use planish_ir::function::Body;
use planish_ir::ops::{Class, Lanes};
use planish_ir::source::Span;

use crate::globals::is_finite;
use crate::language::Language;
use crate::places::Opaque;
use crate::writer::Writer;
use crate::{places, texture, transfers};

/// A function that is written.
pub type Lower<'w, 'm, L> = lower::Lower<'w, 'm, Writer<'m, L>>;

impl<'m, L: Language> Deref for Writer<'m, L> {
    type Target = Text<'m>;

    fn deref(&self) -> &Text<'m> {
        &self.text
    }
}

impl<'m, L: Language> DerefMut for Writer<'m, L> {
    fn deref_mut(&mut self) -> &mut Text<'m> {
        &mut self.text
    }
}

impl<'m, L: Language> Dialect<'m> for Writer<'m, L> {
    type Words = L::Words;

    fn words(&self) -> L::Words {
        self.language.words()
    }

    fn added_params(&self, func: Func) -> &[Symbol] {
        self.passed.get(func.index()).map_or(&[], Vec::as_slice)
    }

    fn expression(lower: &mut Lower<'_, 'm, L>, node: Node) -> Option<Expr> {
        match lower.body.node(node).op.info().class {
            Class::Texture => texture::texture(lower, node),
            _ => L::expression(lower, node),
        }
    }

    fn statement(lower: &mut Lower<'_, 'm, L>, node: Node) -> bool {
        L::statement(lower, node)
    }

    fn lacks(lower: &Lower<'_, 'm, L>, node: Node) -> (Code, String) {
        L::lacks(lower, node)
    }

    fn access(lower: &mut Lower<'_, 'm, L>, node: Node) -> Option<Expr> {
        places::access(lower, node)
    }

    fn part_index(lower: &mut Lower<'_, 'm, L>, index: Expr, of: (Value, Option<u32>)) -> Expr {
        L::bounded(lower, index, of)
    }

    fn load(lower: &mut Lower<'_, 'm, L>, place: Expr) -> Expr {
        transfers::load(lower, place)
    }

    fn store(lower: &mut Lower<'_, 'm, L>, target: Expr, value: Expr) {
        transfers::store(lower, target, value);
    }

    fn assign_operator(&self, body: &Body, node: Node) -> Option<Infix> {
        L::assign_operator(self, body, node)
    }

    fn may_choose(&self, ty: Type) -> bool {
        L::may_choose(self, ty)
    }

    fn choose(lower: &mut Lower<'_, 'm, L>, c: Expr, a: Expr, b: Expr) -> Expr {
        L::select(lower.w, c, a, b)
    }

    fn constant(&mut self, c: Const, span: Span) -> Expr {
        let ty = self.module.consts[c].ty;
        self.check_type(ty, span);
        if !L::has_name(self, c) || !is_finite(self.module, c) {
            return self.literal(c, span);
        }
        let symbol = self.const_table(c);
        self.tree.name(symbol)
    }

    fn literal(&mut self, c: Const, span: Span) -> Expr {
        let ty = self.module.consts[c].ty;
        self.check_type(ty, span);
        match is_finite(self.module, c) {
            true => self.tree.add(ExprKind::Literal(c)),
            false => L::nonfinite(self, c),
        }
    }

    fn global(lower: &mut Lower<'_, 'm, L>, var: Var) -> Expr {
        lower.w.global_expr(var)
    }

    fn param(&mut self, symbol: Symbol, ty: Type) -> Expr {
        let ty = self.module.types.pointee(ty).map_or(ty, |(ty, _)| ty);
        if !self.module.types.is_opaque(ty) {
            return self.tree.name(symbol);
        }
        let tree = self.tree_of_param(symbol, ty);
        self.opaque(Opaque { candidates: vec![tree], index: None })
    }

    fn fixed_function(&self, func: Func) -> Option<Arc<str>> {
        self.entries.iter().find(|e| e.func == func).map(|e| e.name.clone())
    }

    fn check_kind(&mut self, ty: Type, span: Span) {
        L::check_kind(self, ty, span);
    }

    fn leading_arguments(lower: &mut Lower<'_, 'm, L>, callee: Func) -> Vec<Expr> {
        let symbols = lower.w.passed.get(callee.index()).cloned().unwrap_or_default();
        symbols.into_iter().map(|s| lower.w.tree.name(s)).collect()
    }
}

impl<'m, L: Language> Syntax<'m> for Writer<'m, L> {
    fn style(&self) -> &Style {
        L::style()
    }

    fn function_head(&self, function: &Written, out: &mut String) {
        L::function_head(self, function, out);
    }

    fn type_name(&self, ty: Type) -> String {
        L::type_name(self, ty)
    }

    fn declaration_head(&self, decl: &Decl, out: &mut String) {
        L::declaration_head(self, decl, out);
    }

    fn declaration_name(&self, decl: &Decl, out: &mut String) {
        L::declaration_name(self, decl, out);
    }

    fn constant(&self, c: Const, constructor: Option<Type>, out: &mut String) {
        L::constant(self, c, constructor, out);
    }

    fn number(&self, kind: ExprKind, out: &mut String) {
        if !L::number(self, kind, out) {
            default_number(self.minify, kind, out);
        }
    }

    fn constructor(&self, ty: Type, out: &mut String) -> &'static str {
        L::constructor(self, ty, out)
    }

    fn splat(&self, ty: Type, out: &mut String) -> (Place, &'static str) {
        L::splat(self, ty, out)
    }

    fn index(&self, e: Expr) -> (&'static str, Place, &'static str) {
        L::index(self, e)
    }

    fn components(&self, lanes: Lanes, out: &mut String) {
        L::components(self, lanes, out);
    }

    fn results_head(&self, func: Func, out: &mut String) {
        L::results_head(self, func, out);
    }

    fn results(&self, func: Func, out: &mut String) -> &'static str {
        L::results(self, func, out)
    }

    fn result(&self, number: u32, out: &mut String) {
        out.push_str(&format!(".r{number}"));
    }

    fn needs_parentheses(&self, place: Place, e: Expr) -> bool {
        L::needs_parentheses(self, place, e).unwrap_or_else(|| needs_parentheses(self, place, e))
    }
}
