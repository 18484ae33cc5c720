//! Composite values: making them and taking them apart. A value is the list of its scalars.

use planish_ir::builder::Builder;
use planish_ir::entity::{Type, Value};
use planish_ir::meaning;
use planish_ir::ops::{Imm, Op};
use planish_ir::types::{Scalar, TypeKind};
use smallvec::SmallVec;

use super::pointers::unsigned;
use crate::legalize::number;

/// The scalars of a value.
pub(crate) type Parts = SmallVec<[Value; 4]>;

/// A value with its type in the old module.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub(crate) ty: Type,
    pub(crate) parts: Parts,
}

/// The components of the result of a constructor. A component that is a vector has a value for every lane.
pub(crate) fn construct(b: &mut Builder<'_, '_>, op: Op, args: &[Typed], result: Type) -> Option<Parts> {
    if matches!(op, Op::ConstructStruct | Op::ConstructArray) {
        return Some(args.iter().flat_map(|a| a.parts.iter().copied()).collect());
    }
    let scalar = b.module.types.scalar_of(result)?;
    let to = b.module.types.scalar(scalar);
    if op == Op::ConstructMatrixFromMatrix {
        return matrix_from_matrix(b, &args[0], result, scalar);
    }
    let mut converted = Parts::new();
    for &part in args.iter().flat_map(|a| &a.parts) {
        let to = b.module.types.with_scalar(b.type_of(part), scalar);
        converted.push(b.convert(part, to));
    }
    let zero: Value = b.module.consts.bits(to, 0).into();
    Some(match (op, b.module.types[result].clone()) {
        (Op::ConstructVectorFromScalar, TypeKind::Vector(_, n)) => (0..n).map(|_| converted[0]).collect(),
        (Op::ConstructMatrixFromScalar, TypeKind::Matrix { columns, rows, .. }) => {
            let places = (0..columns).flat_map(|c| (0..rows).map(move |r| c == r));
            places.map(|diagonal| if diagonal { converted[0] } else { zero }).collect()
        }
        (_, TypeKind::Vector(_, n)) => converted[..n.into()].into(),
        (_, TypeKind::Matrix { columns, rows, .. }) => converted[..usize::from(columns) * usize::from(rows)].into(),
        _ => converted,
    })
}

fn matrix_from_matrix(b: &mut Builder<'_, '_>, from: &Typed, result: Type, scalar: Scalar) -> Option<Parts> {
    let (TypeKind::Matrix { columns: have_columns, rows: have_rows, .. }, TypeKind::Matrix { columns, rows, .. }) =
        (b.module.types[from.ty].clone(), b.module.types[result].clone())
    else {
        return None;
    };
    let mut out = Parts::new();
    for column in 0..columns {
        for row in 0..rows {
            let part = if column < have_columns && row < have_rows {
                from.parts[usize::from(column) * usize::from(have_rows) + usize::from(row)]
            } else {
                b.bool(column == row)
            };
            let to = b.module.types.with_scalar(b.type_of(part), scalar);
            out.push(b.convert(part, to));
        }
    }
    Some(out)
}

/// A part taken out of a value, or the value with a part put in.
pub(crate) fn part(b: &mut Builder<'_, '_>, op: Op, imm: Imm, args: &[Typed]) -> Option<Parts> {
    let whole = args.first()?;
    if op == Op::ExtractVectorComponentMulti {
        return Some(imm.as_lanes().iter().map(|l| whole.parts[l as usize]).collect());
    }
    let (index, inserted) = match op {
        Op::ExtractVectorComponent | Op::ExtractStructField => (None, None),
        Op::InsertVectorComponent | Op::InsertStructField => (None, Some(&args[1].parts)),
        Op::ExtractVectorComponentDynamic | Op::ExtractMatrixColumn | Op::ExtractArrayElement => {
            (Some(args[1].parts[0]), None)
        }
        _ => (Some(args[2].parts[0]), Some(&args[1].parts)),
    };
    let count = b.module.types.part_count(whole.ty)?;
    let known = match index {
        None => Some(imm.as_index()),
        Some(value) => {
            let bits = value.as_const().and_then(|c| b.module.consts.as_bits(c));
            bits.map(|bits| meaning::clamp_index(bits, count))
        }
    };
    match known {
        Some(index) => {
            let is_struct = matches!(b.module.types[whole.ty], TypeKind::Struct(_));
            let (start, size) = match is_struct {
                true => meaning::place(&b.module.types, whole.ty, index)?,
                false => {
                    let size = whole.parts.len() / count.max(1) as usize;
                    (index as usize * size, size)
                }
            };
            let mut parts = whole.parts.clone();
            match inserted {
                None => Some(parts[start..start + size].into()),
                Some(inserted) => {
                    parts[start..start + size].copy_from_slice(inserted);
                    Some(parts)
                }
            }
        }
        None => {
            let index = unsigned(b, index?);
            Some(match inserted {
                None => extract(b, whole, index, count),
                Some(inserted) => insert(b, whole, inserted, index, count),
            })
        }
    }
}

/// `count - 1` represents all indices from there on.
fn is_at(b: &mut Builder<'_, '_>, index: Value, at: u32, count: u32) -> Value {
    let place = number(b, b.type_of(index), at as i32);
    let op = if at + 1 == count { Op::GreaterThanEqual } else { Op::Equal };
    b.op(op, &[index, place])
}

fn extract(b: &mut Builder<'_, '_>, whole: &Typed, index: Value, count: u32) -> Parts {
    let size = whole.parts.len() / count.max(1) as usize;
    let mut out: Parts = whole.parts[..size].into();
    for at in 1..count {
        let here = is_at(b, index, at, count);
        for (i, value) in out.iter_mut().enumerate() {
            *value = b.op(Op::Select, &[here, whole.parts[at as usize * size + i], *value]);
        }
    }
    out
}

fn insert(b: &mut Builder<'_, '_>, whole: &Typed, inserted: &Parts, index: Value, count: u32) -> Parts {
    let size = inserted.len();
    let mut out = whole.parts.clone();
    for at in 0..count {
        let here = is_at(b, index, at, count);
        for (i, &value) in inserted.iter().enumerate() {
            let place = at as usize * size + i;
            out[place] = b.op(Op::Select, &[here, value, out[place]]);
        }
    }
    out
}
