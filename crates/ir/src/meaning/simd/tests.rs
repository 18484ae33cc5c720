//! Operands and results as the WebAssembly specification defines them, written down.

use super::*;
use crate::entity::Type;
use crate::meaning::{NAN_F32, NAN_F64};
use LaneShape::{F32x4, F64x2, I8x16, I16x8, I32x4, I64x2, U8x16, U16x8, U32x4, U64x2};

/// A value out of its lanes, lane 0 first.
fn pack(bits: u32, lanes: &[u64]) -> u128 {
    assert_eq!(lanes.len() as u32 * bits, 128);
    lanes.iter().rev().fold(0, |value, &lane| value << bits | u128::from(lane & u64::MAX >> (64 - bits)))
}

fn bytes(lanes: [i16; 16]) -> u128 {
    pack(8, &lanes.map(|x| x as u64))
}

fn shorts(lanes: [i32; 8]) -> u128 {
    pack(16, &lanes.map(|x| x as u64))
}

fn words(lanes: [i64; 4]) -> u128 {
    pack(32, &lanes.map(|x| x as u64))
}

fn longs(lanes: [i64; 2]) -> u128 {
    pack(64, &lanes.map(|x| x as u64))
}

fn floats(lanes: [f32; 4]) -> u128 {
    pack(32, &lanes.map(|x| x.to_bits().into()))
}

fn doubles(lanes: [f64; 2]) -> u128 {
    pack(64, &lanes.map(f64::to_bits))
}

/// A vector of `i16` that is 0 behind its first lanes.
fn first_bytes(lanes: &[i16]) -> u128 {
    bytes(std::array::from_fn(|i| lanes.get(i).copied().unwrap_or(0)))
}

enum Arg {
    Wide(u128),
    Scalar(Scalar, u64),
}

fn run(op: Op, imm: Imm, args: &[Arg]) -> Option<Vec<u64>> {
    let mut types = Types::new();
    let v128 = types.intern(TypeKind::V128);
    let words: Vec<(Type, Vec<u64>)> = args
        .iter()
        .map(|arg| match *arg {
            Arg::Wide(x) => (v128, vec![x as u64, (x >> 64) as u64]),
            Arg::Scalar(scalar, bits) => (types.scalar(scalar), vec![bits]),
        })
        .collect();
    let operands: Vec<Operand<'_>> = words.iter().map(|(ty, bits)| Operand { ty: *ty, bits }).collect();
    let mut out = Vec::new();
    evaluate(&types, op, imm, &operands, &mut out).map(|()| out)
}

#[track_caller]
fn wide(op: Op, imm: impl Into<Imm>, args: &[Arg]) -> u128 {
    match run(op, imm.into(), args).as_deref() {
        Some(&[low, high]) => u128::from(low) | u128::from(high) << 64,
        other => panic!("{other:x?}"),
    }
}

#[track_caller]
fn one(op: Op, shape: LaneShape, x: u128, expected: u128) {
    let got = wide(op, shape, &[Arg::Wide(x)]);
    assert_eq!(got, expected, "{op:?} {shape:?}: {got:032x}, not {expected:032x}");
}

#[track_caller]
fn two(op: Op, shape: LaneShape, x: u128, y: u128, expected: u128) {
    let got = wide(op, shape, &[Arg::Wide(x), Arg::Wide(y)]);
    assert_eq!(got, expected, "{op:?} {shape:?}: {got:032x}, not {expected:032x}");
}

#[track_caller]
fn number(op: Op, imm: impl Into<Imm>, x: u128, expected: u64) {
    assert_eq!(run(op, imm.into(), &[Arg::Wide(x)]).unwrap(), [expected], "{op:?}");
}

const COUNT: u128 = 0x0f0e_0d0c_0b0a_0908_0706_0504_0302_0100;

#[test]
fn lanes_come_and_go() {
    let i32 = |x: i32| Arg::Scalar(Scalar::I32, (x as u32).into());
    assert_eq!(wide(Op::SimdSplat, I8x16, &[i32(-1 << 8 | 0x7f)]), bytes([0x7f; 16]));
    assert_eq!(wide(Op::SimdSplat, I16x8, &[i32(0x1_8001)]), shorts([0x8001; 8]));
    assert_eq!(wide(Op::SimdSplat, I32x4, &[i32(-2)]), words([-2; 4]));
    assert_eq!(wide(Op::SimdSplat, I64x2, &[Arg::Scalar(Scalar::I64, u64::MAX)]), u128::MAX);
    // A signalling NaN is moved as it is.
    assert_eq!(wide(Op::SimdSplat, F32x4, &[Arg::Scalar(Scalar::F32, 0x7fa0_0000)]), words([0x7fa0_0000; 4]));
    assert_eq!(wide(Op::SimdLow, Imm::NONE, &[i32(-1)]), 0xffff_ffff);

    number(Op::SimdExtract, Imm::lane(I8x16, 15), 0xff << 120, 0xffff_ffff);
    number(Op::SimdExtract, Imm::lane(U8x16, 15), 0xff << 120, 0xff);
    number(Op::SimdExtract, Imm::lane(I16x8, 1), 0x8000_0000, 0xffff_8000);
    number(Op::SimdExtract, Imm::lane(U16x8, 1), 0x8000_0000, 0x8000);
    number(Op::SimdExtract, Imm::lane(I32x4, 2), words([1, 2, -3, 4]), 0xffff_fffd);
    number(Op::SimdExtract, Imm::lane(I64x2, 1), longs([1, -2]), -2i64 as u64);
    number(Op::SimdExtract, Imm::lane(F32x4, 3), 0x7fa0_0001 << 96, 0x7fa0_0001);
    number(Op::SimdExtract, Imm::lane(F64x2, 0), doubles([1.5, 2.5]), 1.5f64.to_bits());
    assert_eq!(run(Op::SimdExtract, Imm::lane(I64x2, 2), &[Arg::Wide(0)]), None, "there is no such lane");

    assert_eq!(wide(Op::SimdInsert, Imm::lane(I8x16, 3), &[Arg::Wide(COUNT), i32(-1)]), COUNT | 0xff << 24);
    let f64 = Arg::Scalar(Scalar::F64, 2.0f64.to_bits());
    assert_eq!(
        wide(Op::SimdInsert, Imm::lane(F64x2, 1), &[Arg::Wide(u128::MAX), f64]),
        2 << 125 | u128::from(u64::MAX)
    );
}

#[test]
fn bytes_are_moved() {
    let reverse = bytes(std::array::from_fn(|i| 15 - i as i16));
    let high = COUNT | 0x1010_1010_1010_1010_1010_1010_1010_1010;
    let three = |which| wide(Op::SimdShuffle, Imm::NONE, &[Arg::Wide(COUNT), Arg::Wide(high), Arg::Wide(which)]);
    assert_eq!(three(reverse), reverse);
    assert_eq!(three(high), high);
    assert_eq!(three(first_bytes(&[31, 0, 16, 15])), first_bytes(&[31, 0, 16, 15]));
    let shifted = bytes(std::array::from_fn(|i| 0x40 + i as i16));
    let swizzle = |which| wide(Op::SimdSwizzle, Imm::NONE, &[Arg::Wide(shifted), Arg::Wide(which)]);
    assert_eq!(
        swizzle(first_bytes(&[15, 16, -1, 1])),
        bytes(std::array::from_fn(|i| [0x4f, 0, 0, 0x41].get(i).copied().unwrap_or(0x40)))
    );
}

#[test]
fn bits_and_questions() {
    let (x, y) = (0b1100, 0b1010);
    let two = |op| wide(op, Imm::NONE, &[Arg::Wide(x), Arg::Wide(y)]);
    assert_eq!([Op::SimdAnd, Op::SimdAndNot, Op::SimdOr, Op::SimdXor].map(two), [0b1000, 0b0100, 0b1110, 0b0110]);
    assert_eq!(wide(Op::SimdNot, Imm::NONE, &[Arg::Wide(x)]), !x);
    let args = [Arg::Wide(x), Arg::Wide(y), Arg::Wide(0b0110)];
    assert_eq!(wide(Op::SimdSelect, Imm::NONE, &args), 0b1100);
    number(Op::SimdAnyTrue, Imm::NONE, 1 << 127, 1);
    number(Op::SimdAnyTrue, Imm::NONE, 0, 0);
    number(Op::SimdAllTrue, I8x16, COUNT, 0);
    number(Op::SimdAllTrue, I16x8, COUNT, 1);
    number(Op::SimdAllTrue, I64x2, longs([1, 0]), 0);
    number(
        Op::SimdBitmask,
        I8x16,
        bytes(std::array::from_fn(|i| if i % 5 == 0 { -1 } else { 127 })),
        0b1000_0100_0010_0001,
    );
    number(Op::SimdBitmask, I16x8, shorts([-1, 0, 0, 0, 0, 0, 0, -0x8000]), 0b1000_0001);
    number(Op::SimdBitmask, I32x4, words([1, -1, 1, -1]), 0b1010);
    number(Op::SimdBitmask, I64x2, longs([i64::MIN, i64::MAX]), 0b01);
    one(Op::SimdBitCount, I8x16, first_bytes(&[-1, 0, 0x55, 1]), first_bytes(&[8, 0, 4, 1]));
}

#[test]
fn comparisons() {
    let (x, y) = (first_bytes(&[-128, 127, 5]), first_bytes(&[127, -128, 5]));
    let tail = bytes(std::array::from_fn(|i| if i < 3 { 0 } else { -1 }));
    two(Op::SimdLessThan, I8x16, x, y, first_bytes(&[-1]));
    two(Op::SimdLessThan, U8x16, x, y, first_bytes(&[0, -1]));
    two(Op::SimdGreaterThanEqual, I8x16, x, y, first_bytes(&[0, -1, -1]) | tail);
    two(Op::SimdGreaterThanEqual, U8x16, x, y, first_bytes(&[-1, 0, -1]) | tail);
    two(Op::SimdEqual, I8x16, x, y, first_bytes(&[0, 0, -1]) | tail);
    two(Op::SimdNotEqual, I8x16, x, y, first_bytes(&[-1, -1]));
    two(Op::SimdGreaterThan, U16x8, shorts([-1; 8]), shorts([1; 8]), u128::MAX);
    two(Op::SimdLessThanEqual, I16x8, shorts([-1; 8]), shorts([1; 8]), u128::MAX);
    two(Op::SimdGreaterThan, U32x4, words([-1, 0, 1, 2]), words([0, -1, 1, 1]), words([-1, 0, 0, -1]));
    two(Op::SimdLessThan, I64x2, longs([i64::MIN, 1]), longs([i64::MAX, 1]), longs([-1, 0]));
    let (x, y) = (floats([f32::NAN, -0.0, 1.0, 2.0]), floats([f32::NAN, 0.0, 2.0, 1.0]));
    two(Op::SimdEqual, F32x4, x, y, words([0, -1, 0, 0]));
    two(Op::SimdNotEqual, F32x4, x, y, words([-1, 0, -1, -1]));
    two(Op::SimdLessThan, F32x4, x, y, words([0, 0, -1, 0]));
    two(Op::SimdLessThanEqual, F32x4, x, y, words([0, -1, -1, 0]));
    two(Op::SimdGreaterThan, F64x2, doubles([f64::INFINITY, 1.0]), doubles([1e300, f64::NAN]), longs([-1, 0]));
    two(Op::SimdGreaterThanEqual, F64x2, doubles([2.0, 1.0]), doubles([2.0, 3.0]), longs([-1, 0]));
}

#[test]
fn integer_arithmetic() {
    two(Op::SimdAdd, I8x16, bytes([127; 16]), bytes([1; 16]), bytes([-128; 16]));
    two(Op::SimdSubtract, I16x8, shorts([-0x8000; 8]), shorts([1; 8]), shorts([0x7fff; 8]));
    two(Op::SimdMultiply, I16x8, shorts([0x1001; 8]), shorts([0x11; 8]), shorts([0x1011; 8]));
    two(Op::SimdMultiply, I32x4, words([0x1_0001; 4]), words([0x1_0001; 4]), words([0x2_0001; 4]));
    two(Op::SimdMultiply, I64x2, longs([i64::MIN, -3]), longs([3, 5]), longs([i64::MIN, -15]));
    one(Op::SimdAbs, I8x16, first_bytes(&[-128, -1, 1]), first_bytes(&[-128, 1, 1]));
    one(Op::SimdAbs, I64x2, longs([i64::MIN, -7]), longs([i64::MIN, 7]));
    one(Op::SimdNegate, I32x4, words([1, -1, 0, i32::MIN.into()]), words([-1, 1, 0, i32::MIN.into()]));
    two(
        Op::SimdAddSaturate,
        I8x16,
        first_bytes(&[100, -100, 3]),
        first_bytes(&[100, -100, 4]),
        first_bytes(&[127, -128, 7]),
    );
    two(Op::SimdAddSaturate, U8x16, first_bytes(&[200, 3]), first_bytes(&[100, 4]), first_bytes(&[255, 7]));
    two(Op::SimdSubtractSaturate, U16x8, shorts([3; 8]), shorts([4; 8]), 0);
    two(Op::SimdSubtractSaturate, I16x8, shorts([-0x8000; 8]), shorts([1; 8]), shorts([-0x8000; 8]));
    two(Op::SimdMin, I8x16, first_bytes(&[-1]), first_bytes(&[1]), first_bytes(&[-1]));
    two(Op::SimdMin, U8x16, first_bytes(&[-1]), first_bytes(&[1]), first_bytes(&[1]));
    two(Op::SimdMax, I32x4, words([-1; 4]), words([1; 4]), words([1; 4]));
    two(Op::SimdMax, U32x4, words([-1; 4]), words([1; 4]), words([-1; 4]));
    two(Op::SimdAverage, U8x16, first_bytes(&[255, 1, 0]), first_bytes(&[255, 2, 1]), first_bytes(&[255, 2, 1]));
    two(Op::SimdAverage, U16x8, shorts([0xffff; 8]), shorts([0xfffe; 8]), shorts([0xffff; 8]));
}

#[test]
fn shifts() {
    let shift = |op, shape: LaneShape, x, by: i32| {
        wide(op, shape, &[Arg::Wide(x), Arg::Scalar(Scalar::I32, (by as u32).into())])
    };
    assert_eq!(shift(Op::SimdShiftLeft, I8x16, bytes([0x81; 16]), 9), bytes([2; 16]));
    assert_eq!(shift(Op::SimdShiftRight, I8x16, bytes([-128; 16]), 1), bytes([-64; 16]));
    assert_eq!(shift(Op::SimdShiftRight, U8x16, bytes([-128; 16]), 1), bytes([64; 16]));
    assert_eq!(shift(Op::SimdShiftLeft, I16x8, shorts([1; 8]), 31), shorts([-0x8000; 8]));
    assert_eq!(shift(Op::SimdShiftRight, U32x4, words([-1; 4]), 31), words([1; 4]));
    assert_eq!(shift(Op::SimdShiftRight, I64x2, longs([-8; 2]), -63), longs([-4; 2]));
    assert_eq!(shift(Op::SimdShiftRight, U64x2, longs([-1; 2]), 64), longs([-1; 2]));
    assert_eq!(shift(Op::SimdShiftLeft, I64x2, longs([-1; 2]), 63), longs([i64::MIN; 2]));
}

#[test]
fn widths_change() {
    let (x, y) = (shorts([0x80, -0x81, 127, -128, 0x7fff, -0x8000, 0, 255]), shorts([256, -1, 1, 2, 3, 4, 5, 6]));
    two(Op::SimdNarrow, I8x16, x, y, bytes([127, -128, 127, -128, 127, -128, 0, 127, 127, -1, 1, 2, 3, 4, 5, 6]));
    two(Op::SimdNarrow, U8x16, x, y, bytes([128, 0, 127, 0, 255, 0, 0, 255, 255, 0, 1, 2, 3, 4, 5, 6]));
    let (x, y) = (words([0x8000, -0x8001, 0xffff, 0x1_0000]), words([-1, 0, 1, 2]));
    two(Op::SimdNarrow, I16x8, x, y, shorts([0x7fff, -0x8000, 0x7fff, 0x7fff, -1, 0, 1, 2]));
    two(Op::SimdNarrow, U16x8, x, y, shorts([0x8000, 0, 0xffff, 0xffff, 0, 0, 1, 2]));
    let x = bytes([-1, 1, 2, 3, 4, 5, 6, 7, -128, 9, 10, 11, 12, 13, 14, 127]);
    one(Op::SimdExtendLow, I16x8, x, shorts([-1, 1, 2, 3, 4, 5, 6, 7]));
    one(Op::SimdExtendLow, U16x8, x, shorts([255, 1, 2, 3, 4, 5, 6, 7]));
    one(Op::SimdExtendHigh, I16x8, x, shorts([-128, 9, 10, 11, 12, 13, 14, 127]));
    one(Op::SimdExtendHigh, U16x8, x, shorts([128, 9, 10, 11, 12, 13, 14, 127]));
    one(Op::SimdExtendHigh, U64x2, words([0, 0, -1, 3]), longs([0xffff_ffff, 3]));
    one(Op::SimdAddPairs, I16x8, x, shorts([0, 5, 9, 13, -119, 21, 25, 141]));
    one(Op::SimdAddPairs, U16x8, x, shorts([256, 5, 9, 13, 137, 21, 25, 141]));
    one(Op::SimdAddPairs, U32x4, shorts([-1; 8]), words([0x1_fffe; 4]));
    one(Op::SimdAddPairs, I32x4, shorts([-0x8000; 8]), words([-0x1_0000; 4]));
    let (x, y) = (words([-1, 2, -3, i32::MIN.into()]), words([-1, 3, 4, i32::MIN.into()]));
    two(Op::SimdMultiplyLow, I64x2, x, y, longs([1, 6]));
    two(Op::SimdMultiplyLow, U64x2, x, y, longs([0xffff_fffe_0000_0001u64 as i64, 6]));
    two(Op::SimdMultiplyHigh, I64x2, x, y, longs([-12, 1 << 62]));
    two(Op::SimdMultiplyHigh, I16x8, bytes([-128; 16]), bytes([127; 16]), shorts([-16256; 8]));
    two(Op::SimdMultiplyHigh, U16x8, bytes([-1; 16]), bytes([-1; 16]), shorts([0xfe01; 8]));
}

#[test]
fn sums_of_products() {
    let two = |op, x, y| wide(op, Imm::NONE, &[Arg::Wide(x), Arg::Wide(y)]);
    // The only sum that does not fit: twice the square of the least number.
    assert_eq!(two(Op::SimdDot, shorts([-0x8000; 8]), shorts([-0x8000; 8])), words([i32::MIN.into(); 4]));
    assert_eq!(two(Op::SimdDot, shorts([1, 2, 3, 4, -5, 6, 0, 7]), shorts([10; 8])), words([30, 70, 10, 70]));
    let q15 = |x, y| two(Op::SimdMultiplyQ15, shorts([x; 8]), shorts([y; 8]));
    assert_eq!(q15(-0x8000, -0x8000), shorts([0x7fff; 8]));
    assert_eq!(q15(-0x8000, 0x7fff), shorts([-0x7fff; 8]));
    assert_eq!(q15(0x4000, 1), shorts([1; 8]));
    assert_eq!(q15(0x3fff, 1), shorts([0; 8]));
}

#[test]
fn float_arithmetic() {
    const SIGNALLING: i64 = 0xffa0_0001;
    let inf = f32::INFINITY;
    two(
        Op::SimdAdd,
        F32x4,
        floats([1.0, inf, 0.5, 1e38]),
        floats([2.0, -inf, 0.25, 3e38]),
        words([0x4040_0000, NAN_F32.into(), 0x3f40_0000, 0x7f80_0000]),
    );
    two(
        Op::SimdSubtract,
        F64x2,
        doubles([1.0, f64::NAN]),
        doubles([3.0, 1.0]),
        longs([(-2.0f64).to_bits() as i64, NAN_F64 as i64]),
    );
    two(Op::SimdMultiply, F32x4, words([SIGNALLING; 4]), floats([1.0; 4]), words([NAN_F32.into(); 4]));
    two(
        Op::SimdDivide,
        F32x4,
        floats([1.0, -1.0, 0.0, 3.0]),
        floats([0.0, 0.0, 0.0, 2.0]),
        words([0x7f80_0000, 0xff80_0000, NAN_F32.into(), 0x3fc0_0000]),
    );
    // Only the sign bit changes.
    one(Op::SimdAbs, F32x4, words([SIGNALLING, 0x8000_0000, 0, 0xff80_0000]), words([0x7fa0_0001, 0, 0, 0x7f80_0000]));
    one(
        Op::SimdNegate,
        F32x4,
        words([SIGNALLING, 0, 0, 0]),
        words([0x7fa0_0001, 0x8000_0000, 0x8000_0000, 0x8000_0000]),
    );
    one(Op::SimdNegate, F64x2, longs([0x7ff4_0000_0000_0001, 0]), longs([0xfff4_0000_0000_0001u64 as i64, i64::MIN]));
    let (x, y) = (floats([0.0, -0.0, 1.0, f32::NAN]), floats([-0.0, 0.0, f32::NAN, 1.0]));
    two(Op::SimdMin, F32x4, x, y, words([0x8000_0000, 0x8000_0000, NAN_F32.into(), NAN_F32.into()]));
    two(Op::SimdMax, F32x4, x, y, words([0, 0, NAN_F32.into(), NAN_F32.into()]));
    // The first where they cannot be ordered, with the bits that it has.
    let (x, y) = (words([0, 0x8000_0000, 0x3f80_0000, SIGNALLING]), words([0x8000_0000, 0, SIGNALLING, 0x3f80_0000]));
    two(Op::SimdPseudoMin, F32x4, x, y, x);
    two(Op::SimdPseudoMax, F32x4, x, y, x);
    two(Op::SimdPseudoMin, F64x2, doubles([2.0, 1.0]), doubles([1.0, 2.0]), doubles([1.0, 1.0]));
    two(Op::SimdPseudoMax, F64x2, doubles([2.0, 1.0]), doubles([1.0, 2.0]), doubles([2.0, 2.0]));
    one(
        Op::SimdSqrt,
        F32x4,
        floats([4.0, -1.0, -0.0, 2.0]),
        words([0x4000_0000, NAN_F32.into(), 0x8000_0000, 0x3fb5_04f3]),
    );
    let x = floats([1.5, -1.5, -0.5, 2.5]);
    one(Op::SimdCeil, F32x4, x, floats([2.0, -1.0, -0.0, 3.0]));
    one(Op::SimdFloor, F32x4, x, floats([1.0, -2.0, -1.0, 2.0]));
    one(Op::SimdTrunc, F32x4, x, floats([1.0, -1.0, -0.0, 2.0]));
    one(Op::SimdRoundEven, F32x4, x, floats([2.0, -2.0, -0.0, 2.0]));
    one(
        Op::SimdRoundEven,
        F64x2,
        longs([0x7ff4_0000_0000_0000, 0x4004_0000_0000_0000]),
        longs([NAN_F64 as i64, 0x4000_0000_0000_0000]),
    );
}

#[test]
fn conversions() {
    one(
        Op::SimdConvert,
        I32x4,
        words([-1, 0x0100_0001, i32::MIN.into(), 5]),
        floats([-1.0, 16777216.0, -2147483648.0, 5.0]),
    );
    one(
        Op::SimdConvert,
        U32x4,
        words([-1, 0x0100_0001, i32::MIN.into(), 5]),
        floats([4294967296.0, 16777216.0, 2147483648.0, 5.0]),
    );
    one(Op::SimdConvertLow, I32x4, words([-1, 7, 9, 9]), doubles([-1.0, 7.0]));
    one(Op::SimdConvertLow, U32x4, words([-1, 7, 9, 9]), doubles([4294967295.0, 7.0]));
    let x = floats([1.9, -1.9, f32::NAN, 1e20]);
    one(Op::SimdTruncate, I32x4, x, words([1, -1, 0, i32::MAX.into()]));
    one(Op::SimdTruncate, U32x4, x, words([1, 0, 0, u32::MAX.into()]));
    one(Op::SimdTruncateLow, I32x4, doubles([-3e9, 2.9]), words([i32::MIN.into(), 2, 0, 0]));
    one(Op::SimdTruncateLow, U32x4, doubles([3e9, f64::NAN]), words([3_000_000_000, 0, 0, 0]));
    let convert = |op, x| wide(op, Imm::NONE, &[Arg::Wide(x)]);
    assert_eq!(convert(Op::SimdDemote, doubles([0.1, -f64::NAN])), words([0x3dcc_cccd, NAN_F32.into(), 0, 0]));
    assert_eq!(convert(Op::SimdPromote, floats([0.5, f32::NEG_INFINITY, 1.0, 1.0])), doubles([0.5, f64::NEG_INFINITY]));
    assert_eq!(convert(Op::SimdPromote, words([0x7fa0_0000, 0, 0, 0])), longs([NAN_F64 as i64, 0]));
}

#[test]
fn shapes_that_an_op_does_not_know_have_no_meaning() {
    let args = || [Arg::Wide(1), Arg::Wide(2)];
    assert_eq!(run(Op::SimdMultiply, I8x16.into(), &args()), None);
    assert_eq!(run(Op::SimdAverage, I8x16.into(), &args()), None);
    assert_eq!(run(Op::SimdSqrt, I32x4.into(), &args()[..1]), None);
    assert_eq!(run(Op::SimdAdd, I32x4.into(), &[Arg::Wide(1), Arg::Scalar(Scalar::I32, 1)]), None);
    assert_eq!(run(Op::SimdAdd, I32x4.into(), &[Arg::Wide(1)]), None);
}
