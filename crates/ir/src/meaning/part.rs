//! Construction of composites, and parts taken out of them and put in.

use super::convert::convert;
use super::{Fault, Operand, Shape};
use crate::entity::Type;
use crate::ops::{Imm, Op};
use crate::types::{Scalar, TypeKind, Types};

/// A constructor. `result` is the type of what is made.
pub(super) fn construct(
    types: &Types,
    op: Op,
    args: &[Operand<'_>],
    result: Type,
    out: &mut Vec<u64>,
) -> Result<(), Fault> {
    match op {
        Op::ConstructStruct | Op::ConstructArray => args.iter().for_each(|a| out.extend_from_slice(a.bits)),
        Op::ConstructMatrixFromMatrix => return matrix_from_matrix(types, args, result, out),
        _ => {
            let to = types.scalar_of(result).ok_or(Fault::NoMeaning)?;
            let size = types.components(result).ok_or(Fault::NoMeaning)?;
            let mut converted = Vec::with_capacity(size);
            for arg in args {
                let from = types.scalar_of(arg.ty).ok_or(Fault::NoMeaning)?;
                converted.extend(arg.bits.iter().map(|&b| convert(b, from, to)));
            }
            match (op, &types[result]) {
                (Op::ConstructVectorFromScalar, _) => out.extend(std::iter::repeat_n(converted[0], size)),
                (Op::ConstructMatrixFromScalar, &TypeKind::Matrix { columns, rows, .. }) => {
                    out.extend(
                        (0..columns)
                            .flat_map(|c| (0..rows).map(move |r| (c, r)))
                            .map(|(c, r)| if c == r { converted[0] } else { 0 }),
                    );
                }
                _ => out.extend_from_slice(converted.get(..size).ok_or(Fault::NoMeaning)?),
            }
        }
    }
    Ok(())
}

/// The part that both have, the identity elsewhere.
fn matrix_from_matrix(types: &Types, args: &[Operand<'_>], result: Type, out: &mut Vec<u64>) -> Result<(), Fault> {
    let (
        &TypeKind::Matrix { scalar: from, columns: have_columns, rows: have_rows },
        &TypeKind::Matrix { scalar: to, columns, rows },
    ) = (&types[args[0].ty], &types[result])
    else {
        return Err(Fault::NoMeaning);
    };
    for column in 0..columns {
        for row in 0..rows {
            out.push(if column < have_columns && row < have_rows {
                convert(args[0].bits[column as usize * have_rows as usize + row as usize], from, to)
            } else {
                convert((column == row) as u64, Scalar::Bool, to)
            });
        }
    }
    Ok(())
}

/// Index of the first component of part `index` of a composite, and number of components of the part; `None` if there
/// is no such part.
pub fn place(types: &Types, composite: Type, index: u32) -> Option<(usize, usize)> {
    match &types[composite] {
        TypeKind::Struct(s) => {
            let mut start = 0;
            for member in s.members.get(..index as usize)? {
                start += types.components(member.ty)?;
            }
            Some((start, types.components(s.members.get(index as usize)?.ty)?))
        }
        _ => {
            let size = part_size(types, composite)?;
            Some((index as usize * size, size))
        }
    }
}

/// Components of one component, column or element of a vector, matrix or array.
fn part_size(types: &Types, composite: Type) -> Option<usize> {
    match types[composite] {
        TypeKind::Vector(..) => Some(1),
        TypeKind::Matrix { rows, .. } => Some(rows.into()),
        TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } => types.components(element),
        _ => None,
    }
}

/// A dynamic index, clamped to `count` parts: it counts as unsigned, so that a negative one gives the last part.
pub fn clamp_index(bits: u64, count: u32) -> u32 {
    bits.min(count.saturating_sub(1).into()) as u32
}

/// An op that takes a part out of a value or puts one in.
pub(super) fn part(types: &Types, op: Op, imm: Imm, args: &[Operand<'_>], out: &mut Vec<u64>) -> Result<(), Fault> {
    let composite = args.first().ok_or(Fault::NoMeaning)?;
    let count = types.part_count(composite.ty).ok_or(Fault::NoMeaning)?;
    let index = match op {
        Op::ExtractVectorComponentMulti => {
            out.extend(imm.as_lanes().iter().map(|lane| composite.bits[lane as usize]));
            return Ok(());
        }
        Op::ExtractVectorComponent | Op::ExtractStructField | Op::InsertVectorComponent | Op::InsertStructField => {
            imm.as_index()
        }
        Op::ExtractVectorComponentDynamic | Op::ExtractMatrixColumn | Op::ExtractArrayElement => {
            clamp_index(args[1].bits[0], count)
        }
        Op::InsertVectorComponentDynamic | Op::InsertMatrixColumn | Op::InsertArrayElement => {
            clamp_index(args[2].bits[0], count)
        }
        _ => return Err(Fault::NoMeaning),
    };
    let (start, size) = place(types, composite.ty, index).ok_or(Fault::NoMeaning)?;
    if matches!(
        op,
        Op::ExtractVectorComponent
            | Op::ExtractStructField
            | Op::ExtractVectorComponentDynamic
            | Op::ExtractMatrixColumn
            | Op::ExtractArrayElement
    ) {
        out.extend_from_slice(&composite.bits[start..start + size]);
    } else {
        out.extend_from_slice(&composite.bits[..start]);
        out.extend_from_slice(args[1].bits);
        out.extend_from_slice(&composite.bits[start + size..]);
    }
    Ok(())
}
