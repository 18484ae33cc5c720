//! WGSL as a dialect of the text back end.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use planish_back_text::tree::{Expr, ExprKind, Infix, Symbol};
use planish_back_text::{Dialect, Text, lower};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Const, Func, Node, Type, Var};
use planish_ir::function::Body;
use planish_ir::ops::Class;
use planish_ir::source::Span;
use planish_ir::types::TypeKind;

use crate::globals::is_finite;
use crate::places::Opaque;
use crate::words::Wgsl;
use crate::writer::Writer;
use crate::{ops, places, texture, transfers};

/// A function that is written as WGSL.
pub(crate) type Lower<'w, 'm> = lower::Lower<'w, 'm, Writer<'m>>;

impl<'m> Deref for Writer<'m> {
    type Target = Text<'m>;

    fn deref(&self) -> &Text<'m> {
        &self.text
    }
}

impl<'m> DerefMut for Writer<'m> {
    fn deref_mut(&mut self) -> &mut Text<'m> {
        &mut self.text
    }
}

impl<'m> Dialect<'m> for Writer<'m> {
    type Words = Wgsl;

    fn words(&self) -> Wgsl {
        Wgsl
    }

    fn expression(lower: &mut Lower<'_, 'm>, node: Node) -> Option<Expr> {
        match lower.body.node(node).op.info().class {
            Class::Texture => texture::texture(lower, node),
            _ => ops::expression(lower, node),
        }
    }

    fn statement(lower: &mut Lower<'_, 'm>, node: Node) -> bool {
        ops::statement(lower, node)
    }

    fn lacks(lower: &Lower<'_, 'm>, node: Node) -> (Code, String) {
        ops::lacks(lower, node)
    }

    fn access(lower: &mut Lower<'_, 'm>, node: Node) -> Option<Expr> {
        places::access(lower, node)
    }

    fn load(lower: &mut Lower<'_, 'm>, place: Expr) -> Expr {
        transfers::load(lower, place)
    }

    fn store(lower: &mut Lower<'_, 'm>, target: Expr, value: Expr) {
        transfers::store(lower, target, value);
    }

    fn assign_operator(&self, body: &Body, node: Node) -> Option<Infix> {
        ops::assign_operator(self, body, node)
    }

    fn may_choose(&self, ty: Type) -> bool {
        self.may_select(ty)
    }

    fn choose(lower: &mut Lower<'_, 'm>, c: Expr, a: Expr, b: Expr) -> Expr {
        lower.w.tree.builtin("select", &[b, a, c])
    }

    fn constant(&mut self, c: Const, span: Span) -> Expr {
        let ty = self.module.consts[c].ty;
        self.check_type(ty, span);
        if !matches!(self.module.types[ty], TypeKind::Array { .. }) || !is_finite(self.module, c) {
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
            false => ops::nonfinite(self, c),
        }
    }

    fn global(lower: &mut Lower<'_, 'm>, var: Var) -> Expr {
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
        self.check_kind_of(ty, span);
    }
}
