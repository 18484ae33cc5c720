//! Optimize: sums and products that can be one fused op of the target.

use planish_ir::entity::{Node, Value};
use planish_ir::ops::Op;
use rustc_hash::FxHashMap;

use super::chains::{Reach, Term, terms};
use super::sharing::Facts;
use super::view::{Expr, View, bits_of, float};

/// `a * b + c` is one `multiply_add` if the product has no other user; also `a * b - C` for a constant `C`, and
/// `c - a * K` for a constant factor, whose sign can change. Exact, but not for `precise` nodes, which a back end must
/// not contract. A uniform product stays in the preshader.
pub(super) fn multiply_add(view: &View<'_>, _: &Facts, node: Node) -> Option<String> {
    let Expr { op: op @ (Op::Add | Op::Subtract), args: &[x, y], .. } = view.expr(node) else { return None };
    let number = view.lane_type(node).is_some_and(|s| s.is_float() || s.is_integer());
    if !view.options.visible.mad || !number || view.body.node(node).precise {
        return None;
    }
    let product = |value: Value| {
        let product =
            view.definition_with(value, Op::Multiply).filter(|p| view.once(value) && !view.body.node(p.node).precise);
        product.filter(|_| !view.is_preshaded(value, node))
    };
    let has_constant = |p: Expr<'_>| p.args.iter().any(|a| a.as_const().is_some());
    let fits = match op {
        Op::Add => product(x).or_else(|| product(y)).is_some(),
        _ => product(x).is_some() && y.as_const().is_some() || product(y).is_some_and(has_constant),
    };
    fits.then(|| format!("`{}` could be one multiply_add", view.show_deep(node)))
}

/// `(b - a) * t + a` is `lerp(a, b, t)`, as a `multiply_add` or as a product and a sum, if difference and product have
/// no other users. Exact, but not for `precise` nodes. A uniform difference stays in the preshader.
pub(super) fn lerp_shape(view: &View<'_>, _: &Facts, node: Node) -> Option<String> {
    if !view.options.visible.lerp || !view.lane_type(node)?.is_float() || view.body.node(node).precise {
        return None;
    }
    let is_lerp = |factors: &[Value], a: Value| factors.iter().any(|&f| is_difference_from(view, node, f, a));
    let product = |value: Value| {
        let product =
            view.definition_with(value, Op::Multiply).filter(|p| view.once(value) && !view.body.node(p.node).precise);
        product.filter(|_| !view.is_preshaded(value, node)).map(|p| p.args)
    };
    let fits = match (view.expr(node).op, view.expr(node).args) {
        (Op::MultiplyAdd, &[x, y, a]) => is_lerp(&[x, y], a),
        (Op::Add, &[x, y]) => product(x).is_some_and(|p| is_lerp(p, y)) || product(y).is_some_and(|p| is_lerp(p, x)),
        _ => false,
    };
    fits.then(|| format!("`{}` could be one lerp", view.show_deep(node)))
}

/// Components of one vector in a sum, possibly times constants, are one `dot` with a constant: with laws, for at least
/// two different components.
pub(super) fn lane_sum(view: &View<'_>, _: &Facts, node: Node) -> Option<String> {
    if !view.options.visible.dot {
        return None;
    }
    let terms = float_sum(view, node)?;
    let vector = vector_with_two_lanes(view, &terms)?;
    Some(format!("the components of `{}` in `{}` could be one dot", view.show(vector), view.show_deep(node)))
}

/// Four independent positive terms of a sum, none of them a product or a `horizontal_add`, are one `horizontal_add`: with
/// laws. Constants do not count.
pub(super) fn horizontal_sum(view: &View<'_>, _: &Facts, node: Node) -> Option<String> {
    if !view.options.visible.hadd {
        return None;
    }
    let terms = float_sum(view, node)?;
    let counts =
        |value: &Value| value.as_const().is_none() && view.definition_with(*value, Op::HorizontalAdd).is_none();
    let free = terms.iter().filter(|t| !t.negative).filter_map(Term::value).filter(counts).count();
    (free >= 4).then(|| format!("four of the {free} terms of `{}` could be one horizontal_add", view.show_deep(node)))
}

/// `radians(x)` and `degrees(x)` are multiplications by a constant, to the last bit.
pub(super) fn angle_conversion(view: &View<'_>, _: &Facts, node: Node) -> Option<String> {
    let op = view.expr(node).op;
    matches!(op, Op::Radians | Op::Degrees).then(|| format!("`{}` could be a multiplication", view.show_node(node, 0)))
}

/// The terms of a sum of varying float scalars.
fn float_sum(view: &View<'_>, node: Node) -> Option<Vec<Term>> {
    let scalar = view.size_of(view.result(node)?) == Some(1) && view.lane_type(node)?.is_float();
    scalar.then(|| terms(view, node, Reach::PerPixel)).flatten()
}

/// A vector with two different components among the terms.
fn vector_with_two_lanes(view: &View<'_>, terms: &[Term]) -> Option<Value> {
    let mut lanes: FxHashMap<Value, u8> = FxHashMap::default();
    terms.iter().find_map(|term| {
        let read = match term.factors[..] {
            [lane] => lane,
            [lane, c] | [c, lane] if c.as_const().is_some() => lane,
            _ => return None,
        };
        let (vector, lane) = view.component(read)?;
        let seen = lanes.entry(vector).or_default();
        *seen |= 1 << lane;
        (seen.count_ones() > 1).then_some(vector)
    })
}

/// Whether a value is `b - a` for some `b`, and has no other user; for constants also `b + -a`.
fn is_difference_from(view: &View<'_>, user: Node, value: Value, a: Value) -> bool {
    if !view.once(value) || view.is_preshaded(value, user) {
        return false;
    }
    let Some(difference) = view.definition(value).filter(|d| !view.body.node(d.node).precise) else { return false };
    match (difference.op, difference.args) {
        (Op::Subtract, &[_, subtracted]) => subtracted == a,
        (Op::Add, &[x, y]) => is_negative_of(view, x, a) || is_negative_of(view, y, a),
        _ => false,
    }
}

/// Whether two constants are negatives of each other in every component.
fn is_negative_of(view: &View<'_>, x: Value, y: Value) -> bool {
    let (Some(scalar), Some(x), Some(y)) = (view.scalar_of(x), view.bits(x), view.bits(y)) else { return false };
    let negative = |bits| float(scalar, bits).map(|y| bits_of(scalar, -y));
    x.len() == y.len() && x.iter().zip(&y).all(|(&x, &y)| negative(y) == Some(x))
}
