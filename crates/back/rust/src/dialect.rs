//! Rust as a dialect of the text back end.

use std::sync::Arc;

use planish_back_text::tree::{Expr, ExprKind, Infix, Stmt};
use planish_back_text::{Dialect, lower};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Const, Func, Node, Type, Value, Var};
use planish_ir::function::{Body, TrapKind};
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, TypeKind};

use crate::names::RustWords;
use crate::writer::{Writer, variant};
use crate::{machine, ops};

/// A function that is written as Rust.
pub(crate) type Lower<'w, 'm> = lower::Lower<'w, 'm, Writer<'m>>;

impl<'m> Dialect<'m> for Writer<'m> {
    type Words = RustWords;

    fn words(&self) -> RustWords {
        RustWords
    }

    fn expression(lower: &mut Lower<'_, 'm>, node: Node) -> Option<Expr> {
        ops::expression(lower, node)
    }

    fn statement(lower: &mut Lower<'_, 'm>, node: Node) -> bool {
        ops::statement(lower, node)
    }

    fn lacks(lower: &Lower<'_, 'm>, node: Node) -> (Code, String) {
        let op = lower.body.node(node).op;
        (Code::E0604, format!("Rust out has no operation `{}`", op.text()))
    }

    fn assign_operator(&self, body: &Body, node: Node) -> Option<Infix> {
        let data = body.node(node);
        let scalar = self.scalar(body.local_type(body.result(node)?))?;
        // Sums of integers wrap, which operators do not.
        let fits = match data.op {
            Op::Add | Op::Subtract | Op::Multiply | Op::Divide => scalar.is_float() && !self.sees_bits,
            Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor => scalar.is_integer(),
            _ => false,
        };
        if fits { Infix::of(data.op) } else { None }
    }

    fn argument(lower: &mut Lower<'_, 'm>, value: Value) -> Expr {
        machine::argument(lower, value)
    }

    fn global(lower: &mut Lower<'_, 'm>, var: Var) -> Expr {
        let module = lower.w.module;
        let data = &module.vars[var];
        if data.space != AddressSpace::Private {
            lower.w.unsupported(&format!("variable like `{}`", data.name.text), data.span);
        }
        let text = format!("self.{}", lower.w.state.var(var));
        lower.w.fixed(&text)
    }

    fn imports(&self, func: Func) -> bool {
        self.state.imports.iter().any(|imported| imported.func == func)
    }

    fn leading_arguments(lower: &mut Lower<'_, 'm>, func: Func) -> Vec<Expr> {
        let is_host = lower.w.state.imports.iter().any(|imported| imported.func == func && imported.is_plain);
        is_host.then(|| lower.w.fixed("self")).into_iter().collect()
    }

    fn may_choose(&self, _: Type) -> bool {
        true
    }

    fn trap(lower: &mut Lower<'_, 'm>, kind: TrapKind) -> Option<Stmt> {
        lower.w.traps.insert(kind);
        let error = lower.w.fixed(&format!("Err(Trap::{})", variant(kind)));
        lower.w.errors_out.insert(error);
        Some(Stmt::Return(Some(error)))
    }

    fn has_name(&self, _: Const) -> bool {
        false
    }

    fn fixed_function(&self, func: Func) -> Option<Arc<str>> {
        if let Some(imported) = self.state.imports.iter().find(|imported| imported.func == func) {
            let name = match imported.is_plain {
                true => format!("I::{}", imported.name),
                false => format!("self.import_{}", func.as_u32()),
            };
            return Some(name.into());
        }
        self.direct.get(&func).map(|name| name.as_str().into())
    }

    fn finish_call(&mut self, func: Func, call: Expr) -> Expr {
        if self.trapping.contains(&func) { self.tree.add(ExprKind::Postfix("?", call)) } else { call }
    }

    fn check_kind(&mut self, ty: Type, span: Span) {
        match &self.module.types[ty] {
            TypeKind::Scalar(_) | TypeKind::Void | TypeKind::Pointer { .. } | TypeKind::Function { .. } => {}
            TypeKind::FuncRef | TypeKind::ExternRef | TypeKind::Token => {}
            TypeKind::V128 => self.lacks_type("128-bit vector", span),
            _ => {
                let name = planish_ir::text::type_text(&self.module.types, ty);
                self.lacks_type(&format!("values of type `{name}`"), span);
            }
        }
    }
}
