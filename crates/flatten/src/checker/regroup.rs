//! Fold: separate constants in one sum or product, and terms that cancel. Integers always, floats with laws.

use planish_ir::entity::{Node, Value};
use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use rustc_hash::FxHashMap;

use super::chains::{Reach, factors, terms};
use super::view::{View, float};

/// `0.5 + x + 0.6` is `x + 1.1`.
pub(super) fn scattered_terms(view: &View<'_>, node: Node) -> Option<String> {
    let terms = terms(view, node, Reach::Whole)?;
    let constants: Vec<String> =
        terms.iter().filter_map(|t| t.value()).filter(|v| v.as_const().is_some()).map(|v| view.show(v)).collect();
    (constants.len() > 1)
        .then(|| format!("the sum `{}` has several constants: {}", view.show_deep(node), constants.join(", ")))
}

/// `2 * x * 3` is `x * 6`, unless the product of the constants overflows or underflows: `1e-30 * x * 1e-30`.
pub(super) fn scattered_factors(view: &View<'_>, node: Node) -> Option<String> {
    let factors = factors(view, node, Reach::Whole)?;
    let constants: Vec<Value> = factors.into_iter().filter(|v| v.as_const().is_some()).collect();
    let pairs = || (1..constants.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let is = pairs().any(|(i, j)| has_product(view, constants[i], constants[j]));
    let shown: Vec<String> = constants.iter().map(|&v| view.show(v)).collect();
    is.then(|| format!("the product `{}` has several constants: {}", view.show_deep(node), shown.join(", ")))
}

/// Whether the product of two constants, one of which may be a scalar for a vector, neither overflows nor underflows in
/// any component.
fn has_product(view: &View<'_>, x: Value, y: Value) -> bool {
    let (Some(scalar), Some(x), Some(y)) = (view.scalar_of(x), view.bits(x), view.bits(y)) else { return false };
    let lane = |bits: &[u64], i: usize| float(scalar, if bits.len() == 1 { bits[0] } else { bits[i] });
    let least = if scalar == Scalar::F32 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    let most = if scalar == Scalar::F32 { f64::from(f32::MAX) } else { f64::MAX };
    let is_plain = |number: f64| (least..=most).contains(&number.abs());
    (0..x.len().max(y.len())).all(|i| match (lane(&x, i), lane(&y, i)) {
        (Some(x), Some(y)) if x == 0.0 || y == 0.0 => [x, y].iter().all(|&n| n == 0.0 || is_plain(n)),
        (Some(x), Some(y)) => is_plain(x) && is_plain(y) && is_plain(x * y),
        _ => true,
    })
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
