//! Expressions, by kind. Left-leaning chains are walked by a loop, so that the depth of the recursion is that of the
//! program's nesting.

use planish_ir::decoration::Precision;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Type};
use planish_ir::ops::{Imm, Op};
use planish_ir::source::Span;
use planish_ir::types::Scalar;
use smallvec::SmallVec;

use super::names::{Access, Entity};
use super::operand::Operand;
use super::{Checked, Checker};
use crate::ast::*;
use crate::builtins;
use crate::symbol::Symbol;

impl Checker<'_, '_> {
    /// Checks an expression and builds its nodes in the current block.
    pub(super) fn expression(&mut self, expr: ExprId) -> Checked<Operand> {
        if self.ast.left_operand(expr).is_none() {
            return self.leaf(expr);
        }
        // The chain from the leaf outwards.
        let ast = self.ast;
        let mut around: SmallVec<[ExprId; 4]> = SmallVec::new();
        let mut leaf = expr;
        while let Some(inner) = ast.left_operand(leaf) {
            around.push(leaf);
            leaf = inner;
        }
        // `.length()`, the only method, reads nothing.
        let outer = self.frame.flow.suppressed;
        self.frame.flow.suppressed |= matches!(ast[expr].kind, ExprKind::Call { .. });
        let mut operand = self.leaf(leaf);
        while let Some(step) = around.pop() {
            // A method's name is looked at together with its call.
            if let Some(&next) = around.last()
                && let ExprKind::Call { callee, .. } = ast[next].kind
                && callee == step
            {
                continue;
            }
            operand = self.step(step, operand);
        }
        self.frame.flow.suppressed = outer;
        operand
    }

    /// An expression whose left operand has been evaluated.
    fn step(&mut self, expr: ExprId, left: Checked<Operand>) -> Checked<Operand> {
        let Expr { kind, span } = self.ast[expr];
        match kind {
            ExprKind::Binary { op, rhs, lhs } => {
                let result = self.binary(op, left, lhs, rhs, span);
                self.b.at(span);
                result
            }
            ExprKind::Comma { rhs, .. } => {
                let right = self.expression(rhs);
                self.webgl_2_operand(left?.ty, ",", span)?;
                let right = right?;
                self.webgl_2_operand(right.ty, ",", span)?;
                let value = self.loaded(right);
                Ok(self.sequence(value))
            }
            ExprKind::Field { name, .. } => self.field(left?, name, span),
            ExprKind::Index { base, index } => self.index(left, base, index, span),
            ExprKind::Postfix { op, operand } => self.postfix(op, left, operand, span),
            ExprKind::Call { callee, args } => self.method(left, callee, args, span),
            _ => self.leaf(expr),
        }
    }

    /// The value of `a, b`. It is stored in a variable, since only ES 1.00 allows it in a constant expression.
    fn sequence(&mut self, last: Operand) -> Operand {
        if self.version.is_es_100() || last.as_const().is_none() || last.ty == Type::VOID {
            return last;
        }
        let holder = self.temporary(last.ty, Precision::None);
        self.b.store(holder.into(), last.value);
        Operand::value(self.b.load(holder.into()), last.ty)
    }

    /// A literal of 64 bits.
    fn long(&mut self, bits: WideBits, scalar: Scalar, suffix: &str, span: Span) -> Checked<Operand> {
        if !builtins::LONGS.iter().any(|extension| self.has_extension(extension)) {
            let extension = builtins::LONGS[0];
            let message = format!("the suffix `{suffix}` needs the extension `{extension}`");
            let help = format!("begin with `#extension {extension} : require`, if the device has 64-bit integers");
            return Err(self.error(Diagnostic::error(Code::E0508, span, message).help(help)));
        }
        let ty = self.b.module.types.scalar(scalar);
        Ok(Operand::value(self.b.module.consts.bits(ty, bits.bits()), ty))
    }

    /// An expression that does not lean on another.
    fn leaf(&mut self, expr: ExprId) -> Checked<Operand> {
        let Expr { kind, span } = self.ast[expr];
        match kind {
            ExprKind::Name(symbol) => self.name(symbol, span),
            ExprKind::Bool(value) => Ok(Operand::value(if value { Const::TRUE } else { Const::FALSE }, Type::BOOL)),
            ExprKind::Int { bits, unsigned } => Ok(self.integer(bits, unsigned)),
            ExprKind::Float(value) => Ok(Operand::value(self.b.f32(value), Type::F32)),
            ExprKind::Short { bits, unsigned } => {
                let scalar = if unsigned { Scalar::U16 } else { Scalar::I16 };
                self.needs_numbers(scalar, if unsigned { "the suffix `us`" } else { "the suffix `s`" }, span)?;
                let ty = self.b.module.types.scalar(scalar);
                Ok(Operand::value(self.b.module.consts.bits(ty, bits.into()), ty))
            }
            ExprKind::Long(bits) => self.long(bits, Scalar::I64, "l", span),
            ExprKind::UnsignedLong(bits) => self.long(bits, Scalar::U64, "ul", span),
            ExprKind::Half(bits) => {
                self.needs_numbers(Scalar::F16, "the suffix `hf`", span)?;
                let ty = self.b.module.types.scalar(Scalar::F16);
                Ok(Operand::value(self.b.module.consts.bits(ty, bits.into()), ty))
            }
            ExprKind::Double(bits) => self.double(bits, span),
            ExprKind::Paren(inner) => self.expression(inner),
            ExprKind::Prefix { op, operand } => self.prefix(op, operand, span),
            ExprKind::Assign { op, target, value } => self.assign(op, target, value, span),
            ExprKind::Ternary { condition, accept, reject } => self.ternary(condition, accept, reject, span),
            ExprKind::Call { callee, args } => self.call(callee, args, span),
            ExprKind::Construct { ty, args } => self.construct(ty, args, span),
            ExprKind::InitList(_) => Err(self.fail(Code::E0306, span, "an initializer list is no value")),
            _ => Err(super::Reported),
        }
    }

    fn integer(&mut self, bits: u32, unsigned: bool) -> Operand {
        if unsigned {
            Operand::value(self.b.u32(bits), Type::U32)
        } else {
            Operand::value(self.b.i32(bits as i32), Type::I32)
        }
    }

    fn double(&mut self, bits: WideBits, span: Span) -> Checked<Operand> {
        let ty = self.b.module.types.scalar(Scalar::F64);
        if self.is_missing_double(ty) {
            let version = self.version;
            return Err(self.error(
                Diagnostic::error(Code::E0102, span, format!("{version} has no double precision"))
                    .note("it came with GLSL 4.00, and to 1.50 with the extension `GL_ARB_gpu_shader_fp64`"),
            ));
        }
        Ok(Operand::value(self.b.module.consts.bits(ty, bits.bits()), ty))
    }

    fn name(&mut self, symbol: Symbol, span: Span) -> Checked<Operand> {
        match self.resolve(symbol, span)? {
            Entity::Variable { address, ty, access } => {
                match access {
                    Access::ReadWrite => self.note_read(address, span),
                    Access::WriteOnly => self.check_readable(symbol, span),
                    _ => {}
                }
                Ok(self.transposed_builtin(symbol, Operand::place(address, ty)))
            }
            Entity::Value { value, ty } => Ok(Operand::value(value, ty)),
            Entity::Member { block, index, ty, access } => {
                if access == Access::WriteOnly {
                    self.check_readable(symbol, span);
                }
                self.b.at(span);
                let address = self.b.op_imm(Op::AccessStructField, Imm::index(index), &[block]);
                Ok(Operand::place(address, ty))
            }
            entity => Err(self.not_a_value(symbol, entity, span)),
        }
    }

    #[cold]
    fn check_readable(&mut self, symbol: Symbol, span: Span) {
        if !self.frame.flow.suppressed {
            self.unreadable(symbol, span);
        }
    }

    #[cold]
    fn not_a_value(&mut self, symbol: Symbol, entity: Entity, span: Span) -> super::Reported {
        let text = self.text(symbol);
        let what = match entity {
            Entity::Struct(_) => "a struct",
            Entity::Block => "the name of a block",
            _ => "a function",
        };
        let d = Diagnostic::error(Code::E0316, span, format!("`{text}` is {what}, not a variable"));
        self.error(d)
    }

    /// The value of an expression, of whatever type.
    pub(super) fn value(&mut self, expr: ExprId) -> Checked<Operand> {
        let operand = self.expression(expr)?;
        self.loaded_checked(operand, self.span_of(expr))
    }

    /// An operand as a value; reports what has none.
    pub(super) fn loaded_checked(&mut self, operand: Operand, span: Span) -> Checked<Operand> {
        if operand.ty == Type::VOID {
            return Err(self.fail(Code::E0312, span, "this call gives no value: its function is `void`"));
        }
        if operand.place && self.is_unsized(operand.ty) {
            return Err(self.fail(Code::E0411, span, "an array without a size cannot be used as a whole"));
        }
        self.b.at(span);
        Ok(self.loaded(operand))
    }

    /// The value of a condition: a `bool`.
    /// Recursion: as deep as expressions nest, which the parser bounds (`MAX_NESTING`).
    pub(super) fn condition(&mut self, expr: ExprId) -> Checked<planish_ir::entity::Value> {
        let operand = self.value(expr)?;
        if operand.ty == Type::BOOL {
            return Ok(operand.value);
        }
        Err(self.not_a_condition(operand.ty, self.span_of(expr)))
    }

    #[cold]
    fn not_a_condition(&mut self, ty: Type, span: Span) -> super::Reported {
        let name = self.type_name(ty);
        let mut d = Diagnostic::error(Code::E0310, span, format!("a condition is `bool`, but this is `{name}`"))
            .label(format!("this is `{name}`"));
        if let Some(scalar) = self.b.module.types.scalar_of(ty) {
            let zero = if scalar.is_float() { "0.0" } else { "0" };
            match self.b.module.types.vector_size(ty) {
                Some(1) => d = d.help(format!("compare it: `… != {zero}`")),
                Some(_) if name.starts_with('b') => d = d.help("use `any(…)` or `all(…)`"),
                _ => {}
            }
        }
        self.error(d)
    }

    fn ternary(&mut self, condition: ExprId, accept: ExprId, reject: ExprId, span: Span) -> Checked<Operand> {
        let condition = self.condition(condition);
        if let Ok(value) = condition
            && let Some(constant) = value.as_const()
        {
            return self.constant_ternary(constant == Const::TRUE, accept, reject, span);
        }
        let value = condition.unwrap_or(Const::TRUE.into());
        self.b.at(span);
        let blocks = self.b.if_(value);
        let unwritten = self.enter_condition();
        self.b.switch_to(blocks.then);
        let left = self.arm(accept);
        let left_end = self.b.block();
        let after_accept = std::mem::replace(&mut self.frame.flow.unwritten, unwritten);
        self.b.switch_to(blocks.otherwise);
        let right = self.arm(reject);
        let right_end = self.b.block();
        self.join_flow(after_accept, true);
        self.frame.flow.conditions -= 1;
        let joined = self.join(left, right, [left_end, right_end], span);
        let result = match joined {
            Ok((.., Type::VOID)) => {
                self.b.switch_to(left_end);
                self.b.merge(&[]);
                self.b.switch_to(right_end);
                self.b.merge(&[]);
                Ok(Operand::void())
            }
            Ok((a, b, ty)) => {
                self.b.at(span);
                self.b.switch_to(left_end);
                self.b.merge(&[a]);
                self.b.switch_to(right_end);
                self.b.merge(&[b]);
                let precision = self.b.precision_of(a).max(self.b.precision_of(b));
                let precision = self.merge_precision(ty, precision);
                let ir_type = self.ir_type(ty);
                let input = self.b.add_input(blocks.merge, ir_type, precision);
                Ok(Operand::value(input, ty))
            }
            Err(reported) => {
                self.b.switch_to(left_end);
                self.b.merge(&[]);
                self.b.switch_to(right_end);
                self.b.merge(&[]);
                Err(reported)
            }
        };
        self.b.switch_to(blocks.merge);
        condition?;
        result
    }

    /// The second or third operand of `? :`: a value, or a call of a `void` function.
    fn arm(&mut self, expr: ExprId) -> Checked<Operand> {
        let operand = self.expression(expr)?;
        if operand.ty == Type::VOID { Ok(operand) } else { self.loaded_checked(operand, self.span_of(expr)) }
    }

    pub(super) fn merge_precision(&self, ty: Type, precision: Precision) -> Precision {
        use planish_ir::types::{Scalar, TypeKind};
        match self.kind(ty) {
            TypeKind::Scalar(Scalar::Bool) | TypeKind::Vector(Scalar::Bool, _) | TypeKind::Struct(_) => Precision::None,
            _ => precision,
        }
    }

    /// Brings both branches of `? :` to one type, each in its own block.
    fn join(
        &mut self,
        left: Checked<Operand>,
        right: Checked<Operand>,
        ends: [planish_ir::entity::Block; 2],
        span: Span,
    ) -> Checked<(planish_ir::entity::Value, planish_ir::entity::Value, Type)> {
        let (left, right) = (left?, right?);
        self.webgl_2_operand(left.ty, "? :", span)?;
        if self.is_opaque(left.ty) {
            let what = self.opaque_words(left.ty);
            return Err(self.fail(Code::E0405, span, format!("`? :` cannot choose between {what}")));
        }
        let ty = if self.conversion_rank(right.ty, left.ty).is_some() {
            left.ty
        } else if self.conversion_rank(left.ty, right.ty).is_some() {
            right.ty
        } else {
            let (a, b) = (self.type_name(left.ty), self.type_name(right.ty));
            return Err(self.error(
                Diagnostic::error(Code::E0302, span, format!("the branches of `? :` are `{a}` and `{b}`"))
                    .note("both must have one type"),
            ));
        };
        self.b.switch_to(ends[0]);
        let a = self.convert(left.value, left.ty, ty);
        self.b.switch_to(ends[1]);
        let b = self.convert(right.value, right.ty, ty);
        Ok((a, b, ty))
    }

    /// `? :` with a constant condition: the other branch is checked in an unreachable block.
    fn constant_ternary(&mut self, taken: bool, accept: ExprId, reject: ExprId, span: Span) -> Checked<Operand> {
        let (chosen, other) = if taken { (accept, reject) } else { (reject, accept) };
        let here = self.b.block();
        let dead = self.b.new_block();
        self.b.switch_to(dead);
        let other = self.arm(other);
        self.b.switch_to(here);
        let chosen = self.arm(chosen);
        let end = self.b.block();
        let dead = self.b.new_block();
        let (chosen, other) = if taken { (chosen, other) } else { (other, chosen) };
        let ends = if taken { [end, dead] } else { [dead, end] };
        let joined = self.join(chosen, other, ends, span);
        self.b.switch_to(end);
        let (a, b, ty) = joined?;
        Ok(Operand::value(if taken { a } else { b }, ty))
    }
}
