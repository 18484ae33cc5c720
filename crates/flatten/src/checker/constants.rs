//! Fold: compile-time constants.

use planish_ir::entity::Node;
use planish_ir::meaning::{Operand, evaluate};
use planish_ir::ops::{Class, Op};
use planish_ir::types::Scalar;

use super::view::{Expr, View, float, is_zero};

/// Maximum number of parts of a constant that is changed part by part, which costs its size for each.
const MAX_PARTS: usize = 64;

/// A pure op on constants is a constant, unless it traps or its result has no bits.
pub(super) fn constant_operands(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    let result = view.result(node)?;
    let args: Vec<_> = expr.args.iter().map(|a| a.as_const()).collect::<Option<_>>()?;
    if !expr.op.is_pure() || args.is_empty() {
        return None;
    }
    let consts = &view.module.consts;
    let known = match expr.op.info().class {
        // Moves existing parts only.
        Class::Extract => consts.as_parts(args[0]).is_some_and(|p| p.len() <= MAX_PARTS),
        Class::Construct if matches!(expr.op, Op::ConstructArray | Op::ConstructStruct) => true,
        _ => {
            let mut bits = vec![Vec::new(); args.len()];
            let all = args.iter().zip(&mut bits).all(|(&c, bits)| consts.flatten(c, bits));
            let operand = |(c, bits)| Operand { ty: consts[c].ty, bits };
            let operands: Vec<_> = args.iter().copied().zip(bits.iter().map(Vec::as_slice)).map(operand).collect();
            let types = &view.module.types;
            all && evaluate(types, expr.op, expr.imm, &operands, view.type_of(result), &mut Vec::new()).is_ok()
        }
    };
    known.then(|| format!("`{}` could be a constant", view.show_node(node, 0)))
}

/// A conversion or bitcast to the same type, and a vector of one vector of that type, are the value.
pub(super) fn own_type(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    let (result, &[x]) = (view.result(node)?, expr.args) else { return None };
    let converts = matches!(
        expr.op,
        Op::ConstructScalarFromScalar
            | Op::Bitcast
            | Op::ConstructVectorFromMultiple
            | Op::ConstructMatrixFromMatrix
            | Op::ConstructMatrixFromMultiple
    );
    let same = converts && view.type_of(x) == view.type_of(result);
    same.then(|| format!("`{}` could be `{}`", view.show_node(node, 0), view.show(x)))
}

/// `x / c` is `x * (1 / c)`: exact where `c` is a power of two, with laws wherever no component of `1 / c` is infinite,
/// subnormal or NaN.
pub(super) fn divide_by_constant(view: &View<'_>, node: Node) -> Option<String> {
    let Expr { op: Op::Divide, args: &[_, c], .. } = view.expr(node) else { return None };
    let is_fine = |scalar: Scalar, bits: u64| match float(scalar, bits) {
        Some(c) => is_normal(scalar, c) && is_normal(scalar, 1.0 / c) && (view.is_fast(node) || is_power_of_two(c)),
        None => false,
    };
    view.every_lane(c, is_fine).then(|| format!("`{}` could be a multiplication", view.show_node(node, 0)))
}

/// `lerp(a, b, 0)` is `a`, `lerp(a, b, 1)` is `b`, `lerp(a, a, t)` is `a`, and so of `mix`: with laws, since an
/// infinite or NaN operand is dropped.
pub(super) fn lerp_selector(view: &View<'_>, node: Node) -> Option<String> {
    let Expr { op: Op::Lerp | Op::Mix, args: &[a, b, t], .. } = view.expr(node) else { return None };
    let chosen = match () {
        () if !view.is_fast(node) => return None,
        () if view.is_zero(t) || a == b => a,
        () if view.is(t, 1.0) => b,
        () => return None,
    };
    Some(format!("`{}` could be `{}`", view.show_node(node, 0), view.show(chosen)))
}

/// A component of a constructor that is multiplied by a constant zero is dead: integers always, floats with laws. Only
/// if the constructor has no other user.
pub(super) fn zero_lane(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    if !matches!(expr.op, Op::Multiply | Op::MultiplyAdd) || !view.regroups(node) {
        return None;
    }
    let (vector, constant) = match (view.bits(expr.args[0]), view.bits(expr.args[1])) {
        (None, Some(bits)) => (expr.args[0], bits),
        (Some(bits), None) => (expr.args[1], bits),
        _ => return None,
    };
    let scalar = view.scalar_of(vector)?;
    let parts = view.definition_with(vector, Op::ConstructVectorFromMultiple).filter(|_| view.once(vector))?;
    if parts.args.len() != constant.len() {
        return None;
    }
    let dead = parts.args.iter().zip(&constant).find(|&(part, &c)| is_zero(scalar, c) && part.as_const().is_none());
    let (part, _) = dead?;
    Some(format!("`{}` is multiplied by 0 in `{}`", view.show(*part), view.show_deep(node)))
}

/// A part of an array, struct or matrix that was constructed or inserted is that part.
pub(super) fn part_of_aggregate(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    let whole = view.definition(*expr.args.first()?)?;
    let index = match expr.op {
        Op::ExtractStructField => u64::from(expr.imm.as_index()),
        Op::ExtractArrayElement | Op::ExtractMatrixColumn => view.bits(expr.args[1])?[0],
        _ => return None,
    };
    let part = match whole.op {
        Op::ConstructStruct | Op::ConstructArray => whole.args.get(usize::try_from(index).ok()?).copied(),
        Op::ConstructMatrixFromMultiple => {
            let column = view.type_of(view.result(node)?);
            let columns = whole.args.iter().all(|&a| view.type_of(a) == column);
            columns.then(|| whole.args.get(usize::try_from(index).ok()?).copied()).flatten()
        }
        Op::InsertStructField => Some(whole.args[usize::from(u64::from(whole.imm.as_index()) == index)]),
        Op::InsertArrayElement | Op::InsertMatrixColumn => {
            let other = view.bits(whole.args[2])?[0];
            let count = u64::from(view.module.types.part_count(view.type_of(whole.args[0]))?);
            (index < count && other < count).then(|| whole.args[usize::from(other == index)])
        }
        _ => None,
    }?;
    let of = if view.type_of(part) == view.type_of(view.result(node)?) { "" } else { "a part of " };
    Some(format!("`{}` could be {of}`{}`", view.show_deep(node), view.show(part)))
}

/// Whether a number is neither zero, subnormal, infinite nor NaN in a float type.
pub(super) fn is_normal(scalar: Scalar, number: f64) -> bool {
    if scalar == Scalar::F32 { (number as f32).is_normal() } else { number.is_normal() }
}

fn is_power_of_two(number: f64) -> bool {
    // The significand is zero but for its implicit bit.
    number.to_bits() << 12 == 0
}
