//! Identities and annihilators of numbers.

use planish_ir::entity::Value;
use planish_ir::ops::Op;

use super::{Law, Rule, Site};

/// The rules.
pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "multiply_one",
        roots: &[Op::Multiply],
        law: Law::Exact,
        about: "x * 1 → x",
        apply: |s| s.is_number(s.arg(1), 1.0).then(|| s.arg(0)),
    },
    Rule {
        name: "add_zero", roots: &[Op::Add], law: Law::Exact, about: "x + 0 → x (floats: + -0.0)", apply: add_zero
    },
];

/// `x + 0 → x`; of floats only `-0.0`, since `-0.0 + 0.0` is `0.0`.
fn add_zero(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let zero = if s.is_float(s.arg(1)) { -0.0 } else { 0.0 };
    s.is_number(s.arg(1), zero).then(|| s.arg(0))
}
