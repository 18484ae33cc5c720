//! C as a dialect of the text back end.

use std::sync::Arc;

use planish_back_text::tree::{Expr, ExprKind, Infix, Stmt};
use planish_back_text::{Dialect, lower};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Const, Func, Node, Type, Var};
use planish_ir::function::{Body, TrapKind};
use planish_ir::ops::{Class, Op};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Scalar, TypeKind};

use crate::names::CWords;
use crate::writer::Writer;
use crate::{machine, ops, vectors};

/// A function that is written as C.
pub(crate) type Lower<'w, 'm> = lower::Lower<'w, 'm, Writer<'m>>;

impl<'m> Dialect<'m> for Writer<'m> {
    type Words = CWords<'m>;

    fn words(&self) -> CWords<'m> {
        CWords(self.names)
    }

    fn expression(lower: &mut Lower<'_, 'm>, node: Node) -> Option<Expr> {
        match lower.body.node(node).op.info().class {
            Class::Machine | Class::Call | Class::Token => machine::expression(lower, node),
            Class::Simd => vectors::expression(lower, node),
            _ => ops::expression(lower, node),
        }
    }

    fn statement(lower: &mut Lower<'_, 'm>, node: Node) -> bool {
        machine::statement(lower, node)
    }

    fn lacks(lower: &Lower<'_, 'm>, node: Node) -> (Code, String) {
        let op = lower.body.node(node).op;
        (Code::E0604, format!("C has no operation `{}`", op.text()))
    }

    fn assign_operator(&self, body: &Body, node: Node) -> Option<Infix> {
        let data = body.node(node);
        let scalar = self.scalar(body.local_type(body.result(node)?))?;
        // Signed integers wrap; of those shorter than `int` there are none.
        let fits = match data.op {
            Op::Add | Op::Subtract | Op::Multiply if scalar.is_integer() => !scalar.is_signed(),
            Op::Add | Op::Subtract | Op::Multiply | Op::Divide => scalar.is_float() && !self.sees_bits,
            Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor => scalar.is_integer(),
            _ => false,
        };
        if fits { Infix::of(data.op) } else { None }
    }

    fn may_choose(&self, _: Type) -> bool {
        true
    }

    fn trap(lower: &mut Lower<'_, 'm>, kind: TrapKind) -> Option<Stmt> {
        let code = lower.w.fixed(&format!("PLANISH_TRAP_{}", kind.name().to_ascii_uppercase()));
        let [function, line, column] = lower.w.place(lower.func, lower.span);
        Some(Stmt::Expr(lower.w.tree.builtin("planish_trap", &[code, function, line, column])))
    }

    fn literal(&mut self, c: Const, span: Span) -> Expr {
        let data = &self.module.consts[c];
        self.check_type(data.ty, span);
        if vectors::is_vector(&self.module.types[data.ty]) {
            return vectors::constant(self, vectors::bits(&data.value));
        }
        if let (Some(bits), Some(scalar)) = (self.module.consts.as_bits(c), self.scalar(data.ty))
            && crate::number::literal(scalar, bits).is_none()
        {
            let is_single = scalar == Scalar::F32;
            let bits = self.fixed(&if is_single { format!("{bits:#x}u") } else { format!("UINT64_C({bits:#x})") });
            return self.helper(if is_single { "f32_from_bits" } else { "f64_from_bits" }, &[bits]);
        }
        self.tree.add(ExprKind::Literal(c))
    }

    fn has_name(&self, _: Const) -> bool {
        false
    }

    fn global(lower: &mut Lower<'_, 'm>, var: Var) -> Expr {
        let module = lower.w.module;
        let data = &module.vars[var];
        if data.space != AddressSpace::Private {
            lower.w.unsupported(&format!("variable like `{}`", data.name.text), data.span);
        }
        let text = format!("self->{}", lower.w.state.var(var));
        let place = lower.w.fixed(&text);
        if vectors::is_vector(&module.types[data.ty]) {
            lower.w.vectors.insert(place);
        }
        place
    }

    fn load(lower: &mut Lower<'_, 'm>, place: Expr) -> Expr {
        if !lower.w.vectors.contains(&place) {
            return place;
        }
        let address = lower.w.tree.add(ExprKind::AddressOf(place));
        lower.w.helper("v128_read", &[address])
    }

    fn store(lower: &mut Lower<'_, 'm>, target: Expr, value: Expr) {
        if !lower.w.vectors.contains(&target) {
            return lower.push(Stmt::Assign { target, op: None, value });
        }
        let address = lower.w.tree.add(ExprKind::AddressOf(target));
        let write = lower.w.helper("v128_write", &[address, value]);
        lower.push(Stmt::Expr(write));
    }

    fn fixed_function(&self, func: Func) -> Option<Arc<str>> {
        let import = || self.interface.imports.iter().find(|import| import.func == func);
        if self.module.funcs[func].body.is_none() {
            let adapted = || format!("import_{}", func.as_u32());
            if self.shaders.is_texture(func) {
                return Some(adapted().into());
            }
            return import().map(|import| match crate::adapters::is_plain(import, self) {
                true => import.c_name.as_str().into(),
                false => adapted().into(),
            });
        }
        self.direct.get(&func).map(|name| name.as_str().into())
    }

    fn imports(&self, func: Func) -> bool {
        self.shaders.is_texture(func) || self.interface.imports.iter().any(|import| import.func == func)
    }

    fn leading_arguments(lower: &mut Lower<'_, 'm>, _: Func) -> Vec<Expr> {
        let has_instance = lower.w.has_instance();
        has_instance.then(|| lower.w.fixed("self")).into_iter().collect()
    }

    fn check_kind(&mut self, ty: Type, span: Span) {
        match &self.module.types[ty] {
            TypeKind::Scalar(_) | TypeKind::V128 | TypeKind::Void => {}
            TypeKind::FuncRef | TypeKind::ExternRef | TypeKind::Token => {}
            TypeKind::Pointer { .. } | TypeKind::Function { .. } => {}
            _ => {
                let name = planish_ir::text::type_text(&self.module.types, ty);
                self.lacks_type(&format!("values of type `{name}`"), span);
            }
        }
    }
}
