//! Vectors with a component for each lane, on 128-bit values: four lanes of 32 bits or two of 64 each. A truth value is a lane of
//! 32 ones or zeros. Ops that 128-bit values lack are expanded, or run on the scalars of each lane.

use planish_ir::builder::{Builder, Request};
use planish_ir::constant::{ConstData, ConstValue};
use planish_ir::entity::{Const, Type, Value};
use planish_ir::meaning::float_bits;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Imm, LaneShape, Meaning, Op};
use planish_ir::types::{Scalar, TypeKind, Types};
use smallvec::SmallVec;

use super::lane_arith::componentwise;
use super::lane_division::divide;
use super::values::{Parts, Typed};
use crate::legalize::Legalizer;

use LaneShape::{F32x4, F64x2, I32x4, I64x2, U32x4, U64x2};

/// The component type and number of lanes of a type, in a function over `lanes` invocations.
pub(super) fn lanes_of(types: &Types, ty: Type, lanes: Option<u8>) -> Option<(Scalar, u8)> {
    match types[ty] {
        TypeKind::Vector(scalar, n) if Some(n) == lanes => Some((scalar, n)),
        _ => None,
    }
}

/// Lanes in a 128-bit value.
pub(super) fn width(scalar: Scalar) -> usize {
    if scalar.bits() == 64 { 2 } else { 4 }
}

/// Number of 128-bit values of so many lanes.
pub(super) fn parts_of(scalar: Scalar, lanes: u8) -> usize {
    usize::from(lanes) / width(scalar)
}

/// The shape of lanes whose sign does not matter.
pub(super) fn shape(scalar: Scalar) -> LaneShape {
    match scalar {
        Scalar::F32 => F32x4,
        Scalar::F64 => F64x2,
        Scalar::I64 | Scalar::U64 => I64x2,
        _ => I32x4,
    }
}

/// The shape of lanes with their sign.
pub(super) fn signed_shape(scalar: Scalar) -> LaneShape {
    match scalar {
        Scalar::U32 => U32x4,
        Scalar::U64 => U64x2,
        _ => shape(scalar),
    }
}

/// The 128-bit values of a constant.
pub(super) fn constants(module: &mut Module, constant: Const, scalar: Scalar) -> Vec<Const> {
    let mut bits = Vec::new();
    module.consts.flatten(constant, &mut bits);
    let lane = |bits: u64| if scalar == Scalar::Bool && bits != 0 { 0xffff_ffff } else { u128::from(bits) };
    let unit = 128 / width(scalar);
    let words = bits.chunks(width(scalar));
    words.map(|chunk| word(module, chunk.iter().rev().fold(0, |word, &bits| word << unit | lane(bits)))).collect()
}

fn word(module: &mut Module, bits: u128) -> Const {
    let ty = module.types.intern(TypeKind::V128);
    module.consts.intern(ConstData { ty, value: ConstValue::Wide(bits) })
}

fn wide(b: &mut Builder<'_, '_>, bits: u128) -> Value {
    word(b.module, bits).into()
}

/// The word that is in every lane of values of 32-bit lanes, if it is a constant.
fn same_word(b: &Builder<'_, '_>, parts: &[Value]) -> Option<u32> {
    let mut words = parts.iter().map(|part| match b.module.consts[part.as_const()?].value {
        ConstValue::Wide(bits) => Some(bits),
        _ => None,
    });
    let first = words.next()??;
    let word = first as u32;
    let is_same = first == (0..4).fold(0, |all, lane| all | u128::from(word) << (32 * lane));
    (is_same && words.all(|bits| bits == Some(first))).then_some(word)
}

/// The same bits in every lane of a scalar type.
pub(super) fn all(b: &mut Builder<'_, '_>, scalar: Scalar, bits: u64) -> Value {
    let lanes = width(scalar);
    let word = (0..lanes).fold(0, |word, i| word | u128::from(bits) << (128 / lanes * i));
    wide(b, word)
}

pub(super) fn number(b: &mut Builder<'_, '_>, scalar: Scalar, value: f64) -> Value {
    let bits = match scalar {
        Scalar::F16 | Scalar::F32 | Scalar::F64 => float_bits(scalar, value),
        Scalar::I64 | Scalar::U64 => value as i64 as u64,
        _ => u64::from(value as i32 as u32),
    };
    all(b, scalar, bits)
}

pub(super) fn simd(b: &mut Builder<'_, '_>, op: Op, shape: LaneShape, args: &[Value]) -> Value {
    b.op_imm(op, shape, args)
}

/// A node whose operands or results are lanes.
pub(super) struct Lanes<'l, 't> {
    pub(super) legalizer: &'l mut Legalizer<'t>,
    /// Number of lanes.
    pub(super) n: u8,
}

impl Lanes<'_, '_> {
    fn of(&self, b: &Builder<'_, '_>, ty: Type) -> Option<Scalar> {
        lanes_of(&b.module.types, ty, Some(self.n)).map(|(scalar, _)| scalar)
    }

    /// The results of a pure op, the first one's parts first; `None` if it has no meaning on lanes.
    pub(super) fn pure(
        &mut self,
        b: &mut Builder<'_, '_>,
        (op, imm): (Op, Imm),
        args: &[Typed],
        results: &[Type],
    ) -> Option<Vec<Parts>> {
        // Vectors of four beside four lanes.
        if op.info().meaning == Meaning::Pack {
            return None;
        }
        if let &[result] = results
            && let Some(parts) = self.one(b, (op, imm), args, result)
        {
            return Some(vec![parts]);
        }
        self.by_lane(b, (op, imm), args, results)
    }

    fn one(&mut self, b: &mut Builder<'_, '_>, (op, imm): (Op, Imm), args: &[Typed], result: Type) -> Option<Parts> {
        let first = args.first()?;
        match op {
            Op::ExtractVectorComponent => {
                let scalar = self.of(b, first.ty)?;
                let value = self.extract(b, &first.parts, scalar, imm.as_index() as u8);
                return Some(Parts::from_slice(&[value]));
            }
            Op::ExtractVectorComponentMulti => {
                let scalar = self.of(b, first.ty)?;
                let lanes = imm.as_lanes().iter();
                let scalars: Parts = lanes.map(|lane| self.extract(b, &first.parts, scalar, lane)).collect();
                return Some(if self.of(b, result).is_some() { self.join(b, scalar, &scalars) } else { scalars });
            }
            Op::InsertVectorComponent => {
                let scalar = self.of(b, first.ty)?;
                let mut parts = first.parts.clone();
                let (at, lane) = (imm.as_index() as usize / width(scalar), imm.as_index() as usize % width(scalar));
                let value = self.lane_of(b, scalar, args[1].parts[0]);
                parts[at] = b.op_imm(Op::SimdInsert, Imm::lane(shape(scalar), lane as u8), &[parts[at], value]);
                return Some(parts);
            }
            Op::Any | Op::All => {
                self.of(b, first.ty)?;
                let join = if op == Op::Any { Op::SimdOr } else { Op::SimdAnd };
                let mut parts = first.parts.iter().copied();
                let one = parts.next()?;
                let one = parts.fold(one, |one, part| b.op(join, &[one, part]));
                let found = match op {
                    Op::Any => b.op(Op::SimdAnyTrue, &[one]),
                    _ => simd(b, Op::SimdAllTrue, I32x4, &[one]),
                };
                let zero = b.i32(0);
                return Some(Parts::from_slice(&[b.op(Op::NotEqual, &[found, zero])]));
            }
            Op::ConstructVectorFromScalar => {
                let scalar = self.of(b, result)?;
                let value = self.lane_of(b, scalar, first.parts[0]);
                let lanes = simd(b, Op::SimdSplat, shape(scalar), &[value]);
                return Some(std::iter::repeat_n(lanes, parts_of(scalar, self.n)).collect());
            }
            Op::ConstructVectorFromMultiple => {
                let to = self.of(b, result)?;
                if let (Some(from), [one]) = (self.of(b, first.ty), args) {
                    return self.convert(b, &one.parts, from, to);
                }
                let scalars: Vec<Value> = args.iter().flat_map(|arg| arg.parts.iter().copied()).collect();
                return Some(self.join(b, to, &scalars));
            }
            Op::Bitcast => {
                let (from, to) = (self.of(b, first.ty)?, self.of(b, result)?);
                return (from.bits() == to.bits()).then(|| first.parts.clone());
            }
            Op::Select => return self.select(b, args),
            _ => {}
        }
        let scalar = self.of(b, first.ty)?;
        let whole = |arg: &Typed| arg.parts.len() == first.parts.len();
        if matches!(op, Op::ShiftLeft | Op::ShiftRight) && whole(&args[1]) {
            return self.shift(b, op, scalar, args);
        }
        if !args.iter().all(whole)
            || !matches!(op.info().class, Class::Unary | Class::Binary | Class::Compare | Class::BuiltIn)
        {
            return None;
        }
        if matches!(op, Op::Divide | Op::Remainder) && matches!(scalar, Scalar::I32 | Scalar::U32) {
            let known = same_word(b, &args[1].parts);
            return Some(divide(b, op, scalar, [&first.parts, &args[1].parts], known));
        }
        let mut out = Parts::new();
        for i in 0..first.parts.len() {
            let one: Parts = args.iter().map(|arg| arg.parts[i]).collect();
            out.push(componentwise(b, op, scalar, &one)?);
        }
        let is_truth = op.info().class == Class::Compare || matches!(op, Op::IsNan | Op::IsInf);
        if is_truth && scalar.bits() == 64 {
            out = out.chunks(2).map(|pair| narrow(b, pair[0], pair[1])).collect();
        }
        Some(out)
    }

    /// A scalar as 128-bit values hold it: an integer of no sign, a truth value as ones or zeros.
    fn lane_of(&mut self, b: &mut Builder<'_, '_>, scalar: Scalar, value: Value) -> Value {
        match scalar {
            Scalar::Bool => {
                let (ones, zeros) = (b.i32(-1), b.i32(0));
                b.op(Op::Select, &[value, ones, zeros])
            }
            Scalar::U32 => b.op_typed(Op::Bitcast, &[value], Type::I32),
            Scalar::U64 => {
                let ty = b.module.types.scalar(Scalar::I64);
                b.op_typed(Op::Bitcast, &[value], ty)
            }
            _ => value,
        }
    }

    /// The scalar of a lane.
    fn extract(&mut self, b: &mut Builder<'_, '_>, parts: &[Value], scalar: Scalar, lane: u8) -> Value {
        let (at, lane) = (usize::from(lane) / width(scalar), usize::from(lane) % width(scalar));
        let value = b.op_imm(Op::SimdExtract, Imm::lane(shape(scalar), lane as u8), &[parts[at]]);
        match scalar {
            Scalar::Bool => {
                let zero = b.i32(0);
                b.op(Op::NotEqual, &[value, zero])
            }
            Scalar::U32 | Scalar::U64 => {
                let ty = b.module.types.scalar(scalar);
                b.op_typed(Op::Bitcast, &[value], ty)
            }
            _ => value,
        }
    }

    /// The 128-bit value and the number of the lane that a scalar was taken out of.
    fn origin(&self, b: &Builder<'_, '_>, scalar: Scalar, value: Value) -> Option<(Value, u8)> {
        let mut value = value;
        loop {
            let (op, imm, args) = b.definition(value)?;
            match op {
                Op::SimdExtract if imm.as_shape() == shape(scalar) => return Some((args[0], imm.as_lane())),
                Op::Bitcast if matches!(scalar, Scalar::U32 | Scalar::U64) => value = args[0],
                Op::NotEqual if scalar == Scalar::Bool && b.type_of(args[0]) == Type::I32 => {
                    let is_zero = args[1].as_const().and_then(|c| b.module.consts.as_bits(c)) == Some(0);
                    value = args[0];
                    if !is_zero {
                        return None;
                    }
                }
                _ => return None,
            }
        }
    }

    /// Lanes out of scalars. Those that were lanes before are moved without being taken out.
    fn join(&mut self, b: &mut Builder<'_, '_>, scalar: Scalar, scalars: &[Value]) -> Parts {
        let mut out = Parts::new();
        for chunk in scalars.chunks(width(scalar)) {
            let part = self.moved(b, scalar, chunk);
            out.push(match part {
                Some(part) => part,
                None => {
                    let mut values = Parts::new();
                    for &value in chunk {
                        values.push(self.lane_of(b, scalar, value));
                    }
                    let mut part = simd(b, Op::SimdSplat, shape(scalar), &[values[0]]);
                    for (lane, &value) in values.iter().enumerate().skip(1).filter(|(_, value)| **value != values[0]) {
                        part = b.op_imm(Op::SimdInsert, Imm::lane(shape(scalar), lane as u8), &[part, value]);
                    }
                    part
                }
            });
        }
        out
    }

    /// Lanes that come from 128-bit values.
    fn moved(&self, b: &mut Builder<'_, '_>, scalar: Scalar, scalars: &[Value]) -> Option<Value> {
        let origins: Option<SmallVec<[(Value, u8); 4]>> =
            scalars.iter().map(|&value| self.origin(b, scalar, value)).collect();
        let origins = origins?;
        if let [(a, lane), (c, _), (d, _), (e, _)] = origins[..]
            && a != c
            && d != e
            && (a != d || c != e)
            && origins.iter().all(|origin| origin.1 == lane)
        {
            // A column of four rows. The first two steps serve two columns each.
            let interleaved = |lane: u8| [[lane & 2, 0], [lane & 2, 1], [lane & 2 | 1, 0], [lane & 2 | 1, 1]];
            let upper = shuffled(b, [a, c], interleaved(lane));
            let lower = shuffled(b, [d, e], interleaved(lane));
            let first = 2 * (lane & 1);
            return Some(shuffled(b, [upper, lower], [[first, 0], [first + 1, 0], [first, 1], [first + 1, 1]]));
        }
        let first = origins[0].0;
        let second = origins.iter().map(|o| o.0).find(|&value| value != first).unwrap_or(first);
        if origins.iter().any(|o| o.0 != first && o.0 != second) {
            return None;
        }
        if first == second && origins.iter().enumerate().all(|(i, o)| usize::from(o.1) == i) {
            return Some(first);
        }
        let bytes = 16 / width(scalar);
        let mut pattern = 0u128;
        for (i, &(value, lane)) in origins.iter().enumerate() {
            for byte in 0..bytes {
                let from = usize::from(lane) * bytes + byte + if value == first { 0 } else { 16 };
                pattern |= (from as u128) << (8 * (i * bytes + byte));
            }
        }
        let pattern = wide(b, pattern);
        Some(b.op(Op::SimdShuffle, &[first, second, pattern]))
    }

    fn select(&mut self, b: &mut Builder<'_, '_>, args: &[Typed]) -> Option<Parts> {
        let [condition, x, y] = args else { return None };
        let scalar = self.of(b, x.ty)?;
        if self.of(b, condition.ty).is_none() {
            let pairs = x.parts.iter().zip(&y.parts);
            return Some(pairs.map(|(&x, &y)| b.op(Op::Select, &[condition.parts[0], x, y])).collect());
        }
        let masks = widened(b, &condition.parts, scalar);
        let parts = masks.iter().zip(x.parts.iter().zip(&y.parts));
        Some(parts.map(|(&mask, (&x, &y))| b.op(Op::SimdSelect, &[x, y, mask])).collect())
    }

    /// A shift of all lanes by one amount; by different ones, where it is done lane by lane, `None`.
    fn shift(&mut self, b: &mut Builder<'_, '_>, op: Op, scalar: Scalar, args: &[Typed]) -> Option<Parts> {
        let amounts = &args[1];
        let amount_scalar = self.of(b, amounts.ty)?;
        let first = amounts.parts[0];
        if amounts.parts.iter().any(|&part| part != first) {
            return None;
        }
        let amount = match (first.as_const(), b.definition(first)) {
            (Some(constant), _) => {
                let ConstValue::Wide(bits) = b.module.consts[constant].value else { return None };
                let unit = 128 / width(amount_scalar);
                let lane = |i: usize| bits >> (unit * i) & (u128::MAX >> (128 - unit));
                if (1..width(amount_scalar)).any(|i| lane(i) != lane(0)) {
                    return None;
                }
                b.i32(lane(0) as i32)
            }
            (None, Some((Op::SimdSplat, _, &[amount]))) => b.convert(amount, Type::I32),
            _ => return None,
        };
        let (op, shape) = match op {
            Op::ShiftLeft => (Op::SimdShiftLeft, shape(scalar)),
            _ => (Op::SimdShiftRight, signed_shape(scalar)),
        };
        Some(args[0].parts.iter().map(|&part| simd(b, op, shape, &[part, amount])).collect())
    }

    fn convert(&mut self, b: &mut Builder<'_, '_>, parts: &[Value], from: Scalar, to: Scalar) -> Option<Parts> {
        use Scalar::{Bool, F32, F64, I32, I64, U32, U64};
        let each = |b: &mut Builder<'_, '_>, op: Op, shape: LaneShape| -> Parts {
            parts.iter().map(|&part| simd(b, op, shape, &[part])).collect()
        };
        Some(match (from, to) {
            _ if from == to => parts.into(),
            (Bool, _) => {
                let masks = widened(b, parts, to);
                let one = number(b, to, 1.0);
                masks.into_iter().map(|mask| b.op(Op::SimdAnd, &[mask, one])).collect()
            }
            (F32 | F64 | I32 | U32 | I64 | U64, Bool) => {
                let zero = number(b, from, 0.0);
                let found: Parts =
                    parts.iter().map(|&part| simd(b, Op::SimdNotEqual, shape(from), &[part, zero])).collect();
                match from.bits() {
                    64 => found.chunks(2).map(|pair| narrow(b, pair[0], pair[1])).collect(),
                    _ => found,
                }
            }
            (I32 | U32, I32 | U32) | (I64 | U64, I64 | U64) => parts.into(),
            (F32, I32) => each(b, Op::SimdTruncate, I32x4),
            (F32, U32) => each(b, Op::SimdTruncate, U32x4),
            (I32, F32) => each(b, Op::SimdConvert, I32x4),
            (U32, F32) => each(b, Op::SimdConvert, U32x4),
            (F32, F64) => halves(b, parts, &mut |b, half| b.op(Op::SimdPromote, &[half])),
            (I32, F64) => halves(b, parts, &mut |b, half| simd(b, Op::SimdConvertLow, I32x4, &[half])),
            (U32, F64) => halves(b, parts, &mut |b, half| simd(b, Op::SimdConvertLow, U32x4, &[half])),
            (F64, F32) => joined(b, parts, &mut |b, part| b.op(Op::SimdDemote, &[part])),
            (F64, I32) => joined(b, parts, &mut |b, part| simd(b, Op::SimdTruncateLow, I32x4, &[part])),
            (F64, U32) => joined(b, parts, &mut |b, part| simd(b, Op::SimdTruncateLow, U32x4, &[part])),
            (I32, I64 | U64) => halves(b, parts, &mut |b, half| simd(b, Op::SimdExtendLow, I64x2, &[half])),
            (U32, I64 | U64) => halves(b, parts, &mut |b, half| simd(b, Op::SimdExtendLow, U64x2, &[half])),
            (I64 | U64, I32 | U32) => parts.chunks(2).map(|pair| narrow(b, pair[0], pair[1])).collect(),
            _ => return None,
        })
    }

    /// An op on the scalars of each lane.
    fn by_lane(
        &mut self,
        b: &mut Builder<'_, '_>,
        (op, imm): (Op, Imm),
        args: &[Typed],
        results: &[Type],
    ) -> Option<Vec<Parts>> {
        let scalars: Vec<Option<Scalar>> = args.iter().map(|arg| self.of(b, arg.ty)).collect();
        let to: Vec<Scalar> = results.iter().map(|&ty| self.of(b, ty)).collect::<Option<_>>()?;
        let mut columns: Vec<Vec<Value>> = vec![Vec::new(); results.len()];
        for lane in 0..self.n {
            let mut operands = Parts::new();
            for (arg, scalar) in args.iter().zip(&scalars) {
                operands.push(match scalar {
                    Some(scalar) => self.extract(b, &arg.parts, *scalar, lane),
                    None => *arg.parts.first()?,
                });
            }
            if matches!(op, Op::ShiftLeft | Op::ShiftRight | Op::RotateLeft | Op::RotateRight) {
                operands[1] = b.convert(operands[1], b.type_of(operands[0]));
            }
            let ty = b.module.types.scalar(to[0]);
            let op = if op == Op::ConstructVectorFromMultiple { Op::ConstructScalarFromScalar } else { op };
            let request = Request::new(op, &operands).imm(imm).ty(ty);
            let values = self.legalizer.legalize(b, request)?;
            columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
        Some(columns.iter().zip(to).map(|(column, scalar)| self.join(b, scalar, column)).collect())
    }
}

/// Lanes of 32 bits out of two values: each the number of a lane, and of the value that it is of.
fn shuffled(b: &mut Builder<'_, '_>, [x, y]: [Value; 2], lanes: [[u8; 2]; 4]) -> Value {
    let bytes: [u8; 16] = std::array::from_fn(|i| 16 * lanes[i / 4][1] + 4 * lanes[i / 4][0] + i as u8 % 4);
    let pattern = wide(b, u128::from_le_bytes(bytes));
    b.op(Op::SimdShuffle, &[x, y, pattern])
}

/// Masks of 32-bit lanes as masks of the lanes of a scalar.
fn widened(b: &mut Builder<'_, '_>, masks: &[Value], scalar: Scalar) -> Parts {
    if scalar.bits() < 64 {
        return masks.into();
    }
    let mut out = Parts::new();
    for &mask in masks {
        out.extend(
            before_narrow(b, mask, MOST_NARROWED)
                .unwrap_or_else(|| [Op::SimdExtendLow, Op::SimdExtendHigh].map(|op| simd(b, op, I64x2, &[mask]))),
        );
    }
    out
}

/// Number of operations on masks through which [`before_narrow`] looks.
const MOST_NARROWED: u32 = 3;

/// The masks of 64-bit lanes of which a mask was made by [`narrow`], also if logic follows: that is then done on both.
/// Recursion: at most [`MOST_NARROWED`] levels.
fn before_narrow(b: &mut Builder<'_, '_>, mask: Value, most: u32) -> Option<[Value; 2]> {
    use Op::*;
    let (op, _, args) = b.definition(mask)?;
    let args: SmallVec<[Value; 3]> = args.into();
    match (op, &args[..]) {
        (SimdShuffle, &[low, high, pattern]) => {
            let ConstValue::Wide(pattern) = b.module.consts[pattern.as_const()?].value else { return None };
            let is_mask = |value: Value| {
                let (op, imm, _) = b.definition(value)?;
                let compares = matches!(
                    op,
                    SimdEqual
                        | SimdNotEqual
                        | SimdLessThan
                        | SimdLessThanEqual
                        | SimdGreaterThan
                        | SimdGreaterThanEqual
                );
                (compares && imm.as_shape().bits() == 64).then_some(value)
            };
            (pattern == u128::from_le_bytes(LOW_HALVES)).then_some([is_mask(low)?, is_mask(high)?])
        }
        (SimdAnd | SimdAndNot | SimdOr | SimdXor, &[x, y]) if most > 0 => {
            let (x, y) = (before_narrow(b, x, most - 1)?, before_narrow(b, y, most - 1)?);
            Some([0, 1].map(|i| b.op(op, &[x[i], y[i]])))
        }
        (SimdNot, &[x]) if most > 0 => Some(before_narrow(b, x, most - 1)?.map(|x| b.op(op, &[x]))),
        _ => None,
    }
}

/// The bytes of the low halves of the 64-bit lanes of two values.
const LOW_HALVES: [u8; 16] = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];

/// The low halves of the 64-bit lanes of two values.
fn narrow(b: &mut Builder<'_, '_>, low: Value, high: Value) -> Value {
    let pattern = wide(b, u128::from_le_bytes(LOW_HALVES));
    b.op(Op::SimdShuffle, &[low, high, pattern])
}

/// Results of `f` on the lower and on the upper half of each value.
pub(super) fn halves(
    b: &mut Builder<'_, '_>,
    parts: &[Value],
    f: &mut dyn FnMut(&mut Builder<'_, '_>, Value) -> Value,
) -> Parts {
    let upper = wide(b, u128::from_le_bytes([8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15]));
    let mut out = Parts::new();
    for &part in parts {
        out.push(f(b, part));
        let high = b.op(Op::SimdShuffle, &[part, part, upper]);
        out.push(f(b, high));
    }
    out
}

/// Results of `f` on values, each a lower half, in pairs.
pub(super) fn joined(
    b: &mut Builder<'_, '_>,
    parts: &[Value],
    f: &mut dyn FnMut(&mut Builder<'_, '_>, Value) -> Value,
) -> Parts {
    let both = wide(b, u128::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]));
    let mut out = Parts::new();
    for pair in parts.chunks(2) {
        let (low, high) = (f(b, pair[0]), f(b, pair[1]));
        out.push(b.op(Op::SimdShuffle, &[low, high, both]));
    }
    out
}
