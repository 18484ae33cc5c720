//! Boolean algebra, on booleans and on the bits of integers alike: `&`, `|` and `!` stand for both.

use planish_ir::entity::Value;
use planish_ir::ops::Op;

use super::Law::Exact;
use super::{Rule, Site, rule};

const AND_OR: &[Op] = &[Op::LogicalAnd, Op::LogicalOr, Op::BitwiseAnd, Op::BitwiseOr];
const NOT: &[Op] = &[Op::LogicalNot, Op::BitwiseNot];

/// The rules.
pub(super) static RULES: &[Rule] = &[
    rule("and_itself", AND_OR, Exact, "x & x → x, x | x → x", |s| (s.arg(0) == s.arg(1)).then(|| s.arg(0))),
    rule(
        "and_constant",
        AND_OR,
        Exact,
        "x & true → x, x & false → false, x | false → x, x | true → true",
        |s| {
            let (x, c) = s.pair();
            if s.is_ones(c) {
                return Some(if is_and(s.op()) { x } else { c });
            }
            s.is_zero(c).then(|| if is_and(s.op()) { c } else { x })
        },
    ),
    rule("and_complement", AND_OR, Exact, "x & !x → false, x | !x → true", |s| {
        let (x, y) = s.pair();
        let not = negation(s.op());
        if s.unary(y, not) != Some(x) && s.unary(x, not) != Some(y) {
            return None;
        }
        let zero = s.zero();
        Some(if is_and(s.op()) { zero } else { s.make(not, &[zero]) })
    }),
    rule("absorb", AND_OR, Exact, "x & (x | y) → x, x & (x & y) → x & y; and with & and | exchanged", |s| {
        either_way(s, |s, x, y| {
            if s.other(y, dual(s.op()), x).is_some() {
                return Some(x);
            }
            s.other(y, s.op(), x).map(|_| y)
        })
    }),
    rule("absorb_negated", AND_OR, Exact, "x & (!x | y) → x & y; and with & and | exchanged", |s| {
        either_way(s, |s, x, y| {
            let (p, q) = s.binary(y, dual(s.op()))?;
            let is_not_x = |p| is_complement(s, p, x);
            let rest = if is_not_x(p) { q } else { is_not_x(q).then_some(p)? };
            Some(s.make(s.op(), &[x, rest]))
        })
    }),
    rule("and_of_negations", AND_OR, Exact, "!x & !y → !(x | y), !x | !y → !(x & y)", |s| {
        let (x, y) = s.pair();
        let not = negation(s.op());
        let (x, y) = (s.unary(x, not)?, s.unary(y, not)?);
        let both = s.make(dual(s.op()), &[x, y]);
        Some(s.make(not, &[both]))
    }),
    rule(
        "common_factor_of_conditions",
        AND_OR,
        Exact,
        "(x & y) | (x & z) → x & (y | z); and with & and | exchanged",
        |s| super::sums::common_operands(s, dual(s.op())),
    ),
    rule(
        "exclusive_or",
        AND_OR,
        Exact,
        "(x & !y) | (!x & y) → x != y, (x | y) & !(x & y) → x != y, (x & y) | !(x | y) → x == y",
        exclusive_or,
    ),
    rule("not_not", NOT, Exact, "!!x → x", |s| s.unary(s.arg(0), s.op())),
    rule("not_and_of_negation", NOT, Exact, "!(!x & c) → x | !c (c constant)", |s| {
        let (op, _, args) = s.def(s.arg(0))?;
        if !AND_OR.contains(&op) {
            return None;
        }
        let (x, c) = (args[0], args[1]);
        let x = s.unary(x, s.op())?;
        let c = s.fold(s.op(), &[c])?;
        Some(s.make(dual(op), &[x, c]))
    }),
    rule("xor_of_booleans", &[Op::LogicalXor], Exact, "x ^^ y → x != y", |s| Some(s.make(Op::NotEqual, s.args()))),
];

fn is_and(op: Op) -> bool {
    matches!(op, Op::LogicalAnd | Op::BitwiseAnd)
}

/// Or for and, and for or.
pub(super) fn dual(op: Op) -> Op {
    match op {
        Op::LogicalAnd => Op::LogicalOr,
        Op::LogicalOr => Op::LogicalAnd,
        Op::BitwiseAnd => Op::BitwiseOr,
        _ => Op::BitwiseAnd,
    }
}

fn negation(op: Op) -> Op {
    if matches!(op, Op::LogicalAnd | Op::LogicalOr) { Op::LogicalNot } else { Op::BitwiseNot }
}

/// Exclusive or and its negation, put together of and, or and not.
fn exclusive_or(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (p, q) = s.pair();
    let (inner, not) = (dual(s.op()), negation(s.op()));
    let xor = if not == Op::LogicalNot { Op::NotEqual } else { Op::BitwiseXor };
    if !is_and(s.op())
        && let (Some((a, b)), Some(_)) = (s.binary(p, inner), s.binary(q, inner))
    {
        let negated = |x| s.unary(x, not);
        let (a, b) = match (negated(a), negated(b)) {
            (_, Some(b)) if s.other(q, inner, b).and_then(negated) == Some(a) => (a, b),
            (Some(a), _) if s.other(q, inner, a).and_then(negated) == Some(b) => (a, b),
            _ => return None,
        };
        return Some(s.make(xor, &[a, b]));
    }
    // One side negated, with the dual op on the same operands: `(x | y) & !(x & y)`.
    either_way(s, |s, p, q| {
        let (x, y) = s.binary(p, inner)?;
        let q = s.unary(q, not)?;
        s.other(q, s.op(), x).filter(|&other| other == y)?;
        if is_and(s.op()) {
            return Some(s.make(xor, &[x, y]));
        }
        if not == Op::LogicalNot {
            return Some(s.make(Op::Equal, &[x, y]));
        }
        let differs = s.make(xor, &[x, y]);
        Some(s.make(not, &[differs]))
    })
}

/// Whether one of the two is the negation of the other.
fn is_complement(s: &Site<'_, '_, '_>, x: Value, y: Value) -> bool {
    let not = negation(s.op());
    s.unary(x, not) == Some(y) || s.unary(y, not) == Some(x)
}

/// The result of a rule for the operands in either order.
pub(super) fn either_way<'a, 'm, 'r>(
    s: &mut Site<'a, 'm, 'r>,
    apply: impl Fn(&mut Site<'a, 'm, 'r>, Value, Value) -> Option<Value>,
) -> Option<Value> {
    let (x, y) = s.pair();
    apply(s, x, y).or_else(|| apply(s, y, x))
}
