//! What a rule sees: the requested node, the definitions of its operands, and the builder.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Const, Type, Value};
use planish_ir::ops::{Imm, Op};
use planish_ir::types::{Scalar, TypeKind};
use smallvec::SmallVec;

/// A node that is about to be made, as a rule sees it.
pub struct Site<'a, 'm, 'r> {
    /// The builder, to make what stands for the node.
    pub b: &'a mut Builder<'m, 'r>,
    /// The node.
    pub request: &'a Request<'a>,
}

impl<'a, 'm, 'r> Site<'a, 'm, 'r> {
    /// A site.
    pub(super) fn new(b: &'a mut Builder<'m, 'r>, request: &'a Request<'a>) -> Self {
        Site { b, request }
    }

    /// Operand number `index`.
    pub fn arg(&self, index: usize) -> Value {
        self.request.args[index]
    }

    /// The immediate.
    pub fn imm(&self) -> Imm {
        self.request.imm
    }

    /// The immediate and operands of the node that makes `value`, if its op is `op`.
    pub fn def(&self, value: Value, op: Op) -> Option<(Imm, SmallVec<[Value; 4]>)> {
        let (found, imm, args) = self.b.definition(value)?;
        (found == op).then(|| (imm, args.into()))
    }

    /// The operand of the unary node that makes `value`, if its op is `op`.
    pub fn unary(&self, value: Value, op: Op) -> Option<Value> {
        let (found, _, args) = self.b.definition(value)?;
        (found == op).then(|| args[0])
    }

    /// The operands of the binary node that makes `value`, if its op is `op`.
    pub fn binary(&self, value: Value, op: Op) -> Option<(Value, Value)> {
        let (found, _, args) = self.b.definition(value)?;
        (found == op).then(|| (args[0], args[1]))
    }

    /// The type of a value.
    pub fn type_of(&self, value: Value) -> Type {
        self.b.type_of(value)
    }

    /// The component type of a scalar, vector or matrix value.
    pub fn scalar_of(&self, value: Value) -> Option<Scalar> {
        match self.b.module.types[self.type_of(value)] {
            TypeKind::Scalar(scalar) | TypeKind::Vector(scalar, _) | TypeKind::Matrix { scalar, .. } => Some(scalar),
            _ => None,
        }
    }

    /// Whether the components of a value are floats.
    pub fn is_float(&self, value: Value) -> bool {
        self.scalar_of(value).is_some_and(Scalar::is_float)
    }

    /// The constant, if the value is one.
    pub fn constant(&self, value: Value) -> Option<Const> {
        value.as_const()
    }

    /// The bits that all components of a constant scalar, vector or matrix have in common.
    pub fn uniform_bits(&self, value: Value) -> Option<u64> {
        let mut bits = Vec::new();
        self.b.module.consts.flatten(value.as_const()?, &mut bits).then_some(())?;
        let (&first, rest) = bits.split_first()?;
        rest.iter().all(|&b| b == first).then_some(first)
    }

    /// Whether a value is a constant whose components all are the number `number` (for floats: with its sign, so that
    /// `0.0` is not `-0.0`).
    pub fn is_number(&self, value: Value, number: f64) -> bool {
        let Some(bits) = value.as_const().and_then(|_| self.uniform_bits(value)) else { return false };
        match self.scalar_of(value) {
            Some(Scalar::F32) => bits == u64::from((number as f32).to_bits()),
            Some(Scalar::F64) => bits == number.to_bits(),
            Some(Scalar::I32) => bits == u64::from(number as i32 as u32),
            Some(Scalar::U32) => number >= 0.0 && bits == u64::from(number as u32),
            Some(Scalar::I64) => bits == number as i64 as u64,
            Some(Scalar::U64) => number >= 0.0 && bits == number as u64,
            _ => false,
        }
    }

    /// A constant of type `ty` (scalar, vector or matrix), every component of which is `number`.
    pub fn number(&mut self, ty: Type, number: f64) -> Value {
        let module = &mut *self.b.module;
        let (scalar, components) = match module.types[ty] {
            TypeKind::Scalar(scalar) => (scalar, 1),
            TypeKind::Vector(scalar, n) => (scalar, usize::from(n)),
            TypeKind::Matrix { scalar, columns, rows } => (scalar, usize::from(columns) * usize::from(rows)),
            _ => panic!("{ty} has no numbers"),
        };
        let bits = match scalar {
            Scalar::F32 => u64::from((number as f32).to_bits()),
            Scalar::F64 => number.to_bits(),
            Scalar::I32 => u64::from(number as i32 as u32),
            Scalar::U32 => u64::from(number as u32),
            Scalar::Bool => u64::from(number != 0.0),
            Scalar::I64 => number as i64 as u64,
            Scalar::U64 => number as u64,
        };
        let mut all = std::iter::repeat_n(bits, components);
        module.consts.unflatten(&mut module.types, ty, &mut all).expect("numbers have constants").into()
    }

    /// The only result of `op` on `args`.
    pub fn make(&mut self, op: Op, args: &[Value]) -> Value {
        self.b.make(Request { precision: self.request.precision, ..Request::new(op, args) })
    }

    /// As [`Site::make`], with a result type for ops whose rule needs one.
    pub fn make_typed(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        self.b.make(Request { precision: self.request.precision, ..Request::new(op, args).ty(ty) })
    }

    /// As [`Site::make`], with an immediate.
    pub fn make_imm(&mut self, op: Op, imm: impl Into<Imm>, args: &[Value]) -> Value {
        self.b.make(Request { precision: self.request.precision, ..Request::new(op, args).imm(imm) })
    }
}
