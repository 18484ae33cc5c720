//! Choices: `select(c, a, b)` is `a` where `c` is true, else `b`.

use planish_ir::entity::Value;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use smallvec::SmallVec;

use super::Law::{Exact, Finite, SignedZero};
use super::{Rule, Site, rule};

const SELECT: &[Op] = &[Op::Select];

/// Ops that a choice between constants is pushed through: cheap, and with a meaning on constants.
const FOLDABLE: &[Op] = &[
    Op::Negate,
    Op::LogicalNot,
    Op::BitwiseNot,
    Op::Abs,
    Op::Sign,
    Op::Floor,
    Op::Saturate,
    Op::Sqrt,
    Op::Add,
    Op::Subtract,
    Op::Multiply,
    Op::Divide,
    Op::Min,
    Op::Max,
    Op::Equal,
    Op::NotEqual,
    Op::LessThan,
    Op::LessThanEqual,
    Op::GreaterThan,
    Op::GreaterThanEqual,
    Op::LogicalAnd,
    Op::LogicalOr,
    Op::BitwiseAnd,
    Op::BitwiseOr,
    Op::BitwiseXor,
    Op::ShiftLeft,
    Op::ShiftRight,
    Op::ConstructScalarFromScalar,
    Op::ExtractVectorComponent,
    Op::ExtractVectorComponentMulti,
];

/// The rules.
pub(super) static RULES: &[Rule] = &[
    rule("select_constant", SELECT, Exact, "select(true, a, b) → a, select(false, a, b) → b", |s| {
        let c = s.uniform_bits(s.arg(0))?;
        Some(s.arg(if c != 0 { 1 } else { 2 }))
    }),
    rule("select_same", SELECT, Exact, "select(c, a, a) → a", |s| (s.arg(1) == s.arg(2)).then(|| s.arg(1))),
    rule("select_negated", SELECT, Exact, "select(!c, a, b) → select(c, b, a)", |s| {
        let c = s.unary(s.arg(0), Op::LogicalNot)?;
        Some(s.make(Op::Select, &[c, s.arg(2), s.arg(1)]))
    }),
    rule("select_splat", SELECT, Exact, "select(vector(c), a, b) → select(c, a, b)", |s| {
        let c = s.unary(s.arg(0), Op::ConstructVectorFromScalar)?;
        let is_bool = s.scalar_of(c) == Some(Scalar::Bool);
        is_bool.then(|| s.make(Op::Select, &[c, s.arg(1), s.arg(2)]))
    }),
    rule("select_boolean", SELECT, Exact, "select(c, true, false) → c, select(c, x, false) → c & x, …", select_boolean),
    rule("select_nested", SELECT, Exact, "select(c, select(c, a, b), d) → select(c, a, d), …", |s| {
        let (c, a, b) = (s.arg(0), s.arg(1), s.arg(2));
        let arm = |arm, first: bool| match s.ternary(arm, Op::Select) {
            Some((inner, x, y)) if inner == c => Some(if first { x } else { y }),
            _ => None,
        };
        match (arm(a, true), arm(b, false)) {
            (None, None) => None,
            (x, y) => Some(s.make(Op::Select, &[c, x.unwrap_or(a), y.unwrap_or(b)])),
        }
    }),
    rule("select_equal", SELECT, Exact, "select(x == y, x, y) → y, select(x != y, x, y) → x (integers)", |s| {
        (!s.is_float(s.arg(1))).then_some(())?;
        select_equal(s)
    }),
    rule("select_equal_float", SELECT, SignedZero, "select(x == y, x, y) → y, select(x != y, x, y) → x", select_equal),
    rule(
        "select_is_min",
        SELECT,
        Exact,
        "select(x < y, x, y) → min(y, x), select(x < y, y, x) → max(x, y) (integers)",
        |s| {
            s.scalar_of(s.arg(1)).is_some_and(Scalar::is_integer).then_some(())?;
            s.integer_functions()?;
            select_is_min(s)
        },
    ),
    rule(
        "select_is_min_float",
        SELECT,
        Finite,
        "select(x < y, x, y) → min(y, x), select(x < y, y, x) → max(x, y)",
        |s| {
            s.is_float(s.arg(1)).then_some(())?;
            select_is_min(s)
        },
    ),
    rule("select_is_abs", SELECT, Exact, "select(x < 0, -x, x) → abs(x) (integers)", |s| {
        s.scalar_of(s.arg(1)).is_some_and(Scalar::is_signed).then_some(())?;
        s.integer_functions()?;
        select_is_abs(s)
    }),
    rule("select_is_abs_float", SELECT, SignedZero, "select(x < 0.0, -x, x) → abs(x)", |s| {
        s.is_float(s.arg(1)).then_some(())?;
        select_is_abs(s)
    }),
    rule("multiply_by_choice", &[Op::Multiply], Finite, "x * select(c, 1.0, 0.0) → select(c, x, 0.0)", |s| {
        s.floats()?;
        super::boolean::either_way(s, |s, x, choice| {
            let (c, a, b) = s.ternary(choice, Op::Select)?;
            let (a, b) = match () {
                _ if s.is_number(a, 1.0) && s.is_zero(b) => (x, b),
                _ if s.is_zero(a) && s.is_number(b, 1.0) => (a, x),
                _ => return None,
            };
            Some(s.make(Op::Select, &[c, a, b]))
        })
    }),
    rule(
        "bits_of_booleans",
        &[Op::BitwiseAnd, Op::BitwiseOr, Op::BitwiseXor],
        Exact,
        "select(p, 1, 0) & select(q, 1, 0) → select(p & q, 1, 0); also | ^",
        |s| {
            let (x, y) = s.pair();
            let ((p, one, zero), (q, ..)) = (s.ternary(x, Op::Select)?, s.ternary(y, Op::Select)?);
            let arms = |s: &Site<'_, '_, '_>, v| s.ternary(v, Op::Select).map(|(_, a, b)| (a, b));
            if !s.is_number(one, 1.0)
                || !s.is_zero(zero)
                || arms(s, y) != Some((one, zero))
                || s.type_of(p) != s.type_of(q)
            {
                return None;
            }
            let op = match s.op() {
                Op::BitwiseAnd => Op::LogicalAnd,
                Op::BitwiseOr => Op::LogicalOr,
                _ => Op::NotEqual,
            };
            let both = s.make(op, &[p, q]);
            Some(s.make(Op::Select, &[both, one, zero]))
        },
    ),
    rule("op_on_chosen_constants", FOLDABLE, Exact, "select(c, 1, 2) + 3 → select(c, 4, 5)", op_on_chosen_constants),
    rule(
        "splat_of_chosen_constants",
        &[Op::ConstructVectorFromScalar],
        Exact,
        "vector(select(c, 1, 2)) → select(c, vector(1), vector(2))",
        op_on_chosen_constants,
    ),
];

/// Of booleans: `c` itself, and choices that are a single `and` or `or`.
fn select_boolean(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (c, a, b) = (s.arg(0), s.arg(1), s.arg(2));
    if s.scalar_of(a) != Some(Scalar::Bool) || s.type_of(a) != s.type_of(c) {
        return None;
    }
    let (then_true, then_false) = (s.is_ones(a) || a == c, s.is_zero(a));
    let (else_true, else_false) = (s.is_ones(b), s.is_zero(b) || b == c);
    match (then_true, then_false, else_true, else_false) {
        (true, _, _, true) => Some(c),
        (_, true, true, _) => Some(s.make(Op::LogicalNot, &[c])),
        (true, ..) => Some(s.make(Op::LogicalOr, &[c, b])),
        (.., true) => Some(s.make(Op::LogicalAnd, &[c, a])),
        _ => None,
    }
}

fn select_equal(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (op, _, &[x, y]) = s.def(s.arg(0))? else { return None };
    let (a, b) = (s.arg(1), s.arg(2));
    if (x, y) != (a, b) && (x, y) != (b, a) {
        return None;
    }
    match op {
        Op::Equal => Some(b),
        Op::NotEqual => Some(a),
        _ => None,
    }
}

/// `min(y, x)` is `x < y ? x : y`, and `max(x, y)` is `x < y ? y : x`. Floats need the law all the same: targets leave open
/// what their `min` does with a NaN, and a choice does not.
fn select_is_min(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (op, _, &[x, y]) = s.def(s.arg(0))? else { return None };
    let (x, y) = match op {
        Op::LessThan | Op::LessThanEqual => (x, y),
        Op::GreaterThan | Op::GreaterThanEqual => (y, x),
        _ => return None,
    };
    match (s.arg(1), s.arg(2)) {
        (a, b) if (a, b) == (x, y) => Some(s.make(Op::Min, &[y, x])),
        (a, b) if (a, b) == (y, x) => Some(s.make(Op::Max, &[x, y])),
        _ => None,
    }
}

fn select_is_abs(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (op, _, &[x, zero]) = s.def(s.arg(0))? else { return None };
    let (a, b) = (s.arg(1), s.arg(2));
    let (negative, positive) = match op {
        Op::LessThan | Op::LessThanEqual => (a, b),
        Op::GreaterThan | Op::GreaterThanEqual => (b, a),
        _ => return None,
    };
    let least = s.is_number(zero, -1.0) && op == Op::GreaterThan && !s.is_float(x);
    let fits = (s.is_zero(zero) || least) && positive == x && s.unary(negative, Op::Negate) == Some(x);
    fits.then(|| s.make(Op::Abs, &[x]))
}

/// An op on choices of constants by one condition, and constants: the choice of its results for both arms.
fn op_on_chosen_constants(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let mut condition = None;
    let (mut then, mut otherwise) = (SmallVec::<[Value; 3]>::new(), SmallVec::<[Value; 3]>::new());
    for &arg in s.args() {
        if arg.as_const().is_some() {
            then.push(arg);
            otherwise.push(arg);
            continue;
        }
        let (c, a, b) = s.ternary(arg, Op::Select)?;
        let other = condition.is_some_and(|d| d != c);
        if other || s.size_of(c) != 1 || a.as_const().is_none() || b.as_const().is_none() {
            return None;
        }
        condition = Some(c);
        then.push(a);
        otherwise.push(b);
    }
    let then = s.with_args(&then);
    then.as_const()?;
    let otherwise = s.with_args(&otherwise);
    otherwise.as_const()?;
    Some(s.make(Op::Select, &[condition?, then, otherwise]))
}
