//! Fold: redundant selects.

use planish_ir::entity::{Node, Value};
use planish_ir::ops::Op;

use super::view::{Expr, View};

/// A select on a constant condition is one of its arms.
pub(super) fn select_constant(view: &View<'_>, node: Node) -> Option<String> {
    let [c, a, b] = arms(view, node)?;
    let arm = match () {
        () if view.is(c, 1.0) => a,
        () if view.is(c, 0.0) => b,
        () => return None,
    };
    Some(format!("`{}` could be `{}`", view.show_node(node, 0), view.show(arm)))
}

/// A select between equal arms is the arm.
pub(super) fn select_same(view: &View<'_>, node: Node) -> Option<String> {
    let [_, a, b] = arms(view, node)?;
    (a == b).then(|| format!("`{}` could be `{}`", view.show_node(node, 0), view.show(a)))
}

/// In an arm of a select its condition is known: `c ? (c ? a : b) : d` is `c ? a : d`.
pub(super) fn select_nested(view: &View<'_>, node: Node) -> Option<String> {
    let [c, a, b] = arms(view, node)?;
    let (c, _) = positive(view, c);
    let again = |arm: Value| {
        let inner = view.definition_with(arm, Op::Select)?;
        (positive(view, inner.args[0]).0 == c).then_some(inner.node)
    };
    let inner = again(a).or_else(|| again(b))?;
    Some(format!("`{}` is decided by the condition of `{}`", view.show_node(inner, 0), view.show_node(node, 0)))
}

/// `c ? true : false` is `c`, and `c ? false : true` is `!c`.
pub(super) fn select_boolean(view: &View<'_>, node: Node) -> Option<String> {
    let [c, a, b] = arms(view, node)?;
    if view.type_of(c) != view.type_of(a) {
        return None;
    }
    let sign = match () {
        () if view.is(a, 1.0) && view.is(b, 0.0) => "",
        () if view.is(a, 0.0) && view.is(b, 1.0) => "!",
        () => return None,
    };
    Some(format!("`{}` could be `{sign}{}`", view.show_node(node, 0), view.show(c)))
}

/// `!c ? a : b` is `c ? b : a`.
pub(super) fn select_negated(view: &View<'_>, node: Node) -> Option<String> {
    let [c, a, b] = arms(view, node)?;
    let inner = view.definition_with(c, Op::LogicalNot)?.args[0];
    let better = format!("select({}, {}, {})", view.show(inner), view.show(b), view.show(a));
    Some(format!("`{}` could be `{better}`", view.show_deep(node)))
}

fn arms(view: &View<'_>, node: Node) -> Option<[Value; 3]> {
    match view.expr(node) {
        Expr { op: Op::Select, args: &[c, a, b], .. } => Some([c, a, b]),
        _ => None,
    }
}

/// A condition without its negation, and whether it had one.
fn positive(view: &View<'_>, condition: Value) -> (Value, bool) {
    match view.definition_with(condition, Op::LogicalNot) {
        Some(not) => (not.args[0], true),
        None => (condition, false),
    }
}
