//! Context of a rewrite: the source function with its facts, and the builder of the new one.

use std::cell::Cell;

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Request};
use planish_ir::decoration::Precision;
use planish_ir::entity::{Local, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::meaning::float_bits;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::Scalar;

use super::facts::Facts;
use crate::options::Options;

/// Flags of a node that must survive fusion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    pub(crate) precise: bool,
    pub(crate) precision: Precision,
}

impl Manner {
    /// The stricter of both.
    pub(crate) fn and(self, other: Manner) -> Manner {
        Manner { precise: self.precise || other.precise, precision: self.precision.max(other.precision) }
    }
}

/// Definition of a value.
#[derive(Clone, Copy)]
pub(crate) struct Def<'a> {
    pub(crate) op: Op,
    pub(crate) imm: Imm,
    pub(crate) args: &'a [Value],
    pub(crate) manner: Manner,
}

/// A node of the source function for which new nodes are built. Values are those of the source function, unless stated
/// otherwise.
pub(crate) struct Site<'a, 'b, 'm, 'r> {
    pub(crate) source: &'a Body,
    pub(crate) facts: &'a Facts,
    pub(crate) options: &'a Options,
    /// New values of source values that have been read.
    pub(crate) values: &'a SideTable<Local, Option<Value>>,
    pub(crate) b: &'b mut Builder<'m, 'r>,
    /// Remaining budget of tuples in this iteration.
    pub(crate) budget: &'a Cell<usize>,
}

impl<'a> Site<'a, '_, '_, '_> {
    // The source function.

    /// A node of the source function.
    pub(crate) fn node(&self, node: Node) -> Def<'a> {
        let data = self.source.node(node);
        let manner = Manner { precise: data.precise, precision: data.precision };
        Def { op: data.op, imm: data.imm, args: self.source.args(node), manner }
    }

    /// The definition of a value; `None` if no node makes it.
    pub(crate) fn def(&self, value: Value) -> Option<Def<'a>> {
        self.source.node_of(value).map(|node| self.node(node))
    }

    /// The definition of a value, if its op is `op`.
    pub(crate) fn def_by(&self, value: Value, op: Op) -> Option<Def<'a>> {
        self.def(value).filter(|def| def.op == op)
    }

    /// The scalar of a splat without conversion, or the value itself.
    pub(crate) fn peel(&self, value: Value) -> Value {
        match self.def_by(value, Op::ConstructVectorFromScalar) {
            Some(def) if self.scalar_of(def.args[0]) == self.scalar_of(value) => def.args[0],
            _ => value,
        }
    }

    /// The vector and the component, if a value is a component of a vector.
    pub(crate) fn component(&self, value: Value) -> Option<(Value, u8)> {
        let def = self.def_by(value, Op::ExtractVectorComponent)?;
        Some((def.args[0], def.imm.as_index() as u8))
    }

    /// The type of a value.
    pub(crate) fn ty(&self, value: Value) -> Type {
        self.b.module.type_of(self.source, value)
    }

    /// Its component type, if it has one.
    pub(crate) fn scalar_of(&self, value: Value) -> Option<Scalar> {
        self.b.module.types.scalar_of(self.ty(value))
    }

    /// Whether a value is a scalar or vector of floats.
    pub(crate) fn is_float(&self, value: Value) -> bool {
        self.scalar_of(value).is_some_and(Scalar::is_float) && self.size(value) > 0
    }

    /// Components of a scalar (1) or vector; 0 for anything else.
    pub(crate) fn size(&self, value: Value) -> u8 {
        self.b.module.types.vector_size(self.ty(value)).unwrap_or(0)
    }

    /// Whether a value is a constant with all components 1.
    pub(crate) fn is_one(&self, value: Value) -> bool {
        let (Some(c), Some(scalar)) = (value.as_const(), self.scalar_of(value)) else { return false };
        let mut bits = Vec::new();
        self.size(value) > 0
            && self.b.module.consts.flatten(c, &mut bits)
            && bits.iter().all(|&b| Some(b) == number_bits(scalar, 1.0))
    }

    /// Whether float values may change by the laws of real numbers at a node.
    pub(crate) fn may_round(&self, manner: Manner) -> bool {
        self.options.fast_math && !manner.precise
    }

    // The new function.

    /// The new value of a source one, if it has been read.
    pub(crate) fn found(&self, value: Value) -> Option<Value> {
        value.as_local().map_or(Some(value), |local| self.values[local])
    }

    /// The new value of a source one.
    ///
    /// # Panics
    /// If it has not been read.
    pub(crate) fn now(&self, value: Value) -> Value {
        self.found(value).unwrap_or_else(|| panic!("{value:?} is used before it is read"))
    }

    /// The only result of a new node.
    pub(crate) fn make(&mut self, request: Request<'_>, manner: Manner) -> Value {
        self.b.set_precise(manner.precise);
        self.b.make(request.precision(manner.precision))
    }

    /// The only result of `op` on new values; scalars among vectors of type `ty` are splatted.
    pub(crate) fn op(&mut self, op: Op, args: &[Value], ty: Type, manner: Manner) -> Value {
        let mut operands = [args[0]; 3];
        for (operand, &arg) in operands.iter_mut().zip(args) {
            *operand = self.spread(arg, ty, manner);
        }
        self.make(Request::new(op, &operands[..args.len()]), manner)
    }

    /// A new value in the shape of a type: a scalar becomes a splat.
    pub(crate) fn spread(&mut self, value: Value, ty: Type, manner: Manner) -> Value {
        if self.b.type_of(value) == ty {
            return value;
        }
        self.make(Request::new(Op::ConstructVectorFromScalar, &[value]).ty(ty), manner)
    }

    /// A constant with all components equal to a number.
    pub(crate) fn number(&mut self, ty: Type, number: f64) -> Value {
        let module = &mut *self.b.module;
        let bits = module.types.scalar_of(ty).and_then(|s| number_bits(s, number)).expect("the type has numbers");
        module.consts.splat(&mut module.types, ty, bits).expect("numbers have constants").into()
    }

    /// A new vector of new scalars; a constant if all are constants.
    pub(crate) fn vector(&mut self, parts: &[Value], manner: Manner) -> Value {
        let scalar = self.b.module.types.scalar_of(self.b.type_of(parts[0])).expect("parts have a component type");
        let size: usize = parts.iter().map(|&p| self.new_size(p)).sum();
        let ty = self.b.module.types.vector(scalar, size as u8);
        self.make(Request::new(Op::ConstructVectorFromMultiple, parts).ty(ty), manner)
    }

    /// Number of components of a new scalar or vector.
    pub(crate) fn new_size(&self, value: Value) -> usize {
        self.b.module.types.vector_size(self.b.type_of(value)).map_or(0, usize::from)
    }

    /// A swizzle of a new vector; the vector itself, if it is the identity.
    pub(crate) fn swizzle(&mut self, vector: Value, lanes: &[u8], manner: Manner) -> Value {
        let whole = lanes.len() == self.new_size(vector) && lanes.iter().enumerate().all(|(i, &l)| i == l.into());
        if whole {
            return vector;
        }
        self.b.set_precise(manner.precise);
        self.b.swizzle(vector, lanes)
    }
}

/// The bits of a number in a scalar type of numbers.
fn number_bits(scalar: Scalar, number: f64) -> Option<u64> {
    match scalar {
        Scalar::F16 | Scalar::F32 | Scalar::F64 => Some(float_bits(scalar, number)),
        Scalar::Bool => None,
        integer => Some(number as i64 as u64 & u64::MAX >> (64 - integer.bits())),
    }
}
