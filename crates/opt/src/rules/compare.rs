//! Comparisons: their canonical form, those that are decided, and the facts they give about a constant.

use planish_ir::entity::Value;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;

use super::Law::{Exact, Finite};
use super::site::{float, integer, mask};
use super::{Rule, Site, rule};

const ORDER: &[Op] = &[Op::LessThan, Op::LessThanEqual, Op::GreaterThan, Op::GreaterThanEqual];
const EQUAL: &[Op] = &[Op::Equal, Op::NotEqual];
const ALL: &[Op] = &[Op::LessThan, Op::LessThanEqual, Op::GreaterThan, Op::GreaterThanEqual, Op::Equal, Op::NotEqual];

/// The rules.
pub(super) static RULES: &[Rule] = &[
    rule("greater_is_less", &[Op::GreaterThan, Op::GreaterThanEqual], Exact, "x > y → y < x (y no constant)", |s| {
        let (x, y) = s.pair();
        y.as_const().is_none().then(|| s.make(mirrored(s.op()), &[y, x]))
    }),
    rule("constant_on_the_right", &[Op::LessThan, Op::LessThanEqual], Exact, "c < x → x > c", |s| {
        let (c, x) = s.pair();
        c.as_const().is_some().then(|| s.make(mirrored(s.op()), &[x, c]))
    }),
    rule("compare_with_itself", ALL, Exact, "x < x → false; not of floats: x == x → true, x <= x → true", |s| {
        compare_with_itself(s, false)
    }),
    rule("compare_float_with_itself", ALL, Finite, "x == x → true, x <= x → true, x != x → false", |s| {
        compare_with_itself(s, true)
    }),
    rule("compare_with_nan", ALL, Exact, "x < NaN → false, x != NaN → true", |s| {
        s.floats()?;
        let scalar = s.scalar_of(s.arg(1))?;
        let nan = s.all(s.arg(1), |bits| float(scalar, bits).is_nan());
        nan.then(|| truth(s, s.op() == Op::NotEqual))
    }),
    rule(
        "compare_with_extreme",
        ORDER,
        Exact,
        "x < MIN → false, x >= MIN → true, x > MIN → x != MIN, … (integers)",
        compare_with_extreme,
    ),
    rule("compare_range", ALL, Exact, "x < c → true where x is known to be less (integers)", compare_range),
    rule(
        "strict_with_constant",
        &[Op::LessThanEqual, Op::GreaterThanEqual],
        Exact,
        "x <= c → x < c + 1 (integers)",
        strict_with_constant,
    ),
    rule("equal_boolean", EQUAL, Exact, "x == true → x, x != true → !x, …", |s| {
        if s.scalar_of(s.arg(0)) != Some(Scalar::Bool) {
            return None;
        }
        let (x, c) = s.pair();
        let same = match (s.is_ones(c), s.is_zero(c)) {
            (true, _) => s.op() == Op::Equal,
            (_, true) => s.op() == Op::NotEqual,
            _ => return None,
        };
        Some(if same { x } else { s.make(Op::LogicalNot, &[x]) })
    }),
    rule("equal_negated_booleans", EQUAL, Exact, "!x == !y → x == y, !x == y → x != y", |s| {
        let (x, y) = s.pair();
        match (s.unary(x, Op::LogicalNot), s.unary(y, Op::LogicalNot)) {
            (Some(x), Some(y)) => Some(s.make(s.op(), &[x, y])),
            (Some(x), None) => Some(s.make(inverse(s.op(), false)?, &[x, y])),
            (None, Some(y)) => Some(s.make(inverse(s.op(), false)?, &[x, y])),
            (None, None) => None,
        }
    }),
    rule("equal_twice", EQUAL, Exact, "x != (x != y) → y (booleans)", equal_twice),
    rule("not_comparison", &[Op::LogicalNot], Exact, "!(x == y) → x != y; integers: !(x < y) → x >= y", |s| {
        not_comparison(s, false)
    }),
    rule("not_float_comparison", &[Op::LogicalNot], Finite, "!(x < y) → x >= y", |s| not_comparison(s, true)),
    rule(
        "equal_moved_constant",
        EQUAL,
        Exact,
        "x + c == d → x == d - c; also c - x, x ^ c, -x, ~x (integers)",
        equal_moved_constant,
    ),
    rule("equal_difference", EQUAL, Exact, "x - y == 0 → x == y (integers; also x ^ y)", |s| {
        s.integers()?;
        difference(s)
    }),
    rule("compare_difference", ALL, Finite, "x - y < 0.0 → x < y", |s| {
        s.floats()?;
        difference(s)
    }),
    rule("compare_negated", ALL, Exact, "-x < -y → y < x, -x < c → x > -c (floats)", |s| {
        s.floats()?;
        let (x, y) = s.pair();
        let x = s.unary(x, Op::Negate)?;
        let y = match s.unary(y, Op::Negate) {
            Some(y) => y,
            None => s.fold(Op::Negate, &[y])?,
        };
        Some(s.make(mirrored(s.op()), &[x, y]))
    }),
    rule("magnitude_is_zero", EQUAL, Exact, "abs(x) == 0 → x == 0; also !=", |s| {
        let x = s.unary(s.arg(0), Op::Abs)?;
        s.is_zero(s.arg(1)).then(|| s.make(s.op(), &[x, s.arg(1)]))
    }),
    rule("magnitude_below_zero", &[Op::LessThan], Exact, "abs(x) < 0.0 → false", |s| {
        s.floats()?;
        s.unary(s.arg(0), Op::Abs)?;
        s.is_zero(s.arg(1)).then(|| truth(s, false))
    }),
    rule(
        "both_comparisons",
        &[Op::LogicalAnd],
        Exact,
        "x < y & y < x → false, x <= y & x != y → x < y, …",
        |s| combined(s, |a, b| a & b),
    ),
    rule(
        "either_comparison",
        &[Op::LogicalOr],
        Exact,
        "x < y | x == y → x <= y; integers: x < y | x >= y → true, …",
        |s| combined(s, |a, b| a | b),
    ),
    rule("aggregate_equal_itself", &[Op::AggregateEqual], Exact, "x == x → true (no floats in x)", |s| {
        let floats = |k: &planish_ir::types::TypeKind| {
            use planish_ir::types::TypeKind::{Matrix, Scalar, Vector};
            matches!(k, Scalar(s) | Vector(s, _) if s.is_float()) || matches!(k, Matrix { .. })
        };
        let (x, y) = s.pair();
        (x == y && !s.b.module.types.contains(s.type_of(x), &mut |k| floats(k))).then(|| truth(s, true))
    }),
    rule("any_of_scalar", &[Op::Any, Op::All], Exact, "any(b) → b, any(vector(b)) → b; also all", |s| {
        let x = s.arg(0);
        if s.size_of(x) == 1 {
            return Some(x);
        }
        s.unary(x, Op::ConstructVectorFromScalar).filter(|&b| s.scalar_of(b) == Some(Scalar::Bool))
    }),
    rule("any_of_two", &[Op::Any, Op::All], Exact, "any(vector(a, b)) → a | b, all(vector(a, b)) → a & b", |s| {
        let (a, b) = match s.def(s.arg(0))? {
            (Op::ConstructVectorFromMultiple, _, &[a, b]) => (a, b),
            _ => return None,
        };
        let is_bool = |v| s.size_of(v) == 1 && s.scalar_of(v) == Some(Scalar::Bool);
        if !is_bool(a) || !is_bool(b) {
            return None;
        }
        let op = if s.op() == Op::Any { Op::LogicalOr } else { Op::LogicalAnd };
        Some(s.make(op, &[a, b]))
    }),
    rule("not_any_not", &[Op::LogicalNot], Exact, "!any(!v) → all(v), !all(!v) → any(v)", |s| {
        let (op, v) = match s.def(s.arg(0))? {
            (Op::Any, _, &[v]) => (Op::All, v),
            (Op::All, _, &[v]) => (Op::Any, v),
            _ => return None,
        };
        let v = s.unary(v, Op::LogicalNot)?;
        Some(s.make(op, &[v]))
    }),
    rule(
        "not_any_comparison",
        &[Op::LogicalNot],
        Exact,
        "!all(x == y) → any(x != y); integers: !any(x < y) → all(x >= y), …",
        |s| {
            let (op, v) = match s.def(s.arg(0))? {
                (Op::Any, _, &[v]) => (Op::All, v),
                (Op::All, _, &[v]) => (Op::Any, v),
                _ => return None,
            };
            let (comparison, _, &[x, y]) = s.def(v)? else { return None };
            let opposite = ALL.contains(&comparison).then(|| inverse(comparison, !s.is_float(x)))??;
            let v = s.make(opposite, &[x, y]);
            Some(s.make(op, &[v]))
        },
    ),
    rule(
        "is_nan_of_sign",
        &[Op::IsNan, Op::IsInf],
        Exact,
        "is_nan(-x) → is_nan(x), is_nan(abs(x)) → is_nan(x); also is_inf",
        |s| {
            let (Op::Negate | Op::Abs, _, &[x]) = s.def(s.arg(0))? else { return None };
            Some(s.make(s.op(), &[x]))
        },
    ),
];

/// `true` or `false` in the shape of the result.
fn truth(s: &mut Site<'_, '_, '_>, value: bool) -> Value {
    s.splat(s.ty(), value.into())
}

/// The comparison with its operands exchanged.
fn mirrored(op: Op) -> Op {
    match op {
        Op::LessThan => Op::GreaterThan,
        Op::LessThanEqual => Op::GreaterThanEqual,
        Op::GreaterThan => Op::LessThan,
        Op::GreaterThanEqual => Op::LessThanEqual,
        op => op,
    }
}

/// The comparison that is true where this one is false; with `ordered`, no operand is NaN.
fn inverse(op: Op, ordered: bool) -> Option<Op> {
    Some(match op {
        Op::Equal => Op::NotEqual,
        Op::NotEqual => Op::Equal,
        Op::LessThan if ordered => Op::GreaterThanEqual,
        Op::LessThanEqual if ordered => Op::GreaterThan,
        Op::GreaterThan if ordered => Op::LessThanEqual,
        Op::GreaterThanEqual if ordered => Op::LessThan,
        _ => return None,
    })
}

fn compare_with_itself(s: &mut Site<'_, '_, '_>, ordered: bool) -> Option<Value> {
    let (x, y) = s.pair();
    if x != y {
        return None;
    }
    match s.op() {
        Op::LessThan | Op::GreaterThan => Some(truth(s, false)),
        _ if !ordered && s.is_float(x) => None,
        op => Some(truth(s, op != Op::NotEqual)),
    }
}

/// The least and the greatest number of an integer type, as bits.
fn extremes(scalar: Scalar) -> (u64, u64) {
    let all = mask(scalar);
    if scalar.is_signed() { (all ^ all >> 1, all >> 1) } else { (0, all) }
}

fn compare_with_extreme(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    s.integers()?;
    let (x, c) = s.pair();
    let bits = s.uniform_bits(c)?;
    let (least, greatest) = extremes(s.scalar_of(c)?);
    let (never, always, not_equal) = match bits {
        _ if bits == least => (Op::LessThan, Op::GreaterThanEqual, Op::GreaterThan),
        _ if bits == greatest => (Op::GreaterThan, Op::LessThanEqual, Op::LessThan),
        // Next to them.
        _ if bits == least + 1 && s.op() == Op::LessThan => {
            let least = s.splat(s.type_of(c), least);
            return Some(s.make(Op::Equal, &[x, least]));
        }
        _ if bits == greatest - 1 && s.op() == Op::GreaterThan => {
            let greatest = s.splat(s.type_of(c), greatest);
            return Some(s.make(Op::Equal, &[x, greatest]));
        }
        _ => return None,
    };
    match s.op() {
        op if op == never => Some(truth(s, false)),
        op if op == always => Some(truth(s, true)),
        op if op == not_equal => Some(s.make(Op::NotEqual, &[x, c])),
        _ => Some(s.make(Op::Equal, &[x, c])),
    }
}

/// The comparisons that the range of the left operand decides.
fn compare_range(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    s.integers()?;
    let (x, c) = s.pair();
    let c = integer(s.scalar_of(c)?, s.uniform_bits(c)?);
    let (least, greatest) = super::bounds::integer_range(s, x)?;
    let decided = match s.op() {
        Op::LessThan => (greatest < c, least >= c),
        Op::LessThanEqual => (greatest <= c, least > c),
        Op::GreaterThan => (least > c, greatest <= c),
        Op::GreaterThanEqual => (least >= c, greatest < c),
        Op::Equal => (false, c < least || c > greatest),
        _ => (c < least || c > greatest, false),
    };
    match decided {
        (true, _) => Some(truth(s, true)),
        (_, true) => Some(truth(s, false)),
        _ => None,
    }
}

/// `x <= c → x < c + 1`, `x >= c → x > c - 1`; what would wrap, [`compare_with_extreme`] has taken (or a component of a
/// vector keeps it from).
fn strict_with_constant(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    s.integers()?;
    let (x, c) = s.pair();
    let scalar = s.scalar_of(c)?;
    let (least, greatest) = extremes(scalar);
    let (op, edge, step) =
        if s.op() == Op::LessThanEqual { (Op::LessThan, greatest, 1) } else { (Op::GreaterThan, least, u64::MAX) };
    let c = s.map(c, |bits| (bits != edge).then(|| bits.wrapping_add(step) & mask(scalar)))?;
    Some(s.make(op, &[x, c]))
}

/// Of booleans: `x != (x != y) → y`, `x == (x == y) → y`, `x == (x != y) → !y`.
fn equal_twice(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    if s.scalar_of(s.arg(0)) != Some(Scalar::Bool) {
        return None;
    }
    super::boolean::either_way(s, |s, x, inner| {
        let (op, rest) = match s.def(inner)? {
            (op @ (Op::Equal | Op::NotEqual), _, &[a, b]) if a == x => (op, b),
            (op @ (Op::Equal | Op::NotEqual), _, &[a, b]) if b == x => (op, a),
            _ => return None,
        };
        Some(if op == s.op() { rest } else { s.make(Op::LogicalNot, &[rest]) })
    })
}

fn not_comparison(s: &mut Site<'_, '_, '_>, ordered: bool) -> Option<Value> {
    let (op, _, args) = s.def(s.arg(0))?;
    if !ALL.contains(&op) {
        return None;
    }
    let (x, y) = (args[0], args[1]);
    let op = inverse(op, ordered || !s.is_float(x))?;
    Some(s.make(op, &[x, y]))
}

/// Sums with constants that one comparison undoes one after the other. The rules make one of them, but can be turned off: then an unrolled loop
/// makes one per iteration, and each comparison would go through all before it.
const MAX_SUMS: usize = 16;

/// `x + c == d → x == d - c` and its like, of integers; through all ops that can be undone.
fn equal_moved_constant(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    s.integers()?;
    let (mut x, mut d) = s.pair();
    d.as_const()?;
    let mut sums = 0;
    while let Some((op, inner, undone)) = undo(s, x, d) {
        sums = if matches!(op, Op::Add | Op::Subtract) { sums + 1 } else { 0 };
        if sums > MAX_SUMS {
            return None;
        }
        (x, d) = (inner, undone);
    }
    (x != s.arg(0)).then(|| s.make(s.op(), &[x, d]))
}

/// The op that makes a value, its operand `x`, and the constant that `x` equals if the value equals `d`.
fn undo(s: &mut Site<'_, '_, '_>, value: Value, d: Value) -> Option<(Op, Value, Value)> {
    let (op, _, args) = s.def(value)?;
    let (x, d) = match (op, args) {
        // A counter is compared after its step, which is taken anyway: then nothing needs the count before.
        (Op::Add | Op::Subtract, &[x, c]) if c.as_const().is_some() && s.counts(x) => return None,
        (Op::Add, &[x, c]) => (x, s.fold(Op::Subtract, &[d, c])?),
        (Op::Subtract, &[x, c]) if c.as_const().is_some() => (x, s.fold(Op::Add, &[d, c])?),
        (Op::Subtract, &[c, x]) => (x, s.fold(Op::Subtract, &[c, d])?),
        (Op::BitwiseXor, &[x, c]) => (x, s.fold(Op::BitwiseXor, &[d, c])?),
        (Op::Negate | Op::BitwiseNot, &[x]) => (x, s.fold(op, &[d])?),
        _ => return None,
    };
    Some((op, x, d))
}

/// `x - y < 0 → x < y`
fn difference(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (difference, zero) = s.pair();
    if !s.is_zero(zero) {
        return None;
    }
    let (Op::Subtract | Op::BitwiseXor, _, &[x, y]) = s.def(difference)? else { return None };
    Some(s.make(s.op(), &[x, y]))
}

/// Two comparisons of the same operands: their ops, the second one mirrored so that the operands stand as in the first,
/// and the operands.
fn comparisons(s: &Site<'_, '_, '_>) -> Option<(Op, Op, Value, Value)> {
    let (p, q) = s.pair();
    let (first, _, &[x, y]) = s.def(p)? else { return None };
    let (second, _, &[z, w]) = s.def(q)? else { return None };
    if !ALL.contains(&first) || !ALL.contains(&second) {
        return None;
    }
    match () {
        _ if (x, y) == (z, w) => Some((first, second, x, y)),
        _ if (x, y) == (w, z) => Some((first, mirrored(second), x, y)),
        _ => None,
    }
}

/// Which of less, equal, greater (and of floats: unordered) make a comparison true, as bits 0 to 3.
fn outcomes(op: Op, float: bool) -> u8 {
    match op {
        Op::LessThan => 0b0001,
        Op::LessThanEqual => 0b0011,
        Op::GreaterThan => 0b0100,
        Op::GreaterThanEqual => 0b0110,
        Op::Equal => 0b0010,
        _ if float => 0b1101,
        _ => 0b0101,
    }
}

/// Two comparisons of the same operands as one, where there is one with just these outcomes.
fn combined(s: &mut Site<'_, '_, '_>, combine: impl Fn(u8, u8) -> u8) -> Option<Value> {
    let (first, second, x, y) = comparisons(s)?;
    let float = s.is_float(x);
    let set = combine(outcomes(first, float), outcomes(second, float));
    match set {
        0 => Some(truth(s, false)),
        _ if set == if float { 0b1111 } else { 0b111 } => Some(truth(s, true)),
        _ => {
            let op = ALL.iter().copied().find(|&op| outcomes(op, float) == set)?;
            Some(s.make(op, &[x, y]))
        }
    }
}
