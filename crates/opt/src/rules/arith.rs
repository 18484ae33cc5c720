//! Identities and annihilators of numbers, and the forms of negation and subtraction.

use planish_ir::entity::Value;
use planish_ir::meaning::float_bits;
use planish_ir::ops::Op;

use super::Law::{AnyNan, Exact, Finite, Reciprocal, SignedZero};
use super::site::{float, integer, is_normal, mask};
use super::{Rule, Site, rule};

const PRODUCTS: &[Op] = &[Op::Multiply, Op::MatrixComponentMultiply, Op::MatrixTimesScalar];
const SCALINGS: &[Op] = &[Op::Multiply, Op::MatrixComponentMultiply, Op::MatrixTimesScalar, Op::Divide];
const FOUR: &[Op] = &[Op::Add, Op::Subtract, Op::Multiply, Op::Divide, Op::MatrixComponentMultiply];

/// The rules.
pub(super) static RULES: &[Rule] = &[
    rule("nan_operand", FOUR, Exact, "x + NaN → NaN (also - * /)", nan_operand),
    rule("add_zero", &[Op::Add], AnyNan, "x + 0 → x (floats: x + -0.0)", |s| {
        let zero = if s.is_float(s.arg(0)) { -0.0 } else { 0.0 };
        s.is_number(s.arg(1), zero).then(|| s.arg(0))
    }),
    rule("add_positive_zero", &[Op::Add], SignedZero, "x + 0.0 → x", |s| s.is_zero(s.arg(1)).then(|| s.arg(0))),
    rule("subtract_zero", &[Op::Subtract], AnyNan, "x - 0 → x", |s| s.is_number(s.arg(1), 0.0).then(|| s.arg(0))),
    rule("subtract_negative_zero", &[Op::Subtract], SignedZero, "x - -0.0 → x", |s| {
        s.is_zero(s.arg(1)).then(|| s.arg(0))
    }),
    rule("subtract_from_zero", &[Op::Subtract], AnyNan, "0 - x → -x (floats: -0.0 - x)", |s| {
        let zero = if s.is_float(s.arg(0)) { -0.0 } else { 0.0 };
        s.is_number(s.arg(0), zero).then(|| s.make(Op::Negate, &[s.arg(1)]))
    }),
    rule("subtract_from_positive_zero", &[Op::Subtract], SignedZero, "0.0 - x → -x", |s| {
        s.is_zero(s.arg(0)).then(|| s.make(Op::Negate, &[s.arg(1)]))
    }),
    rule("subtract_itself", &[Op::Subtract], Exact, "x - x → 0 (integers)", |s| {
        s.integers()?;
        (s.arg(0) == s.arg(1)).then(|| s.zero())
    }),
    rule("subtract_itself_float", &[Op::Subtract], Finite, "x - x → 0.0", |s| {
        (s.arg(0) == s.arg(1)).then(|| s.zero())
    }),
    rule("scale_by_one", SCALINGS, AnyNan, "x * 1 → x, x / 1 → x", |s| {
        s.is_number(s.arg(1), 1.0).then(|| s.arg(0))
    }),
    rule("scale_by_minus_one", SCALINGS, AnyNan, "x * -1 → -x, x / -1 → -x", |s| {
        s.is_number(s.arg(1), -1.0).then(|| s.make(Op::Negate, &[s.arg(0)]))
    }),
    rule("multiply_zero", &[Op::Multiply], Exact, "x * 0 → 0 (integers)", |s| {
        s.integers()?;
        s.is_zero(s.arg(1)).then(|| s.arg(1))
    }),
    rule("multiply_zero_float", PRODUCTS, Finite, "x * 0.0 → 0.0", |s| s.is_zero(s.arg(1)).then(|| s.zero())),
    rule("divide_zero", &[Op::Divide, Op::Remainder], Exact, "0 / x → 0, 0 % x → 0 (integers)", |s| {
        s.integers()?;
        s.is_zero(s.arg(0)).then(|| s.arg(0))
    }),
    rule("divide_zero_float", &[Op::Divide], Finite, "0.0 / x → 0.0", |s| s.is_zero(s.arg(0)).then(|| s.zero())),
    rule("divide_by_zero", &[Op::Divide, Op::Remainder], Exact, "x / 0 → x, x % 0 → 0 (integers)", |s| {
        s.integers()?;
        s.is_zero(s.arg(1)).then(|| if s.op() == Op::Divide { s.arg(0) } else { s.arg(1) })
    }),
    rule("divide_by_itself", &[Op::Divide], Finite, "x / x → 1.0", |s| {
        s.floats()?;
        (s.arg(0) == s.arg(1)).then(|| s.number(s.ty(), 1.0))
    }),
    rule("remainder_zero", &[Op::Remainder], Exact, "x % 1 → 0, x % -1 → 0, x % x → 0", |s| {
        let (x, y) = s.pair();
        (x == y || s.is_number(y, 1.0) || s.is_number(y, -1.0)).then(|| s.zero())
    }),
    rule(
        "divide_without_trap",
        &[Op::DivideTrapping, Op::RemainderTrapping],
        Exact,
        "x / c that may trap → x / c (c neither 0 nor -1)",
        |s| {
            let (x, c) = s.pair();
            let scalar = s.scalar_of(c)?;
            let remainder = s.op() == Op::RemainderTrapping;
            let minus_one = |bits| scalar.is_signed() && bits == mask(scalar) && !remainder;
            let op = if remainder { Op::Remainder } else { Op::Divide };
            s.all(c, |bits| bits != 0 && !minus_one(bits)).then(|| s.make(op, &[x, c]))
        },
    ),
    rule("divide_twice", &[Op::Divide], Exact, "x / c / d → x / (c * d) (integers that do not overflow)", divide_twice),
    rule("divide_power_of_two", &[Op::Divide], Exact, "x / 2^k → x * 2^-k", |s| reciprocal(s, true)),
    rule("divide_constant", &[Op::Divide], Reciprocal, "x / c → x * (1 / c)", |s| reciprocal(s, false)),
    rule("negate_negated", &[Op::Negate], Exact, "-(-x) → x", |s| s.unary(s.arg(0), Op::Negate)),
    rule("add_negated", &[Op::Add], Exact, "x + -y → x - y", |s| {
        let (x, y) = s.pair();
        if let Some(y) = s.unary(y, Op::Negate) {
            return Some(s.make(Op::Subtract, &[x, y]));
        }
        let x = s.unary(x, Op::Negate)?;
        Some(s.make(Op::Subtract, &[y, x]))
    }),
    rule("subtract_negated", &[Op::Subtract], Exact, "x - -y → x + y", |s| {
        let y = s.unary(s.arg(1), Op::Negate)?;
        Some(s.make(Op::Add, &[s.arg(0), y]))
    }),
    rule("negate_difference", &[Op::Negate], Exact, "-(x - y) → y - x (integers)", |s| {
        s.integers()?;
        negate_difference(s)
    }),
    rule("negate_difference_float", &[Op::Negate], SignedZero, "-(x - y) → y - x", negate_difference),
    rule("negate_sum", &[Op::Negate], Exact, "-(x + c) → -c - x (integers)", |s| {
        s.integers()?;
        negate_sum(s)
    }),
    rule("negate_sum_float", &[Op::Negate], SignedZero, "-(x + c) → -c - x", negate_sum),
    rule("multiply_negated", PRODUCTS, Exact, "-x * -y → x * y, -x * c → x * -c", multiply_negated),
    rule("divide_negated", &[Op::Divide], Exact, "-x / -y → x / y, -x / c → x / -c, c / -x → -c / x", |s| {
        s.floats()?;
        multiply_negated(s)
    }),
    rule("negate_product", &[Op::Negate], AnyNan, "-(x * c) → x * -c", |s| {
        // Not `-(x / c)`: where the quotient is needed too, that would be a second division.
        let (op, _, &[x, c]) = s.def(s.arg(0))? else { return None };
        let minus = PRODUCTS.contains(&op).then(|| s.fold(Op::Negate, &[c]))??;
        Some(s.make(op, &[x, minus]))
    }),
    rule("add_negative_constant", &[Op::Add], Exact, "x + -c → x - c", |s| {
        let minus = opposite(s, s.arg(1))?;
        // The least integer is its own opposite.
        (!is_negative(s, minus)).then(|| s.make(Op::Subtract, &[s.arg(0), minus]))
    }),
    rule("subtract_negative_constant", &[Op::Subtract], Exact, "x - -c → x + c", |s| {
        let minus = opposite(s, s.arg(1))?;
        Some(s.make(Op::Add, &[s.arg(0), minus]))
    }),
];

/// A NaN among the operands, and all of it.
fn nan_operand(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    s.floats()?;
    let scalar = s.scalar_of(s.arg(0))?;
    let nan = s.args().iter().any(|&a| s.all(a, |bits| float(scalar, bits).is_nan()));
    nan.then(|| s.number(s.ty(), f64::NAN))
}

/// The quotient is rounded towards zero twice, which is the same as once, unless the divisors' product does not fit.
fn divide_twice(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    s.integers()?;
    let (inner, d) = s.pair();
    let (x, c) = s.binary(inner, Op::Divide)?;
    let scalar = s.scalar_of(x)?;
    let (c, d) = (integer(scalar, s.uniform_bits(c)?), integer(scalar, s.uniform_bits(d)?));
    let product = c.checked_mul(d)?;
    let fits = c > 0 && d > 0 && product <= integer(scalar, mask(scalar) >> u32::from(scalar.is_signed()));
    if !fits {
        return None;
    }
    let product = s.splat(s.ty(), product as u64);
    Some(s.make(Op::Divide, &[x, product]))
}

/// `x / c → x * (1 / c)`, exact where `c` is a power of two. Neither `c` nor its reciprocal may be subnormal.
fn reciprocal(s: &mut Site<'_, '_, '_>, exact: bool) -> Option<Value> {
    s.floats()?;
    let (x, c) = s.pair();
    let scalar = s.scalar_of(c)?;
    let inverse = s.map(c, |bits| {
        let c = float(scalar, bits);
        let is_power = c.to_bits() & ((1 << 52) - 1) == 0;
        let is_good = (is_power || !exact) && is_normal(scalar, c) && is_normal(scalar, c.recip());
        is_good.then(|| float_bits(scalar, c.recip()))
    })?;
    let op = if s.is_matrix(x) { Op::MatrixComponentMultiply } else { Op::Multiply };
    Some(s.make(op, &[x, inverse]))
}

/// `-(x - y) → y - x`
fn negate_difference(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (x, y) = s.binary(s.arg(0), Op::Subtract)?;
    Some(s.make(Op::Subtract, &[y, x]))
}

/// `-(x + c) → -c - x`
fn negate_sum(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (x, c) = s.binary(s.arg(0), Op::Add)?;
    let minus = s.fold(Op::Negate, &[c])?;
    Some(s.make(Op::Subtract, &[minus, x]))
}

/// `-x * -y → x * y`, `-x * c → x * -c`, `c / -x → -c / x`
fn multiply_negated(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (x, y) = s.pair();
    match (s.unary(x, Op::Negate), s.unary(y, Op::Negate)) {
        (Some(x), Some(y)) => Some(s.make(s.op(), &[x, y])),
        (Some(x), None) => {
            let y = s.fold(Op::Negate, &[y])?;
            Some(s.make(s.op(), &[x, y]))
        }
        (None, Some(y)) => {
            let x = s.fold(Op::Negate, &[x])?;
            Some(s.make(s.op(), &[x, y]))
        }
        (None, None) => None,
    }
}

/// Whether a constant's first component is negative (of unsigned ones: large), by which `x + c` and `x - c` choose between
/// themselves.
fn is_negative(s: &Site<'_, '_, '_>, c: Value) -> bool {
    let (Some(bits), Some(scalar)) = (s.first_bits(c), s.scalar_of(c)) else { return false };
    bits >> (scalar.bits() - 1) & 1 != 0
}

/// The opposite of a negative constant.
fn opposite(s: &mut Site<'_, '_, '_>, c: Value) -> Option<Value> {
    if !is_negative(s, c) {
        return None;
    }
    s.fold(Op::Negate, &[c])
}
