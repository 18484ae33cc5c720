//! Expressions: each becomes the nodes that compute it, at the builder's insertion point.

use naga::{BinaryOperator, Expression, Handle, Literal, ScalarKind, UnaryOperator};
use planish_ir::entity::{Const, Type, Value};
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::{Scalar, TypeKind};

use crate::function::Scope;
use crate::module::Lower;
use crate::types;

impl Scope<'_, '_> {
    /// Evaluates an expression at the builder's place.
    pub(crate) fn expression(&mut self, handle: Handle<Expression>) -> Lower<Value> {
        let expressions = self.expressions;
        let span = expressions.get_span(handle);
        self.at(span);
        let value = match expressions[handle] {
            Expression::Literal(literal) => match self.literal(literal) {
                Some(constant) => constant.into(),
                None => return Err(self.maps.unsupported(span, "a number of this type")),
            },
            Expression::Constant(constant) => self.maps.constant(constant)?.into(),
            Expression::Override(o) => self.override_value(o)?,
            Expression::ZeroValue(ty) => self.zero_value(ty, span)?,
            Expression::Compose { ty, ref components } => self.compose(ty, components, span)?,
            Expression::Access { base, index } => {
                let (base, index) = (self.value(base)?, self.value(index)?);
                self.at(span);
                self.element(base, index)
            }
            Expression::AccessIndex { base, index } => {
                let base = self.value(base)?;
                self.at(span);
                self.part(base, index)
            }
            Expression::Splat { size, value } => {
                let value = self.value(value)?;
                self.splat(value, size as u8)
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.value(vector)?;
                let lanes = pattern.map(|c| c as u8);
                self.b.swizzle(vector, &lanes[..size as usize])
            }
            Expression::FunctionArgument(index) => self.arguments[index as usize],
            Expression::GlobalVariable(global) => self.global_address(global)?,
            Expression::LocalVariable(local) => self.local_address(local),
            Expression::Load { pointer } => {
                let is_atomic = self.is_atomic(pointer);
                let pointer = self.value(pointer)?;
                if is_atomic { self.atomic_load(pointer) } else { self.load(pointer) }
            }
            Expression::ImageSample { .. } => self.image_sample(handle)?,
            Expression::ImageLoad { image, coordinate, array_index, sample, level } => {
                self.image_load(image, coordinate, array_index, sample, level)?
            }
            Expression::ImageQuery { image, query } => self.image_query(image, query)?,
            Expression::Unary { op, expr } => {
                let value = self.value(expr)?;
                self.b.op(unary_op(op), &[value])
            }
            Expression::Binary { op, left, right } => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                self.at(span);
                self.binary(op, left, right)
            }
            Expression::Select { condition, accept, reject } => {
                let operands = [self.value(condition)?, self.value(accept)?, self.value(reject)?];
                self.b.op(Op::Select, &operands)
            }
            Expression::Derivative { axis, ctrl, expr } => {
                let value = self.value(expr)?;
                self.b.op(derivative_op(axis, ctrl), &[value])
            }
            Expression::Relational { fun, argument } => {
                let value = self.value(argument)?;
                self.b.op(relational_op(fun), &[value])
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let mut arguments = vec![self.value(arg)?];
                for argument in [arg1, arg2, arg3].into_iter().flatten() {
                    arguments.push(self.value(argument)?);
                }
                self.at(span);
                self.math(fun, &arguments, span)?
            }
            Expression::As { expr, kind, convert } => {
                let value = self.value(expr)?;
                self.cast(value, kind, convert, span)?
            }
            Expression::ArrayLength(array) => {
                let array = self.value(array)?;
                let length = self.b.op(Op::ArrayLength, &[array]);
                self.b.convert(length, Type::U32)
            }
            Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. }
            | Expression::SubgroupBallotResult
            | Expression::SubgroupOperationResult { .. } => {
                return Err(self.maps.unsupported(span, "a result before the statement that makes it"));
            }
            Expression::RayQueryVertexPositions { .. }
            | Expression::RayQueryProceedResult
            | Expression::RayQueryGetIntersection { .. } => return Err(self.maps.unsupported(span, "a ray query")),
            Expression::CooperativeLoad { .. } | Expression::CooperativeMultiplyAdd { .. } => {
                return Err(self.maps.unsupported(span, "a cooperative matrix"));
            }
        };
        Ok(value)
    }

    fn literal(&mut self, literal: Literal) -> Option<Const> {
        let module = &mut *self.b.module;
        Some(match literal {
            Literal::F32(x) => module.consts.f32(x),
            Literal::U32(x) => module.consts.u32(x),
            Literal::I32(x) => module.consts.i32(x),
            Literal::Bool(x) => module.consts.bool(x),
            Literal::F64(x) => wide(module, Scalar::F64, x.to_bits()),
            Literal::U64(x) => wide(module, Scalar::U64, x),
            Literal::I64(x) => wide(module, Scalar::I64, x as u64),
            Literal::F16(x) => wide(module, Scalar::F16, x.to_bits().into()),
            Literal::U16(_) | Literal::I16(_) => return None,
            Literal::AbstractInt(_) | Literal::AbstractFloat(_) => return None,
        })
    }

    fn zero_value(&mut self, ty: Handle<naga::Type>, span: naga::Span) -> Lower<Value> {
        let ty = self.maps.ty(ty, span)?;
        let module = &mut *self.b.module;
        match module.consts.zero(&mut module.types, ty) {
            Some(zero) => Ok(zero.into()),
            None => Err(self.maps.unsupported(span, "a zero value of this type")),
        }
    }

    fn compose(&mut self, ty: Handle<naga::Type>, components: &[Handle<Expression>], span: naga::Span) -> Lower<Value> {
        let ty = self.maps.ty(ty, span)?;
        let mut parts = components.iter().map(|&c| self.value(c)).collect::<Lower<Vec<_>>>()?;
        self.at(span);
        let op = match &self.b.module.types[ty] {
            TypeKind::Vector(..) => Op::ConstructVectorFromMultiple,
            TypeKind::Matrix { .. } => Op::ConstructMatrixFromMultiple,
            TypeKind::Array { .. } => Op::ConstructArray,
            TypeKind::Struct(s) => {
                // A struct padded to its declared size has one member more than in the source.
                if s.members.len() == parts.len() + 1 {
                    parts.push(Const::U32_ZERO.into());
                }
                Op::ConstructStruct
            }
            _ => return Err(self.maps.unsupported(span, "a constructor of this type")),
        };
        Ok(self.b.op_typed(op, &parts, ty))
    }

    /// The element at an index (constant or not) of a value, or its address for a pointer.
    pub(crate) fn element(&mut self, base: Value, index: Value) -> Value {
        let (kind, pointer) = match self.pointee(base) {
            Some((pointee, _)) => (&self.b.module.types[pointee], true),
            None => (self.kind(base), false),
        };
        let op = match (kind, pointer) {
            (TypeKind::Vector(..), true) => Op::AccessVectorComponentDynamic,
            (TypeKind::Matrix { .. }, true) => Op::AccessMatrixColumn,
            (_, true) => Op::AccessArrayElement,
            (TypeKind::Vector(..), false) => Op::ExtractVectorComponentDynamic,
            (TypeKind::Matrix { .. }, false) => Op::ExtractMatrixColumn,
            (_, false) => Op::ExtractArrayElement,
        };
        self.b.op(op, &[base, index])
    }

    /// The part with a constant index of a value, or its address for a pointer.
    fn part(&mut self, base: Value, index: u32) -> Value {
        let (kind, pointer) = match self.pointee(base) {
            Some((pointee, _)) => (&self.b.module.types[pointee], true),
            None => (self.kind(base), false),
        };
        let op = match (kind, pointer) {
            (TypeKind::Vector(..), true) => Op::AccessVectorComponent,
            (TypeKind::Vector(..), false) => Op::ExtractVectorComponent,
            (TypeKind::Struct(_), true) => Op::AccessStructField,
            (TypeKind::Struct(_), false) => Op::ExtractStructField,
            _ => {
                let index = self.b.u32(index);
                return self.element(base, index);
            }
        };
        self.b.op_imm(op, Imm::index(index), &[base])
    }

    /// A vector of equal components.
    pub(crate) fn splat(&mut self, value: Value, size: u8) -> Value {
        match *self.kind(value) {
            TypeKind::Scalar(scalar) => {
                let ty = self.b.module.types.vector(scalar, size);
                self.b.op_typed(Op::ConstructVectorFromScalar, &[value], ty)
            }
            _ => value,
        }
    }

    /// Splats the scalar to the other's size, if the other is a vector.
    pub(crate) fn splat_like(&mut self, value: Value, other: Value) -> Value {
        match *self.kind(other) {
            TypeKind::Vector(_, size) => self.splat(value, size),
            _ => value,
        }
    }

    fn binary(&mut self, op: BinaryOperator, left: Value, right: Value) -> Value {
        let boolean = self.b.module.types.scalar_of(self.b.type_of(left)) == Some(Scalar::Bool);
        let op = match op {
            BinaryOperator::Multiply => return self.multiply(left, right),
            BinaryOperator::Modulo => return self.modulo(left, right),
            BinaryOperator::Add => Op::Add,
            BinaryOperator::Subtract => Op::Subtract,
            BinaryOperator::Divide => Op::Divide,
            BinaryOperator::Equal => Op::Equal,
            BinaryOperator::NotEqual => Op::NotEqual,
            BinaryOperator::Less => Op::LessThan,
            BinaryOperator::LessEqual => Op::LessThanEqual,
            BinaryOperator::Greater => Op::GreaterThan,
            BinaryOperator::GreaterEqual => Op::GreaterThanEqual,
            BinaryOperator::And if boolean => Op::LogicalAnd,
            BinaryOperator::And => Op::BitwiseAnd,
            BinaryOperator::ExclusiveOr if boolean => Op::LogicalXor,
            BinaryOperator::ExclusiveOr => Op::BitwiseXor,
            BinaryOperator::InclusiveOr if boolean => Op::LogicalOr,
            BinaryOperator::InclusiveOr => Op::BitwiseOr,
            BinaryOperator::LogicalAnd => Op::LogicalAnd,
            BinaryOperator::LogicalOr => Op::LogicalOr,
            BinaryOperator::ShiftLeft => Op::ShiftLeft,
            BinaryOperator::ShiftRight => Op::ShiftRight,
        };
        self.b.op(op, &[left, right])
    }

    /// `*` in all its meanings.
    pub(crate) fn multiply(&mut self, left: Value, right: Value) -> Value {
        use TypeKind::{Matrix, Scalar as One, Vector};
        let (op, operands) = match (self.kind(left), self.kind(right)) {
            (Matrix { .. }, Matrix { .. }) => (Op::MatrixTimesMatrix, [left, right]),
            (Matrix { .. }, Vector(..)) => (Op::MatrixTimesVector, [left, right]),
            (Vector(..), Matrix { .. }) => (Op::VectorTimesMatrix, [left, right]),
            (Matrix { .. }, One(_)) => (Op::MatrixTimesScalar, [left, right]),
            (One(_), Matrix { .. }) => (Op::MatrixTimesScalar, [right, left]),
            (Vector(..), One(_)) => (Op::Multiply, [left, self.splat_like(right, left)]),
            (One(_), Vector(..)) => (Op::Multiply, [self.splat_like(left, right), right]),
            _ => (Op::Multiply, [left, right]),
        };
        self.b.op(op, &operands)
    }

    /// `%`: for floats, the remainder of the truncated quotient, unlike GLSL's `mod`.
    fn modulo(&mut self, left: Value, right: Value) -> Value {
        let float = self.b.module.types.scalar_of(self.b.type_of(left)).is_some_and(Scalar::is_float);
        if !float {
            return self.b.op(Op::Remainder, &[left, right]);
        }
        let quotient = self.b.op(Op::Divide, &[left, right]);
        let whole = self.b.op(Op::Trunc, &[quotient]);
        let product = self.b.op(Op::Multiply, &[right, whole]);
        self.b.op(Op::Subtract, &[left, product])
    }

    fn cast(&mut self, value: Value, kind: ScalarKind, width: Option<u8>, span: naga::Span) -> Lower<Value> {
        let from = self.b.type_of(value);
        let old = self.b.module.types.scalar_of(from);
        let bytes = width.unwrap_or_else(|| old.map_or(4, |s| (s.bits() / 8) as u8));
        let scalar = naga::Scalar { kind, width: bytes };
        let scalar = types::scalar(scalar).map_err(|what| self.maps.unsupported(span, &what))?;
        let ty = self.b.module.types.with_scalar(from, scalar);
        if ty == from {
            return Ok(value);
        }
        let op = match self.kind(value) {
            _ if width.is_none() => Op::Bitcast,
            TypeKind::Matrix { .. } => Op::ConstructMatrixFromMatrix,
            TypeKind::Vector(..) => Op::ConstructVectorFromMultiple,
            _ => Op::ConstructScalarFromScalar,
        };
        Ok(self.b.op_typed(op, &[value], ty))
    }

    /// The same bits as another scalar, in the same shape.
    pub(crate) fn bitcast(&mut self, value: Value, scalar: Scalar) -> Value {
        let from = self.b.type_of(value);
        let ty = self.b.module.types.with_scalar(from, scalar);
        if ty == from { value } else { self.b.op_typed(Op::Bitcast, &[value], ty) }
    }

    /// Each component as another scalar.
    pub(crate) fn convert(&mut self, value: Value, scalar: Scalar) -> Value {
        let from = self.b.type_of(value);
        let ty = self.b.module.types.with_scalar(from, scalar);
        match self.kind(value) {
            _ if ty == from => value,
            TypeKind::Vector(..) => self.b.op_typed(Op::ConstructVectorFromMultiple, &[value], ty),
            _ => self.b.op_typed(Op::ConstructScalarFromScalar, &[value], ty),
        }
    }
}

fn wide(module: &mut Module, scalar: Scalar, bits: u64) -> Const {
    let ty = module.types.scalar(scalar);
    module.consts.bits(ty, bits)
}

fn unary_op(op: UnaryOperator) -> Op {
    match op {
        UnaryOperator::Negate => Op::Negate,
        UnaryOperator::LogicalNot => Op::LogicalNot,
        UnaryOperator::BitwiseNot => Op::BitwiseNot,
    }
}

fn derivative_op(axis: naga::DerivativeAxis, control: naga::DerivativeControl) -> Op {
    use naga::{DerivativeAxis as Axis, DerivativeControl as Control};
    match (axis, control) {
        (Axis::X, Control::None) => Op::Dfdx,
        (Axis::X, Control::Fine) => Op::DfdxFine,
        (Axis::X, Control::Coarse) => Op::DfdxCoarse,
        (Axis::Y, Control::None) => Op::Dfdy,
        (Axis::Y, Control::Fine) => Op::DfdyFine,
        (Axis::Y, Control::Coarse) => Op::DfdyCoarse,
        (Axis::Width, Control::None) => Op::Fwidth,
        (Axis::Width, Control::Fine) => Op::FwidthFine,
        (Axis::Width, Control::Coarse) => Op::FwidthCoarse,
    }
}

fn relational_op(function: naga::RelationalFunction) -> Op {
    match function {
        naga::RelationalFunction::All => Op::All,
        naga::RelationalFunction::Any => Op::Any,
        naga::RelationalFunction::IsNan => Op::IsNan,
        naga::RelationalFunction::IsInf => Op::IsInf,
    }
}
