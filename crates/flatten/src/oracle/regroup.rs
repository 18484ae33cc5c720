//! Fold: constants that stand apart in one sum or product, and terms that cancel. Integers always, floats with laws.

use planish_ir::entity::{Node, Value};
use planish_ir::ops::Op;
use rustc_hash::FxHashMap;

use super::chains::{Reach, factors, terms};
use super::view::View;

/// `0.5 + x + 0.6` is `x + 1.1`.
pub(super) fn scattered_terms(view: &View<'_>, node: Node) -> Option<String> {
    let terms = terms(view, node, Reach::Whole)?;
    let constants: Vec<String> =
        terms.iter().filter_map(|t| t.value()).filter(|v| v.as_const().is_some()).map(|v| view.show(v)).collect();
    (constants.len() > 1)
        .then(|| format!("the sum `{}` has several constants: {}", view.show_deep(node), constants.join(", ")))
}

/// `2 * x * 3` is `x * 6`.
pub(super) fn scattered_factors(view: &View<'_>, node: Node) -> Option<String> {
    let factors = factors(view, node, Reach::Whole)?;
    let constants: Vec<String> = factors.iter().filter(|v| v.as_const().is_some()).map(|&v| view.show(v)).collect();
    (constants.len() > 1)
        .then(|| format!("the product `{}` has several constants: {}", view.show_deep(node), constants.join(", ")))
}

/// `x + y - x` is `y`.
pub(super) fn cancelling_terms(view: &View<'_>, node: Node) -> Option<String> {
    if view.expr(node).op == Op::Negate {
        return None;
    }
    let terms = terms(view, node, Reach::Whole)?;
    let mut counts: FxHashMap<Value, [bool; 2]> = FxHashMap::default();
    for term in &terms {
        let Some(value) = term.value() else { continue };
        let seen = counts.entry(value).or_default();
        seen[usize::from(term.negative)] = true;
        if *seen == [true; 2] {
            return Some(format!("`{}` cancels out in the sum `{}`", view.show(value), view.show_deep(node)));
        }
    }
    None
}
