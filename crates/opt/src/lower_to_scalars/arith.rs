//! Ops on values that are given by their scalars: componentwise, or as geometry, by the expansions of [`crate::legalize`].

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Type, Value};
use planish_ir::meaning;
use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};

use super::values::{Parts, Typed};
use crate::legalize::Legalizer;

/// A componentwise op: on each component, where a scalar counts for all.
pub(super) fn componentwise(
    l: &mut Legalizer<'_>,
    b: &mut Builder<'_, '_>,
    op: Op,
    args: &[Typed],
    result: Type,
) -> Option<Parts> {
    let op = match op {
        Op::MatrixTimesScalar | Op::MatrixComponentMultiply => Op::Multiply,
        other => other,
    };
    let count = args.iter().map(|a| a.parts.len()).max()?;
    let ty = match b.module.types.scalar_of(result) {
        Some(scalar) => b.module.types.scalar(scalar),
        None => result,
    };
    let mut out = Parts::new();
    for i in 0..count {
        let mut one: Parts = args.iter().map(|a| if a.parts.len() == 1 { a.parts[0] } else { a.parts[i] }).collect();
        if matches!(op, Op::ShiftLeft | Op::ShiftRight | Op::RotateLeft | Op::RotateRight)
            && matches!(b.module.types[b.type_of(one[0])], TypeKind::Scalar(_))
        {
            one[1] = b.convert(one[1], b.type_of(one[0]));
        }
        out.extend(l.legalize(b, Request::new(op, &one).ty(ty))?);
    }
    Some(out)
}

/// Ops with two results, all first ones before the second ones.
pub(super) fn pairs(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, op: Op, args: &[Typed]) -> Option<[Parts; 2]> {
    let mut out = [Parts::new(), Parts::new()];
    for i in 0..args[0].parts.len() {
        let one: Parts = args.iter().map(|a| a.parts[i]).collect();
        let pair = l.legalize(b, Request::new(op, &one))?;
        out[0].push(pair[0]);
        out[1].push(pair[1]);
    }
    Some(out)
}

/// Any, all, and equality of composites: from the first component on.
pub(crate) fn reduce(b: &mut Builder<'_, '_>, op: Op, args: &[Typed]) -> Option<Value> {
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

/// Whether an op is the same on every component.
pub(crate) fn is_componentwise(op: Op, scalar: Option<Scalar>) -> bool {
    matches!(op, Op::Bitcast | Op::ConstructScalarFromScalar | Op::DivideTrapping | Op::RemainderTrapping)
        || op == Op::TruncateTrapping
        || meaning::kernel(op, scalar.unwrap_or(Scalar::Bool)).is_some()
}
