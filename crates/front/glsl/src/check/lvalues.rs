//! Places that are written: assignments, `++` and `--`, and `out` arguments.

use planish_ir::decoration::Decoration;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::{ImageKind, Scalar, TypeKind};

use super::names::{Access, Entity};
use super::operand::Operand;
use super::{Checked, Checker, Reported};
use crate::ast::*;
use crate::symbol::Symbol;

impl Checker<'_, '_> {
    /// The variable's name that an expression is a part of, if it is a part of a variable.
    pub(super) fn root(&self, mut expr: ExprId) -> Option<Symbol> {
        loop {
            match self.ast[expr].kind {
                ExprKind::Name(symbol) => return Some(symbol),
                ExprKind::Paren(inner) => expr = inner,
                ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => expr = base,
                _ => return None,
            }
        }
    }

    /// The name and entity that an expression is a part of. For a block member with access rules of its own, those of
    /// the member.
    fn target(&mut self, expr: ExprId) -> Option<(Symbol, Entity)> {
        let root = self.root(expr)?;
        let entity = match self.scopes.lookup(root) {
            Some(binding) => binding.entity,
            None => *self.builtins.get(&root)?,
        };
        let Entity::Variable { address, ty, access: Access::ReadWrite | Access::WriteOnly } = entity else {
            return Some((root, entity));
        };
        let block = self.b.module.types.as_struct(self.element_type(ty).0).filter(|s| s.is_block);
        let name = block.and_then(|_| self.outermost_member(expr));
        let member = block.zip(name).and_then(|(s, name)| {
            let text = self.text(name.symbol);
            s.members.iter().find(|m| &*m.name == text)
        });
        match (member, name) {
            (Some(m), Some(name)) if m.decorations.has(Decoration::ReadOnly) => {
                Some((name.symbol, Entity::Variable { address, ty, access: Access::ReadOnly }))
            }
            (Some(m), Some(name)) if m.decorations.has(Decoration::WriteOnly) => {
                Some((name.symbol, Entity::Variable { address, ty, access: Access::WriteOnly }))
            }
            _ => Some((root, entity)),
        }
    }

    /// The member of the variable itself that an expression names: `a` of `block[1].a.b[2]`.
    fn outermost_member(&self, mut expr: ExprId) -> Option<Name> {
        let mut member = None;
        loop {
            expr = match self.ast[expr].kind {
                ExprKind::Paren(inner) => inner,
                ExprKind::Index { base, .. } => base,
                ExprKind::Field { base, name } => {
                    member = Some(name);
                    base
                }
                _ => return member,
            }
        }
    }

    /// Reports a part of something that cannot be written.
    pub(super) fn check_writable(&mut self, expr: ExprId) -> Checked<()> {
        match self.target(expr) {
            Some((_, Entity::Variable { access: Access::ReadWrite | Access::WriteOnly, .. }))
            | Some((_, Entity::Member { access: Access::ReadWrite | Access::WriteOnly, .. })) => {
                self.check_own_vertex(expr)
            }
            Some((root, entity)) => Err(self.not_writable(root, entity, self.span_of(expr))),
            None => Err(Reported),
        }
    }

    /// Reports an operand that cannot be read, for an operator that reads before it writes.
    fn check_read_and_written(&mut self, expr: ExprId, place: Operand) -> Checked<()> {
        if place.spot.is_some() {
            return self.check_spot(place, true, self.span_of(expr));
        }
        match self.target(expr) {
            Some((root, Entity::Variable { access: Access::WriteOnly, .. }))
            | Some((root, Entity::Member { access: Access::WriteOnly, .. })) => {
                Err(self.unreadable(root, self.span_of(expr)))
            }
            _ => Ok(()),
        }
    }

    /// Reports a read of what is `writeonly`.
    #[cold]
    pub(super) fn unreadable(&mut self, symbol: Symbol, span: Span) -> Reported {
        let text = self.text(symbol);
        self.fail(Code::E0308, span, format!("`{text}` cannot be read: it is `writeonly`"))
    }

    /// A place that will be written: evaluates its address, and reports read-only places.
    pub(super) fn place(&mut self, expr: ExprId, what: &str) -> Checked<Operand> {
        let outer = std::mem::replace(&mut self.frame.flow.suppressed, true);
        let operand = self.expression(expr);
        self.frame.flow.suppressed = outer;
        let operand = operand?;
        let span = self.span_of(expr);
        if operand.spot.is_some() {
            self.check_spot(operand, false, span)?;
            return Ok(operand);
        }
        if self.root(expr).is_none() {
            return Err(self.not_a_place(span, what));
        }
        self.check_writable(expr)?;
        if !operand.place {
            return Err(self.error(
                Diagnostic::error(Code::E0308, span, format!("{what} names a component twice"))
                    .note("a swizzle that is written names each component at most once"),
            ));
        }
        if self.is_opaque(operand.ty) {
            let name = self.type_name(operand.ty);
            return Err(self.fail(Code::E0405, span, format!("`{name}` cannot be written")));
        }
        Ok(operand)
    }

    #[cold]
    #[inline(never)]
    fn not_a_place(&mut self, span: Span, what: &str) -> Reported {
        let d = Diagnostic::error(Code::E0308, span, format!("{what} cannot be written"))
            .note("only variables and parts of them can be written");
        self.error(d)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn not_writable(&mut self, root: Symbol, entity: Entity, span: Span) -> Reported {
        let text = self.text(root);
        let declared = self.scopes.lookup(root).filter(|b| b.entity == entity).map(|b| b.span);
        let (access, is_value) = match entity {
            Entity::Variable { access, .. } | Entity::Member { access, .. } => (access, false),
            Entity::Value { .. } => (Access::Const, true),
            _ => return self.not_a_place(span, "this"),
        };
        let why = match access {
            Access::Const if is_value => "it is constant",
            Access::Const => "it is `const`",
            Access::Input => "inputs of a stage are only read",
            Access::Uniform => "uniforms are only read",
            Access::ReadOnly if self.is_shader_record(entity) => "a shader record is only read",
            Access::ReadOnly => "it is `readonly`",
            Access::BuiltIn => "this stage only reads it",
            Access::Opaque if self.is_of_device(entity) => "it has no value",
            Access::Opaque => "samplers and images are not variables",
            Access::ReadWrite | Access::WriteOnly => "it is not writable",
        };
        let mut d = Diagnostic::error(Code::E0308, span, format!("`{text}` cannot be written: {why}"));
        if let Some(declared) = declared {
            d = d.also(declared, "declared here");
        }
        if matches!(access, Access::Input | Access::Uniform) {
            d = d.help("copy it to a variable, and change that");
        }
        self.error(d)
    }

    /// `target = value`, `target += value`, …
    pub(super) fn assign(
        &mut self,
        op: Option<BinaryOp>,
        target: ExprId,
        value: ExprId,
        span: Span,
    ) -> Checked<Operand> {
        let what = if op.is_some() { "the target of this operator" } else { "the target of the assignment" };
        let place = self.place(target, what);
        let precise = self.is_precise(target);
        let outer = self.b.set_precise(precise);
        let right = self.expression(value);
        let result = self.assign_value(op, target, value, span, place, right);
        self.b.set_precise(outer);
        result
    }

    /// Notes that a place is written, unless a reference leads to it.
    fn note_place_written(&mut self, target: ExprId, place: Checked<Operand>, read: bool) {
        if !place.is_ok_and(|place| place.spot.is_some()) {
            self.note_write(target, read);
        }
    }

    /// The second half of an assignment, after both sides are evaluated.
    fn assign_value(
        &mut self,
        op: Option<BinaryOp>,
        target: ExprId,
        value: ExprId,
        span: Span,
        place: Checked<Operand>,
        right: Checked<Operand>,
    ) -> Checked<Operand> {
        self.note_place_written(target, place, op.is_some());
        let (place, right) = (place?, right?);
        if op.is_some() {
            self.check_read_and_written(target, place)?;
        }
        if right.ty == Type::VOID {
            self.loaded_checked(right, self.span_of(value))?;
        }
        self.b.at(span);
        self.check_assignable(place.ty, span)?;
        let result = match op {
            None => {
                if self.is_unsized(right.ty) {
                    self.loaded_checked(right, self.span_of(value))?;
                }
                self.value_as(right, place.ty, self.span_of(value), "the value")?
            }
            Some(op) if self.is_reference(place.ty) => {
                let right = self.loaded_checked(right, self.span_of(value))?;
                let result = self.reference_operator(op, place, right, span)?;
                if result.ty != place.ty {
                    return Err(self.wrong_reference_operator(op, place, right, span));
                }
                result.value
            }
            Some(op) => {
                let operation = self.operation(op, place.ty, right.ty).filter(|o| o.result == place.ty);
                let Some(operation) = operation else {
                    return Err(self.compound_error(op, place, right, span, value));
                };
                let right_value = self.load(right);
                if matches!(op, BinaryOp::Div | BinaryOp::Mod) {
                    self.warn_division(right_value, self.span_of(value));
                }
                let left = self.load(place);
                self.apply(operation, left, place.ty, right_value, right.ty).value
            }
        };
        self.store_to(place, result);
        Ok(Operand::value(result, place.ty))
    }

    /// Whether a place is part of a variable that is `precise`.
    fn is_precise(&mut self, target: ExprId) -> bool {
        let Some(root) = self.root(target) else { return false };
        let entity = match self.scopes.lookup(root) {
            Some(binding) => Some(binding.entity),
            None => self.builtins.get(&root).copied(),
        };
        match entity {
            Some(Entity::Variable { address, .. }) => {
                address.as_var().is_some_and(|v| self.b.module.vars[v].decorations.has(Decoration::Precise))
            }
            _ => false,
        }
    }

    fn check_assignable(&mut self, ty: Type, span: Span) -> Checked<()> {
        if self.version.is_es_100() && self.contains_array(ty) {
            let name = self.type_name(ty);
            return Err(self.error(
                Diagnostic::error(Code::E0308, span, format!("`{name}` cannot be assigned as a whole in GLSL ES 1.00"))
                    .note("arrays, and structs that hold them, can be assigned from GLSL ES 3.00 on"),
            ));
        }
        if self.is_unsized(ty) {
            return Err(self.fail(Code::E0411, span, "an array without a size cannot be assigned"));
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn compound_error(&mut self, op: BinaryOp, place: Operand, right: Operand, span: Span, value: ExprId) -> Reported {
        let (a, b, sign) = (self.type_name(place.ty), self.type_name(right.ty), op.as_str());
        let result = self.operation(op, place.ty, right.ty).map(|o| self.type_name(o.result));
        let mut d = match result {
            Some(result) => Diagnostic::error(
                Code::E0302,
                span,
                format!("`{a} {sign} {b}` is `{result}`, which does not fit `{a}`"),
            ),
            None => Diagnostic::error(Code::E0302, span, format!("`{sign}=` does not take `{a}` and `{b}`")),
        };
        d = d.also(self.span_of(value), format!("this is `{b}`"));
        let types = &self.b.module.types;
        if types.scalar_of(place.ty) == Some(Scalar::F32) && types.scalar_of(right.ty).is_some_and(|s| s.is_integer()) {
            if let ExprKind::Int { bits, .. } = self.ast[value].kind {
                let text = format!("{}.0", bits as i32);
                d = d.help(format!("write `{text}`")).fix(self.span_of(value), text);
            } else {
                d = d.help("convert it: `float(…)`");
            }
        }
        self.error(d)
    }

    /// `++x`, `--x`.
    pub(super) fn increment(&mut self, op: Op, operand: ExprId, span: Span) -> Checked<Operand> {
        let place =
            self.place(operand, "the operand").and_then(|p| self.check_read_and_written(operand, p).map(|()| p));
        self.note_place_written(operand, place, true);
        self.increment_place(op, place?, span)
    }

    fn increment_place(&mut self, op: Op, place: Operand, span: Span) -> Checked<Operand> {
        let numeric = self.b.module.types.scalar_of(place.ty).is_some_and(|s| s != Scalar::Bool);
        if !numeric {
            let name = self.type_name(place.ty);
            let sign = if matches!(op, Op::PrefixIncrement | Op::PostfixIncrement) { "++" } else { "--" };
            return Err(self.fail(Code::E0302, span, format!("`{sign}` does not take `{name}`")));
        }
        self.needs_numbers_of(place.ty, "arithmetic with #", span)?;
        self.b.at(span);
        let value = match place.spot {
            Some(_) => self.increment_at_address(op, place),
            None => self.node(op, &[place.value]),
        };
        Ok(Operand::value(value, place.ty))
    }

    /// `x++`, `x--`, whose operand has been evaluated as part of a chain.
    pub(super) fn postfix(
        &mut self,
        op: PostfixOp,
        left: Checked<Operand>,
        operand: ExprId,
        span: Span,
    ) -> Checked<Operand> {
        let place = left?;
        self.check_place(operand, place)?;
        self.note_place_written(operand, Ok(place), true);
        let op = match op {
            PostfixOp::Increment => Op::PostfixIncrement,
            PostfixOp::Decrement => Op::PostfixDecrement,
        };
        self.increment_place(op, place, span)
    }

    /// As [`Checker::place`], for an operand that has been evaluated.
    fn check_place(&mut self, expr: ExprId, operand: Operand) -> Checked<()> {
        let span = self.span_of(expr);
        if operand.spot.is_some() {
            self.check_spot(operand, false, span)?;
            return self.check_spot(operand, true, span);
        }
        if self.root(expr).is_none() {
            return Err(self.not_a_place(span, "the operand"));
        }
        self.check_writable(expr)?;
        self.check_read_and_written(expr, operand)?;
        if operand.place { Ok(()) } else { Err(self.not_a_place(span, "the operand")) }
    }

    /// Whether the type is a storage image.
    pub(super) fn is_storage_image(&self, ty: Type) -> bool {
        matches!(self.kind(ty), TypeKind::Image(i) if matches!(i.kind, ImageKind::Storage(_)))
    }
}
