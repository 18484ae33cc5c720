//! Nodes whose operands or results are vectors of 128 bits.

use planish_back_text::tree::{Expr, ExprKind};
use planish_ir::constant::ConstValue;
use planish_ir::entity::{Node, Value};
use planish_ir::ops::{LaneShape, Op};
use planish_ir::types::{Scalar, TypeKind};

use crate::dialect::Lower;
use crate::lanes;
use crate::ops::{bits_of, canonical};

/// The expression of an op on vectors; `None` if C has none.
pub(crate) fn expression(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let (data, args) = (*l.body.node(node), l.body.args(node));
    let shape = data.imm.as_shape();
    let mut e: Vec<Expr> = Vec::new();
    for &arg in args {
        let operand = l.operand(arg);
        e.push(if is_seen(l, node) { canonical(l, arg, operand) } else { operand });
    }
    let name = match data.op {
        Op::SimdLow => {
            let scalar = l.w.scalar(l.type_of(args[0]))?;
            let (bits, word) = bits_of(l, scalar, e[0]);
            e[0] = bits;
            if word == Scalar::U64 { "v128_low_u64" } else { "v128_low_u32" }
        }
        op => lanes::name(op, shape)?,
    };
    if matches!(data.op, Op::SimdExtract | Op::SimdInsert) {
        e.push(l.w.tree.add(ExprKind::Int(data.imm.as_lane().into())));
    }
    let value = l.w.helper(name, &e);
    if !is_seen(l, node) || !crate::seen::computes_floats(data.op, shape) {
        return Some(value);
    }
    let name = if is_of_doubles(data.op, shape) { "canonical_f64x2" } else { "canonical_f32x4" };
    Some(l.w.helper(name, &[value]))
}

/// Whether the results of an op that computes floats are doubles.
fn is_of_doubles(op: Op, shape: LaneShape) -> bool {
    op == Op::SimdPromote || op != Op::SimdDemote && shape == LaneShape::F64x2
}

/// Whether the bits of a vector that a node makes are seen.
fn is_seen(l: &Lower<'_, '_>, node: Node) -> bool {
    let Some(result) = l.body.result(node) else { return false };
    l.w.seen.has(l.func, Value::from(result))
}

/// A vector as a constant.
pub(crate) fn constant(l: &mut crate::writer::Writer<'_>, bits: u128) -> Expr {
    let halves = [bits as u64, (bits >> 64) as u64].map(|half| l.fixed(&format!("UINT64_C({half:#x})")));
    l.helper("v128_of", &halves)
}

/// Whether a value is a vector.
pub(crate) fn is_vector(kind: &TypeKind) -> bool {
    matches!(kind, TypeKind::V128)
}

/// The bits of a constant vector.
pub(crate) fn bits(value: &ConstValue) -> u128 {
    match value {
        ConstValue::Wide(bits) => *bits,
        ConstValue::Bits(bits) => (*bits).into(),
        ConstValue::Composite(_) | ConstValue::Null => 0,
    }
}
