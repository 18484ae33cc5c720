//! Types of ops on subgroups.

use super::rules::{Domain, Rule, TypeError, expect, in_domain, take};
use crate::entity::Type;
use crate::types::{Scalar, Types};

/// Refuses operands that no op on subgroups takes.
pub(super) fn check_subgroup(types: &Types, operands: &[Type]) -> Result<(), TypeError> {
    let is_small = |ty: &Type| types.scalar_of(*ty).is_some_and(Scalar::is_small_integer);
    expect(!operands.iter().any(is_small), "ops on subgroups take integers of 32 and 64 bits")
}

/// The result of an op that moves or compares values.
pub(super) fn infer_subgroup(types: &Types, rule: Rule, operands: &[Type]) -> Result<Type, TypeError> {
    let any = Domain::FLOAT.or(Domain::INTEGER).or(Domain::BOOL);
    if let Rule::SubgroupMove = rule {
        let [value, index] = take(operands)?;
        in_domain(types, any, value)?;
        expect(index == Type::U32, "the number of the invocation must be u32")?;
        return Ok(value);
    }
    let [value] = take(operands)?;
    in_domain(types, any, value)?;
    Ok(Type::BOOL)
}
