//! The view of a rule: the requested node, the definitions of its operands, and the builder.

use planish_ir::builder::{Builder, Request};
use planish_ir::constant::ConstValue;
use planish_ir::entity::{Const, Type, Value};
use planish_ir::function::LocalDef;
use planish_ir::meaning::float_bits;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::{Scalar, TypeKind};
use smallvec::SmallVec;

use crate::cost::CostTable;

/// A node that is about to be made, as a rule sees it.
pub struct Site<'a, 'm, 'r> {
    /// The builder of the replacement.
    pub b: &'a mut Builder<'m, 'r>,
    /// The node; its `ty` is the type of the result.
    pub request: &'a Request<'a>,
    /// Costs that the user wants, or those of the module's language.
    pub costs: &'a CostTable,
}

impl<'a, 'm, 'r> Site<'a, 'm, 'r> {
    /// A site.
    pub(super) fn new(b: &'a mut Builder<'m, 'r>, request: &'a Request<'a>, costs: &'a CostTable) -> Self {
        Site { b, request, costs }
    }

    // The node.

    /// The op.
    pub fn op(&self) -> Op {
        self.request.op
    }

    /// The immediate.
    pub fn imm(&self) -> Imm {
        self.request.imm
    }

    /// The operands.
    pub fn args(&self) -> &'a [Value] {
        self.request.args
    }

    /// Operand number `index`.
    pub fn arg(&self, index: usize) -> Value {
        self.request.args[index]
    }

    /// The first two operands.
    pub fn pair(&self) -> (Value, Value) {
        (self.request.args[0], self.request.args[1])
    }

    /// The type of the result.
    pub fn ty(&self) -> Type {
        self.request.ty.expect("the builder gives the type")
    }

    // Definitions of values.

    /// The op, immediate and operands of the node that makes `value`.
    pub fn def(&self, value: Value) -> Option<(Op, Imm, &[Value])> {
        self.b.definition(value)
    }

    /// Whether a value is a counter: a block input that the target would rather overwrite than keep for later users.
    pub fn counts(&self, value: Value) -> bool {
        let Some(local) = value.as_local() else { return false };
        let body = self.b.body();
        let carried = matches!(body.local(local).def, LocalDef::Input(block, _) if block != body.entry);
        carried && self.costs.closes_loops
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

    /// The operands of the ternary node that makes `value`, if its op is `op`.
    pub fn ternary(&self, value: Value, op: Op) -> Option<(Value, Value, Value)> {
        let (found, _, args) = self.b.definition(value)?;
        (found == op).then(|| (args[0], args[1], args[2]))
    }

    /// The other operand, if `one` is an operand of the binary node that makes `value` and its op is `op`.
    pub fn other(&self, value: Value, op: Op, one: Value) -> Option<Value> {
        let (x, y) = self.binary(value, op)?;
        match one {
            _ if x == one => Some(y),
            _ if y == one => Some(x),
            _ => None,
        }
    }

    /// The name of the op of the user's own that is requested.
    pub fn custom(&self) -> Option<&str> {
        self.b.module.custom_of(self.op(), self.imm()).map(|row| &*row.name)
    }

    /// The operands of the node that makes `value`, if it is of the user's own op of this name.
    pub fn custom_args(&self, value: Value, name: &str) -> Option<SmallVec<[Value; 4]>> {
        let (op, imm, args) = self.b.definition(value)?;
        let row = self.b.module.custom_of(op, imm)?;
        (*row.name == *name).then(|| args.into())
    }

    /// The only result of the user's own op of this name; `None` if the module has no such op, or it does not take the operands.
    pub fn make_custom(&mut self, name: &str, args: &[Value]) -> Option<Value> {
        let op = self.b.module.custom_op(name)?;
        let results = self.b.try_custom(op, args).ok()?;
        (results.len() == 1).then(|| results[0])
    }

    // Types.

    /// The type of a value.
    pub fn type_of(&self, value: Value) -> Type {
        self.b.type_of(value)
    }

    /// The shape of the type of a value.
    pub fn kind_of(&self, value: Value) -> &TypeKind {
        &self.b.module.types[self.type_of(value)]
    }

    /// The component type of a scalar, vector or matrix value.
    pub fn scalar_of(&self, value: Value) -> Option<Scalar> {
        self.b.module.types.scalar_of(self.type_of(value))
    }

    /// Whether the components of a value are floats.
    pub fn is_float(&self, value: Value) -> bool {
        self.scalar_of(value).is_some_and(Scalar::is_float)
    }

    /// `Some` if operand 0 has float components: the guard of rules for floats.
    pub fn floats(&self) -> Option<()> {
        self.is_float(self.arg(0)).then_some(())
    }

    /// `Some` if operand 0 has integer components: the guard of rules for integers.
    pub fn integers(&self) -> Option<()> {
        self.scalar_of(self.arg(0)).is_some_and(Scalar::is_integer).then_some(())
    }

    /// `Some` if operand 0 has unsigned components.
    pub fn unsigned(&self) -> Option<()> {
        self.scalar_of(self.arg(0)).is_some_and(|s| s.is_integer() && !s.is_signed()).then_some(())
    }

    /// Components of a scalar (1) or vector; 0 for other types.
    pub fn size_of(&self, value: Value) -> u8 {
        self.b.module.types.vector_size(self.type_of(value)).unwrap_or(0)
    }

    /// Whether a value is a matrix.
    pub fn is_matrix(&self, value: Value) -> bool {
        matches!(self.kind_of(value), TypeKind::Matrix { .. })
    }

    /// `Some` if the program's own language has `min`, `max` and `abs` of integers: GLSL before 1.30 and ES 3.00 has not.
    pub fn integer_functions(&self) -> Option<()> {
        self.b.module.facts.integer_functions.then_some(())
    }

    // Constants.

    /// The bits that all components of a constant scalar, vector or matrix have in common.
    pub fn uniform_bits(&self, value: Value) -> Option<u64> {
        let consts = &self.b.module.consts;
        let mut c = value.as_const()?;
        loop {
            match &consts[c].value {
                ConstValue::Bits(bits) => return Some(*bits),
                // Constants are interned: equal parts have equal ids.
                ConstValue::Composite(parts) => {
                    let (&first, rest) = parts.split_first()?;
                    if rest.iter().any(|&part| part != first) {
                        return None;
                    }
                    c = first;
                }
                ConstValue::Null | ConstValue::Wide(_) => return None,
            }
        }
    }

    /// Whether a value is a constant scalar, vector or matrix all components of which satisfy `test`.
    pub fn all(&self, value: Value, test: impl Fn(u64) -> bool) -> bool {
        let Some(c) = value.as_const() else { return false };
        if self.scalar_of(value).is_none() {
            return false;
        }
        let consts = &self.b.module.consts;
        let mut stack: SmallVec<[Const; 8]> = SmallVec::from_slice(&[c]);
        while let Some(c) = stack.pop() {
            match &consts[c].value {
                ConstValue::Bits(bits) if test(*bits) => {}
                ConstValue::Composite(parts) => stack.extend(parts.iter().copied()),
                _ => return false,
            }
        }
        true
    }

    /// The bits of the first component of a constant scalar, vector or matrix.
    pub fn first_bits(&self, value: Value) -> Option<u64> {
        let mut c = value.as_const()?;
        loop {
            match &self.b.module.consts[c].value {
                ConstValue::Bits(bits) => return Some(*bits),
                ConstValue::Composite(parts) => c = *parts.first()?,
                ConstValue::Null | ConstValue::Wide(_) => return None,
            }
        }
    }

    /// Whether a value is a constant whose components all are the number `number` (for floats: with its sign, so that
    /// `0.0` is not `-0.0`).
    pub fn is_number(&self, value: Value, number: f64) -> bool {
        let Some(bits) = self.uniform_bits(value) else { return false };
        self.scalar_of(value).and_then(|s| number_bits(s, number)) == Some(bits)
    }

    /// Whether a value is a constant zero (of floats: of either sign, each component of its own).
    pub fn is_zero(&self, value: Value) -> bool {
        let Some(scalar) = self.scalar_of(value) else { return false };
        self.all(value, |bits| if scalar.is_float() { float(scalar, bits) == 0.0 } else { bits == 0 })
    }

    /// Whether a value is a constant of integers or booleans with all bits set.
    pub fn is_ones(&self, value: Value) -> bool {
        let Some(bits) = self.uniform_bits(value) else { return false };
        self.scalar_of(value).is_some_and(|s| !s.is_float() && bits == mask(s))
    }

    /// A constant of type `ty` (scalar, vector or matrix), every component of which has these bits.
    pub fn splat(&mut self, ty: Type, bits: u64) -> Value {
        let module = &mut *self.b.module;
        if let TypeKind::Scalar(_) = module.types[ty] {
            return module.consts.bits(ty, bits).into();
        }
        let mut all = std::iter::repeat(bits);
        module.consts.unflatten(&mut module.types, ty, &mut all).expect("numbers have constants").into()
    }

    /// A constant of type `ty` (scalar, vector or matrix), every component of which is `number`.
    pub fn number(&mut self, ty: Type, number: f64) -> Value {
        let scalar = self.b.module.types.scalar_of(ty).expect("the type has numbers");
        self.splat(ty, number_bits(scalar, number).expect("the number fits"))
    }

    /// Zero of the result's type.
    pub fn zero(&mut self) -> Value {
        self.splat(self.ty(), 0)
    }

    /// The constant whose components are what `change` makes of those of the constant `value`; `None` where it declines
    /// one.
    pub fn map(&mut self, value: Value, change: impl Fn(u64) -> Option<u64>) -> Option<Value> {
        let c = value.as_const()?;
        let ty = self.type_of(value);
        if let Some(bits) = self.uniform_bits(value) {
            return change(bits).map(|bits| self.splat(ty, bits));
        }
        let mut bits = Vec::new();
        self.b.module.consts.flatten(c, &mut bits).then_some(())?;
        for bits in &mut bits {
            *bits = change(*bits)?;
        }
        let module = &mut *self.b.module;
        module.consts.unflatten(&mut module.types, ty, &mut bits.into_iter()).map(Value::from)
    }

    /// The result of an op on constants; `None` if it is no constant.
    pub fn fold(&mut self, op: Op, args: &[Value]) -> Option<Value> {
        if args.iter().any(|a| a.as_const().is_none()) {
            return None;
        }
        let value = self.make(op, args);
        value.as_const().map(|_| value)
    }

    // Nodes.

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

    /// The requested node on other operands.
    pub fn with_args(&mut self, args: &[Value]) -> Value {
        self.b.make(Request { args, ..*self.request })
    }
}

/// The bits of a number, if the scalar has it.
pub fn number_bits(scalar: Scalar, number: f64) -> Option<u64> {
    match scalar {
        Scalar::F16 | Scalar::F32 | Scalar::F64 => Some(float_bits(scalar, number)),
        Scalar::I8 => Some((number as i8 as u8).into()),
        Scalar::U8 => (number >= 0.0).then_some((number as u8).into()),
        Scalar::I16 => Some((number as i16 as u16).into()),
        Scalar::U16 => (number >= 0.0).then_some((number as u16).into()),
        Scalar::I32 => Some((number as i32 as u32).into()),
        Scalar::U32 => (number >= 0.0).then_some((number as u32).into()),
        Scalar::I64 => Some(number as i64 as u64),
        Scalar::U64 => (number >= 0.0).then_some(number as u64),
        Scalar::Bool => Some(u64::from(number != 0.0)),
    }
}

/// All bits of a scalar.
pub(super) fn mask(scalar: Scalar) -> u64 {
    u64::MAX >> (64 - scalar.bits())
}

/// The value of a float's bits.
pub(super) use planish_ir::meaning::float_value as float;

/// Whether a number is a normal one of a type of floats: neither zero, subnormal, infinite nor NaN.
pub(super) fn is_normal(scalar: Scalar, x: f64) -> bool {
    let least = match scalar {
        Scalar::F16 => 2f64.powi(-14),
        Scalar::F32 => f32::MIN_POSITIVE.into(),
        _ => f64::MIN_POSITIVE,
    };
    let rounded = float(scalar, float_bits(scalar, x));
    rounded.is_finite() && rounded.abs() >= least
}

/// The value of an integer's bits.
pub(super) use planish_ir::meaning::integer_value as integer;
