//! Fold: identities of numbers, bits and booleans, and negations that can be absorbed.
//!
//! Without laws of real numbers only exact identities count: `x - 0.0` is `x` for every `x`, but `x + 0.0` is not,
//! since it turns `-0.0` into `0.0`.

use planish_ir::entity::{Node, Value};
use planish_ir::ops::Op;
use planish_ir::types::Scalar;

use super::view::{Expr, View};

/// `x + 0`, `0 + x` and `x - 0`: integers always; floats exactly for `x + -0.0` and `x - 0.0`, with laws for any zero.
pub(super) fn add_zero(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    let neutral = |value| {
        let zero = if expr.op == Op::Add { -0.0 } else { 0.0 };
        is_neutral(view, node, value, zero) || view.is_fast(node) && view.is_zero(value)
    };
    match (expr.op, expr.args) {
        (Op::Add | Op::Subtract, &[x, zero]) if neutral(zero) => becomes(view, node, x),
        (Op::Add, &[zero, x]) if neutral(zero) => becomes(view, node, x),
        _ => None,
    }
}

/// `0 - x` is `-x`: integers always; floats exactly for `-0.0 - x`, with laws for any zero.
pub(super) fn zero_minus(view: &View<'_>, node: Node) -> Option<String> {
    let Expr { op: Op::Subtract, args: &[zero, x], .. } = view.expr(node) else { return None };
    let is = is_neutral(view, node, zero, -0.0) || view.is_fast(node) && view.is_zero(zero);
    is.then(|| format!("`{}` could be `-{}`", view.show_deep(node), view.show(x)))
}

/// `x * 1` and `x / 1` are `x`, always; also a matrix times 1.
pub(super) fn multiply_one(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    let one = |value| is_neutral(view, node, value, 1.0);
    match (expr.op, expr.args) {
        (Op::Multiply | Op::Divide | Op::MatrixTimesScalar, &[x, c]) if one(c) => becomes(view, node, x),
        (Op::Multiply, &[c, x]) if one(c) => becomes(view, node, x),
        _ => None,
    }
}

/// `x * -1` and `x / -1` are `-x`, except for unsigned integers.
pub(super) fn multiply_minus_one(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    let is_signed = view.lane_type(node).is_some_and(|s| s.is_float() || s.is_signed());
    let minus_one = |value| is_signed && is_neutral(view, node, value, -1.0);
    let x = match (expr.op, expr.args) {
        (Op::Multiply | Op::Divide, &[x, c]) if minus_one(c) => x,
        (Op::Multiply, &[c, x]) if minus_one(c) => x,
        _ => return None,
    };
    Some(format!("`{}` could be `-{}`", view.show_deep(node), view.show(x)))
}

/// `x * 0` and `0 / x` are 0: integers always, floats with laws, which ignore infinities and NaN.
pub(super) fn multiply_zero(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    let zero = match (expr.op, expr.args) {
        (Op::Multiply, &[a, b]) => view.is_zero(a) || view.is_zero(b),
        (Op::Divide | Op::Remainder, &[a, _]) => view.is_zero(a),
        _ => return None,
    };
    (zero && view.regroups(node)).then(|| format!("`{}` could be 0", view.show_deep(node)))
}

/// `x - x` is 0 and `x / x` is 1: integers the first always, floats both with laws.
pub(super) fn subtract_itself(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    let [x, y] = *expr.args else { return None };
    let number = match expr.op {
        Op::Subtract if view.regroups(node) => 0,
        Op::Divide if view.is_fast(node) && view.scalar_of(x).is_some_and(Scalar::is_float) => 1,
        _ => return None,
    };
    (x == y).then(|| format!("`{}` could be {number}", view.show_deep(node)))
}

/// A `multiply_add` with a factor 1, a factor 0 or an addend 0 is a sum, the addend or a product, under the conditions
/// of `x * 1`, `x * 0` and `x + 0`.
pub(super) fn multiply_add_identity(view: &View<'_>, node: Node) -> Option<String> {
    let Expr { op: Op::MultiplyAdd, args: &[a, b, c], .. } = view.expr(node) else { return None };
    let nothing = is_neutral(view, node, c, -0.0) || view.is_fast(node) && view.is_zero(c);
    let better = match () {
        () if is_neutral(view, node, a, 1.0) => format!("{} + {}", view.show(b), view.show(c)),
        () if is_neutral(view, node, b, 1.0) => format!("{} + {}", view.show(a), view.show(c)),
        () if view.regroups(node) && (view.is_zero(a) || view.is_zero(b)) => view.show(c),
        () if nothing => format!("{} * {}", view.show(a), view.show(b)),
        () => return None,
    };
    Some(format!("`{}` could be `{better}`", view.show_deep(node)))
}

/// Integers: `x & 0`, `x & ~0`, `x | 0`, `x | ~0`, `x ^ 0`, a shift by 0, and `x & x`, `x | x`, `x ^ x`.
pub(super) fn bits_identity(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    let [x, y] = *expr.args else { return None };
    let ones =
        |value| view.every_lane(value, |scalar, bits| scalar.is_integer() && bits == u64::MAX >> (64 - scalar.bits()));
    let with = |test: &dyn Fn(Value) -> bool| if test(y) { Some(x) } else { test(x).then_some(y) };
    let zero = |value| view.is_zero(value);
    let decided = match expr.op {
        Op::BitwiseAnd if with(&zero).is_some() => "0".to_owned(),
        Op::BitwiseOr if with(&ones).is_some() => "~0".to_owned(),
        Op::BitwiseXor if x == y => "0".to_owned(),
        Op::BitwiseAnd | Op::BitwiseOr if x == y => return becomes(view, node, x),
        Op::BitwiseAnd => return becomes(view, node, with(&ones)?),
        Op::BitwiseOr | Op::BitwiseXor => return becomes(view, node, with(&zero)?),
        Op::ShiftLeft | Op::ShiftRight if zero(y) => return becomes(view, node, x),
        _ => return None,
    };
    Some(format!("`{}` could be {decided}", view.show_deep(node)))
}

/// Booleans: `x && true`, `x && false`, `x || true`, `x || false`, `x ^^ false`, `x && x`, `x || x`, `x && !x`, `x || !x`.
pub(super) fn logic_identity(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    let neutral = match expr.op {
        Op::LogicalAnd => 1.0,
        Op::LogicalOr | Op::LogicalXor => 0.0,
        _ => return None,
    };
    let [x, y] = *expr.args else { return None };
    let is_not = |a, b| view.definition_with(a, Op::LogicalNot).is_some_and(|n| n.args[0] == b);
    let absorbs = |v| expr.op != Op::LogicalXor && view.is(v, 1.0 - neutral);
    match () {
        () if view.is(y, neutral) => becomes(view, node, x),
        () if view.is(x, neutral) => becomes(view, node, y),
        () if x == y && expr.op != Op::LogicalXor => becomes(view, node, x),
        () if absorbs(x) || absorbs(y) || x == y || is_not(x, y) || is_not(y, x) => {
            Some(format!("`{}` could be a constant", view.show_deep(node)))
        }
        () => None,
    }
}

/// `-(-x)`, `!!x` and `~~x` are `x`.
pub(super) fn double_negation(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    if !matches!(expr.op, Op::Negate | Op::LogicalNot | Op::BitwiseNot) {
        return None;
    }
    let inner = view.definition_with(expr.args[0], expr.op)?;
    becomes(view, node, inner.args[0])
}

/// `!(x == y)` is `x != y`; `!(x < y)` is `x >= y` for integers, and for floats with laws, which ignore NaN. Only if
/// the comparison has no other user: otherwise both would be computed.
pub(super) fn negated_comparison(view: &View<'_>, node: Node) -> Option<String> {
    let Expr { op: Op::LogicalNot, args: &[compared], .. } = view.expr(node) else { return None };
    let comparison = view.definition(compared).filter(|_| view.once(compared))?;
    let sign = match comparison.op {
        Op::Equal => "!=",
        Op::NotEqual => "==",
        Op::LessThan => ">=",
        Op::LessThanEqual => ">",
        Op::GreaterThan => "<=",
        Op::GreaterThanEqual => "<",
        _ => return None,
    };
    let ordered = !matches!(comparison.op, Op::Equal | Op::NotEqual);
    let [x, y] = *comparison.args else { return None };
    if ordered && view.scalar_of(x)?.is_float() && !(view.is_fast(node) && view.is_fast(comparison.node)) {
        return None;
    }
    Some(format!("`{}` could be `{} {sign} {}`", view.show_deep(node), view.show(x), view.show(y)))
}

/// `!x && !y` is `!(x || y)`, and `!x || !y` is `!(x && y)`, if the negations have no other users.
pub(super) fn de_morgan(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    let sign = match expr.op {
        Op::LogicalAnd => "||",
        Op::LogicalOr => "&&",
        _ => return None,
    };
    let negated = |v| view.definition_with(v, Op::LogicalNot).filter(|_| view.once(v)).map(|n| n.args[0]);
    let (x, y) = (negated(expr.args[0])?, negated(expr.args[1])?);
    Some(format!("`{}` could be `!({} {sign} {})`", view.show_deep(node), view.show(x), view.show(y)))
}

/// `-x + y` is `y - x`, `x + -y` is `x - y`, `x - -y` is `x + y`: exact.
pub(super) fn negated_term(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    let negated = |v| view.definition_with(v, Op::Negate).map(|n| view.show(n.args[0]));
    let better = match (expr.op, expr.args) {
        (Op::Add, &[x, y]) => match (negated(y), negated(x)) {
            (Some(y), _) => format!("{} - {y}", view.show(x)),
            (_, Some(x)) => format!("{} - {x}", view.show(y)),
            _ => return None,
        },
        (Op::Subtract, &[x, y]) => format!("{} + {}", view.show(x), negated(y)?),
        _ => return None,
    };
    Some(format!("`{}` could be `{better}`", view.show_deep(node)))
}

/// `-x * c` is `x * -c` and `-x * -y` is `x * y` (also divided), and `-(x * c)` is `x * -c` if the product has no other
/// user: exact.
pub(super) fn negated_factor(view: &View<'_>, node: Node) -> Option<String> {
    let expr = view.expr(node);
    let negated = |v| view.definition_with(v, Op::Negate).map(|n| n.args[0]);
    let is_exact = |op| op == Op::Multiply || view.lane_type(node).is_some_and(Scalar::is_float);
    let is = match (expr.op, expr.args) {
        (Op::Multiply | Op::Divide, &[x, y]) if is_exact(expr.op) => {
            let takes = |v: Value| v.as_const().is_some() || negated(v).is_some();
            negated(x).is_some() && takes(y) || negated(y).is_some() && takes(x)
        }
        (Op::Negate, &[product]) => {
            let inner = view.definition(product).filter(|_| view.once(product))?;
            let has_constant = inner.args.iter().any(|a| a.as_const().is_some());
            matches!(inner.op, Op::Multiply | Op::Divide) && is_exact(inner.op) && has_constant
        }
        _ => return None,
    };
    is.then(|| format!("the negation in `{}` could go into a factor", view.show_deep(node)))
}

/// `-(x - y)` is `y - x` if the difference has no other user: integers always, floats with laws, which ignore the sign
/// of a zero.
pub(super) fn negated_difference(view: &View<'_>, node: Node) -> Option<String> {
    let Expr { op: Op::Negate, args: &[inner], .. } = view.expr(node) else { return None };
    let difference = view.definition_with(inner, Op::Subtract).filter(|d| view.once(inner) && view.regroups(d.node))?;
    let (x, y) = (view.show(difference.args[0]), view.show(difference.args[1]));
    view.regroups(node).then(|| format!("`{}` could be `{y} - {x}`", view.show_deep(node)))
}

/// Whether a value is this number in every component, and a float operation with it keeps every bit of the other
/// operand: a NaN may change, which programs in WebAssembly can observe.
fn is_neutral(view: &View<'_>, node: Node, value: Value, number: f64) -> bool {
    let float = view.scalar_of(value).is_some_and(Scalar::is_float);
    view.is(value, number) && (!float || view.any_nan() || view.is_fast(node))
}

fn becomes(view: &View<'_>, node: Node, value: Value) -> Option<String> {
    Some(format!("`{}` could be `{}`", view.show_deep(node), view.show(value)))
}
