//! Integers and their bits, componentwise.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Type, Value};
use planish_ir::ops::{Imm, Op};
use planish_ir::types::Scalar;

use super::guards::{amount, field_in_word};
use super::{Legalizer, float, integer};

/// Masks that swap neighbouring groups of 1, 2, 4, 8 and 16 bits.
const SWAPS: [(u32, u64); 6] = [
    (1, 0x5555_5555_5555_5555),
    (2, 0x3333_3333_3333_3333),
    (4, 0x0f0f_0f0f_0f0f_0f0f),
    (8, 0x00ff_00ff_00ff_00ff),
    (16, 0x0000_ffff_0000_ffff),
    (32, 0x0000_0000_ffff_ffff),
];

/// The value of an op on integers of type `ty`.
pub(super) fn expand(
    l: &mut Legalizer<'_>,
    b: &mut Builder<'_, '_>,
    request: &Request<'_>,
    ty: Type,
    scalar: Scalar,
) -> Option<Value> {
    if !scalar.is_integer() {
        return None;
    }
    let signed = scalar.is_signed();
    match (request.op, request.args) {
        (Op::Abs, &[x]) if !signed => Some(x),
        (Op::Abs, &[x]) => {
            let zero = integer(b, ty, 0);
            let (negative, minus) = (l.op(b, Op::LessThan, &[x, zero])?, l.op(b, Op::Negate, &[x])?);
            l.select(b, negative, minus, x)
        }
        (Op::Sign, &[x]) if !signed => {
            let one = integer(b, ty, 1);
            l.op(b, Op::Min, &[x, one])
        }
        (Op::Negate, &[x]) => {
            let zero = integer(b, ty, 0);
            l.op(b, Op::Subtract, &[zero, x])
        }
        (Op::BitwiseNot, &[x]) => {
            let ones = integer(b, ty, u64::MAX);
            l.op(b, Op::BitwiseXor, &[x, ones])
        }
        (Op::Remainder, &[x, y]) => {
            // A divisor of 1 counts for one of 0, in the product too.
            let is_total = l.has_total(b, Op::Divide, x);
            let (divisor, imm) = if is_total { (y, Imm::NONE) } else { (l.safe_divisor(b, x, y)?, Imm::GUARDED) };
            let quotient = l.make(b, Request::new(Op::Divide, &[x, divisor]).imm(imm))?;
            let product = l.op(b, Op::Multiply, &[quotient, divisor])?;
            l.op(b, Op::Subtract, &[x, product])
        }
        (Op::RotateLeft | Op::RotateRight, &[x, by]) => rotate(l, b, request.op, [x, by], scalar),
        // Only targets that have a word for it tell one index from another.
        (Op::NonUniform, &[x]) => Some(x),
        (Op::SignExtend8, &[x]) => sign_extend(l, b, x, scalar, 8),
        (Op::SignExtend16, &[x]) => sign_extend(l, b, x, scalar, 16),
        (Op::SignExtend32, &[x]) => sign_extend(l, b, x, scalar, 32),
        (Op::BitReverse, &[x]) => reverse(l, b, x, ty, scalar),
        (Op::BitCount | Op::FindLsb | Op::FindMsb | Op::CountLeadingZeros | Op::CountTrailingZeros, &[x]) => {
            let found = query(l, b, request.op, x, scalar)?;
            // A number from -1 to 64, in the type that the op gives.
            let counts = matches!(request.op, Op::CountLeadingZeros | Op::CountTrailingZeros);
            let result = if counts || scalar.bits() == 64 { scalar } else { Scalar::I32 };
            resized(l, b, found, result)
        }
        (Op::BitfieldExtract, &[x, offset, count]) => extract(l, b, x, [offset, count], scalar),
        (Op::BitfieldInsert, &[x, inserted, offset, count]) => insert(l, b, [x, inserted], [offset, count], scalar),
        _ => None,
    }
}

/// A number of a bit (`i32`, or of the operand's type) as another integer type.
fn resized(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x: Value, to: Scalar) -> Option<Value> {
    let ty = b.type_of(x);
    let from = b.module.types.scalar_of(ty)?;
    if from.bits() == to.bits() {
        return l.bitcast(b, x, to);
    }
    let x = l.bitcast(b, x, from.signed())?;
    let wide = l.convert(b, Imm::NONE, x, to.signed())?;
    l.bitcast(b, wide, to)
}

fn rotate(
    l: &mut Legalizer<'_>,
    b: &mut Builder<'_, '_>,
    op: Op,
    [x, by]: [Value; 2],
    scalar: Scalar,
) -> Option<Value> {
    let width = scalar.bits();
    // Shifts that take every amount modulo the width need no mask.
    let masks = by.as_const().is_some() || !l.has_total(b, Op::ShiftLeft, x);
    let by = if masks { amount(l, b, by, width)? } else { by };
    let mut back = l.op(b, Op::Negate, &[by])?;
    if masks {
        back = amount(l, b, back, width)?;
    }
    let (left, right) = if op == Op::RotateLeft { (by, back) } else { (back, by) };
    let imm = if masks { Imm::GUARDED } else { Imm::NONE };
    let word = l.bitcast(b, x, scalar.unsigned())?;
    let up = l.make(b, Request::new(Op::ShiftLeft, &[x, left]).imm(imm))?;
    let down = l.make(b, Request::new(Op::ShiftRight, &[word, right]).imm(imm))?;
    let down = l.bitcast(b, down, scalar)?;
    l.op(b, Op::BitwiseOr, &[up, down])
}

/// x shifted by a constant less than the width.
fn shift(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, op: Op, x: Value, by: u32) -> Option<Value> {
    let ty = b.type_of(x);
    let by = integer(b, ty, by.into());
    l.op(b, op, &[x, by])
}

fn sign_extend(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x: Value, scalar: Scalar, bits: u32) -> Option<Value> {
    if bits >= scalar.bits() {
        return Some(x);
    }
    let x = l.bitcast(b, x, scalar.signed())?;
    let up = shift(l, b, Op::ShiftLeft, x, scalar.bits() - bits)?;
    let down = shift(l, b, Op::ShiftRight, up, scalar.bits() - bits)?;
    l.bitcast(b, down, scalar)
}

/// Low and high words of a 64-bit integer.
fn halves(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x: Value) -> Option<[Value; 2]> {
    let x = l.bitcast(b, x, Scalar::U64)?;
    let high = shift(l, b, Op::ShiftRight, x, 32)?;
    Some([l.convert(b, Imm::NONE, x, Scalar::U32)?, l.convert(b, Imm::NONE, high, Scalar::U32)?])
}

fn reverse(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x: Value, ty: Type, scalar: Scalar) -> Option<Value> {
    if scalar.bits() == 64 && l.has_op(b, Op::BitReverse, ty, Scalar::U32) {
        let [low, high] = halves(l, b, x)?;
        let (low, high) = (l.op(b, Op::BitReverse, &[low])?, l.op(b, Op::BitReverse, &[high])?);
        let (low, high) = (l.convert(b, Imm::NONE, low, Scalar::U64)?, l.convert(b, Imm::NONE, high, Scalar::U64)?);
        let low = shift(l, b, Op::ShiftLeft, low, 32)?;
        let both = l.op(b, Op::BitwiseOr, &[low, high])?;
        return l.bitcast(b, both, scalar);
    }
    let mut x = l.bitcast(b, x, scalar.unsigned())?;
    let words = b.type_of(x);
    for (by, mask) in SWAPS.into_iter().filter(|s| s.0 < scalar.bits()) {
        let mask = integer(b, words, mask);
        let high = shift(l, b, Op::ShiftRight, x, by)?;
        let high = l.op(b, Op::BitwiseAnd, &[high, mask])?;
        let low = l.op(b, Op::BitwiseAnd, &[x, mask])?;
        let low = shift(l, b, Op::ShiftLeft, low, by)?;
        x = l.op(b, Op::BitwiseOr, &[high, low])?;
    }
    l.bitcast(b, x, scalar)
}

// Numbers of bits. Each is an integer of 32 bits, or of the operand's type.

fn query(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, op: Op, x: Value, scalar: Scalar) -> Option<Value> {
    let ty = b.type_of(x);
    let width = scalar.bits();
    match op {
        Op::FindLsb if l.has_op(b, Op::CountTrailingZeros, ty, scalar) => {
            let place = l.op(b, Op::CountTrailingZeros, &[x])?;
            let (zero, minus) = (integer(b, ty, 0), integer(b, ty, u64::MAX));
            let none = l.op(b, Op::Equal, &[x, zero])?;
            l.select(b, none, minus, place)
        }
        Op::FindMsb if l.has_op(b, Op::CountLeadingZeros, ty, scalar) => {
            let x = differing_from_sign(l, b, x, scalar)?;
            let zeros = l.op(b, Op::CountLeadingZeros, &[x])?;
            let last = integer(b, ty, u64::from(width) - 1);
            l.op(b, Op::Subtract, &[last, zeros])
        }
        Op::FindMsb if scalar.is_signed() => {
            let x = differing_from_sign(l, b, x, scalar)?;
            let x = l.bitcast(b, x, scalar.unsigned())?;
            l.op(b, Op::FindMsb, &[x])
        }
        // The highest bit is number -1 if there is none.
        Op::CountLeadingZeros => {
            let x = l.bitcast(b, x, scalar.unsigned())?;
            let highest = l.op(b, Op::FindMsb, &[x])?;
            let ty = b.type_of(highest);
            let last = integer(b, ty, u64::from(width) - 1);
            l.op(b, Op::Subtract, &[last, highest])
        }
        Op::CountTrailingZeros => {
            let lowest = l.op(b, Op::FindLsb, &[x])?;
            let lowest = l.bitcast(b, lowest, scalar.unsigned())?;
            let ty = b.type_of(lowest);
            let width = integer(b, ty, width.into());
            l.op(b, Op::Min, &[lowest, width])
        }
        _ if width == 64 => in_halves(l, b, op, x),
        Op::BitCount => count(l, b, x),
        Op::FindLsb => {
            // The lowest one bit alone.
            let minus = l.op(b, Op::Negate, &[x])?;
            let lowest = l.op(b, Op::BitwiseAnd, &[x, minus])?;
            highest(l, b, lowest)
        }
        _ => highest(l, b, x),
    }
}

/// The bits that differ from the sign, of a signed number.
fn differing_from_sign(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x: Value, scalar: Scalar) -> Option<Value> {
    if !scalar.is_signed() {
        return Some(x);
    }
    let sign = shift(l, b, Op::ShiftRight, x, scalar.bits() - 1)?;
    l.op(b, Op::BitwiseXor, &[x, sign])
}

/// `bit_count`, `find_lsb` or (of unsigned numbers) `find_msb` of 64 bits.
fn in_halves(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, op: Op, x: Value) -> Option<Value> {
    let [low, high] = halves(l, b, x)?;
    let (in_low, in_high) = (l.op(b, op, &[low])?, l.op(b, op, &[high])?);
    if op == Op::BitCount {
        return l.op(b, Op::Add, &[in_low, in_high]);
    }
    let ty = b.type_of(in_low);
    let (minus, more, zero) = (integer(b, ty, u64::MAX), integer(b, ty, 32), integer(b, b.type_of(low), 0));
    let raised = l.op(b, Op::Add, &[in_high, more])?;
    let no_high = l.op(b, Op::Equal, &[high, zero])?;
    match op {
        Op::FindMsb => l.select(b, no_high, in_low, raised),
        _ => {
            let otherwise = l.select(b, no_high, minus, raised)?;
            let no_low = l.op(b, Op::Equal, &[low, zero])?;
            l.select(b, no_low, otherwise, in_low)
        }
    }
}

/// Number of the highest one bit of a word, by five steps; -1 if there is none.
fn highest(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x: Value) -> Option<Value> {
    let mut left = l.bitcast(b, x, Scalar::U32)?;
    let ty = b.type_of(left);
    let zero = integer(b, ty, 0);
    let none = l.op(b, Op::Equal, &[left, zero])?;
    let mut at = None;
    for half in [16, 8, 4, 2, 1] {
        let (limit, step) = (integer(b, ty, (1 << half) - 1), integer(b, ty, half));
        let is_above = l.op(b, Op::GreaterThan, &[left, limit])?;
        let by = l.select(b, is_above, step, zero)?;
        left = l.make(b, Request::new(Op::ShiftRight, &[left, by]).imm(Imm::GUARDED))?;
        at = Some(match at {
            Some(at) => l.op(b, Op::Add, &[at, by])?,
            None => by,
        });
    }
    let minus = integer(b, ty, u64::MAX);
    l.select(b, none, minus, at?)
}

/// Number of one bits of a word, by sums of neighbours.
fn count(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x: Value) -> Option<Value> {
    let mut x = l.bitcast(b, x, Scalar::U32)?;
    let ty = b.type_of(x);
    for (by, mask) in SWAPS.into_iter().filter(|s| s.0 < 32) {
        let mask = integer(b, ty, mask);
        let high = shift(l, b, Op::ShiftRight, x, by)?;
        let high = l.op(b, Op::BitwiseAnd, &[high, mask])?;
        let low = l.op(b, Op::BitwiseAnd, &[x, mask])?;
        x = l.op(b, Op::Add, &[high, low])?;
    }
    Some(x)
}

// Bit fields, by shifts.

/// Offset and width of a bit field as amounts of shifts of x.
fn field(
    l: &mut Legalizer<'_>,
    b: &mut Builder<'_, '_>,
    [offset, count]: [Value; 2],
    scalar: Scalar,
) -> Option<[Value; 2]> {
    let (offset, count) = field_in_word(l, b, offset, count, scalar)?;
    Some([l.convert(b, Imm::NONE, offset, scalar)?, l.convert(b, Imm::NONE, count, scalar)?])
}

/// A scalar in every component of the shape of x.
fn spread(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, scalar: Value, like: Type) -> Option<Value> {
    if b.module.types.vector_size(like) == Some(1) {
        return Some(scalar);
    }
    l.make(b, Request::new(Op::ConstructVectorFromScalar, &[scalar]).ty(like))
}

fn extract(
    l: &mut Legalizer<'_>,
    b: &mut Builder<'_, '_>,
    x: Value,
    place: [Value; 2],
    scalar: Scalar,
) -> Option<Value> {
    let ty = b.type_of(x);
    let one_type = b.module.types.scalar(scalar);
    let [offset, bits] = field(l, b, place, scalar)?;
    let (width, none) = (integer(b, one_type, scalar.bits().into()), integer(b, one_type, 0));
    let rest = l.op(b, Op::Subtract, &[width, offset])?;
    let up = l.op(b, Op::Subtract, &[rest, bits])?;
    let down = l.op(b, Op::Subtract, &[width, bits])?;
    let (up, down) = (spread(l, b, up, ty)?, spread(l, b, down, ty)?);
    let left = l.op(b, Op::ShiftLeft, &[x, up])?;
    let value = l.op(b, Op::ShiftRight, &[left, down])?;
    let is_empty = l.op(b, Op::Equal, &[bits, none])?;
    let zero = integer(b, ty, 0);
    l.select(b, is_empty, zero, value)
}

fn insert(
    l: &mut Legalizer<'_>,
    b: &mut Builder<'_, '_>,
    [x, inserted]: [Value; 2],
    place: [Value; 2],
    scalar: Scalar,
) -> Option<Value> {
    let ty = b.type_of(x);
    let one_type = b.module.types.scalar(scalar);
    let [offset, bits] = field(l, b, place, scalar)?;
    let [one, ones, width] = [1, u64::MAX, scalar.bits().into()].map(|x| integer(b, one_type, x));
    let power = l.op(b, Op::ShiftLeft, &[one, bits])?;
    let below = l.op(b, Op::Subtract, &[power, one])?;
    let whole = l.op(b, Op::Equal, &[bits, width])?;
    let mask = l.select(b, whole, ones, below)?;
    let mask = l.op(b, Op::ShiftLeft, &[mask, offset])?;
    let outside = l.op(b, Op::BitwiseXor, &[mask, ones])?;
    let [mask, outside, offset] = [spread(l, b, mask, ty)?, spread(l, b, outside, ty)?, spread(l, b, offset, ty)?];
    let inserted = l.op(b, Op::ShiftLeft, &[inserted, offset])?;
    let inserted = l.op(b, Op::BitwiseAnd, &[inserted, mask])?;
    let kept = l.op(b, Op::BitwiseAnd, &[x, outside])?;
    l.op(b, Op::BitwiseOr, &[kept, inserted])
}

// Ops with two results.

/// Both results of an op that has two.
pub(super) fn pair(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, request: &Request<'_>) -> Option<[Value; 2]> {
    match (request.op, request.args) {
        (Op::AddCarry, &[x, y]) => carry(l, b, x, y, Op::Add),
        (Op::SubtractBorrow, &[x, y]) => carry(l, b, x, y, Op::Subtract),
        (Op::MultiplyExtended, &[x, y]) => product(l, b, x, y),
        (Op::Modf, &[x]) => fraction(l, b, x),
        (Op::Frexp, &[x]) => mantissa(l, b, x),
        _ => None,
    }
}

/// A number as a fraction from 0.5 to 1 and a power of two, by its bits; zeros, infinities and NaN as they are, with the power 0.
fn mantissa(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x: Value) -> Option<[Value; 2]> {
    let ty = b.type_of(x);
    if b.module.types.scalar_of(ty) != Some(Scalar::F32) {
        return None;
    }
    // The exponent of a number without one is found in a larger number.
    let power = float(b, ty, (1 << 24).into());
    let larger = l.op(b, Op::Multiply, &[x, power])?;
    let (words, larger) = (l.bitcast(b, x, Scalar::U32)?, l.bitcast(b, larger, Scalar::U32)?);
    let word = b.type_of(words);
    let [zero, greatest, outside, half] = [0, 0xff, 0x807f_ffff, 0x3f00_0000].map(|n| integer(b, word, n));
    let exponent = |l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, words| {
        let shifted = shift(l, b, Op::ShiftRight, words, 23)?;
        l.op(b, Op::BitwiseAnd, &[shifted, greatest])
    };
    let least = exponent(l, b, words)?;
    let is_small = l.op(b, Op::Equal, &[least, zero])?;
    let words = l.select(b, is_small, larger, words)?;
    let biased = exponent(l, b, words)?;
    let fraction = l.op(b, Op::BitwiseAnd, &[words, outside])?;
    let fraction = l.op(b, Op::BitwiseOr, &[fraction, half])?;
    let mut fraction = l.bitcast(b, fraction, Scalar::F32)?;
    let number = l.bitcast(b, biased, Scalar::I32)?;
    let [none, bias, more] = [0, 126, 126 + 24].map(|n| integer(b, b.type_of(number), n));
    let bias = l.select(b, is_small, more, bias)?;
    let mut power = l.op(b, Op::Subtract, &[number, bias])?;
    for extreme in [zero, greatest] {
        let is_extreme = l.op(b, Op::Equal, &[biased, extreme])?;
        fraction = l.select(b, is_extreme, x, fraction)?;
        power = l.select(b, is_extreme, none, power)?;
    }
    Some([fraction, power])
}

fn carry(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x: Value, y: Value, op: Op) -> Option<[Value; 2]> {
    let ty = b.type_of(x);
    let own = b.module.types.scalar_of(ty)?;
    let (x, y) = (l.bitcast(b, x, Scalar::U32)?, l.bitcast(b, y, Scalar::U32)?);
    let paired = if op == Op::Add { Op::AddCarry } else { Op::SubtractBorrow };
    if own.is_signed() && l.has_op(b, paired, ty, Scalar::U32) {
        let both = l.all(b, Request::new(paired, &[x, y]))?;
        return Some([l.bitcast(b, both[0], own)?, l.bitcast(b, both[1], own)?]);
    }
    let sum = l.op(b, op, &[x, y])?;
    let over = if op == Op::Add { [sum, x] } else { [x, y] };
    let over = l.op(b, Op::LessThan, &over)?;
    Some([l.bitcast(b, sum, own)?, l.convert(b, Imm::NONE, over, own)?])
}

/// High and low words of a product.
fn product(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x: Value, y: Value) -> Option<[Value; 2]> {
    let ty = b.type_of(x);
    let own = b.module.types.scalar_of(ty)?;
    if l.target.is_shading_language || !l.has_op(b, Op::Multiply, ty, Scalar::U64) {
        return product_of_half_words(l, b, x, y, own);
    }
    let wide = if own.is_signed() { Scalar::I64 } else { Scalar::U64 };
    let (x, y) = (l.convert(b, Imm::NONE, x, wide)?, l.convert(b, Imm::NONE, y, wide)?);
    let product = l.op(b, Op::Multiply, &[x, y])?;
    let high = shift(l, b, Op::ShiftRight, product, 32)?;
    Some([l.convert(b, Imm::NONE, high, own)?, l.convert(b, Imm::NONE, product, own)?])
}

fn product_of_half_words(
    l: &mut Legalizer<'_>,
    b: &mut Builder<'_, '_>,
    x: Value,
    y: Value,
    own: Scalar,
) -> Option<[Value; 2]> {
    let (ux, uy) = (l.bitcast(b, x, Scalar::U32)?, l.bitcast(b, y, Scalar::U32)?);
    let words = b.type_of(ux);
    let (mask, zero) = (integer(b, words, 0xffff), integer(b, words, 0));
    let low_half = |l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x| l.op(b, Op::BitwiseAnd, &[x, mask]);
    let high_half = |l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x| shift(l, b, Op::ShiftRight, x, 16);
    let low = l.op(b, Op::Multiply, &[ux, uy])?;
    let (xl, xh) = (low_half(l, b, ux)?, high_half(l, b, ux)?);
    let (yl, yh) = (low_half(l, b, uy)?, high_half(l, b, uy)?);
    let ll = l.op(b, Op::Multiply, &[xl, yl])?;
    let carried = high_half(l, b, ll)?;
    let (lh, hl) = (l.op(b, Op::Multiply, &[xl, yh])?, l.op(b, Op::Multiply, &[xh, yl])?);
    let middle = l.op(b, Op::Add, &[hl, carried])?;
    let (middle_low, middle_high) = (low_half(l, b, middle)?, high_half(l, b, middle)?);
    let other = l.op(b, Op::Add, &[lh, middle_low])?;
    let other = high_half(l, b, other)?;
    let hh = l.op(b, Op::Multiply, &[xh, yh])?;
    let high = l.op(b, Op::Add, &[hh, middle_high])?;
    let mut high = l.op(b, Op::Add, &[high, other])?;
    if own.is_signed() {
        // Two's complement: less the other factor for each negative one.
        for (x, other) in [(x, uy), (y, ux)] {
            let nothing = integer(b, b.type_of(x), 0);
            let negative = l.op(b, Op::LessThan, &[x, nothing])?;
            let correction = l.select(b, negative, other, zero)?;
            high = l.op(b, Op::Subtract, &[high, correction])?;
        }
    }
    Some([l.bitcast(b, high, own)?, l.bitcast(b, low, own)?])
}

/// Fraction and whole part of a float, both with its sign; the fraction of an infinity is 0.
fn fraction(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x: Value) -> Option<[Value; 2]> {
    let ty = b.type_of(x);
    let whole = l.op(b, Op::Trunc, &[x])?;
    let rest = l.op(b, Op::Subtract, &[x, whole])?;
    let infinite = l.op(b, Op::IsInf, &[x])?;
    let zero = float(b, ty, 0.0);
    let rest = l.select(b, infinite, zero, rest)?;
    Some([l.op(b, Op::CopySign, &[rest, x])?, whole])
}
