//! GLSL as a dialect of the text back end.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use planish_back_text::dialect::Words;
use planish_back_text::tree::{Expr, ExprKind};
use planish_back_text::{Abilities, Dialect, Text, lower};
use planish_ir::arena::SideTable;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Const, Func, Local, Node, Type, Value, Var};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::source::Span;
use planish_ir::types::TypeKind;

use crate::target::Target;
use crate::writer::Writer;
use crate::{ops, texture, words};

/// A function that is written as GLSL.
pub(crate) type Lower<'w, 'm> = lower::Lower<'w, 'm, Writer<'m>>;

/// The constructs of a version.
pub(crate) fn abilities(target: &Target) -> Abilities {
    let is_first = target.es && target.version == 100;
    Abilities { plain_loops: is_first, switches: target.is_modern(), ..Abilities::GLSL }
}

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
    type Words = Target;

    fn words(&self) -> Target {
        self.target
    }

    fn expression(lower: &mut Lower<'_, 'm>, node: Node) -> Option<Expr> {
        match lower.body.node(node).op.info().class {
            Class::Texture => texture::texture(lower, node),
            _ => ops::expression(lower, node),
        }
    }

    fn statement(lower: &mut Lower<'_, 'm>, node: Node) -> bool {
        let is_pair = lower.body.results(node).len() == 2;
        if is_pair {
            ops::two_results(lower, node);
        }
        is_pair
    }

    fn lacks(lower: &Lower<'_, 'm>, node: Node) -> (Code, String) {
        let op = lower.body.node(node).op;
        let (code, what) = match op.info().class {
            Class::Texture => (Code::E0605, texture::words_for(lower, node)),
            _ => (Code::E0604, ops::words_for(op)),
        };
        (code, format!("{} has no {what}", lower.w.target_name))
    }

    fn access(lower: &mut Lower<'_, 'm>, node: Node) -> Option<Expr> {
        let data = lower.body.node(node);
        let args = lower.body.args(node);
        match data.op {
            Op::AccessStructField => lower.w.bare_member(args[0].as_var()?, data.imm.as_index()),
            Op::AccessVectorComponent | Op::AccessVectorComponentMulti => None,
            _ => {
                ops::check_sampler_index(lower, args[0], args[1]);
                ops::non_uniform_access(lower, args[0], args[1])
            }
        }
    }

    fn whole_operand(module: &Module, body: &Body, uses: &SideTable<Local, u32>, node: Node) -> Option<Value> {
        texture::shadow_source(module, body, uses, node)
    }

    fn literal(&mut self, c: Const, span: Span) -> Expr {
        let ty = self.module.consts[c].ty;
        self.check_type(ty, span);
        let array = self.module.types.contains(ty, &mut |k| matches!(k, TypeKind::Array { .. }));
        if array && !self.target.at_least(300, 120) {
            self.unsupported("array constructor", span);
        }
        self.tree.add(ExprKind::Literal(c))
    }

    fn has_name(&self, c: Const) -> bool {
        let is_array = matches!(self.module.types[self.module.consts[c].ty], TypeKind::Array { .. });
        is_array && self.target.at_least(300, 120)
    }

    fn global(lower: &mut Lower<'_, 'm>, var: Var) -> Expr {
        lower.w.global_expr(var)
    }

    fn fixed_global(&self, var: Var) -> Option<Arc<str>> {
        self.is_fixed_pipeline(var).then(|| self.module.vars[var].name.text.clone())
    }

    fn fixed_function(&self, func: Func) -> Option<Arc<str>> {
        (self.main == Some(func)).then(|| "main".into())
    }

    fn check_kind(&mut self, ty: Type, span: Span) {
        self.check_kind_of(ty, span);
    }

    /// Before ES 3.00 and desktop 1.20 there is no assignment of arrays, nor of structs that hold some.
    fn check_assignable(&mut self, ty: Type, span: Span) {
        let old = !self.target.at_least(300, 120);
        if old && self.module.types.contains(ty, &mut |k| matches!(k, TypeKind::Array { .. })) {
            self.unsupported("assignment of arrays", span);
        }
    }
}

impl Words for Target {
    fn is_reserved(&self, word: &str) -> bool {
        words::is_reserved(self, word)
    }

    fn is_builtin(&self, word: &str) -> bool {
        words::is_builtin_function(self, word)
    }

    fn is_refused(&self, word: &str) -> bool {
        // Two underscores are reserved, not forbidden, and renaming them would break the host's program.
        let reserved = words::is_reserved(self, word) && !word.contains("__");
        // ES lets nothing hide a built-in function; desktop does, but then it cannot be called.
        reserved || self.es && self.version >= 300 && words::is_builtin_function(self, word)
    }

    fn sanitize(&self, text: &str) -> String {
        words::sanitize(text)
    }

    fn fixed_struct(&self, name: &str) -> bool {
        self.has_struct(name)
    }
}
