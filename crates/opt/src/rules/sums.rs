//! Sums regrouped: constants meet each other, terms that cancel go, common factors are taken out. Of integers this is exact,
//! since they wrap; of floats it needs the law.

use planish_ir::entity::Value;
use planish_ir::ops::Op;
use smallvec::SmallVec;

use super::Law::{AnyNan, Associative, Exact};
use super::boolean::either_way;
use super::products::times_constant;
use super::site::float;
use super::{Rule, Site, rule};

const SUMS: &[Op] = &[Op::Add, Op::Subtract];
const BITS: &[Op] = &[Op::BitwiseAnd, Op::BitwiseOr, Op::BitwiseXor];

/// The rules.
pub(super) static RULES: &[Rule] = &[
    rule("constants_of_bits", BITS, Exact, "(x & c) & d → x & (c & d); also | ^", |s| {
        let (inner, d) = s.pair();
        let (x, c) = s.binary(inner, s.op())?;
        let both = s.fold(s.op(), &[c, d])?;
        Some(s.make(s.op(), &[x, both]))
    }),
    rule(
        "constants_of_sum",
        SUMS,
        Exact,
        "(x + c) + d → x + (c + d), c - (x + d) → (c - d) - x, … (integers)",
        |s| {
            s.integers()?;
            constants_of_sum(s)
        },
    ),
    rule(
        "constants_of_float_sum",
        SUMS,
        Associative,
        "(x + c) + d → x + (c + d), c - (x + d) → (c - d) - x, …",
        |s| {
            s.floats()?;
            constants_of_sum(s)
        },
    ),
    rule("constants_of_two_sums", SUMS, Exact, "(x + c) + (y + d) → (x + y) + (c + d); also - (integers)", |s| {
        s.integers()?;
        constants_of_two_sums(s)
    }),
    rule("constants_of_two_float_sums", SUMS, Associative, "(x + c) + (y + d) → (x + y) + (c + d); also -", |s| {
        s.floats()?;
        constants_of_two_sums(s)
    }),
    rule(
        "cancel_terms",
        SUMS,
        Exact,
        "(x + y) - y → x, x - (x + y) → -y, (x - y) + y → x, … (integers)",
        |s| {
            s.integers()?;
            cancel_terms(s)
        },
    ),
    rule(
        "cancel_float_terms",
        SUMS,
        Associative,
        "(x + y) - y → x, x - (x + y) → -y, (x - y) + y → x, …",
        |s| {
            s.floats()?;
            cancel_terms(s)
        },
    ),
    rule(
        "common_factor",
        SUMS,
        Exact,
        "x * y + x * z → x * (y + z), x * c + x → x * (c + 1); also - (integers)",
        |s| {
            s.integers()?;
            common_factor(s)
        },
    ),
    rule(
        "common_float_factor",
        SUMS,
        Associative,
        "x * y + x * z → x * (y + z), x * c + x → x * (c + 1.0); also -",
        |s| {
            s.floats()?;
            common_factor(s)
        },
    ),
    rule("common_divisor", SUMS, Associative, "x / z + y / z → (x + y) / z; also -", |s| {
        s.floats()?;
        let (p, q) = s.pair();
        let ((x, z), (y, w)) = (s.binary(p, Op::Divide)?, s.binary(q, Op::Divide)?);
        if z != w {
            return None;
        }
        let sum = s.make(s.op(), &[x, y]);
        Some(s.make(Op::Divide, &[sum, z]))
    }),
    rule("twice", &[Op::Add], Exact, "x + x → x * 2 (integers)", |s| {
        s.integers()?;
        twice(s)
    }),
    rule(
        "power_of_two_and_once",
        &[Op::Add],
        AnyNan,
        "x + x * 2^k → x * (2^k + 1), x + (x + x) → x * 3.0 (k from 1 to 10)",
        |s| {
            s.floats()?;
            if s.is_matrix(s.arg(0)) { None } else { power_of_two_and_once(s) }
        },
    ),
];

/// `x` and `c` if a value is `x + c` or `x - c`, with the constant as a summand.
fn plus_constant(s: &mut Site<'_, '_, '_>, value: Value) -> Option<(Value, Value)> {
    let (op, _, &[x, c]) = s.def(value)? else { return None };
    c.as_const()?;
    match op {
        Op::Add => Some((x, c)),
        Op::Subtract => s.fold(Op::Negate, &[c]).map(|c| (x, c)),
        _ => None,
    }
}

/// `x` and `c` if a value is `c - x`.
fn constant_minus(s: &Site<'_, '_, '_>, value: Value) -> Option<(Value, Value)> {
    let (c, x) = s.binary(value, Op::Subtract)?;
    c.as_const().map(|_| (x, c))
}

fn constants_of_sum(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (left, right) = s.pair();
    if right.as_const().is_some() {
        // (x + c) ± d, (c - x) ± d
        if let Some((x, c)) = plus_constant(s, left) {
            let sum = s.fold(s.op(), &[c, right])?;
            return Some(s.make(Op::Add, &[x, sum]));
        }
        let (x, c) = constant_minus(s, left)?;
        let sum = s.fold(s.op(), &[c, right])?;
        return Some(s.make(Op::Subtract, &[sum, x]));
    }
    if left.as_const().is_none() || s.op() != Op::Subtract {
        return None;
    }
    // d - (x + c), d - (c - x)
    if let Some((x, c)) = plus_constant(s, right) {
        let rest = s.fold(Op::Subtract, &[left, c])?;
        return Some(s.make(Op::Subtract, &[rest, x]));
    }
    let (x, c) = constant_minus(s, right)?;
    let rest = s.fold(Op::Subtract, &[left, c])?;
    Some(s.make(Op::Add, &[x, rest]))
}

/// `(x + c) ± (y + d) → (x ± y) + (c ± d)`
fn constants_of_two_sums(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (left, right) = s.pair();
    let ((x, c), (y, d)) = (plus_constant(s, left)?, plus_constant(s, right)?);
    let constant = s.fold(s.op(), &[c, d])?;
    let sum = s.make(s.op(), &[x, y]);
    Some(s.make(Op::Add, &[sum, constant]))
}

/// The rest of a sum or difference after a term is removed.
enum Rest {
    /// A value.
    Is(Value),
    /// The opposite of a value.
    Opposite(Value),
    /// Another sum or difference.
    Of(Op, Value, Value),
}

/// Terms on both sides of a sum or difference; all of them at once, since sums that were added up in one loop
/// have many in common.
fn cancel_terms(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (x, y) = s.pair();
    let mut rest = Rest::Of(s.op(), x, y);
    let mut found = false;
    while let Rest::Of(op, x, y) = rest {
        let shorter = if op == Op::Add {
            cancel_in_sum(s, x, y).or_else(|| cancel_in_sum(s, y, x))
        } else {
            cancel_in_difference(s, x, y)
        };
        match shorter {
            Some(shorter) => rest = shorter,
            None => return found.then(|| s.make(op, &[x, y])),
        }
        found = true;
    }
    match rest {
        Rest::Is(x) => Some(x),
        Rest::Opposite(x) => Some(s.make(Op::Negate, &[x])),
        Rest::Of(op, x, y) => Some(s.make(op, &[x, y])),
    }
}

/// `(a - b) + b`, `(a - b) + (b + c)`, `(a - b) + (b - c)`
fn cancel_in_sum(s: &Site<'_, '_, '_>, x: Value, y: Value) -> Option<Rest> {
    let (a, b) = s.binary(x, Op::Subtract)?;
    if b == y {
        return Some(Rest::Is(a));
    }
    if let Some(c) = s.other(y, Op::Add, b) {
        return Some(Rest::Of(Op::Add, a, c));
    }
    let (c, d) = s.binary(y, Op::Subtract)?;
    (c == b).then_some(Rest::Of(Op::Subtract, a, d))
}

fn cancel_in_difference(s: &Site<'_, '_, '_>, x: Value, y: Value) -> Option<Rest> {
    if let Some((a, b)) = s.binary(x, Op::Add) {
        // (a + b) - a, (a + b) - (a + c)
        for (a, b) in [(a, b), (b, a)] {
            if a == y {
                return Some(Rest::Is(b));
            }
            if let Some(c) = s.other(y, Op::Add, a) {
                return Some(Rest::Of(Op::Subtract, b, c));
            }
        }
    }
    if let Some((a, b)) = s.binary(x, Op::Subtract) {
        // (a - b) - a, (a - b) - (a - c), (a - b) - (c - b)
        if a == y {
            return Some(Rest::Opposite(b));
        }
        match s.binary(y, Op::Subtract) {
            Some((c, d)) if c == a => return Some(Rest::Of(Op::Subtract, d, b)),
            Some((c, d)) if d == b => return Some(Rest::Of(Op::Subtract, a, c)),
            _ => {}
        }
    }
    // x - (x + b), x - (x - b)
    if let Some(b) = s.other(y, Op::Add, x) {
        return Some(Rest::Opposite(b));
    }
    let (a, b) = s.binary(y, Op::Subtract)?;
    (a == x).then_some(Rest::Is(b))
}

/// `x * y ± x * z → x * (y ± z)`. A single `x` counts as `x * 1`, if the other factor is a constant.
fn common_factor(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    if s.is_matrix(s.arg(0)) {
        return None;
    }
    common_operands(s, Op::Multiply).or_else(|| single_factor(s))
}

/// `inner(x, y) op inner(x, z) → inner(x, y op z)`, where `inner` distributes over the requested op; all that both sides
/// have in common at once.
pub(super) fn common_operands(s: &mut Site<'_, '_, '_>, inner: Op) -> Option<Value> {
    let (mut p, mut q) = s.pair();
    let mut common = SmallVec::<[Value; 4]>::new();
    while let Some((a, b)) = s.binary(p, inner) {
        (p, q) = match (s.other(q, inner, a), s.other(q, inner, b)) {
            (Some(rest), _) => {
                common.push(a);
                (b, rest)
            }
            (_, Some(rest)) => {
                common.push(b);
                (a, rest)
            }
            _ => break,
        };
    }
    if common.is_empty() {
        return None;
    }
    let rest = s.make(s.op(), &[p, q]);
    Some(common.iter().rev().fold(rest, |rest, &x| s.make(inner, &[x, rest])))
}

/// `x * c ± x → x * (c ± 1)`, `x ± x * c → x * (1 ± c)`
fn single_factor(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (p, q) = s.pair();
    let (x, first, second) = match (times_constant(s, p), times_constant(s, q)) {
        (Some((x, c)), _) if x == q => (x, Some(c), None),
        (_, Some((x, c))) if x == p => (x, None, Some(c)),
        _ => return None,
    };
    let one = s.number(s.ty(), 1.0);
    let sum = s.fold(s.op(), &[first.unwrap_or(one), second.unwrap_or(one)])?;
    Some(s.make(Op::Multiply, &[x, sum]))
}

/// `x + x → x * 2`
fn twice(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (x, y) = s.pair();
    if x != y {
        return None;
    }
    let two = s.number(s.ty(), 2.0);
    Some(s.make(Op::Multiply, &[x, two]))
}

/// `x + x * 2^k → x * (2^k + 1)`: the first product is exact, so both sides round the same number once; where it overflows, so
/// does the other one. The constant fits floats of 16 bits, too.
fn power_of_two_and_once(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    either_way(s, |s, x, product| {
        let scalar = s.scalar_of(x)?;
        let factor = if let Some((y, c)) = times_constant(s, product) {
            (x == y).then(|| s.uniform_bits(c))?.map(|bits| float(scalar, bits))?
        } else {
            (s.binary(product, Op::Add)? == (x, x)).then_some(2.0)?
        };
        if !(1..=10).any(|k| factor == f64::from(1 << k)) {
            return None;
        }
        let factor = s.number(s.ty(), factor + 1.0);
        Some(s.make(Op::Multiply, &[x, factor]))
    })
}
