//! Type rules of ops whose result type does not follow from the operands, so that it is given: conversions, constructors, loads
//! from byte memory.

use super::rules::{Domain, Rule, TypeError, error, expect, is_reference, take};
use super::{Imm, Width};
use crate::entity::Type;
use crate::types::{Scalar, TypeKind, Types};

/// Why a wanted result type does not fit, for rules whose result does not follow from the operands.
pub(super) fn check_explicit(
    types: &mut Types,
    rule: Rule,
    imm: Imm,
    operands: &[Type],
    ty: Type,
) -> Result<(), TypeError> {
    let result = types[ty].clone();
    match rule {
        Rule::ConvertScalar => {
            let [from] = take(operands)?;
            let ok = matches!((&types[from], &result), (TypeKind::Scalar(_), TypeKind::Scalar(_)));
            expect(ok, "converts scalars to scalars")
        }
        Rule::Splat => {
            let [from] = take(operands)?;
            let ok = matches!((&types[from], &result), (TypeKind::Scalar(_), TypeKind::Vector(..)));
            expect(ok, "makes a vector of a scalar")
        }
        Rule::MatrixFromScalar => {
            let [from] = take(operands)?;
            let ok = matches!((&types[from], &result), (TypeKind::Scalar(_), TypeKind::Matrix { .. }));
            expect(ok, "makes a matrix of a scalar")
        }
        Rule::MatrixFromMatrix => {
            let [from] = take(operands)?;
            let ok = matches!((&types[from], &result), (TypeKind::Matrix { .. }, TypeKind::Matrix { .. }));
            expect(ok, "makes a matrix of a matrix")
        }
        Rule::VectorFromParts | Rule::MatrixFromParts => {
            let mut have = 0;
            for &t in operands {
                have += match types[t] {
                    TypeKind::Scalar(_) => 1,
                    TypeKind::Vector(_, n) => n as u32,
                    TypeKind::Matrix { columns, rows, .. } => columns as u32 * rows as u32,
                    _ => return error("composites are made of scalars, vectors and matrices"),
                };
            }
            match result {
                TypeKind::Vector(_, n) if rule_is_vector(rule) => expect(have >= n.into(), "too few components"),
                TypeKind::Matrix { columns, rows, .. } if !rule_is_vector(rule) => {
                    expect(have >= columns as u32 * rows as u32, "too few components")
                }
                _ => error("the result has the wrong type"),
            }
        }
        Rule::StructFromParts | Rule::ArrayFromParts => {
            let fits = match result {
                TypeKind::Struct(_) => matches!(rule, Rule::StructFromParts),
                TypeKind::Array { .. } => matches!(rule, Rule::ArrayFromParts),
                _ => false,
            };
            expect(fits, "the result has the wrong type")?;
            expect(types.part_count(ty) == Some(operands.len() as u32), "wrong number of parts")?;
            for (i, &operand) in operands.iter().enumerate() {
                expect(types.part(ty, i as u32) == Some(operand), "a part has the wrong type")?;
            }
            Ok(())
        }
        Rule::Bitcast => {
            let [from] = take(operands)?;
            let (a, b) = (types.scalar_of(from), types.scalar_of(ty));
            let ok = types.vector_size(from).is_some()
                && types.vector_size(from) == types.vector_size(ty)
                && matches!((a, b), (Some(a), Some(b)) if a.bits() == b.bits() && a.bits() > 1);
            expect(ok, "needs the same shape and width")
        }
        Rule::TruncateTrapping => {
            let [from] = take(operands)?;
            let ok = match (&types[from], &result) {
                (TypeKind::Scalar(a), kind) => {
                    a.is_float() && matches!(kind, TypeKind::Scalar(_)) && Domain::WORD.contains(kind)
                }
                _ => false,
            };
            expect(ok, "truncates a float to an integer")
        }
        Rule::ReferenceLoad => {
            let &[address] = operands else { return error("takes an address") };
            check_reference(types, address, ty, imm)
        }
        Rule::MemoryLoad => {
            expect(operands == [Type::I32], "the address must be i32")?;
            check_memory_access(types, imm, ty)
        }
        Rule::TableGet => {
            expect(operands == [Type::I32], "the index must be i32")?;
            expect(is_reference(types, ty), "tables hold references")
        }
        _ => error("the rule has no explicit type"),
    }
}

fn rule_is_vector(rule: Rule) -> bool {
    matches!(rule, Rule::VectorFromParts)
}

/// The result of a store or atomic op by an address.
pub(super) fn reference_result(types: &Types, rule: Rule, operands: &[Type], imm: Imm) -> Result<Type, TypeError> {
    let Rule::ReferenceAtomic(count) = rule else {
        let [address, value] = take(operands)?;
        return check_reference(types, address, value, imm).map(|()| Type::VOID);
    };
    let Some((&address, values)) = operands.split_first() else { return error("the address is missing") };
    let Some(&first) = values.first() else { return error("a value is missing") };
    expect(values.len() == usize::from(count) && values.iter().all(|&ty| ty == first), "takes equal types")?;
    check_reference(types, address, first, Imm::index(1))?;
    expect(matches!(types[first], TypeKind::Scalar(_)), "works on one number")?;
    Ok(first)
}

/// Checks an access of a number or vector by an address.
fn check_reference(types: &Types, address: Type, value: Type, imm: Imm) -> Result<(), TypeError> {
    expect(types[address] == TypeKind::Scalar(Scalar::U64), "the address must be u64")?;
    let is_number = match types[value] {
        TypeKind::Scalar(scalar) => scalar != Scalar::Bool,
        TypeKind::Vector(scalar, size) => scalar != Scalar::Bool && size <= 4,
        _ => false,
    };
    expect(is_number, "an address is of a number or vector")?;
    expect(imm.as_index().is_power_of_two(), "the alignment must be a power of two")
}

pub(super) fn check_memory_access(types: &Types, imm: Imm, ty: Type) -> Result<(), TypeError> {
    let width = imm.as_mem_arg().width;
    let ok = match types[ty] {
        TypeKind::Scalar(s) if s.is_integer() && !s.is_small_integer() => width.bytes() * 8 <= s.bits(),
        TypeKind::Scalar(s) if s.is_float() => Width::of(s) == Some(width),
        TypeKind::V128 => width == Width::B128,
        _ => false,
    };
    expect(ok, "the access width does not fit the type")
}
