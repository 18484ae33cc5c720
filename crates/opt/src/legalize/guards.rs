//! Guards: operands that a target leaves undefined are replaced before the operation.

use planish_ir::builder::{Builder, Request, Results};
use planish_ir::entity::{Type, Value};
use planish_ir::ops::{Imm, Op};
use planish_ir::types::Scalar;
use planish_target::legal::{Support, is_defined};
use smallvec::smallvec;

use super::{Legalizer, composites, float, floats, integer, number, subgroups};

/// The operation on operands that are in range, or an expansion.
pub(super) fn guard(
    l: &mut Legalizer<'_>,
    b: &mut Builder<'_, '_>,
    request: Request<'_>,
    support: Support,
) -> Option<Results> {
    let ty = b.type_of(*request.args.first()?);
    let scalar = b.module.types.scalar_of(ty);
    let value = match request.op {
        Op::Divide | Op::Remainder => {
            let [x, y] = [request.args[0], request.args[1]];
            let divisor = divisor(l, b, [x, y], support == Support::GuardZero)?;
            guarded(b, request, &[x, divisor])
        }
        Op::Pow => {
            let [x, y] = [request.args[0], request.args[1]];
            let base = l.op(b, Op::Abs, &[x])?;
            let power = guarded(b, request, &[base, y]);
            let [zero, nan] = [0.0, f64::NAN].map(|x| float(b, ty, x));
            let negative = l.op(b, Op::LessThan, &[x, zero])?;
            l.select(b, negative, nan, power)?
        }
        Op::ShiftLeft | Op::ShiftRight => {
            let amount = amount(l, b, request.args[1], scalar?.bits())?;
            guarded(b, request, &[request.args[0], amount])
        }
        Op::BitfieldExtract | Op::BitfieldInsert => {
            let (values, field) = request.args.split_at(request.args.len() - 2);
            let (offset, count) = field_in_word(l, b, field[0], field[1], scalar?)?;
            let (offset, count) = (l.bitcast(b, offset, Scalar::I32)?, l.bitcast(b, count, Scalar::I32)?);
            let args: Vec<Value> = values.iter().copied().chain([offset, count]).collect();
            guarded(b, request, &args)
        }
        Op::Mod | Op::SmoothStep => floats::expand(l, b, &request, ty, scalar?)?,
        Op::Clamp => floats::choice(l, b, &request, ty, scalar?)?,
        Op::SubgroupBroadcast | Op::QuadBroadcast => subgroups::expand(l, b, &request)?,
        _ => composites::construct(l, b, &request)?,
    };
    Some(smallvec![value])
}

fn guarded(b: &mut Builder<'_, '_>, request: Request<'_>, args: &[Value]) -> Value {
    b.make(Request { imm: Imm::GUARDED, args, ..request })
}

/// The bits of the components of a constant.
fn constant(b: &Builder<'_, '_>, value: Value) -> Option<Vec<u64>> {
    let mut bits = Vec::new();
    (b.module.consts.flatten(value.as_const()?, &mut bits)).then_some(bits)
}

fn constant_of(b: &mut Builder<'_, '_>, ty: Type, bits: Vec<u64>) -> Option<Value> {
    Some(b.module.consts.unflatten(&mut b.module.types, ty, &mut bits.into_iter())?.into())
}

impl Legalizer<'_> {
    /// A divisor that gives the quotient of the IR and for which no target leaves it undefined.
    pub(super) fn safe_divisor(&mut self, b: &mut Builder<'_, '_>, x: Value, y: Value) -> Option<Value> {
        if is_defined(b.module, b.body(), (Op::Divide, Imm::NONE), &[x, y], None) {
            return Some(y);
        }
        divisor(self, b, [x, y], false)
    }
}

/// 1 where the divisor is 0 or (unless the target `wraps`) the quotient does not fit, for `x / 0` and the least integer over -1
/// are x, with remainder 0.
fn divisor(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, [x, y]: [Value; 2], wraps: bool) -> Option<Value> {
    let ty = b.type_of(y);
    let scalar = b.module.types.scalar_of(ty)?;
    let ones = u64::MAX >> (64 - scalar.bits());
    let least = 1u64 << (scalar.bits() - 1);
    let mut may_overflow = !wraps && scalar.is_signed() && constant(b, x).is_none_or(|bits| bits.contains(&least));
    let one = number(b, ty, 1);
    let mut divisor = y;
    match constant(b, y) {
        Some(bits) => {
            may_overflow &= bits.contains(&ones);
            divisor = constant_of(b, ty, bits.into_iter().map(|b| b.max(1)).collect())?;
        }
        None => {
            let zero = integer(b, ty, 0);
            let is_zero = l.op(b, Op::Equal, &[y, zero])?;
            divisor = l.select(b, is_zero, one, divisor)?;
        }
    }
    if may_overflow {
        let (least, ones) = (integer(b, ty, least), integer(b, ty, ones));
        let is_least = l.op(b, Op::Equal, &[x, least])?;
        let is_ones = l.op(b, Op::Equal, &[y, ones])?;
        // A chain of selects rather than logic: what depends on the divisor alone leaves loops.
        let other = l.select(b, is_ones, one, divisor)?;
        divisor = l.select(b, is_least, other, divisor)?;
    }
    Some(divisor)
}

/// The amount modulo the width.
pub(super) fn amount(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, amount: Value, width: u32) -> Option<Value> {
    let (ty, last) = (b.type_of(amount), u64::from(width - 1));
    match constant(b, amount) {
        Some(bits) => constant_of(b, ty, bits.into_iter().map(|b| b & last).collect()),
        None => {
            let mask = integer(b, ty, last);
            l.op(b, Op::BitwiseAnd, &[amount, mask])
        }
    }
}

/// Offset and width of a bit field, cut to the word, as `u32`.
pub(super) fn field_in_word(
    l: &mut Legalizer<'_>,
    b: &mut Builder<'_, '_>,
    offset: Value,
    count: Value,
    scalar: Scalar,
) -> Option<(Value, Value)> {
    let whole = b.u32(scalar.bits());
    let (offset, count) = (l.bitcast(b, offset, Scalar::U32)?, l.bitcast(b, count, Scalar::U32)?);
    let offset = l.op(b, Op::Min, &[offset, whole])?;
    let rest = l.op(b, Op::Subtract, &[whole, offset])?;
    Some((offset, l.op(b, Op::Min, &[count, rest])?))
}

/// Truncates and saturates; NaN gives 0.
pub(super) fn float_to_integer(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x: Value, to: Scalar) -> Option<Value> {
    let from = b.type_of(x);
    if b.module.types.scalar_of(from) == Some(Scalar::F16) {
        let x = l.convert(b, Imm::NONE, x, Scalar::F32)?;
        return l.convert(b, Imm::NONE, x, to);
    }
    let ty = b.module.types.with_scalar(from, to);
    let magnitude = to.bits() - u32::from(to.is_signed());
    let limit = 2f64.powi(magnitude as i32);
    let least = if to.is_signed() { -limit } else { 0.0 };
    // The greatest float below the limit is the greatest integer only if its digits suffice.
    let (greatest, is_exact) = match b.module.types.scalar_of(from)? {
        Scalar::F32 if magnitude > 24 => (f64::from(f32::from_bits((limit as f32).to_bits() - 1)), false),
        _ if magnitude <= 53 => (limit - 1.0, true),
        _ => (f64::from_bits(limit.to_bits() - 1), false),
    };
    let (low, high) = (float(b, from, least), float(b, from, greatest));
    // The first operand of a maximum counts where the other one is NaN, which is 0 for unsigned numbers.
    let within = if to.is_signed() {
        l.op(b, Op::Clamp, &[x, low, high])?
    } else {
        let above = l.op(b, Op::Max, &[low, x])?;
        l.op(b, Op::Min, &[high, above])?
    };
    let mut integer_value = l.convert(b, Imm::OPEN, within, to)?;
    if !is_exact {
        let limit = float(b, from, limit);
        let most = integer(b, ty, u64::MAX >> (64 - magnitude));
        let beyond = l.op(b, Op::GreaterThanEqual, &[x, limit])?;
        integer_value = l.select(b, beyond, most, integer_value)?;
    }
    if to.is_signed() {
        let zero = integer(b, ty, 0);
        let is_nan = l.op(b, Op::NotEqual, &[x, x])?;
        integer_value = l.select(b, is_nan, zero, integer_value)?;
    }
    Some(integer_value)
}
