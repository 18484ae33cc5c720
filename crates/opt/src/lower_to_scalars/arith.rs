//! Ops on scalars that the target has not, by those that it has, as `docs/numerics.md` defines them.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Type, Value};
use planish_ir::meaning;
use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};

use super::values::{Parts, Typed};

/// What is known of the target.
pub(super) struct Arith<'a> {
    pub(super) has: &'a dyn Fn(Op) -> bool,
}

/// Masks that swap neighbouring groups of 1, 2, 4, 8 and 16 bits.
const SWAPS: [(u32, u64); 6] = [
    (1, 0x5555_5555_5555_5555),
    (2, 0x3333_3333_3333_3333),
    (4, 0x0f0f_0f0f_0f0f_0f0f),
    (8, 0x00ff_00ff_00ff_00ff),
    (16, 0x0000_ffff_0000_ffff),
    (32, 0x0000_0000_ffff_ffff),
];

impl Arith<'_> {
    /// A constant of a float type.
    pub(super) fn float(&self, b: &mut Builder<'_, '_>, scalar: Scalar, value: f64) -> Value {
        let ty = b.module.types.scalar(scalar);
        let bits = if scalar == Scalar::F32 { u64::from((value as f32).to_bits()) } else { value.to_bits() };
        b.module.consts.bits(ty, bits).into()
    }

    /// A constant of an integer type.
    fn integer(&self, b: &mut Builder<'_, '_>, scalar: Scalar, value: u64) -> Value {
        let ty = b.module.types.scalar(scalar);
        let bits = if scalar.bits() == 32 { value & 0xffff_ffff } else { value };
        b.module.consts.bits(ty, bits).into()
    }

    fn number(&self, b: &mut Builder<'_, '_>, scalar: Scalar, value: i32) -> Value {
        match scalar.is_float() {
            true => self.float(b, scalar, value.into()),
            false => self.integer(b, scalar, i64::from(value) as u64),
        }
    }

    /// A componentwise op: on each component, where a scalar counts for all.
    pub(super) fn componentwise(&self, b: &mut Builder<'_, '_>, op: Op, args: &[Typed], result: Type) -> Option<Parts> {
        let op = match op {
            Op::MatrixTimesScalar | Op::MatrixComponentMultiply => Op::Multiply,
            other => other,
        };
        let count = args.iter().map(|a| a.parts.len()).max()?;
        let scalar = b.module.types.scalar_of(result);
        let ty = match scalar {
            Some(scalar) => b.module.types.scalar(scalar),
            None => result,
        };
        let mut out = Parts::new();
        for i in 0..count {
            let one: Parts = args.iter().map(|a| if a.parts.len() == 1 { a.parts[0] } else { a.parts[i] }).collect();
            out.push(self.one(b, op, &one, ty)?);
        }
        Some(out)
    }

    /// An op on scalars; `None` if there is no way to say it.
    pub(super) fn one(&self, b: &mut Builder<'_, '_>, op: Op, args: &[Value], result: Type) -> Option<Value> {
        let ty = b.type_of(args[0]);
        let scalar = match b.module.types[ty] {
            TypeKind::Scalar(scalar) => scalar,
            _ => return (self.has)(op).then(|| b.make(Request::new(op, args).ty(result))),
        };
        if matches!(op, Op::ShiftLeft | Op::ShiftRight | Op::RotateLeft | Op::RotateRight) {
            let amount = b.convert(args[1], ty);
            return Some(b.op(op, &[args[0], amount]));
        }
        if op == Op::Abs && scalar.is_integer() && !scalar.is_signed() {
            return Some(args[0]);
        }
        if (self.has)(op) {
            return Some(b.make(Request::new(op, args).ty(result)));
        }
        if scalar.is_float() { self.real(b, op, args, scalar) } else { None }
            .or_else(|| self.choice(b, op, args, scalar))
            .or_else(|| self.bits(b, op, args, scalar))
    }

    /// As [`Self::one`], of an op that has a definition here or is known everywhere.
    fn step(&self, b: &mut Builder<'_, '_>, op: Op, args: &[Value]) -> Value {
        let ty = b.type_of(args[0]);
        self.one(b, op, args, ty).expect("it has a definition")
    }

    fn real(&self, b: &mut Builder<'_, '_>, op: Op, args: &[Value], scalar: Scalar) -> Option<Value> {
        let [zero, one] = [0.0, 1.0].map(|x| self.float(b, scalar, x));
        Some(match (op, args) {
            (Op::Fract, &[x]) => {
                let down = b.op(Op::Floor, &[x]);
                b.op(Op::Subtract, &[x, down])
            }
            (Op::Mod, &[x, y]) => {
                let quotient = b.op(Op::Divide, &[x, y]);
                let down = b.op(Op::Floor, &[quotient]);
                let product = b.op(Op::Multiply, &[y, down]);
                b.op(Op::Subtract, &[x, product])
            }
            (Op::Saturate, &[x]) => self.step(b, Op::Clamp, &[x, zero, one]),
            (Op::Step, &[edge, x]) => {
                let below = b.op(Op::LessThan, &[x, edge]);
                b.op(Op::Select, &[below, zero, one])
            }
            (Op::Mix, &[x, y, a]) => {
                let rest = b.op(Op::Subtract, &[one, a]);
                let left = b.op(Op::Multiply, &[x, rest]);
                let right = b.op(Op::Multiply, &[y, a]);
                b.op(Op::Add, &[left, right])
            }
            (Op::Lerp, &[x, y, a]) => {
                let difference = b.op(Op::Subtract, &[y, x]);
                let part = b.op(Op::Multiply, &[difference, a]);
                b.op(Op::Add, &[part, x])
            }
            (Op::SmoothStep, &[low, high, x]) => {
                let above = b.op(Op::Subtract, &[x, low]);
                let width = b.op(Op::Subtract, &[high, low]);
                let part = b.op(Op::Divide, &[above, width]);
                let t = self.step(b, Op::Clamp, &[part, zero, one]);
                let square = b.op(Op::Multiply, &[t, t]);
                let [two, three] = [2.0, 3.0].map(|x| self.float(b, scalar, x));
                let twice = b.op(Op::Multiply, &[two, t]);
                let rest = b.op(Op::Subtract, &[three, twice]);
                b.op(Op::Multiply, &[square, rest])
            }
            (Op::Radians | Op::Degrees, &[x]) => {
                let pi = std::f64::consts::PI;
                let factor = self.float(b, scalar, if op == Op::Radians { pi / 180.0 } else { 180.0 / pi });
                b.op(Op::Multiply, &[x, factor])
            }
            (Op::InverseSqrt, &[x]) => {
                let (narrow, wide) = (b.type_of(x), b.module.types.scalar(Scalar::F64));
                let x = b.convert(x, wide);
                let root = b.op(Op::Sqrt, &[x]);
                let one = self.float(b, Scalar::F64, 1.0);
                let inverse = b.op(Op::Divide, &[one, root]);
                b.convert(inverse, narrow)
            }
            (Op::IsNan, &[x]) => b.op(Op::NotEqual, &[x, x]),
            (Op::IsInf, &[x]) => {
                let magnitude = b.op(Op::Abs, &[x]);
                let infinity = self.float(b, scalar, f64::INFINITY);
                b.op(Op::Equal, &[magnitude, infinity])
            }
            _ => return None,
        })
    }

    fn choice(&self, b: &mut Builder<'_, '_>, op: Op, args: &[Value], scalar: Scalar) -> Option<Value> {
        Some(match (op, args) {
            (Op::Min, &[x, y]) => {
                let less = b.op(Op::LessThan, &[y, x]);
                b.op(Op::Select, &[less, y, x])
            }
            (Op::Max, &[x, y]) => {
                let less = b.op(Op::LessThan, &[x, y]);
                b.op(Op::Select, &[less, y, x])
            }
            (Op::Clamp, &[x, low, high]) => {
                let above = self.step(b, Op::Max, &[x, low]);
                self.step(b, Op::Min, &[above, high])
            }
            (Op::MultiplyAdd, &[x, y, z]) => {
                let product = b.op(Op::Multiply, &[x, y]);
                b.op(Op::Add, &[product, z])
            }
            (Op::Sign, &[x]) => {
                let [minus, zero, one] = [-1, 0, 1].map(|x| self.number(b, scalar, x));
                let positive = b.op(Op::GreaterThan, &[x, zero]);
                let otherwise = if scalar.is_float() || scalar.is_signed() {
                    let negative = b.op(Op::LessThan, &[x, zero]);
                    b.op(Op::Select, &[negative, minus, x])
                } else {
                    x
                };
                b.op(Op::Select, &[positive, one, otherwise])
            }
            _ => return None,
        })
    }

    fn bits(&self, b: &mut Builder<'_, '_>, op: Op, args: &[Value], scalar: Scalar) -> Option<Value> {
        if !scalar.is_integer() {
            return None;
        }
        let width = self.integer(b, scalar, scalar.bits().into());
        let zero = self.integer(b, scalar, 0);
        let x = args[0];
        let count = |b: &mut Builder<'_, '_>, value: Value| {
            if scalar.bits() == 32 { b.convert(value, Type::I32) } else { value }
        };
        Some(match op {
            Op::BitCount => {
                let bits = self.native(b, Op::BitCount, x)?;
                count(b, bits)
            }
            Op::BitwiseNot => {
                let ones = self.integer(b, scalar, u64::MAX);
                b.op(Op::BitwiseXor, &[x, ones])
            }
            Op::FindLsb => {
                let place = self.native(b, Op::CountTrailingZeros, x)?;
                let none = b.op(Op::Equal, &[x, zero]);
                let minus = self.integer(b, scalar, u64::MAX);
                let found = b.op(Op::Select, &[none, minus, place]);
                count(b, found)
            }
            Op::FindMsb => {
                let last = self.integer(b, scalar, u64::from(scalar.bits()) - 1);
                let x = if scalar.is_signed() {
                    let sign = b.op(Op::ShiftRight, &[x, last]);
                    b.op(Op::BitwiseXor, &[x, sign])
                } else {
                    x
                };
                let zeros = self.native(b, Op::CountLeadingZeros, x)?;
                let place = b.op(Op::Subtract, &[last, zeros]);
                count(b, place)
            }
            Op::BitReverse => {
                let unsigned = if scalar.bits() == 64 { Scalar::U64 } else { Scalar::U32 };
                let (own, ty) = (b.type_of(x), b.module.types.scalar(unsigned));
                let mut x = self.as_type(b, x, ty);
                for (by, mask) in SWAPS.into_iter().filter(|s| s.0 < scalar.bits()) {
                    let (amount, mask) = (self.integer(b, unsigned, by.into()), self.integer(b, unsigned, mask));
                    let high = b.op(Op::ShiftRight, &[x, amount]);
                    let high = b.op(Op::BitwiseAnd, &[high, mask]);
                    let low = b.op(Op::BitwiseAnd, &[x, mask]);
                    let low = b.op(Op::ShiftLeft, &[low, amount]);
                    x = b.op(Op::BitwiseOr, &[high, low]);
                }
                self.as_type(b, x, own)
            }
            Op::BitfieldExtract => {
                let (offset, bits) = self.field(b, args[1], args[2], scalar)?;
                let rest = b.op(Op::Subtract, &[width, offset]);
                let up = b.op(Op::Subtract, &[rest, bits]);
                let down = b.op(Op::Subtract, &[width, bits]);
                let left = b.op(Op::ShiftLeft, &[x, up]);
                let value = b.op(Op::ShiftRight, &[left, down]);
                let empty = b.op(Op::Equal, &[bits, zero]);
                b.op(Op::Select, &[empty, zero, value])
            }
            Op::BitfieldInsert => {
                let (offset, bits) = self.field(b, args[2], args[3], scalar)?;
                let [one, ones] = [1, u64::MAX].map(|x| self.integer(b, scalar, x));
                let power = b.op(Op::ShiftLeft, &[one, bits]);
                let below = b.op(Op::Subtract, &[power, one]);
                let whole = b.op(Op::Equal, &[bits, width]);
                let mask = b.op(Op::Select, &[whole, ones, below]);
                let mask = b.op(Op::ShiftLeft, &[mask, offset]);
                let inserted = b.op(Op::ShiftLeft, &[args[1], offset]);
                let inserted = b.op(Op::BitwiseAnd, &[inserted, mask]);
                let outside = b.op(Op::BitwiseXor, &[mask, ones]);
                let kept = b.op(Op::BitwiseAnd, &[x, outside]);
                b.op(Op::BitwiseOr, &[kept, inserted])
            }
            _ => return None,
        })
    }

    /// An op that the target has, for a definition that needs it.
    fn native(&self, b: &mut Builder<'_, '_>, op: Op, x: Value) -> Option<Value> {
        if !(self.has)(op) {
            return None;
        }
        let own = b.type_of(x);
        let value = b.op(op, &[x]);
        let ty = b.type_of(value);
        Some(if ty == own { value } else { b.convert(value, own) })
    }

    fn as_type(&self, b: &mut Builder<'_, '_>, x: Value, ty: Type) -> Value {
        if b.type_of(x) == ty { x } else { b.op_typed(Op::Bitcast, &[x], ty) }
    }

    /// Offset and width of a bit field, cut to the word.
    fn field(&self, b: &mut Builder<'_, '_>, offset: Value, bits: Value, scalar: Scalar) -> Option<(Value, Value)> {
        let ty = b.module.types.scalar(scalar);
        let whole = b.u32(scalar.bits());
        let [offset, bits] = [offset, bits].map(|x| self.as_type(b, x, Type::U32));
        let least = |this: &Self, b: &mut Builder<'_, '_>, x: Value, y: Value| this.step(b, Op::Min, &[x, y]);
        let offset = least(self, b, offset, whole);
        let rest = b.op(Op::Subtract, &[whole, offset]);
        let bits = least(self, b, bits, rest);
        Some((b.convert(offset, ty), b.convert(bits, ty)))
    }

    /// Ops with two results, all first ones before the second ones.
    pub(super) fn pairs(&self, b: &mut Builder<'_, '_>, op: Op, args: &[Typed]) -> Option<[Parts; 2]> {
        let mut out = [Parts::new(), Parts::new()];
        let second = |i: usize| args.get(1).map(|a| a.parts[i]);
        for (i, &x) in args[0].parts.iter().enumerate() {
            let pair = match (op, second(i)) {
                (Op::AddCarry, Some(y)) => self.carry(b, x, y, Op::Add),
                (Op::SubtractBorrow, Some(y)) => self.carry(b, x, y, Op::Subtract),
                (Op::MultiplyExtended, Some(y)) => self.product(b, x, y),
                (Op::Modf, _) => self.fraction(b, x)?,
                _ => return None,
            };
            out[0].push(pair[0]);
            out[1].push(pair[1]);
        }
        Some(out)
    }

    fn carry(&self, b: &mut Builder<'_, '_>, x: Value, y: Value, op: Op) -> [Value; 2] {
        let own = b.type_of(x);
        let [x, y] = [x, y].map(|v| self.as_type(b, v, Type::U32));
        let sum = b.op(op, &[x, y]);
        let over = if op == Op::Add { b.op(Op::LessThan, &[sum, x]) } else { b.op(Op::LessThan, &[x, y]) };
        let sum = self.as_type(b, sum, own);
        [sum, b.convert(over, own)]
    }

    fn product(&self, b: &mut Builder<'_, '_>, x: Value, y: Value) -> [Value; 2] {
        let own = b.type_of(x);
        let signed = own == Type::I32;
        let scalar = if signed { Scalar::I64 } else { Scalar::U64 };
        let wide = b.module.types.scalar(scalar);
        let [x, y] = [x, y].map(|v| b.convert(v, wide));
        let product = b.op(Op::Multiply, &[x, y]);
        let by = self.integer(b, scalar, 32);
        let high = b.op(Op::ShiftRight, &[product, by]);
        [b.convert(high, own), b.convert(product, own)]
    }

    fn fraction(&self, b: &mut Builder<'_, '_>, x: Value) -> Option<[Value; 2]> {
        let ty = b.type_of(x);
        let scalar = b.module.types.scalar_of(ty)?;
        let whole = b.op(Op::Trunc, &[x]);
        let rest = b.op(Op::Subtract, &[x, whole]);
        let infinite = self.real(b, Op::IsInf, &[x], scalar)?;
        let zero = self.float(b, scalar, 0.0);
        let rest = b.op(Op::Select, &[infinite, zero, rest]);
        Some([b.op(Op::CopySign, &[rest, x]), whole])
    }

    /// Any, all, and equality of composites: from the first component on.
    pub(super) fn reduce(&self, b: &mut Builder<'_, '_>, op: Op, args: &[Typed]) -> Option<Value> {
        let (join, terms): (Op, Vec<Value>) = match (op, args) {
            (Op::Any, [x]) => (Op::LogicalOr, x.parts.to_vec()),
            (Op::All, [x]) => (Op::LogicalAnd, x.parts.to_vec()),
            (Op::AggregateEqual, [x, y]) => {
                let pairs = x.parts.iter().zip(&y.parts);
                (Op::LogicalAnd, pairs.map(|(&x, &y)| b.op(Op::Equal, &[x, y])).collect())
            }
            _ => return None,
        };
        let mut terms = terms.into_iter();
        let first = terms.next().unwrap_or_else(|| b.bool(op != Op::Any));
        Some(terms.fold(first, |all, term| b.op(join, &[all, term])))
    }
}

/// Whether an op is the same on every component.
pub(super) fn is_componentwise(op: Op, scalar: Option<Scalar>) -> bool {
    matches!(op, Op::Bitcast | Op::ConstructScalarFromScalar | Op::DivideTrapping | Op::RemainderTrapping)
        || op == Op::TruncateTrapping
        || meaning::kernel(op, scalar.unwrap_or(Scalar::Bool)).is_some()
}
