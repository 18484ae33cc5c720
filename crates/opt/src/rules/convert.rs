//! Conversions: those that do nothing, pairs that are one, and booleans.

use planish_ir::entity::Value;
use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};

use super::Law::{AnyNan, Exact};
use super::{Rule, Site, rule};

const CONVERT: &[Op] = &[Op::ConstructScalarFromScalar];
const COMPARE: &[Op] =
    &[Op::Equal, Op::NotEqual, Op::LessThan, Op::LessThanEqual, Op::GreaterThan, Op::GreaterThanEqual];
const BITCAST: &[Op] = &[Op::Bitcast];
const PACK: &[Op] = &[Op::PackUnorm4x8, Op::PackUnorm2x16, Op::PackDouble2x32];

/// The rules.
pub(super) static RULES: &[Rule] = &[
    rule("same_scalar", CONVERT, Exact, "T(x) → x (x of type T)", |s| {
        (s.type_of(s.arg(0)) == s.ty()).then(|| s.arg(0))
    }),
    rule(
        "convert_twice",
        CONVERT,
        AnyNan,
        "T(U(x)) → T(x) where U holds every x, or every x that there can be, or T is an integer no wider than the integers U and x",
        convert_twice,
    ),
    rule("convert_truncated", CONVERT, Exact, "int(trunc(x)) → int(x)", |s| {
        let x = s.unary(s.arg(0), Op::Trunc)?;
        let to = s.b.module.types.scalar_of(s.ty())?;
        to.is_integer().then(|| s.with_args(&[x]))
    }),
    rule("convert_masked", CONVERT, Exact, "i32(x & c) → i32(x) (c has all bits that are kept; integers)", |s| {
        let (x, c) = s.binary(s.arg(0), Op::BitwiseAnd)?;
        let low = super::site::mask(s.b.module.types.scalar_of(s.ty()).filter(|s| s.is_integer())?);
        s.all(c, |bits| bits & low == low).then(|| s.make_typed(Op::ConstructScalarFromScalar, &[x], s.ty()))
    }),
    rule(
        "compare_converted",
        COMPARE,
        Exact,
        "T(x) < T(y) → x < y where T holds every x; x and y may be constants; integers of one width: T(x) == T(y) → x == y",
        compare_converted,
    ),
    rule("to_boolean", CONVERT, Exact, "bool(x) → x != 0", |s| {
        if s.ty() != planish_ir::entity::Type::BOOL || s.scalar_of(s.arg(0)) == Some(Scalar::Bool) {
            return None;
        }
        let x = s.arg(0);
        let zero = s.splat(s.type_of(x), 0);
        Some(s.make(Op::NotEqual, &[x, zero]))
    }),
    rule("from_boolean", CONVERT, Exact, "T(b) → select(b, 1, 0)", |s| {
        if s.scalar_of(s.arg(0)) != Some(Scalar::Bool) || s.ty() == planish_ir::entity::Type::BOOL {
            return None;
        }
        let (one, zero) = (s.number(s.ty(), 1.0), s.zero());
        Some(s.make(Op::Select, &[s.arg(0), one, zero]))
    }),
    rule("same_bits", BITCAST, Exact, "bitcast(x) → x (same type)", |s| {
        (s.type_of(s.arg(0)) == s.ty()).then(|| s.arg(0))
    }),
    rule("bitcast_twice", BITCAST, Exact, "bitcast(bitcast(x)) → bitcast(x)", |s| {
        let x = s.unary(s.arg(0), Op::Bitcast)?;
        Some(s.make_typed(Op::Bitcast, &[x], s.ty()))
    }),
    rule("bitcast_of_integer", BITCAST, Exact, "bitcast(x) → T(x) (from one integer scalar to another)", |s| {
        let integer = |kind: &TypeKind| matches!(kind, TypeKind::Scalar(s) if s.is_integer());
        let both = integer(s.kind_of(s.arg(0))) && integer(&s.b.module.types[s.ty()]);
        both.then(|| s.make_typed(Op::ConstructScalarFromScalar, &[s.arg(0)], s.ty()))
    }),
    rule("bitcast_of_converted", BITCAST, Exact, "bitcast(T(x)) → bitcast(x) (integers of one width)", |s| {
        let x = s.unary(s.arg(0), Op::ConstructScalarFromScalar)?;
        let (from, to) = (s.scalar_of(x)?, s.scalar_of(s.arg(0))?);
        let same = from.is_integer() && to.is_integer() && from.bits() == to.bits();
        same.then(|| s.make_typed(Op::Bitcast, &[x], s.ty()))
    }),
    rule("pack_unpacked", PACK, Exact, "pack_unorm4x8(unpack_unorm4x8(x)) → x; also unorm2x16, double2x32", |s| {
        let unpack = match s.op() {
            Op::PackUnorm4x8 => Op::UnpackUnorm4x8,
            Op::PackUnorm2x16 => Op::UnpackUnorm2x16,
            _ => Op::UnpackDouble2x32,
        };
        s.unary(s.arg(0), unpack)
    }),
    rule("unpack_packed_double", &[Op::UnpackDouble2x32], Exact, "unpack_double2x32(pack_double2x32(x)) → x", |s| {
        s.unary(s.arg(0), Op::PackDouble2x32)
    }),
];

/// Whether every number of `from` is one of `to`.
fn holds(to: Scalar, from: Scalar) -> bool {
    if from == to || from == Scalar::Bool {
        return true;
    }
    if from.is_float() {
        return to.is_float() && from.bits() < to.bits();
    }
    match to {
        Scalar::F64 => from.bits() == 32,
        Scalar::I64 => from.bits() == 32,
        Scalar::U64 => from == Scalar::U32,
        _ => false,
    }
}

/// `T(U(x)) → T(x)`. A float converts to an integer by saturation and an integer by wrapping, so that on the way through a
/// float the result must hold every `x` too.
fn convert_twice(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let inner = s.arg(0);
    let x = s.unary(inner, Op::ConstructScalarFromScalar)?;
    let (from, through) = (s.scalar_of(x)?, s.scalar_of(inner)?);
    let to = s.b.module.types.scalar_of(s.ty())?;
    let saturates = from.is_integer() && through.is_float() && to.is_integer() && !holds(to, from);
    let small = through == Scalar::F32 && to.is_integer() && is_small(s, x, to);
    let lossless = holds(through, from) && !saturates || small;
    // Results that the outer one leaves undefined stay so; a float that the inner one converts to an integer is never lossless.
    (lossless || only_low_bits(from, through, to)).then(|| s.with_args(&[x]))
}

/// A comparison of converted numbers as one of the numbers, if the conversion keeps their order, or (for `==`) if no two
/// numbers become one.
fn compare_converted(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (x, y) = s.pair();
    let a = s.unary(x, Op::ConstructScalarFromScalar)?;
    let (from, to) = (s.scalar_of(a)?, s.scalar_of(x)?);
    let same_width = from.is_integer() && to.is_integer() && from.bits() == to.bits();
    let one_to_one = same_width && matches!(s.op(), Op::Equal | Op::NotEqual);
    if from == Scalar::Bool || !holds(to, from) && !one_to_one {
        return None;
    }
    let b = match s.unary(y, Op::ConstructScalarFromScalar) {
        Some(b) if s.type_of(b) == s.type_of(a) => b,
        _ => unconverted(s, y, a)?,
    };
    Some(s.make(s.op(), &[a, b]))
}

/// The constant of the type of `like` that a conversion makes `c` of.
fn unconverted(s: &mut Site<'_, '_, '_>, c: Value, like: Value) -> Option<Value> {
    c.as_const()?;
    let (ty, like) = (s.type_of(c), s.type_of(like));
    let back = s.make_typed(Op::ConstructScalarFromScalar, &[c], like);
    let again = s.make_typed(Op::ConstructScalarFromScalar, &[back], ty);
    (again == c && back.as_const().is_some()).then_some(back)
}

/// Whether an integer is known to be one that an `f32` holds, and `to` too.
fn is_small(s: &Site<'_, '_, '_>, x: Value, to: Scalar) -> bool {
    let (low, high) = super::bounds::range_of_type(to);
    super::bounds::integer_range(s, x)
        .is_some_and(|(least, greatest)| least >= low.max(-1 << 24) && greatest <= high.min(1 << 24))
}

/// Whether all are integers and the last is not wider than the others: its low bits are theirs.
fn only_low_bits(from: Scalar, through: Scalar, to: Scalar) -> bool {
    let integers = from.is_integer() && through.is_integer() && to.is_integer();
    integers && to.bits() <= through.bits() && to.bits() <= from.bits()
}
