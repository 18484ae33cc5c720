//! Products and quotients regrouped: constants meet each other and go last, factors that cancel go. Of integers this is
//! exact, since they wrap; of floats it needs the law.

use planish_ir::entity::Value;
use planish_ir::ops::Op;

use super::Law::{Associative, Exact};
use super::boolean::either_way;
use super::site::{float, is_normal};
use super::{Rule, Site, rule};

/// The rules.
pub(super) static RULES: &[Rule] = &[
    rule("constants_of_product", &[Op::Multiply], Exact, "(x * c) * d → x * (c * d) (integers)", |s| {
        s.integers()?;
        constants_of_product(s)
    }),
    rule("constants_of_float_product", &[Op::Multiply], Associative, "(x * c) * d → x * (c * d)", |s| {
        s.floats()?;
        constants_of_product(s)
    }),
    rule(
        "shift_and_product",
        &[Op::Multiply, Op::ShiftLeft],
        Exact,
        "(x << c) * d → x * (d << c), (x * c) << d → x * (c << d)",
        |s| {
            let (inner, d) = s.pair();
            let (x, factor, by) = if s.op() == Op::Multiply {
                let (x, by) = s.binary(inner, Op::ShiftLeft)?;
                (x, d, by)
            } else {
                let (x, factor) = s.binary(inner, Op::Multiply)?;
                (x, factor, d)
            };
            let factor = s.fold(Op::ShiftLeft, &[factor, by])?;
            Some(s.make(Op::Multiply, &[x, factor]))
        },
    ),
    rule(
        "constant_of_product_last",
        &[Op::Multiply],
        Associative,
        "(x * c) * y → (x * y) * c, (x * c) * (y * d) → (x * y) * (c * d)",
        |s| {
            s.floats()?;
            constant_of_product_last(s)
        },
    ),
    rule("scale_twice", &[Op::Multiply], Associative, "x * vector(a) * vector(b) → x * vector(a * b)", scale_twice),
    rule(
        "constant_over_quotient",
        &[Op::Divide],
        Associative,
        "c / (x * d) → (c / d) / x, (x * c) / d → x * (c / d)",
        |s| {
            s.floats()?;
            constant_over_quotient(s)
        },
    ),
    rule(
        "cancel_factors",
        &[Op::Multiply, Op::Divide],
        Associative,
        "(x * y) / y → x, (x / y) * y → x, x / (x * y) → 1 / y, x / (x / y) → y",
        |s| {
            s.floats()?;
            cancel_factors(s)
        },
    ),
    rule(
        "divide_quotient",
        &[Op::Divide],
        Associative,
        "(x / y) / z → x / (y * z), x / (y / z) → (x * z) / y",
        |s| {
            s.floats()?;
            let (x, y) = s.pair();
            // Matrices are divided by component.
            let product = if s.is_matrix(x) { Op::MatrixComponentMultiply } else { Op::Multiply };
            if let Some((x, inner)) = s.binary(x, Op::Divide) {
                let divisor = s.make(product, &[inner, y]);
                return Some(s.make(Op::Divide, &[x, divisor]));
            }
            let (y, z) = s.binary(y, Op::Divide)?;
            let dividend = s.make(product, &[x, z]);
            Some(s.make(Op::Divide, &[dividend, y]))
        },
    ),
];

fn constants_of_product(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (inner, d) = s.pair();
    let (x, c) = s.binary(inner, Op::Multiply)?;
    let both = s.fold(Op::Multiply, &[c, d])?;
    is_good(s, both).then(|| s.make(Op::Multiply, &[x, both]))
}

/// `x` and `c` if a value is `x * c`.
pub(super) fn times_constant(s: &Site<'_, '_, '_>, value: Value) -> Option<(Value, Value)> {
    let (x, c) = s.binary(value, Op::Multiply)?;
    c.as_const().map(|_| (x, c))
}

/// Constants go to the end of a product, where they meet.
fn constant_of_product_last(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (left, right) = s.pair();
    if right.as_const().is_some() {
        return None;
    }
    let (x, y, constant) = match (times_constant(s, left), times_constant(s, right)) {
        (Some((x, c)), Some((y, d))) => (x, y, s.fold(Op::Multiply, &[c, d])?),
        (Some((x, c)), None) => (x, right, c),
        (None, Some((y, d))) => (left, y, d),
        (None, None) => return None,
    };
    if !is_good(s, constant) {
        return None;
    }
    let product = s.make(Op::Multiply, &[x, y]);
    Some(s.make(Op::Multiply, &[product, constant]))
}

/// A vector scaled by two scalars (one of them perhaps a constant): one product of scalars for one of vectors.
fn scale_twice(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let is_scale = |s: &Site<'_, '_, '_>, v| {
        s.size_of(v) > 1 && (s.unary(v, Op::ConstructVectorFromScalar).is_some() || s.uniform_bits(v).is_some())
    };
    either_way(s, |s, inner, b| {
        let (x, y) = s.binary(inner, Op::Multiply).filter(|_| is_scale(s, b))?;
        let (x, a) = match (is_scale(s, x), is_scale(s, y)) {
            (false, true) => (x, y),
            (true, false) => (y, x),
            _ => return None,
        };
        if a.as_const().is_some() && b.as_const().is_some() {
            return None;
        }
        let scale = s.make(Op::Multiply, &[a, b]);
        Some(s.make(Op::Multiply, &[x, scale]))
    })
}

/// Whether a constant has lost nothing: integers, and floats that are finite and neither subnormal nor zero.
fn is_good(s: &Site<'_, '_, '_>, c: Value) -> bool {
    let Some(scalar) = s.scalar_of(c) else { return false };
    s.all(c, |bits| !scalar.is_float() || is_normal(scalar, float(scalar, bits)))
}

fn constant_over_quotient(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (left, right) = s.pair();
    let (op, x, constant) = if right.as_const().is_some() {
        // (x * c) / d
        let (x, c) = times_constant(s, left)?;
        (Op::Multiply, x, s.fold(Op::Divide, &[c, right])?)
    } else {
        // c / (x * d)
        let (x, d) = times_constant(s, right)?;
        (Op::Divide, x, s.fold(Op::Divide, &[left, d])?)
    };
    if !is_good(s, constant) {
        return None;
    }
    let args = if op == Op::Divide { [constant, x] } else { [x, constant] };
    Some(s.make(op, &args))
}

fn cancel_factors(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (x, y) = s.pair();
    if s.op() == Op::Multiply {
        return either_way(s, |s, x, y| {
            let (a, b) = s.binary(x, Op::Divide)?;
            (b == y).then_some(a)
        });
    }
    if let Some(rest) = s.other(x, Op::Multiply, y) {
        return Some(rest);
    }
    if let Some(rest) = s.other(y, Op::Multiply, x) {
        let one = s.number(s.ty(), 1.0);
        return Some(s.make(Op::Divide, &[one, rest]));
    }
    let (a, b) = s.binary(y, Op::Divide)?;
    (a == x).then_some(b)
}
