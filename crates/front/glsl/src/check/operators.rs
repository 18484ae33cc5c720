//! Operators: their operand types by version, and the ops that they become.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Type, Value};
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};

use super::operand::Operand;
use super::{Checked, Checker, Reported};
use crate::ast::*;

/// Translation of a binary operator, after both operands are converted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Operation {
    op: Op,
    /// Type of the operands after conversion.
    left: Type,
    right: Type,
    /// Then scalars become this.
    splat_left: Option<Type>,
    splat_right: Option<Type>,
    pub(super) result: Type,
}

impl Operation {
    fn plain(op: Op, left: Type, right: Type, result: Type) -> Self {
        Operation { op, left, right, splat_left: None, splat_right: None, result }
    }

    /// Brings both operands to the width of the wider one, which is also the result's.
    fn splatted(op: Op, left: Type, right: Type, wide: Type) -> Self {
        let narrow = |ty| (ty != wide).then_some(wide);
        Operation { op, left, right, splat_left: narrow(left), splat_right: narrow(right), result: wide }
    }
}

impl Checker<'_, '_> {
    /// A binary operator whose left operand has been evaluated.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: Checked<Operand>,
        lhs: ExprId,
        rhs: ExprId,
        span: Span,
    ) -> Checked<Operand> {
        if matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr) {
            return self.short_circuit(op, left, lhs, rhs, span);
        }
        let left = match left {
            Ok(left) if self.effects.writes(rhs) => self.loaded_checked(left, self.span_of(lhs)),
            left => left,
        };
        let right = self.expression(rhs);
        let (left, right) = (left?, right?);
        if left.ty == Type::VOID || right.ty == Type::VOID {
            let at = if left.ty == Type::VOID { lhs } else { rhs };
            self.loaded_checked(Operand::void(), self.span_of(at))?;
        }
        self.b.at(span);
        if self.is_reference(left.ty) || self.is_reference(right.ty) {
            return self.reference_operator(op, left, right, span);
        }
        match op {
            BinaryOp::Equal | BinaryOp::NotEqual => self.equality(op, left, right, span),
            _ => {
                let operation = self.operation(op, left.ty, right.ty);
                let Some(operation) = operation else {
                    return Err(self.operator_error(op, left, right, span, [lhs, rhs]));
                };
                let right = self.load(right);
                let left_value = self.load(left);
                if matches!(op, BinaryOp::Div | BinaryOp::Mod) {
                    self.warn_division(right, self.span_of(rhs));
                }
                Ok(self.apply(operation, left_value, left.ty, right, right_type(right, self)))
            }
        }
    }

    /// The node of an operation on loaded operands.
    pub(super) fn apply(&mut self, o: Operation, left: Value, left_ty: Type, right: Value, right_ty: Type) -> Operand {
        let mut left = self.convert(left, left_ty, o.left);
        let mut right = self.convert(right, right_ty, o.right);
        if let Some(wide) = o.splat_left {
            left = self.splat(left, wide);
        }
        if let Some(wide) = o.splat_right {
            right = self.splat(right, wide);
        }
        if o.op == Op::MatrixTimesScalar && matches!(self.kind(o.left), TypeKind::Scalar(_)) {
            (left, right) = (right, left);
        }
        let value = self.node(o.op, &[left, right]);
        Operand::value(value, o.result)
    }

    /// A scalar as every component of a vector or matrix.
    pub(super) fn splat(&mut self, scalar: Value, wide: Type) -> Value {
        if let TypeKind::Matrix { scalar: s, columns, rows } = *self.kind(wide) {
            let column_type = self.b.module.types.vector(s, rows);
            let column = self.typed(Op::ConstructVectorFromScalar, &[scalar], column_type);
            let columns = vec![column; columns.into()];
            return self.typed(Op::ConstructMatrixFromMultiple, &columns, wide);
        }
        self.typed(Op::ConstructVectorFromScalar, &[scalar], wide)
    }

    /// The translation of an arithmetic, bitwise, shift or comparison operator on these types; `None` if it does not
    /// accept them.
    pub(super) fn operation(&mut self, op: BinaryOp, left: Type, right: Type) -> Option<Operation> {
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => self.arithmetic(op, left, right),
            BinaryOp::Mod | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => self.bitwise(op, left, right),
            BinaryOp::Shl | BinaryOp::Shr => self.shift(op, left, right),
            BinaryOp::Less | BinaryOp::Greater | BinaryOp::LessEqual | BinaryOp::GreaterEqual => {
                self.comparison(op, left, right)
            }
            BinaryOp::LogicalXor => (left == Type::BOOL && right == Type::BOOL).then_some(Operation::plain(
                Op::LogicalXor,
                left,
                right,
                Type::BOOL,
            )),
            BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::LogicalAnd | BinaryOp::LogicalOr => None,
        }
    }

    /// Both types with the component type that they convert to.
    fn with_common(&mut self, left: Type, right: Type) -> Option<(Type, Type, Scalar)> {
        let types = &self.b.module.types;
        let (a, b) = (types.scalar_of(left)?, types.scalar_of(right)?);
        let common = self.common_scalar(a, b)?;
        let types = &mut self.b.module.types;
        // There are no matrices of integers, so a matrix keeps its type or becomes one of doubles.
        Some((types.with_scalar(left, common), types.with_scalar(right, common), common))
    }

    fn arithmetic(&mut self, op: BinaryOp, left: Type, right: Type) -> Option<Operation> {
        let (left, right, scalar) = self.with_common(left, right)?;
        if scalar == Scalar::Bool {
            return None;
        }
        let types = &mut self.b.module.types;
        let (lk, rk) = (types[left].clone(), types[right].clone());
        let plain = match op {
            BinaryOp::Add => Op::Add,
            BinaryOp::Sub => Op::Subtract,
            BinaryOp::Mul => Op::Multiply,
            _ => Op::Divide,
        };
        let simple = |op, wide: Type| Some(Operation::splatted(op, left, right, wide));
        let multiplies = op == BinaryOp::Mul;
        use TypeKind::{Matrix, Scalar as One, Vector};
        match (&lk, &rk) {
            (One(_), One(_)) => simple(plain, left),
            (Vector(_, a), Vector(_, b)) => {
                if a == b {
                    simple(plain, left)
                } else {
                    None
                }
            }
            (Vector(..), One(_)) => simple(plain, left),
            (One(_), Vector(..)) => simple(plain, right),
            (Matrix { .. }, One(_)) if multiplies => Some(Operation::plain(Op::MatrixTimesScalar, left, right, left)),
            (One(_), Matrix { .. }) if multiplies => Some(Operation::plain(Op::MatrixTimesScalar, left, right, right)),
            (Matrix { .. }, One(_)) => simple(plain, left),
            (One(_), Matrix { .. }) => simple(plain, right),
            (Matrix { columns, rows, .. }, Vector(_, n)) if multiplies && columns == n => {
                let result = types.vector(scalar, *rows);
                Some(Operation::plain(Op::MatrixTimesVector, left, right, result))
            }
            (Vector(_, n), Matrix { columns, rows, .. }) if multiplies && rows == n => {
                let result = types.vector(scalar, *columns);
                Some(Operation::plain(Op::VectorTimesMatrix, left, right, result))
            }
            (Matrix { columns, rows, .. }, Matrix { columns: c2, rows: r2, .. }) => {
                if multiplies {
                    if columns != r2 {
                        return None;
                    }
                    let result = types.matrix(scalar, *c2, *rows);
                    return Some(Operation::plain(Op::MatrixTimesMatrix, left, right, result));
                }
                if left == right { simple(plain, left) } else { None }
            }
            _ => None,
        }
    }

    fn bitwise(&mut self, op: BinaryOp, left: Type, right: Type) -> Option<Operation> {
        let (left, right, scalar) = self.with_common(left, right)?;
        if !scalar.is_integer() {
            return None;
        }
        let op = match op {
            BinaryOp::Mod => Op::Remainder,
            BinaryOp::BitAnd => Op::BitwiseAnd,
            BinaryOp::BitOr => Op::BitwiseOr,
            _ => Op::BitwiseXor,
        };
        let types = &self.b.module.types;
        let wide = match (types.vector_size(left)?, types.vector_size(right)?) {
            (a, b) if a == b => left,
            (_, 1) => left,
            (1, _) => right,
            _ => return None,
        };
        Some(Operation::splatted(op, left, right, wide))
    }

    fn shift(&mut self, op: BinaryOp, left: Type, right: Type) -> Option<Operation> {
        let op = if op == BinaryOp::Shl { Op::ShiftLeft } else { Op::ShiftRight };
        let types = &mut self.b.module.types;
        let integer = |types: &planish_ir::types::Types, ty| types.scalar_of(ty).filter(|s| s.is_integer());
        let (_, amount) = (integer(types, left)?, integer(types, right)?);
        match (types.vector_size(left)?, types.vector_size(right)?) {
            (a, b) if a == b => Some(Operation::plain(op, left, right, left)),
            (n, 1) => {
                let wide = types.vector(amount, n);
                Some(Operation { splat_right: Some(wide), ..Operation::plain(op, left, right, left) })
            }
            _ => None,
        }
    }

    fn comparison(&mut self, op: BinaryOp, left: Type, right: Type) -> Option<Operation> {
        let (left, right, scalar) = self.with_common(left, right)?;
        let scalars = matches!(self.kind(left), TypeKind::Scalar(_)) && left == right;
        if !scalars || scalar == Scalar::Bool {
            return None;
        }
        let op = match op {
            BinaryOp::Less => Op::LessThan,
            BinaryOp::Greater => Op::GreaterThan,
            BinaryOp::LessEqual => Op::LessThanEqual,
            _ => Op::GreaterThanEqual,
        };
        Some(Operation::plain(op, left, right, Type::BOOL))
    }

    /// `==` and `!=`.
    fn equality(&mut self, op: BinaryOp, left: Operand, right: Operand, span: Span) -> Checked<Operand> {
        if self.is_array(left.ty) && !self.version.at_least(100, 120) {
            let version = self.version;
            return Err(self.fail(Code::E0311, span, format!("{version} does not compare arrays")));
        }
        let ty = if self.conversion_rank(right.ty, left.ty).is_some() {
            left.ty
        } else if self.conversion_rank(left.ty, right.ty).is_some() {
            right.ty
        } else {
            return Err(self.operator_error_plain(op, left, right, span));
        };
        self.needs_numbers_of(ty, "a comparison of #", span)?;
        if self.is_opaque(ty) {
            let (name, what) = (self.type_name(ty), self.opaque_words(ty));
            return Err(self.fail(Code::E0405, span, format!("`{name}` holds {what}, which cannot be compared")));
        }
        if self.holds_references(ty) {
            let name = self.type_name(ty);
            return Err(self.error(
                Diagnostic::error(Code::E0302, span, format!("`{name}` holds references, which cannot be compared"))
                    .help("compare the addresses: `uint64_t(…)`"),
            ));
        }
        if self.version.is_es_100() && self.contains_array(ty) {
            return Err(self.error(
                Diagnostic::error(Code::E0302, span, "arrays cannot be compared in GLSL ES 1.00")
                    .note("they can from GLSL ES 3.00 on"),
            ));
        }
        let (right, left) = (self.loaded_checked(right, span)?, self.loaded_checked(left, span)?);
        let right = self.convert(right.value, right.ty, ty);
        let left = self.convert(left.value, left.ty, ty);
        let equal = op == BinaryOp::Equal;
        let value = match self.kind(ty) {
            TypeKind::Scalar(_) => self.node(if equal { Op::Equal } else { Op::NotEqual }, &[left, right]),
            TypeKind::Vector(..) => {
                let parts = self.node(if equal { Op::Equal } else { Op::NotEqual }, &[left, right]);
                self.node(if equal { Op::All } else { Op::Any }, &[parts])
            }
            _ => {
                let same = self.node(Op::AggregateEqual, &[left, right]);
                if equal { same } else { self.node(Op::LogicalNot, &[same]) }
            }
        };
        Ok(Operand::value(value, Type::BOOL))
    }

    /// `&&` and `||`: one node if the right side has no effects and is cheap, else a branch.
    fn short_circuit(
        &mut self,
        op: BinaryOp,
        left: Checked<Operand>,
        lhs: ExprId,
        rhs: ExprId,
        span: Span,
    ) -> Checked<Operand> {
        let left = left.and_then(|l| self.logical(l, op, self.span_of(lhs)));
        self.frame.flow.conditions += 1;
        let result = self.short_circuit_right(op, left, rhs, span);
        self.frame.flow.conditions -= 1;
        result
    }

    /// The second half, which runs only if the first one does not decide.
    fn short_circuit_right(
        &mut self,
        op: BinaryOp,
        left: Checked<Operand>,
        rhs: ExprId,
        span: Span,
    ) -> Checked<Operand> {
        let both = op == BinaryOp::LogicalAnd;
        if !self.effects.must_be_guarded(rhs) {
            let right = self.expression(rhs).and_then(|r| self.logical(r, op, self.span_of(rhs)));
            let (right, left) = (self.loaded(right?), self.loaded(left?));
            self.b.at(span);
            let value = self.node(if both { Op::LogicalAnd } else { Op::LogicalOr }, &[left.value, right.value]);
            return Ok(Operand::value(value, Type::BOOL));
        }
        let condition = left.map(|l| self.load(l));
        self.b.at(span);
        let blocks = self.b.if_(condition.unwrap_or(Const::TRUE.into()));
        let (run, skip) = if both { (blocks.then, blocks.otherwise) } else { (blocks.otherwise, blocks.then) };
        self.b.switch_to(run);
        let right = self.expression(rhs).and_then(|r| self.logical(r, op, self.span_of(rhs)));
        let right = right.map(|r| self.load(r));
        self.b.at(span);
        self.b.merge(&[right.unwrap_or(Const::FALSE.into())]);
        self.b.switch_to(skip);
        self.b.merge(&[if both { Const::FALSE } else { Const::TRUE }.into()]);
        let input = self.b.add_input(blocks.merge, Type::BOOL, planish_ir::decoration::Precision::None);
        self.b.switch_to(blocks.merge);
        condition?;
        right?;
        Ok(Operand::value(input, Type::BOOL))
    }

    fn logical(&mut self, operand: Operand, op: BinaryOp, span: Span) -> Checked<Operand> {
        if operand.ty == Type::BOOL {
            return Ok(operand);
        }
        let name = self.type_name(operand.ty);
        let sign = op.as_str();
        Err(self.error(
            Diagnostic::error(Code::E0302, span, format!("`{sign}` takes `bool`, but this is `{name}`"))
                .label(format!("this is `{name}`")),
        ))
    }

    // ------------------------------------------------------------------------------------------ prefix operators

    /// `-x`, `+x`, `!x`, `~x`, `++x`, `--x`.
    pub(super) fn prefix(&mut self, op: PrefixOp, operand: ExprId, span: Span) -> Checked<Operand> {
        match op {
            PrefixOp::Increment => return self.increment(Op::PrefixIncrement, operand, span),
            PrefixOp::Decrement => return self.increment(Op::PrefixDecrement, operand, span),
            _ => {}
        }
        let x = self.value(operand)?;
        self.b.at(span);
        let scalar = self.b.module.types.scalar_of(x.ty);
        let is_matrix = matches!(self.kind(x.ty), TypeKind::Matrix { .. });
        let op_code = match (op, scalar) {
            (PrefixOp::Plus, Some(s)) if s != Scalar::Bool => return Ok(x),
            (PrefixOp::Minus, Some(s)) if s != Scalar::Bool => Op::Negate,
            (PrefixOp::Not, Some(Scalar::Bool)) if x.ty == Type::BOOL => Op::LogicalNot,
            (PrefixOp::BitNot, Some(s)) if s.is_integer() && !is_matrix => Op::BitwiseNot,
            _ => return Err(self.prefix_error(op, x.ty, span)),
        };
        self.needs_numbers_of(x.ty, "arithmetic with #", span)?;
        let value = self.node(op_code, &[x.value]);
        Ok(Operand::value(value, x.ty))
    }

    #[cold]
    fn prefix_error(&mut self, op: PrefixOp, ty: Type, span: Span) -> Reported {
        let (sign, name) = (op.as_str(), self.type_name(ty));
        let mut d = Diagnostic::error(Code::E0302, span, format!("`{sign}` does not take `{name}`"));
        if op == PrefixOp::Not && name.starts_with("bvec") {
            d = d.help("use `not(…)` for vectors of booleans");
        }
        self.error(d)
    }

    // ------------------------------------------------------------------------------------------ errors

    #[cold]
    #[inline(never)]
    fn operator_error_plain(&mut self, op: BinaryOp, left: Operand, right: Operand, span: Span) -> Reported {
        let (sign, a, b) = (op.as_str(), self.type_name(left.ty), self.type_name(right.ty));
        let d = Diagnostic::error(Code::E0302, span, format!("`{sign}` does not take `{a}` and `{b}`"));
        self.error(d)
    }

    #[cold]
    #[inline(never)]
    fn operator_error(
        &mut self,
        op: BinaryOp,
        left: Operand,
        right: Operand,
        span: Span,
        operands: [ExprId; 2],
    ) -> Reported {
        let (sign, a, b) = (op.as_str(), self.type_name(left.ty), self.type_name(right.ty));
        let mut d = Diagnostic::error(Code::E0302, span, format!("`{sign}` does not take `{a}` and `{b}`"))
            .also(self.span_of(operands[0]), format!("this is `{a}`"))
            .also(self.span_of(operands[1]), format!("this is `{b}`"));
        let types = &self.b.module.types;
        let (ls, rs) = (types.scalar_of(left.ty), types.scalar_of(right.ty));
        match (ls, rs) {
            (Some(Scalar::F32), Some(s)) if s.is_integer() => d = self.hint_float(d, right, operands[1]),
            (Some(s), Some(Scalar::F32)) if s.is_integer() => d = self.hint_float(d, left, operands[0]),
            (Some(x), Some(y)) if x.is_integer() && y.is_integer() => {
                d = d.note(format!("{} does not convert between `int` and `uint`", self.version));
            }
            (Some(x), Some(y)) if x == y => {
                if op == BinaryOp::Mod && x.is_float() {
                    d = d.help("use `mod(x, y)`");
                } else if matches!(
                    op,
                    BinaryOp::Less | BinaryOp::Greater | BinaryOp::LessEqual | BinaryOp::GreaterEqual
                ) {
                    d = d.help("vectors are compared by `lessThan`, `greaterThan`, …, which give a `bvec`");
                } else if types.vector_size(left.ty) != types.vector_size(right.ty) {
                    d = d.note("the sizes differ");
                }
            }
            _ => {}
        }
        self.error(d)
    }

    /// Suggests `1.0` for `1`, and `float(n)` for `n`.
    fn hint_float(&self, d: Diagnostic, operand: Operand, expr: ExprId) -> Diagnostic {
        let span = self.span_of(expr);
        let note = format!("{} does not convert integers to floats by itself", self.version);
        if let ExprKind::Int { bits, .. } = self.ast[expr].kind {
            let text = format!("{}.0", bits as i32);
            return d.note(note).help(format!("write `{text}`")).fix(span, text);
        }
        let mut scalar = "float".to_owned();
        if let Some(n @ 2..) = self.b.module.types.vector_size(operand.ty) {
            scalar = format!("vec{n}");
        }
        d.note(note).help(format!("convert it: `{scalar}(…)`"))
    }
}

fn right_type(right: Value, checker: &Checker<'_, '_>) -> Type {
    checker.b.type_of(right)
}
