//! Functions of floats, componentwise.

use planish_ir::builder::{Builder, Request, Results};
use planish_ir::entity::{Type, Value};
use planish_ir::ops::{Imm, Op};
use planish_ir::types::Scalar;
use smallvec::SmallVec;

use super::{Legalizer, float, integer, number};

/// The value of an op on floats of type `ty`.
pub(super) fn expand(
    l: &mut Legalizer<'_>,
    b: &mut Builder<'_, '_>,
    request: &Request<'_>,
    ty: Type,
    scalar: Scalar,
) -> Option<Value> {
    let [zero, one] = [0.0, 1.0].map(|x| float(b, ty, x));
    // `docs/numerics.md` computes these in `f64` and rounds.
    let is_single = scalar == Scalar::F32 && !l.target.is_shading_language;
    if is_single && request.op.is_transcendental() && l.has_op(b, request.op, ty, Scalar::F64) {
        let wide = request.args.iter().map(|&x| l.convert(b, Default::default(), x, Scalar::F64));
        let wide: Vec<Value> = wide.collect::<Option<_>>()?;
        let value = l.op(b, request.op, &wide)?;
        return l.convert(b, Default::default(), value, scalar);
    }
    match (request.op, request.args) {
        (Op::Fract, &[x]) => {
            let down = l.op(b, Op::Floor, &[x])?;
            l.op(b, Op::Subtract, &[x, down])
        }
        (Op::Fwidth | Op::FwidthFine | Op::FwidthCoarse, &[x]) => {
            let (along, across) = match request.op {
                Op::Fwidth => (Op::Dfdx, Op::Dfdy),
                Op::FwidthFine => (Op::DfdxFine, Op::DfdyFine),
                _ => (Op::DfdxCoarse, Op::DfdyCoarse),
            };
            let (along, across) = (l.op(b, along, &[x])?, l.op(b, across, &[x])?);
            let (along, across) = (l.op(b, Op::Abs, &[along])?, l.op(b, Op::Abs, &[across])?);
            l.op(b, Op::Add, &[along, across])
        }
        (Op::Mod, &[x, y]) => {
            let quotient = l.op(b, Op::Divide, &[x, y])?;
            let down = l.op(b, Op::Floor, &[quotient])?;
            let product = l.op(b, Op::Multiply, &[y, down])?;
            l.op(b, Op::Subtract, &[x, product])
        }
        (Op::Saturate, &[x]) => l.op(b, Op::Clamp, &[x, zero, one]),
        (Op::Step, &[edge, x]) => {
            let below = l.op(b, Op::LessThan, &[x, edge])?;
            l.select(b, below, zero, one)
        }
        (Op::Mix, &[x, y, a]) => {
            let rest = l.op(b, Op::Subtract, &[one, a])?;
            let left = l.op(b, Op::Multiply, &[x, rest])?;
            let right = l.op(b, Op::Multiply, &[y, a])?;
            l.op(b, Op::Add, &[left, right])
        }
        (Op::Lerp, &[x, y, a]) => {
            let difference = l.op(b, Op::Subtract, &[y, x])?;
            let part = l.op(b, Op::Multiply, &[difference, a])?;
            l.op(b, Op::Add, &[part, x])
        }
        (Op::SmoothStep, &[low, high, x]) => {
            let above = l.op(b, Op::Subtract, &[x, low])?;
            let width = l.op(b, Op::Subtract, &[high, low])?;
            let part = l.op(b, Op::Divide, &[above, width])?;
            let t = l.op(b, Op::Saturate, &[part])?;
            let square = l.op(b, Op::Multiply, &[t, t])?;
            let [two, three] = [2.0, 3.0].map(|x| float(b, ty, x));
            let twice = l.op(b, Op::Multiply, &[two, t])?;
            let rest = l.op(b, Op::Subtract, &[three, twice])?;
            l.op(b, Op::Multiply, &[square, rest])
        }
        (Op::Radians | Op::Degrees, &[x]) => {
            let pi = std::f64::consts::PI;
            let factor = if request.op == Op::Radians { pi / 180.0 } else { 180.0 / pi };
            let factor = float(b, ty, factor);
            l.op(b, Op::Multiply, &[x, factor])
        }
        (Op::Hypot, &[x, y]) => {
            let (x, y) = (l.op(b, Op::Abs, &[x])?, l.op(b, Op::Abs, &[y])?);
            let swaps = l.op(b, Op::LessThan, &[x, y])?;
            let (great, small) = (l.select(b, swaps, y, x)?, l.select(b, swaps, x, y)?);
            let (same, quotient) = (l.op(b, Op::Equal, &[small, great])?, l.op(b, Op::Divide, &[small, great])?);
            let quotient = l.select(b, same, one, quotient)?;
            let square = l.op(b, Op::Multiply, &[quotient, quotient])?;
            let sum = l.op(b, Op::Add, &[square, one])?;
            let root = l.op(b, Op::Sqrt, &[sum])?;
            l.op(b, Op::Multiply, &[great, root])
        }
        (Op::InverseSqrt, &[x]) => {
            let x = l.convert(b, Default::default(), x, Scalar::F64)?;
            let root = l.op(b, Op::Sqrt, &[x])?;
            let wide = b.type_of(root);
            let one = float(b, wide, 1.0);
            let inverse = l.op(b, Op::Divide, &[one, root])?;
            l.convert(b, Default::default(), inverse, scalar)
        }
        (Op::Trunc, &[x]) => {
            let (down, up) = (l.op(b, Op::Floor, &[x])?, l.op(b, Op::Ceil, &[x])?);
            let negative = l.op(b, Op::LessThan, &[x, zero])?;
            l.select(b, negative, up, down)
        }
        (Op::Round | Op::RoundEven, &[x]) => round(l, b, x, ty),
        (Op::IsNan | Op::IsInf, &[x]) => test(l, b, request.op, x, ty, scalar),
        (Op::CopySign, &[x, y]) => copy_sign(l, b, x, y, ty),
        (Op::Minimum | Op::Maximum, &[x, y]) => ieee_extreme(l, b, request.op, x, y),
        (Op::Sinh | Op::Cosh, &[x]) => {
            let negative = l.op(b, Op::Negate, &[x])?;
            let (up, down) = (l.op(b, Op::Exp, &[x])?, l.op(b, Op::Exp, &[negative])?);
            let join = if request.op == Op::Sinh { Op::Subtract } else { Op::Add };
            let both = l.op(b, join, &[up, down])?;
            let half = float(b, ty, 0.5);
            l.op(b, Op::Multiply, &[both, half])
        }
        (Op::Tanh, &[x]) => {
            // Beyond 10 the quotient is 1 in every precision, and `exp` would overflow.
            let [low, high, two] = [-10.0, 10.0, 2.0].map(|x| float(b, ty, x));
            let within = l.op(b, Op::Clamp, &[x, low, high])?;
            let twice = l.op(b, Op::Multiply, &[two, within])?;
            let power = l.op(b, Op::Exp, &[twice])?;
            let (above, below) = (l.op(b, Op::Subtract, &[power, one])?, l.op(b, Op::Add, &[power, one])?);
            l.op(b, Op::Divide, &[above, below])
        }
        (Op::Asinh, &[x]) => {
            let magnitude = l.op(b, Op::Abs, &[x])?;
            let value = logarithm_with_root(l, b, magnitude, Op::Add, one)?;
            let sign = l.op(b, Op::Sign, &[x])?;
            l.op(b, Op::Multiply, &[sign, value])
        }
        (Op::Acosh, &[x]) => logarithm_with_root(l, b, x, Op::Subtract, one),
        (Op::Atanh, &[x]) => {
            let (above, below) = (l.op(b, Op::Add, &[one, x])?, l.op(b, Op::Subtract, &[one, x])?);
            let quotient = l.op(b, Op::Divide, &[above, below])?;
            let value = l.op(b, Op::Log, &[quotient])?;
            let half = float(b, ty, 0.5);
            l.op(b, Op::Multiply, &[half, value])
        }
        _ => None,
    }
}

/// The results of an op on `f16` as those on `f32`, each rounded once: so it is by the definition of elementary functions and by that of the
/// difference of neighbours, and exact where bits are asked for or chosen, which are out of reach of ops on words.
pub(super) fn by_singles(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, request: &Request<'_>) -> Option<Results> {
    let op = request.op;
    let is_that_of_singles = op.is_transcendental()
        || matches!(op, Op::InverseSqrt | Op::IsNan | Op::IsInf | Op::CopySign | Op::Minimum | Op::Maximum)
        || matches!(op, Op::Ldexp | Op::Frexp | Op::Round | Op::RoundEven)
        || matches!(op, Op::Dfdx | Op::DfdxFine | Op::DfdxCoarse | Op::Dfdy | Op::DfdyFine | Op::DfdyCoarse);
    let scalar = |b: &Builder<'_, '_>, value: Value| b.module.types.scalar_of(b.type_of(value));
    if !is_that_of_singles || scalar(b, *request.args.first()?) != Some(Scalar::F16) {
        return None;
    }
    let mut args: SmallVec<[Value; 4]> = SmallVec::new();
    for &x in request.args {
        let is_half = scalar(b, x) == Some(Scalar::F16);
        args.push(if is_half { l.convert(b, Imm::NONE, x, Scalar::F32)? } else { x });
    }
    let mut results = l.all(b, Request { args: &args, ty: None, ..*request })?;
    for result in &mut results {
        if scalar(b, *result) == Some(Scalar::F32) {
            *result = l.convert(b, Imm::NONE, *result, Scalar::F16)?;
        }
    }
    Some(results)
}

/// `log(x + sqrt(x * x ± 1))`
fn logarithm_with_root(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x: Value, op: Op, one: Value) -> Option<Value> {
    let square = l.op(b, Op::Multiply, &[x, x])?;
    let sum = l.op(b, op, &[square, one])?;
    let root = l.op(b, Op::Sqrt, &[sum])?;
    let sum = l.op(b, Op::Add, &[x, root])?;
    l.op(b, Op::Log, &[sum])
}

/// The nearest integer, of two the even one. The sign of a zero is that of x.
fn round(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x: Value, ty: Type) -> Option<Value> {
    let [zero, half, one, two] = [0.0, 0.5, 1.0, 2.0].map(|x| float(b, ty, x));
    let down = l.op(b, Op::Floor, &[x])?;
    let fraction = l.op(b, Op::Subtract, &[x, down])?;
    let odd = l.op(b, Op::Mod, &[down, two])?;
    let above = l.op(b, Op::Add, &[down, one])?;
    let even = {
        let is_even = l.op(b, Op::Equal, &[odd, zero])?;
        l.select(b, is_even, down, above)?
    };
    let is_more = l.op(b, Op::GreaterThan, &[fraction, half])?;
    let is_half = l.op(b, Op::Equal, &[fraction, half])?;
    let other = l.select(b, is_half, even, down)?;
    let rounded = l.select(b, is_more, above, other)?;
    // -0.3 rounds to -0.0, which `floor` and 1 do not give.
    let negative = l.op(b, Op::LessThan, &[x, zero])?;
    let is_zero = l.op(b, Op::Equal, &[rounded, zero])?;
    let minus = l.op(b, Op::Negate, &[zero])?;
    let signed = l.select(b, negative, minus, rounded)?;
    l.select(b, is_zero, signed, rounded)
}

/// Whether x is NaN, or infinite: by the bits where the target's compilers may take every float for a number.
fn test(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, op: Op, x: Value, ty: Type, scalar: Scalar) -> Option<Value> {
    let word = if scalar == Scalar::F64 { Scalar::U64 } else { Scalar::U32 };
    if l.target.is_shading_language && l.has_op(b, Op::BitwiseAnd, ty, word) {
        let bits = l.bitcast(b, x, word)?;
        let words = b.type_of(bits);
        let sign = 1u64 << (scalar.bits() - 1);
        let infinity = if scalar == Scalar::F64 { f64::INFINITY.to_bits() } else { f32::INFINITY.to_bits().into() };
        let (mask, limit) = (integer(b, words, sign - 1), integer(b, words, infinity));
        let magnitude = l.op(b, Op::BitwiseAnd, &[bits, mask])?;
        let op = if op == Op::IsInf { Op::Equal } else { Op::GreaterThan };
        return l.op(b, op, &[magnitude, limit]);
    }
    if op == Op::IsNan {
        return l.op(b, Op::NotEqual, &[x, x]);
    }
    let magnitude = l.op(b, Op::Abs, &[x])?;
    let infinity = float(b, ty, f64::INFINITY);
    l.op(b, Op::Equal, &[magnitude, infinity])
}

fn words(b: &Builder<'_, '_>, x: Value) -> Scalar {
    let wide = b.module.types.scalar_of(b.type_of(x)) == Some(Scalar::F64);
    if wide { Scalar::U64 } else { Scalar::U32 }
}

/// x with the sign of y.
fn copy_sign(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x: Value, y: Value, ty: Type) -> Option<Value> {
    let (word, own) = (words(b, x), b.module.types.scalar_of(ty)?);
    let (x, y) = (l.bitcast(b, x, word)?, l.bitcast(b, y, word)?);
    let bits = b.type_of(x);
    let sign = 1u64 << (own.bits() - 1);
    let (low, high) = (integer(b, bits, sign - 1), integer(b, bits, sign));
    let (x, y) = (l.op(b, Op::BitwiseAnd, &[x, low])?, l.op(b, Op::BitwiseAnd, &[y, high])?);
    let both = l.op(b, Op::BitwiseOr, &[x, y])?;
    l.bitcast(b, both, own)
}

/// IEEE minimum or maximum: NaN if either is, -0 below +0.
fn ieee_extreme(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, op: Op, x: Value, y: Value) -> Option<Value> {
    let (word, ty) = (words(b, x), b.type_of(x));
    let own = b.module.types.scalar_of(ty)?;
    let (order, join) = match op {
        Op::Minimum => (Op::LessThan, Op::BitwiseOr),
        _ => (Op::GreaterThan, Op::BitwiseAnd),
    };
    let first = l.op(b, order, &[x, y])?;
    let chosen = l.select(b, first, x, y)?;
    // Equal numbers differ at most in the signs of zeros.
    let (left, right) = (l.bitcast(b, x, word)?, l.bitcast(b, y, word)?);
    let joined = l.op(b, join, &[left, right])?;
    let joined = l.bitcast(b, joined, own)?;
    let equal = l.op(b, Op::Equal, &[x, y])?;
    let chosen = l.select(b, equal, joined, chosen)?;
    let (x_is_nan, y_is_nan) = (l.op(b, Op::NotEqual, &[x, x])?, l.op(b, Op::NotEqual, &[y, y])?);
    let chosen = l.select(b, y_is_nan, y, chosen)?;
    l.select(b, x_is_nan, x, chosen)
}

/// The value of an op that chooses among numbers of any kind.
pub(super) fn choice(
    l: &mut Legalizer<'_>,
    b: &mut Builder<'_, '_>,
    request: &Request<'_>,
    ty: Type,
    scalar: Scalar,
) -> Option<Value> {
    match (request.op, request.args) {
        (Op::Min, &[x, y]) => {
            let less = l.op(b, Op::LessThan, &[y, x])?;
            l.select(b, less, y, x)
        }
        (Op::Max, &[x, y]) => {
            let less = l.op(b, Op::LessThan, &[x, y])?;
            l.select(b, less, y, x)
        }
        (Op::Clamp, &[x, low, high]) => {
            let above = l.op(b, Op::Max, &[x, low])?;
            l.op(b, Op::Min, &[above, high])
        }
        (Op::MultiplyAdd, &[x, y, z]) => {
            let product = l.op(b, Op::Multiply, &[x, y])?;
            l.op(b, Op::Add, &[product, z])
        }
        (Op::Sign, &[x]) => {
            let [minus, zero, one] = [-1, 0, 1].map(|x| number(b, ty, x));
            let positive = l.op(b, Op::GreaterThan, &[x, zero])?;
            let otherwise = if scalar.is_signed() || scalar.is_float() {
                let negative = l.op(b, Op::LessThan, &[x, zero])?;
                l.select(b, negative, minus, x)?
            } else {
                x
            };
            l.select(b, positive, one, otherwise)
        }
        _ => None,
    }
}
