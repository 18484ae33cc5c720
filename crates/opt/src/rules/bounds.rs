//! Bounds: min, max, clamp, saturate, step, mix, and known ranges of values.
//!
//! `min(x, y)` is `y < x ? y : x`: the first operand if they are equal or one is NaN. So a chain of `min`s gives the first
//! of the least of its operands, and a NaN that goes in first comes out.

use planish_ir::entity::Value;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use smallvec::{SmallVec, smallvec};

use super::Law::{AnyNan, Associative, Exact, Finite};
use super::site::{float, integer, mask};
use super::{Rule, Site, rule};

const MIN_MAX: &[Op] = &[Op::Min, Op::Max];
const ALL_MIN_MAX: &[Op] = &[Op::Min, Op::Max, Op::Minimum, Op::Maximum];

/// The rules.
pub(super) static RULES: &[Rule] = &[
    rule("min_itself", ALL_MIN_MAX, AnyNan, "min(x, x) → x; also max, minimum, maximum", |s| {
        (s.arg(0) == s.arg(1)).then(|| s.arg(0))
    }),
    rule("min_in_order", MIN_MAX, Exact, "min(y, x) → min(x, y), constants last (integers)", |s| {
        s.integers()?;
        in_order(s)
    }),
    rule(
        "min_in_order_float",
        MIN_MAX,
        Finite,
        "min(y, x) → min(x, y), constants last (but not max(c, f(x)) where f(x) may be NaN: that drops it)",
        |s| {
            let (x, y) = s.pair();
            if may_be_outside(s, y) && !may_be_outside(s, x) { None } else { in_order(s) }
        },
    ),
    rule("min_out_of_range", MIN_MAX, AnyNan, "min(x, c) → x where x is known to be no greater", min_out_of_range),
    rule("min_decided", MIN_MAX, Exact, "min(x, c) → c where x is known to be greater (integers)", min_decided),
    rule("min_of_min", ALL_MIN_MAX, Exact, "min(min(x, c), d) → min(x, min(c, d)) (c and d no NaN)", |s| {
        let (inner, d) = s.pair();
        let (x, c) = s.binary(inner, s.op())?;
        if !is_ordered(s, c) || !is_ordered(s, d) {
            return None;
        }
        let both = s.fold(s.op(), &[c, d])?;
        Some(s.make(s.op(), &[x, both]))
    }),
    rule("min_of_same_min", MIN_MAX, Exact, "min(min(x, y), y) → min(x, y), min(min(x, y), x) → min(x, y)", |s| {
        let (x, y) = s.pair();
        if s.other(x, s.op(), y).is_some() {
            return Some(x);
        }
        // In the other order, only the first operand comes out of both for zeros and NaN.
        let (first, second) = s.binary(y, s.op())?;
        (first == x || second == x && !s.is_float(x)).then_some(y)
    }),
    rule("min_of_max", MIN_MAX, Exact, "min(x, max(x, y)) → x; and with min and max exchanged (integers)", |s| {
        s.integers()?;
        min_of_max(s)
    }),
    rule("min_of_max_float", MIN_MAX, Finite, "min(x, max(x, y)) → x; and with min and max exchanged", min_of_max),
    rule(
        "min_of_max_is_clamp",
        MIN_MAX,
        Exact,
        "min(max(x, c), d) → clamp(x, c, d), max(min(x, d), c) → clamp(x, c, d) (c <= d)",
        |s| {
            let (inner, outer) = s.pair();
            let other = if s.op() == Op::Min { Op::Max } else { Op::Min };
            let (x, bound) = s.binary(inner, other)?;
            let (low, high) = if s.op() == Op::Min { (bound, outer) } else { (outer, bound) };
            is_at_most(s, low, high).then(|| s.make(Op::Clamp, &[x, low, high]))
        },
    ),
    rule("max_of_opposite", &[Op::Max], Exact, "max(x, -x) → abs(x) (signed integers)", |s| {
        s.scalar_of(s.arg(0)).is_some_and(Scalar::is_signed).then_some(())?;
        let (x, y) = s.pair();
        let opposite = s.unary(y, Op::Negate) == Some(x) || s.unary(x, Op::Negate) == Some(y);
        opposite.then(|| s.make(Op::Abs, &[if s.unary(y, Op::Negate) == Some(x) { x } else { y }]))
    }),
    rule("clamp_is_saturate", &[Op::Clamp], Exact, "clamp(x, 0.0, 1.0) → saturate(x)", |s| {
        let unit = s.is_float(s.arg(0)) && s.is_number(s.arg(1), 0.0) && s.is_number(s.arg(2), 1.0);
        unit.then(|| s.make(Op::Saturate, &[s.arg(0)]))
    }),
    rule("clamp_to_one", &[Op::Clamp], Exact, "clamp(x, c, c) → c (integers)", |s| {
        s.integers()?;
        (s.arg(1) == s.arg(2)).then(|| s.arg(1))
    }),
    rule(
        "clamp_within",
        &[Op::Clamp, Op::Saturate],
        Exact,
        "clamp(x, c, d) → x where x is known to lie within",
        clamp_within,
    ),
    rule(
        "clamp_of_clamp",
        &[Op::Clamp],
        Exact,
        "clamp(clamp(x, a, b), c, d) → clamp(x, max(a, c), min(b, d)) (integers)",
        clamp_of_clamp,
    ),
    rule(
        "clamp_one_side",
        &[Op::Clamp],
        Exact,
        "clamp(x, c, d) → min(x, d) where x is known to be at least c, …",
        clamp_one_side,
    ),
    rule(
        "saturate_of_bound",
        &[Op::Saturate],
        Exact,
        "saturate(max(x, c)) → saturate(x) (c <= 0), saturate(min(x, c)) → saturate(x) (c >= 1)",
        saturate_of_bound,
    ),
    rule("step_itself", &[Op::Step], Exact, "step(x, x) → 1.0", |s| {
        (s.arg(0) == s.arg(1)).then(|| s.number(s.ty(), 1.0))
    }),
    rule("step_in_range", &[Op::Step], Exact, "step(c, x) → 1.0 where x is known to be at least c", |s| {
        let (edge, x) = s.pair();
        let (least, _) = float_range(s, x)?;
        let scalar = s.scalar_of(edge)?;
        s.all(edge, |bits| float(scalar, bits) <= least).then(|| s.number(s.ty(), 1.0))
    }),
    rule("mix_all_of_one", &[Op::Mix], Finite, "mix(x, y, 0.0) → x, mix(x, y, 1.0) → y", |s| {
        if s.is_zero(s.arg(2)) {
            return Some(s.arg(0));
        }
        s.is_number(s.arg(2), 1.0).then(|| s.arg(1))
    }),
    rule("mix_of_choice", &[Op::Mix], Finite, "mix(x, y, select(c, 1.0, 0.0)) → select(c, y, x)", mix_of_choice),
    rule("mix_from_zero", &[Op::Mix], Finite, "mix(0.0, x, a) → x * a", |s| {
        s.is_zero(s.arg(0)).then(|| s.make(Op::Multiply, &[s.arg(1), s.arg(2)]))
    }),
    rule("mix_same", &[Op::Mix], Associative, "mix(x, x, a) → x", |s| (s.arg(0) == s.arg(1)).then(|| s.arg(0))),
    // `lerp` is `(y - x) * a + x`: at its far end only nearly `y`, so another law than for `mix`.
    rule(
        "lerp_of_constant",
        &[Op::Lerp],
        Associative,
        "lerp(x, y, 0.0) → x, lerp(x, y, 1.0) → y, lerp(x, x, a) → x, lerp(0.0, x, a) → x * a",
        |s| {
            let (x, y, a) = (s.arg(0), s.arg(1), s.arg(2));
            match () {
                _ if s.is_zero(a) || x == y => Some(x),
                _ if s.is_number(a, 1.0) => Some(y),
                _ if s.is_zero(x) => Some(s.make(Op::Multiply, &[y, a])),
                _ => None,
            }
        },
    ),
    rule(
        "lerp_of_choice",
        &[Op::Lerp],
        Associative,
        "lerp(x, y, select(c, 1.0, 0.0)) → select(c, y, x)",
        mix_of_choice,
    ),
];

fn mix_of_choice(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (c, a, b) = s.ternary(s.arg(2), Op::Select)?;
    let (x, y) = (s.arg(0), s.arg(1));
    match () {
        _ if s.is_number(a, 1.0) && s.is_zero(b) => Some(s.make(Op::Select, &[c, y, x])),
        _ if s.is_zero(a) && s.is_number(b, 1.0) => Some(s.make(Op::Select, &[c, x, y])),
        _ => None,
    }
}

fn in_order(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (x, y) = s.pair();
    (x > y).then(|| s.make(s.op(), &[y, x]))
}

/// Nodes through which a NaN is looked for.
const MAX_DEPTH: u32 = 4;

/// Whether a value may be NaN for ordinary arguments, since it is made by a function that is not defined everywhere. What
/// `max(0.0, pow(x, 1.5))` is written for is to have 0 there.
fn may_be_outside(s: &Site<'_, '_, '_>, value: Value) -> bool {
    let mut values: SmallVec<[(Value, u32); 8]> = smallvec![(value, MAX_DEPTH)];
    while let Some((value, depth)) = values.pop() {
        let Some((op, _, args)) = s.def(value) else { continue };
        match op {
            Op::Pow | Op::Sqrt | Op::InverseSqrt | Op::Log | Op::Log2 | Op::Asin | Op::Acos | Op::Acosh | Op::Atanh => {
                return true;
            }
            Op::Divide | Op::Mod | Op::Normalize if s.is_float(value) => return true,
            _ if depth > 0 && s.is_float(value) => values.extend(args.iter().map(|&arg| (arg, depth - 1))),
            _ => {}
        }
    }
    false
}

/// Whether no component of a constant is NaN.
fn is_ordered(s: &Site<'_, '_, '_>, c: Value) -> bool {
    s.scalar_of(c).is_some_and(|scalar| s.all(c, |bits| !scalar.is_float() || !float(scalar, bits).is_nan()))
}

/// Whether `low <= high` for all components of two constants.
fn is_at_most(s: &mut Site<'_, '_, '_>, low: Value, high: Value) -> bool {
    s.fold(Op::LessThanEqual, &[low, high]).is_some_and(|c| s.is_ones(c))
}

/// Whether all components of a constant float pass a test.
fn beyond(s: &Site<'_, '_, '_>, c: Value, test: impl Fn(f64) -> bool) -> bool {
    s.scalar_of(c).is_some_and(|scalar| scalar.is_float() && s.all(c, |bits| test(float(scalar, bits))))
}

/// Range of a float, unless it is NaN, by its definition.
pub(super) fn float_range(s: &Site<'_, '_, '_>, value: Value) -> Option<(f64, f64)> {
    let (op, _, args) = s.def(value)?;
    let constant = |c: Value| {
        let scalar = s.scalar_of(c)?;
        s.uniform_bits(c).map(|bits| float(scalar, bits)).filter(|x| scalar.is_float() && !x.is_nan())
    };
    let infinite = f64::INFINITY;
    match op {
        Op::Saturate | Op::Step | Op::Fract | Op::UnpackUnorm2x16 | Op::UnpackUnorm4x8 => Some((0.0, 1.0)),
        Op::Sign => Some((-1.0, 1.0)),
        Op::Abs | Op::Exp | Op::Exp2 | Op::Length | Op::Distance | Op::Fwidth if s.is_float(value) => {
            Some((0.0, infinite))
        }
        Op::Clamp => {
            let (low, high) = (constant(args[1])?, constant(args[2])?);
            (low <= high).then_some((low, high))
        }
        Op::Min => Some((-infinite, constant(args[1])?)),
        Op::Max => Some((constant(args[1])?, infinite)),
        Op::Select => {
            let (x, y) = (constant(args[1])?, constant(args[2])?);
            Some((x.min(y), x.max(y)))
        }
        _ => None,
    }
}

/// Range of the integers of a type.
pub(super) fn range_of_type(scalar: Scalar) -> (i128, i128) {
    let greatest = integer(scalar, mask(scalar) >> u32::from(scalar.is_signed()));
    (if scalar.is_signed() { -greatest - 1 } else { 0 }, greatest)
}

/// Range of an integer, if its definition gives a narrower one than its type.
pub(super) fn integer_range(s: &Site<'_, '_, '_>, value: Value) -> Option<(i128, i128)> {
    let (op, _, args) = s.def(value)?;
    let scalar = s.scalar_of(value)?;
    let constant = |c: Value| s.uniform_bits(c).map(|bits| integer(scalar, bits));
    let (least, greatest) = range_of_type(scalar);
    match op {
        Op::BitwiseAnd => constant(args[1]).filter(|&c| c >= 0).map(|c| (0, c)),
        Op::Remainder => {
            let c = constant(args[1]).filter(|&c| c > 0)?;
            Some((if scalar.is_signed() { 1 - c } else { 0 }, c - 1))
        }
        Op::ShiftRight => {
            let by = s.uniform_bits(args[1])? % u64::from(scalar.bits());
            Some((least >> by, greatest >> by))
        }
        Op::Divide => constant(args[1]).filter(|&c| c > 0).map(|c| (least / c, greatest / c)),
        Op::Min => constant(args[1]).map(|c| (least, c)),
        Op::Max => constant(args[1]).map(|c| (c, greatest)),
        Op::Clamp => {
            let (low, high) = (constant(args[1])?, constant(args[2])?);
            (low <= high).then_some((low, high))
        }
        Op::Select => {
            let (x, y) = (constant(args[1])?, constant(args[2])?);
            Some((x.min(y), x.max(y)))
        }
        Op::BitCount | Op::CountLeadingZeros | Op::CountTrailingZeros => {
            let operand = s.scalar_of(args[0])?;
            Some((0, operand.bits().into()))
        }
        Op::Sign => Some(if scalar.is_signed() { (-1, 1) } else { (0, 1) }),
        Op::TextureSize | Op::ImageSize | Op::ArrayLength => Some((0, greatest)),
        _ => None,
    }
}

/// The range of a value, in numbers that hold every 32-bit integer; of wider ones none.
fn range(s: &Site<'_, '_, '_>, value: Value) -> Option<(f64, f64)> {
    match s.scalar_of(value)? {
        scalar if scalar.is_float() => float_range(s, value),
        scalar if scalar.bits() == 32 => integer_range(s, value).map(|(low, high)| (low as f64, high as f64)),
        _ => None,
    }
}

/// The number that all components of a constant are; of integers wider than 32 bits none.
fn number(s: &Site<'_, '_, '_>, c: Value) -> Option<f64> {
    let bits = s.uniform_bits(c)?;
    match s.scalar_of(c)? {
        scalar if scalar.is_float() => Some(float(scalar, bits)),
        scalar if scalar.bits() == 32 => Some(integer(scalar, bits) as f64),
        _ => None,
    }
}

/// `min(x, c) → x`: of equal numbers `min` takes the first, and it lets a NaN in `x` through.
fn min_out_of_range(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (x, c) = s.pair();
    let c = number(s, c)?;
    let everywhere = if s.op() == Op::Min { f64::INFINITY } else { f64::NEG_INFINITY };
    if c == everywhere {
        return Some(x);
    }
    let extreme = s.scalar_of(x).filter(|s| s.is_integer() && s.bits() == 32).map(|scalar| {
        let (least, greatest) = range_of_type(scalar);
        (least as f64, greatest as f64)
    });
    let (least, greatest) = range(s, x).or(extreme)?;
    let kept = if s.op() == Op::Min { greatest <= c } else { least >= c };
    kept.then_some(x)
}

fn min_decided(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    s.integers()?;
    let (x, bound) = s.pair();
    let c = number(s, bound)?;
    let (least, greatest) = range_of_type(s.scalar_of(x)?);
    let (low, high) = range(s, x).unwrap_or((least as f64, greatest as f64));
    let taken = if s.op() == Op::Min { low >= c } else { high <= c };
    taken.then_some(bound)
}

fn min_of_max(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let other = if s.op() == Op::Min { Op::Max } else { Op::Min };
    super::boolean::either_way(s, |s, x, inner| s.other(inner, other, x).map(|_| x))
}

/// The bounds of a clamp or saturate, if they are numbers in order.
fn bounds(s: &Site<'_, '_, '_>) -> Option<(f64, f64)> {
    if s.op() == Op::Saturate {
        return Some((0.0, 1.0));
    }
    let (low, high) = (number(s, s.arg(1))?, number(s, s.arg(2))?);
    (low <= high).then_some((low, high))
}

fn clamp_within(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let x = s.arg(0);
    let (least, greatest) = range(s, x)?;
    let (low, high) = bounds(s)?;
    (low <= least && greatest <= high).then_some(x)
}

fn clamp_one_side(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (x, low, high) = (s.arg(0), s.arg(1), s.arg(2));
    let (least, greatest) = range(s, x).unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let (from, to) = bounds(s)?;
    match () {
        _ if from <= least => Some(s.make(Op::Min, &[x, high])),
        _ if greatest <= to => Some(s.make(Op::Max, &[x, low])),
        _ => None,
    }
}

fn clamp_of_clamp(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    s.integers()?;
    let (inner, c, d) = (s.arg(0), s.arg(1), s.arg(2));
    let (x, a, b) = s.ternary(inner, Op::Clamp)?;
    let (low, high) = (s.fold(Op::Max, &[a, c])?, s.fold(Op::Min, &[b, d])?);
    is_at_most(s, low, high).then(|| s.make(Op::Clamp, &[x, low, high]))
}

/// `saturate(max(x, c)) → saturate(x)`; `c` must not be -0, which would come out.
fn saturate_of_bound(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (op, _, args) = s.def(s.arg(0))?;
    let redundant = match (op, args) {
        (Op::Max, &[x, c]) => beyond(s, c, |c| c < 0.0 || c.to_bits() == 0).then_some(x),
        (Op::Min, &[x, c]) => beyond(s, c, |c| c >= 1.0).then_some(x),
        (Op::Clamp, &[x, c, d]) => {
            (beyond(s, c, |c| c < 0.0 || c.to_bits() == 0) && beyond(s, d, |d| d >= 1.0)).then_some(x)
        }
        _ => None,
    }?;
    Some(s.make(Op::Saturate, &[redundant]))
}
