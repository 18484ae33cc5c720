//! Expands ops that are combinations of arithmetic, so that the rules for sums and products apply. `fuse` combines them
//! again.

use planish_ir::entity::Value;
use planish_ir::ops::Op;
use planish_opt::rules::{Law, Rule, RuleSet, Site};

/// Rules that always apply.
pub(super) const EXPAND: RuleSet =
    RuleSet { name: "expand", about: "Ops that are arithmetic by another name.", rules: EXPAND_RULES };

/// Rules for targets without `lerp`.
pub(super) const EXPAND_LERP: RuleSet =
    RuleSet { name: "expand_lerp", about: "Interpolation as arithmetic.", rules: EXPAND_LERP_RULES };

/// Rules that pay only with known use counts: see [`super::SPARED`].
pub(super) const KNOWING: RuleSet =
    RuleSet { name: "knowing", about: "What takes apart a node that falls away.", rules: KNOWING_RULES };

static KNOWING_RULES: &[Rule] = &[Rule {
    name: "negate_quotient",
    roots: &[Op::Negate],
    law: Law::AnyNan,
    about: "-(c / x) → -c / x, -(x / c) → x / -c",
    apply: |s| {
        let (x, y) = s.binary(s.arg(0), Op::Divide)?;
        s.is_float(x).then_some(())?;
        if let Some(x) = s.fold(Op::Negate, &[x]) {
            return Some(s.make(Op::Divide, &[x, y]));
        }
        let y = s.fold(Op::Negate, &[y])?;
        Some(s.make(Op::Divide, &[x, y]))
    },
}];

static EXPAND_RULES: &[Rule] = &[
    Rule {
        name: "expand_multiply_add",
        roots: &[Op::MultiplyAdd],
        law: Law::Exact,
        about: "multiply_add(a, b, c) → a * b + c",
        apply: |s| {
            let product = s.make(Op::Multiply, &s.args()[..2]);
            Some(s.make(Op::Add, &[product, s.arg(2)]))
        },
    },
    Rule {
        name: "expand_angle",
        roots: &[Op::Radians, Op::Degrees],
        law: Law::Exact,
        about: "radians(x) → x * (pi / 180), degrees(x) → x * (180 / pi)",
        apply: |s| {
            // The factor of a degree or radian.
            let ty = s.ty();
            let one = s.number(ty, 1.0);
            let factor = s.fold(s.op(), &[one])?;
            Some(s.make(Op::Multiply, &[s.arg(0), factor]))
        },
    },
];

static EXPAND_LERP_RULES: &[Rule] = &[
    Rule {
        name: "expand_lerp",
        roots: &[Op::Lerp],
        law: Law::Exact,
        about: "lerp(x, y, a) → (y - x) * a + x",
        apply: |s| Some(interpolate(s)),
    },
    Rule {
        name: "expand_mix_as_lerp",
        roots: &[Op::Mix],
        law: Law::Associative,
        about: "mix(x, y, a) → (y - x) * a + x",
        apply: |s| Some(interpolate(s)),
    },
    Rule {
        name: "expand_mix",
        roots: &[Op::Mix],
        law: Law::Exact,
        about: "mix(x, y, a) → x * (1.0 - a) + y * a",
        apply: |s| {
            let (x, y, a) = (s.arg(0), s.arg(1), s.arg(2));
            let ty = s.ty();
            let one = s.number(ty, 1.0);
            let rest = s.make(Op::Subtract, &[one, a]);
            let (x, y) = (s.make(Op::Multiply, &[x, rest]), s.make(Op::Multiply, &[y, a]));
            Some(s.make(Op::Add, &[x, y]))
        },
    },
];

/// `(y - x) * a + x`
fn interpolate(s: &mut Site<'_, '_, '_>) -> Value {
    let (x, y, a) = (s.arg(0), s.arg(1), s.arg(2));
    let difference = s.make(Op::Subtract, &[y, x]);
    let part = s.make(Op::Multiply, &[difference, a]);
    s.make(Op::Add, &[part, x])
}
