//! Values with a component for each lane.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Type, Value};
use planish_ir::ops::{Imm, Op};
use planish_ir::types::{Scalar, TypeKind};

use crate::lower_to_scalars::values::Parts;

/// Whether a value is one for every lane: the vectors of the source are components.
pub(super) fn is_lanes(b: &Builder<'_, '_>, value: Value) -> bool {
    matches!(b.module.types[b.type_of(value)], TypeKind::Vector(..))
}

/// A scalar in every lane; lanes are themselves.
pub(super) fn broadcast(b: &mut Builder<'_, '_>, value: Value, n: u8) -> Value {
    let ty = b.type_of(value);
    let TypeKind::Scalar(scalar) = b.module.types[ty] else { return value };
    let lanes = b.module.types.vector(scalar, n);
    if let Some(bits) = value.as_const().and_then(|c| b.module.consts.as_bits(c)) {
        return b.module.consts.splat(&mut b.module.types, lanes, bits).expect("a vector").into();
    }
    b.op_typed(Op::ConstructVectorFromScalar, &[value], lanes)
}

/// The value of one lane.
pub(super) fn lane(b: &mut Builder<'_, '_>, value: Value, lane: u8) -> Value {
    if is_lanes(b, value) { b.op_imm(Op::ExtractVectorComponent, Imm::index(lane.into()), &[value]) } else { value }
}

/// The lanes of these values.
pub(super) fn join(b: &mut Builder<'_, '_>, values: &[Value]) -> Value {
    let scalar = b.module.types.scalar_of(b.type_of(values[0])).expect("a scalar");
    let ty = b.module.types.vector(scalar, values.len() as u8);
    b.op_typed(Op::ConstructVectorFromMultiple, values, ty)
}

/// The same truth value in every lane.
pub(super) fn mask(b: &mut Builder<'_, '_>, set: bool, n: u8) -> Value {
    let all = b.bool(set);
    broadcast(b, all, n)
}

/// Whether a mask is known to have all lanes.
pub(super) fn is_all(b: &Builder<'_, '_>, mask: Value) -> bool {
    let parts = mask.as_const().and_then(|c| b.module.consts.as_parts(c));
    parts.is_some_and(|parts| parts.iter().all(|&part| b.module.consts.as_bits(part) == Some(1)))
}

/// The lanes of a mask in which a condition holds; of a condition for all lanes, all or none.
pub(super) fn and(b: &mut Builder<'_, '_>, mask: Value, condition: Value, n: u8) -> Value {
    if is_all(b, mask) {
        return broadcast(b, condition, n);
    }
    let condition = broadcast(b, condition, n);
    b.op(Op::LogicalAnd, &[mask, condition])
}

/// The lanes of a mask in which a condition does not hold.
pub(super) fn and_not(b: &mut Builder<'_, '_>, mask: Value, condition: Value, n: u8) -> Value {
    let not = b.op(Op::LogicalNot, &[condition]);
    and(b, mask, not, n)
}

/// The value of a type that consists of these scalars, in the order of `planish_ir::meaning`.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub(super) fn assemble(b: &mut Builder<'_, '_>, ty: Type, scalars: &mut dyn Iterator<Item = Value>) -> Option<Value> {
    let count = match b.module.types[ty] {
        TypeKind::Matrix { columns, rows, .. } => u32::from(columns) * u32::from(rows),
        TypeKind::Scalar(_) => return scalars.next(),
        _ => b.module.types.part_count(ty)?,
    };
    let (op, inner) = match b.module.types[ty] {
        TypeKind::Vector(..) => (Op::ConstructVectorFromMultiple, false),
        TypeKind::Matrix { .. } => (Op::ConstructMatrixFromMultiple, false),
        TypeKind::Array { .. } => (Op::ConstructArray, true),
        TypeKind::Struct(_) => (Op::ConstructStruct, true),
        _ => return None,
    };
    let mut parts = Parts::new();
    for i in 0..count {
        let part = if inner { b.module.types.part(ty, i) } else { None };
        parts.push(match part {
            Some(part) => assemble(b, part, scalars)?,
            None => scalars.next()?,
        });
    }
    Some(b.make(Request::new(op, &parts).ty(ty)))
}

/// Appends the scalars of a value.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub(super) fn disassemble(b: &mut Builder<'_, '_>, value: Value, out: &mut Parts) -> Option<()> {
    let ty = b.type_of(value);
    if matches!(b.module.types[ty], TypeKind::Scalar(_)) {
        out.push(value);
        return Some(());
    }
    for i in 0..b.module.types.part_count(ty)? {
        let part = match b.module.types[ty] {
            TypeKind::Vector(..) => b.op_imm(Op::ExtractVectorComponent, Imm::index(i), &[value]),
            TypeKind::Struct(_) => b.op_imm(Op::ExtractStructField, Imm::index(i), &[value]),
            ref kind => {
                let is_matrix = matches!(kind, TypeKind::Matrix { .. });
                let op = if is_matrix { Op::ExtractMatrixColumn } else { Op::ExtractArrayElement };
                let index = b.i32(i as i32);
                b.op(op, &[value, index])
            }
        };
        disassemble(b, part, out)?;
    }
    Some(())
}

/// A type in every lane.
pub(super) fn type_in_lanes(b: &mut Builder<'_, '_>, scalar: Scalar, n: u8) -> Type {
    b.module.types.vector(scalar, n)
}
