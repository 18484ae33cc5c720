//! Bits of integers: masks, shifts, rotations, fields, counts, and multiplication and division by powers of two.

use planish_ir::entity::Value;
use planish_ir::ops::{MemArg, Op, Width};

use super::Law::Exact;
use super::site::mask;
use super::{Rule, Site, rule};

const SHIFTS: &[Op] = &[Op::ShiftLeft, Op::ShiftRight, Op::RotateLeft, Op::RotateRight];
const EXTENSIONS: &[Op] = &[Op::SignExtend8, Op::SignExtend16, Op::SignExtend32];

/// The rules.
pub(super) static RULES: &[Rule] = &[
    rule("xor_constant", &[Op::BitwiseXor], Exact, "x ^ 0 → x, x ^ ~0 → ~x", |s| {
        let (x, c) = s.pair();
        if s.is_zero(c) {
            return Some(x);
        }
        s.is_ones(c).then(|| s.make(Op::BitwiseNot, &[x]))
    }),
    rule("xor_itself", &[Op::BitwiseXor], Exact, "x ^ x → 0", |s| (s.arg(0) == s.arg(1)).then(|| s.zero())),
    rule("xor_twice", &[Op::BitwiseXor], Exact, "x ^ (x ^ y) → y", |s| {
        super::boolean::either_way(s, |s, x, inner| s.other(inner, Op::BitwiseXor, x))
    }),
    rule("xor_of_negated", &[Op::BitwiseXor], Exact, "~x ^ ~y → x ^ y, ~x ^ c → x ^ ~c", |s| {
        let (x, y) = s.pair();
        let x = s.unary(x, Op::BitwiseNot)?;
        let y = match s.unary(y, Op::BitwiseNot) {
            Some(y) => y,
            None => s.fold(Op::BitwiseNot, &[y])?,
        };
        Some(s.make(Op::BitwiseXor, &[x, y]))
    }),
    rule("not_of_xor", &[Op::BitwiseNot], Exact, "~(x ^ c) → x ^ ~c", |s| {
        let (x, c) = s.binary(s.arg(0), Op::BitwiseXor)?;
        let c = s.fold(Op::BitwiseNot, &[c])?;
        Some(s.make(Op::BitwiseXor, &[x, c]))
    }),
    rule("not_of_negated", &[Op::BitwiseNot], Exact, "~(-x) → x - 1", |s| {
        let x = s.unary(s.arg(0), Op::Negate)?;
        let one = s.number(s.ty(), 1.0);
        Some(s.make(Op::Subtract, &[x, one]))
    }),
    rule("negated_not", &[Op::Negate], Exact, "-(~x) → x + 1", |s| {
        let x = s.unary(s.arg(0), Op::BitwiseNot)?;
        let one = s.number(s.ty(), 1.0);
        Some(s.make(Op::Add, &[x, one]))
    }),
    rule(
        "mask_known",
        &[Op::BitwiseAnd],
        Exact,
        "x & c → x, x & c → 0 where the other bits of x are known to be zero",
        |s| {
            let (x, c) = s.pair();
            let (kept, scalar) = (s.uniform_bits(c)?, s.scalar_of(x)?);
            let possible = possible_bits(s, x) & mask(scalar);
            match () {
                _ if possible & kept == 0 => Some(s.zero()),
                _ if possible & !kept == 0 => Some(x),
                _ => None,
            }
        },
    ),
    rule(
        "mask_of_or",
        &[Op::BitwiseAnd],
        Exact,
        "(x | c) & d → x & d (no bit in c & d), (x | c) & d → d (d in c)",
        |s| {
            let (inner, d) = s.pair();
            let (x, c) = s.binary(inner, Op::BitwiseOr)?;
            let (c, bits) = (s.uniform_bits(c)?, s.uniform_bits(d)?);
            match () {
                _ if c & bits == 0 => Some(s.make(Op::BitwiseAnd, &[x, d])),
                _ if c & bits == bits => Some(d),
                _ => None,
            }
        },
    ),
    rule(
        "or_of_mask",
        &[Op::BitwiseOr],
        Exact,
        "(x & c) | d → x | d (c | d all bits), (x & c) | d → d (c in d)",
        |s| {
            let (inner, d) = s.pair();
            let (x, c) = s.binary(inner, Op::BitwiseAnd)?;
            let (all, c, bits) = (mask(s.scalar_of(x)?), s.uniform_bits(c)?, s.uniform_bits(d)?);
            match () {
                _ if c | bits == all => Some(s.make(Op::BitwiseOr, &[x, d])),
                _ if c & bits == c => Some(d),
                _ => None,
            }
        },
    ),
    rule("shift_zero", SHIFTS, Exact, "x << 0 → x, 0 << x → 0; also >> and rotations", |s| {
        let (x, by) = s.pair();
        (s.is_zero(by) || s.is_zero(x)).then_some(x)
    }),
    rule("shift_in_range", SHIFTS, Exact, "x << c → x << (c % width)", |s| {
        let (x, by) = s.pair();
        let width = u64::from(s.scalar_of(x)?.bits());
        if s.all(by, |bits| bits < width) {
            return None;
        }
        let by = s.map(by, |bits| Some(bits % width))?;
        Some(s.make(s.op(), &[x, by]))
    }),
    rule("shift_twice", &[Op::ShiftLeft, Op::ShiftRight], Exact, "x << c << d → x << (c + d)", shift_twice),
    rule(
        "shift_back",
        &[Op::ShiftLeft, Op::ShiftRight],
        Exact,
        "x << c >> c → x & mask, x >> c << c → x & mask",
        shift_back,
    ),
    rule("rotate_right", &[Op::RotateRight], Exact, "rotate_right(x, c) → rotate_left(x, width - c)", |s| {
        let (x, by) = s.pair();
        let width = u64::from(s.scalar_of(x)?.bits());
        let by = s.map(by, |bits| Some((width - bits % width) % width))?;
        Some(s.make(Op::RotateLeft, &[x, by]))
    }),
    rule(
        "rotate_twice",
        &[Op::RotateLeft],
        Exact,
        "rotate_left(rotate_left(x, c), d) → rotate_left(x, c + d)",
        |s| {
            let (inner, d) = s.pair();
            let (x, c) = s.binary(inner, Op::RotateLeft)?;
            let width = u64::from(s.scalar_of(x)?.bits());
            let (first, second) = (s.uniform_bits(c)?, s.uniform_bits(d)?);
            let by = s.splat(s.type_of(d), (first + second) % width);
            Some(s.make(Op::RotateLeft, &[x, by]))
        },
    ),
    rule("multiply_power_of_two", &[Op::Multiply], Exact, "x * 2^k → x << k (unsigned and 64-bit integers)", |s| {
        s.integers()?;
        let (x, c) = s.pair();
        // GLSL ES 1.00 has `int` and no shifts.
        if s.scalar_of(x) == Some(planish_ir::types::Scalar::I32) {
            return None;
        }
        let by = s.map(c, |bits| bits.is_power_of_two().then(|| bits.trailing_zeros().into()))?;
        Some(s.make(Op::ShiftLeft, &[x, by]))
    }),
    rule("divide_unsigned_power_of_two", &[Op::Divide], Exact, "x / 2^k → x >> k (unsigned)", |s| {
        s.unsigned()?;
        let by = s.map(s.arg(1), |bits| bits.is_power_of_two().then(|| bits.trailing_zeros().into()))?;
        Some(s.make(Op::ShiftRight, &[s.arg(0), by]))
    }),
    rule("remainder_unsigned_power_of_two", &[Op::Remainder], Exact, "x % 2^k → x & (2^k - 1) (unsigned)", |s| {
        s.unsigned()?;
        let low = s.map(s.arg(1), |bits| bits.is_power_of_two().then(|| bits - 1))?;
        Some(s.make(Op::BitwiseAnd, &[s.arg(0), low]))
    }),
    rule("reverse_twice", &[Op::BitReverse], Exact, "bit_reverse(bit_reverse(x)) → x", |s| {
        s.unary(s.arg(0), Op::BitReverse)
    }),
    rule(
        "count_reversed",
        &[Op::BitCount, Op::CountLeadingZeros, Op::CountTrailingZeros],
        Exact,
        "bit_count(bit_reverse(x)) → bit_count(x), count_leading_zeros(bit_reverse(x)) → count_trailing_zeros(x), …",
        |s| {
            let x = s.unary(s.arg(0), Op::BitReverse)?;
            let op = match s.op() {
                Op::CountLeadingZeros => Op::CountTrailingZeros,
                Op::CountTrailingZeros => Op::CountLeadingZeros,
                op => op,
            };
            Some(s.make(op, &[x]))
        },
    ),
    rule(
        "extend_twice",
        EXTENSIONS,
        Exact,
        "sign_extend8(sign_extend16(x)) → sign_extend8(x), sign_extend16(sign_extend8(x)) → sign_extend8(x)",
        |s| {
            let (inner, _, &[x]) = s.def(s.arg(0))? else { return None };
            let (outer_bits, inner_bits) = (extended_bits(s.op())?, extended_bits(inner)?);
            Some(if inner_bits <= outer_bits { s.arg(0) } else { s.make(s.op(), &[x]) })
        },
    ),
    rule("extend_masked", EXTENSIONS, Exact, "sign_extend8(x & 0xff) → sign_extend8(x)", |s| {
        let (x, c) = s.binary(s.arg(0), Op::BitwiseAnd)?;
        let low = (1 << extended_bits(s.op())?) - 1;
        s.all(c, |bits| bits & low == low).then(|| s.make(s.op(), &[x]))
    }),
    rule("extend_converted", &[Op::SignExtend32], Exact, "sign_extend32(i64(x)) → i64(x) (x an i32)", |s| {
        let x = s.unary(s.arg(0), Op::ConstructScalarFromScalar)?;
        (s.scalar_of(x) == Some(planish_ir::types::Scalar::I32)).then(|| s.arg(0))
    }),
    rule("extend_whole", &[Op::SignExtend32], Exact, "sign_extend32(x) → x (x of 32 bits)", |s| {
        (s.scalar_of(s.arg(0))?.bits() == 32).then(|| s.arg(0))
    }),
    rule(
        "extract_field",
        &[Op::BitfieldExtract],
        Exact,
        "bitfield_extract(x, 0, width) → x, bitfield_extract(x, i, 0) → 0",
        |s| {
            if s.is_zero(s.arg(2)) {
                return Some(s.zero());
            }
            let width = u64::from(s.scalar_of(s.arg(0))?.bits());
            // Negative counts are large ones.
            let whole = s.is_zero(s.arg(1)) && s.uniform_bits(s.arg(2))? >= width;
            whole.then(|| s.arg(0))
        },
    ),
    rule(
        "insert_field",
        &[Op::BitfieldInsert],
        Exact,
        "bitfield_insert(x, y, 0, width) → y, bitfield_insert(x, y, i, 0) → x",
        |s| {
            if s.is_zero(s.arg(3)) {
                return Some(s.arg(0));
            }
            let width = u64::from(s.scalar_of(s.arg(0))?.bits());
            let whole = s.is_zero(s.arg(2)) && s.uniform_bits(s.arg(3))? >= width;
            whole.then(|| s.arg(1))
        },
    ),
];

/// The bits that may be set in some component of an integer, by its definition.
fn possible_bits(s: &Site<'_, '_, '_>, value: Value) -> u64 {
    let Some(scalar) = s.scalar_of(value) else { return u64::MAX };
    let all = mask(scalar);
    let Some((op, imm, args)) = s.def(value) else { return all };
    let second = || args.get(1).and_then(|&c| s.uniform_bits(c));
    let width = u64::from(scalar.bits());
    match op {
        Op::BitwiseAnd => second().unwrap_or(all),
        Op::ShiftLeft => second().map_or(all, |by| all << (by % width) & all),
        Op::ShiftRight if !scalar.is_signed() => second().map_or(all, |by| all >> (by % width)),
        Op::Select => {
            let third = s.uniform_bits(args[2]);
            second().zip(third).map_or(all, |(x, y)| x | y)
        }
        Op::ConstructScalarFromScalar => match s.scalar_of(args[0]) {
            Some(from) if from.is_integer() && !from.is_signed() => mask(from) & all,
            _ => all,
        },
        Op::BitCount => 0x7f,
        Op::MemoryLoad => loaded_bits(imm.as_mem_arg()) & all,
        _ => all,
    }
}

/// The bits that a load may set: values narrower than their type are extended.
fn loaded_bits(arg: MemArg) -> u64 {
    match arg.width {
        Width::B8 if !arg.signed => 0xff,
        Width::B16 if !arg.signed => 0xffff,
        Width::B32 if !arg.signed => 0xffff_ffff,
        _ => u64::MAX,
    }
}

/// Two shifts in one direction. Left ones (and right ones of unsigned) beyond the width leave nothing, right ones of signed
/// leave the sign.
fn shift_twice(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (inner, d) = s.pair();
    let (x, c) = s.binary(inner, s.op())?;
    let scalar = s.scalar_of(x)?;
    let width = u64::from(scalar.bits());
    let (first, second) = (s.uniform_bits(c)?, s.uniform_bits(d)?);
    let mut by = first % width + second % width;
    if by >= width {
        if s.op() == Op::ShiftLeft || !scalar.is_signed() {
            return Some(s.zero());
        }
        by = width - 1;
    }
    let by = s.splat(s.type_of(d), by);
    Some(s.make(s.op(), &[x, by]))
}

/// A shift and back: of signed integers only `x >> c << c`, where the sign's copies fall out.
fn shift_back(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (inner, d) = s.pair();
    let scalar = s.scalar_of(inner)?;
    let width = u64::from(scalar.bits());
    let all = mask(scalar);
    let other = match s.op() {
        Op::ShiftLeft => Op::ShiftRight,
        _ if scalar.is_signed() => return None,
        _ => Op::ShiftLeft,
    };
    let (x, c) = s.binary(inner, other)?;
    let by = s.uniform_bits(d)? % width;
    if s.uniform_bits(c)? % width != by {
        return None;
    }
    let kept = if other == Op::ShiftRight { all << by & all } else { all >> by };
    let kept = s.splat(s.ty(), kept);
    Some(s.make(Op::BitwiseAnd, &[x, kept]))
}

/// Number of bits that a sign extension takes.
fn extended_bits(op: Op) -> Option<u32> {
    match op {
        Op::SignExtend8 => Some(8),
        Op::SignExtend16 => Some(16),
        Op::SignExtend32 => Some(32),
        _ => None,
    }
}
