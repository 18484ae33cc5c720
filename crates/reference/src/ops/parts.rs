//! Constructors, extractions and insertions.

use planish_ir::entity::Type;
use planish_ir::ops::{Imm, Lanes, Op};
use planish_ir::types::{Scalar, TypeKind, Types};

use super::convert::convert;
use super::word;
use crate::value::{Value, composite};

/// The components of a swizzle; a single one is a scalar.
pub(crate) fn swizzle(vector: &Value, lanes: Lanes) -> Option<Value> {
    let chosen = lanes.iter().map(|lane| vector.parts().get(usize::from(lane)).cloned()).collect::<Option<Vec<_>>>()?;
    Some(if let [one] = &chosen[..] { one.clone() } else { composite(chosen) })
}

/// An index is unsigned, and clamped to the last of `count` parts.
pub(crate) fn clamp_index(index: &Value, count: usize) -> usize {
    word(index).min(count.saturating_sub(1) as u64) as usize
}

/// A value of a type from parts or by conversion.
pub(super) fn construct(types: &Types, op: Op, args: &[Value], ty: Type) -> Option<Value> {
    match op {
        Op::ConstructStruct | Op::ConstructArray => return Some(composite(args.iter().cloned())),
        Op::Bitcast => {
            let mut words = Vec::new();
            args[0].words(&mut words);
            return Value::from_words(types, ty, &mut words.iter());
        }
        _ => {}
    }
    let to = types.scalar_of(ty)?;
    let mut leaves = Vec::new();
    args.iter().for_each(|arg| arg.leaves(&mut leaves));
    let leaves = leaves.iter().map(|leaf| convert(leaf, to)).collect::<Option<Vec<_>>>()?;
    match (op, &types[ty]) {
        (Op::ConstructScalarFromScalar, _) => leaves.first().cloned(),
        (Op::ConstructVectorFromScalar, &TypeKind::Vector(_, size)) => {
            Some(composite(vec![leaves.first()?.clone(); size.into()]))
        }
        (Op::ConstructVectorFromMultiple, &TypeKind::Vector(_, size)) => {
            Some(composite(leaves.get(..size.into())?.to_vec()))
        }
        (_, &TypeKind::Matrix { columns, rows, .. }) => {
            let given = args.first()?.parts();
            let element = |column: usize, row: usize| match op {
                Op::ConstructMatrixFromScalar if column == row => leaves.first().cloned(),
                Op::ConstructMatrixFromScalar => convert(&Value::Bool(false), to),
                Op::ConstructMatrixFromMatrix => match given.get(column).and_then(|given| given.parts().get(row)) {
                    Some(element) => convert(element, to),
                    None => convert(&Value::Bool(column == row), to),
                },
                _ => leaves.get(column * usize::from(rows) + row).cloned(),
            };
            let column =
                |c: u8| Some(composite((0..rows).map(|r| element(c.into(), r.into())).collect::<Option<Vec<_>>>()?));
            Some(composite((0..columns).map(column).collect::<Option<Vec<_>>>()?))
        }
        _ => None,
    }
}

/// A part of a value, or the value with one part replaced.
pub(super) fn extract(op: Op, imm: Imm, args: &[Value]) -> Option<Value> {
    let parts = args.first()?.parts();
    let constant = imm.as_index() as usize;
    let replaced = |index: usize| {
        let mut parts = parts.to_vec();
        *parts.get_mut(index)? = args[1].clone();
        Some(composite(parts))
    };
    match op {
        Op::ExtractVectorComponent | Op::ExtractStructField => parts.get(constant).cloned(),
        Op::ExtractVectorComponentMulti => swizzle(&args[0], imm.as_lanes()),
        Op::ExtractVectorComponentDynamic | Op::ExtractMatrixColumn | Op::ExtractArrayElement => {
            parts.get(clamp_index(&args[1], parts.len())).cloned()
        }
        Op::InsertVectorComponent | Op::InsertStructField => replaced(constant),
        Op::InsertVectorComponentDynamic | Op::InsertMatrixColumn | Op::InsertArrayElement => {
            replaced(clamp_index(&args[2], parts.len()))
        }
        _ => None,
    }
}

/// The scalar type of an extracted lane.
pub(super) fn scalar_of(types: &Types, ty: Type) -> Option<Scalar> {
    if let TypeKind::Scalar(scalar) = types[ty] { Some(scalar) } else { None }
}
