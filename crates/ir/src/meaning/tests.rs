//! Tables of operands and results. The expected values are written down, or come from integer arithmetic in a wider
//! type, not from the code under test.

use super::*;
use crate::ops::{Class, Effect, Lanes, OPS, infer};

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;
/// The least positive subnormal.
const TINY: f32 = 1e-45;

fn f(x: f32) -> u64 {
    x.to_bits().into()
}

fn i(x: i32) -> u64 {
    (x as u32).into()
}

fn call(op: Op, imm: Imm, args: &[(Type, &[u64])], result: Type) -> Result<Vec<u64>, Fault> {
    let operands: Vec<Operand<'_>> = args.iter().map(|&(ty, bits)| Operand { ty, bits }).collect();
    let mut out = Vec::new();
    evaluate(&Types::new(), op, imm, &operands, result, &mut out)?;
    Ok(out)
}

fn vector_of(scalar: Type, n: usize) -> Type {
    if n == 1 { scalar } else { Types::new().vector(Types::new().scalar_of(scalar).unwrap(), n as u8) }
}

/// One result of floats on floats.
fn floats(op: Op, args: &[&[f32]]) -> Vec<f32> {
    let bits: Vec<Vec<u64>> = args.iter().map(|a| a.iter().map(|&x| f(x)).collect()).collect();
    let args: Vec<(Type, &[u64])> = bits.iter().map(|b| (vector_of(Type::F32, b.len()), &b[..])).collect();
    call(op, Imm::NONE, &args, args[0].0).unwrap().into_iter().map(|b| f32::from_bits(b as u32)).collect()
}

#[track_caller]
fn same(op: Op, args: &[f32], expected: f32) {
    let args: Vec<&[f32]> = args.iter().map(std::slice::from_ref).collect();
    let got = floats(op, &args)[0];
    let want = if expected.is_nan() { NAN_F32 } else { expected.to_bits() };
    assert_eq!(got.to_bits(), want, "{} of {args:?}: {got} instead of {expected}", op.name());
}

fn ints(op: Op, ty: Type, args: &[u64]) -> u64 {
    let args: Vec<(Type, &[u64])> = args.iter().map(|a| (ty, std::slice::from_ref(a))).collect();
    call(op, Imm::NONE, &args, ty).unwrap()[0]
}

#[test]
fn every_pure_op_on_values_has_a_meaning() {
    for row in OPS {
        let pure = matches!(row.effect, Effect::Pure | Effect::MayTrap);
        let on_handles = matches!(
            row.class,
            Class::Access | Class::Texture | Class::Stage | Class::Subgroup | Class::Token | Class::Custom
        ) || matches!(row.op, Op::RefFunc | Op::RefIsNull);
        assert_eq!(row.meaning != Meaning::Outside, pure && !on_handles, "{}", row.name);
    }
}

#[test]
fn kernels_exist_for_exactly_the_types_that_the_table_takes() {
    let mut types = Types::new();
    for row in OPS.iter().filter(|row| row.op.is_componentwise()) {
        for scalar in Scalar::ALL {
            let ty = types.scalar(scalar);
            let i32 = Type::I32;
            let matrix = types.matrix(if scalar.is_float() { scalar } else { Scalar::F32 }, 2, 2);
            let operands: Vec<Vec<Type>> = match row.op {
                Op::Ldexp => vec![vec![ty, i32]],
                Op::BitfieldExtract => vec![vec![ty, i32, i32]],
                Op::BitfieldInsert => vec![vec![ty, ty, i32, i32]],
                Op::Select => vec![vec![Type::BOOL, ty, ty]],
                Op::MatrixTimesScalar if scalar.is_float() => vec![vec![types.matrix(scalar, 2, 3), ty]],
                Op::MatrixComponentMultiply if scalar.is_float() => vec![vec![matrix, matrix]],
                Op::MatrixTimesScalar | Op::MatrixComponentMultiply => continue,
                _ => (1..=3).map(|n| vec![ty; n]).collect(),
            };
            let fits = operands.iter().find(|o| infer(&mut types, row.op, Imm::NONE, o, None).is_ok());
            let kernel = kernel(row.op, scalar);
            assert_eq!(kernel.is_some(), fits.is_some(), "{} on {}", row.name, scalar.name());
            let Some(kernel) = kernel else { continue };
            let arity = match kernel {
                Kernel::Unary(_) => 1,
                Kernel::Binary(_) => 2,
                Kernel::Ternary(_) => 3,
                Kernel::Quaternary(_) => 4,
            };
            assert_eq!(arity, fits.unwrap().len(), "{}", row.name);
        }
    }
}

/// Bits that go wrong: edges of every type.
const EDGES: [u64; 16] = [
    0,
    1,
    2,
    31,
    32,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x3f80_0000,
    0xbfc0_0000,
    0x7f80_0000,
    0x7fc0_0001,
    0x8000_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0xfff8_0000_0000_1234,
    u64::MAX,
];

#[test]
fn columns_give_the_bits_of_single_components() {
    for row in OPS {
        for scalar in Scalar::ALL {
            let mask = u64::MAX >> (64 - scalar.bits());
            let edges = EDGES.map(|e| e & mask);
            let mut other = edges;
            other.rotate_left(5);
            let mut out = [0; 16];
            match kernel(row.op, scalar) {
                Some(Kernel::Unary(k)) => {
                    (k.many)(&edges, &mut out);
                    assert_eq!(out, edges.map(k.one), "{}", row.name);
                }
                Some(Kernel::Binary(k)) => {
                    (k.many)(&edges, &other, &mut out);
                    assert!((0..16).all(|n| out[n] == (k.one)(edges[n], other[n])), "{}", row.name);
                    (k.many)(&edges[3..4], &other, &mut out);
                    assert!((0..16).all(|n| out[n] == (k.one)(edges[3], other[n])), "{}", row.name);
                    (k.many)(&edges, &other[3..4], &mut out);
                    assert!((0..16).all(|n| out[n] == (k.one)(edges[n], other[3])), "{}", row.name);
                }
                Some(Kernel::Ternary(k)) => {
                    (k.many)(&other, &edges, &edges, &mut out);
                    assert!((0..16).all(|n| out[n] == (k.one)(other[n], edges[n], edges[n])), "{}", row.name);
                    (k.many)(&other, &edges[4..5], &edges, &mut out);
                    assert!((0..16).all(|n| out[n] == (k.one)(other[n], edges[4], edges[n])), "{}", row.name);
                }
                Some(Kernel::Quaternary(_)) | None => {}
            }
        }
    }
}

#[test]
fn float_arithmetic_is_ieee() {
    let max = f32::MAX;
    for (op, x, y, expected) in [
        (Op::Add, 0.1, 0.2, 0.3),
        (Op::Add, -0.0, -0.0, -0.0),
        (Op::Add, -0.0, 0.0, 0.0),
        (Op::Add, INF, -INF, NAN),
        (Op::Add, max, max, INF),
        (Op::Add, TINY, TINY, 2.8e-45),
        (Op::Subtract, 1.0, 1.0, 0.0),
        (Op::Multiply, -0.0, 3.0, -0.0),
        (Op::Multiply, 0.0, INF, NAN),
        (Op::Multiply, TINY, 0.5, 0.0),
        (Op::Divide, 1.0, -0.0, -INF),
        (Op::Divide, 0.0, 0.0, NAN),
        (Op::Divide, 1.0, 3.0, 0.333_333_34),
        (Op::Mod, -1.0, 3.0, 2.0),
        (Op::Mod, 5.5, -2.0, -0.5),
        (Op::Mod, 1.0, 0.0, NAN),
        (Op::Min, NAN, 1.0, NAN),
        (Op::Min, 1.0, NAN, 1.0),
        (Op::Min, 0.0, -0.0, 0.0),
        (Op::Max, NAN, 1.0, NAN),
        (Op::Max, 1.0, NAN, 1.0),
        (Op::Max, -0.0, 0.0, -0.0),
        (Op::Minimum, 0.0, -0.0, -0.0),
        (Op::Minimum, -0.0, 0.0, -0.0),
        (Op::Minimum, 1.0, NAN, NAN),
        (Op::Maximum, -0.0, 0.0, 0.0),
        (Op::Maximum, 0.0, -0.0, 0.0),
        (Op::Maximum, NAN, 1.0, NAN),
        (Op::CopySign, 3.0, -0.0, -3.0),
        (Op::CopySign, -INF, 1.0, INF),
        (Op::Step, 1.0, 1.0, 1.0),
        (Op::Step, 1.0, 0.5, 0.0),
        (Op::Step, NAN, 0.5, 1.0),
        (Op::Pow, 2.0, 0.5, std::f32::consts::SQRT_2),
        (Op::Pow, -2.0, 2.0, NAN),
        (Op::Pow, 0.0, 0.0, 1.0),
        (Op::Pow, 0.0, -1.0, INF),
        (Op::Pow, -0.0, 3.0, 0.0),
        (Op::Hypot, 3.0, -4.0, 5.0),
        (Op::Hypot, 3.0 * 2f32.powi(120), 4.0 * 2f32.powi(120), 5.0 * 2f32.powi(120)),
        (Op::Hypot, 0.0, TINY, TINY),
        (Op::Hypot, -0.0, 0.0, 0.0),
        (Op::Hypot, -INF, INF, INF),
        (Op::Hypot, 1.0, -INF, INF),
        (Op::Hypot, INF, NAN, NAN),
        (Op::Atan2, 0.0, -1.0, std::f32::consts::PI),
        (Op::Atan2, -0.0, -1.0, -std::f32::consts::PI),
        (Op::Atan2, 1.0, 0.0, std::f32::consts::FRAC_PI_2),
        (Op::Atan2, 0.0, 0.0, 0.0),
    ] {
        same(op, &[x, y], expected);
    }
}

#[test]
fn float_functions() {
    use std::f32::consts::{E, LN_2, PI};
    for (op, x, expected) in [
        (Op::Negate, 0.0, -0.0),
        (Op::Negate, -INF, INF),
        (Op::Abs, -0.0, 0.0),
        (Op::Sign, -0.0, -0.0),
        (Op::Sign, NAN, NAN),
        (Op::Sign, -TINY, -1.0),
        (Op::Floor, -0.5, -1.0),
        (Op::Floor, -0.0, -0.0),
        (Op::Ceil, -0.5, -0.0),
        (Op::Trunc, -1.9, -1.0),
        (Op::Round, 2.5, 2.0),
        (Op::Round, 3.5, 4.0),
        (Op::RoundEven, -0.5, -0.0),
        (Op::Fract, -0.25, 0.75),
        (Op::Fract, INF, NAN),
        (Op::Fract, -TINY, 1.0),
        (Op::Saturate, -3.0, 0.0),
        (Op::Saturate, INF, 1.0),
        (Op::Saturate, NAN, NAN),
        (Op::Sqrt, 2.0, std::f32::consts::SQRT_2),
        (Op::Sqrt, -0.0, -0.0),
        (Op::Sqrt, -1.0, NAN),
        (Op::InverseSqrt, 4.0, 0.5),
        (Op::InverseSqrt, 0.0, INF),
        (Op::Radians, 180.0, PI),
        (Op::Degrees, PI, 180.0),
        (Op::Sin, PI, -8.742_278e-8),
        (Op::Sin, INF, NAN),
        (Op::Sin, 1e10, -0.487_506_02),
        (Op::Cos, 0.0, 1.0),
        (Op::Tan, 0.5, 0.546_302_5),
        (Op::Asin, 1.5, NAN),
        (Op::Acos, -1.0, PI),
        (Op::Atan, INF, PI / 2.0),
        (Op::Sinh, 1.0, 1.175_201_2),
        (Op::Cosh, 1.0, 1.543_080_7),
        (Op::Tanh, INF, 1.0),
        (Op::Asinh, 1.0, 0.881_373_6),
        (Op::Acosh, 0.5, NAN),
        (Op::Atanh, 1.0, INF),
        (Op::Exp, 1.0, E),
        (Op::Exp, -200.0, 0.0),
        (Op::Log, 2.0, LN_2),
        (Op::Log, -1.0, NAN),
        (Op::Log, 0.0, -INF),
        (Op::Exp2, -149.0, TINY),
        (Op::Log2, 8.0, 3.0),
    ] {
        same(op, &[x], expected);
    }
    assert_eq!(call(Op::IsNan, Imm::NONE, &[(Type::VEC2, &[f(NAN), f(INF)])], Type::BVEC2).unwrap(), [1, 0]);
    assert_eq!(call(Op::IsInf, Imm::NONE, &[(Type::VEC2, &[f(NAN), f(-INF)])], Type::BVEC2).unwrap(), [0, 1]);
}

#[test]
fn float_built_ins() {
    same(Op::Clamp, &[5.0, 0.0, 1.0], 1.0);
    same(Op::Clamp, &[NAN, 0.0, 1.0], NAN);
    same(Op::Mix, &[2.0, 4.0, 0.25], 2.5);
    same(Op::SmoothStep, &[0.0, 1.0, 0.25], 0.15625);
    same(Op::SmoothStep, &[1.0, 1.0, 2.0], 1.0);
    same(Op::SmoothStep, &[1.0, 1.0, 1.0], NAN);
    // 1 + 2^-23 squared, minus 1 - 2^-22: what a product rounded first would lose.
    let x = 1.0 + f32::EPSILON;
    same(Op::Fma, &[x, x, -(1.0 + 2.0 * f32::EPSILON)], f32::EPSILON * f32::EPSILON);
    // The product is rounded, so that nothing is left of it.
    same(Op::MultiplyAdd, &[x, x, -(1.0 + 2.0 * f32::EPSILON)], 0.0);
    same(Op::MultiplyAdd, &[f32::MAX, 2.0, -INF], NAN);
    same(Op::MultiplyAdd, &[-0.0, 1.0, -0.0], -0.0);
    same(Op::Lerp, &[2.0, 4.0, 0.25], 2.5);
    // Not `mix`: what the difference loses does not come back at the end, and an infinite end is felt at the start.
    same(Op::Lerp, &[1e8, 1.0, 1.0], 0.0);
    same(Op::Mix, &[1e8, 1.0, 1.0], 1.0);
    same(Op::Lerp, &[0.0, INF, 0.0], NAN);
    assert_eq!(floats(Op::HorizontalAdd, &[&[1e8, 1.0, -1e8]]), [0.0]);
    assert_eq!(floats(Op::HorizontalAdd, &[&[1e8, -1e8, 1.0, 0.5]]), [1.5]);
    assert_eq!(floats(Op::HorizontalAdd, &[&[-0.0, -0.0]])[0].to_bits(), (-0.0f32).to_bits());
    assert_eq!(floats(Op::HorizontalAdd, &[&[7.0]]), [7.0]);
    assert_eq!(floats(Op::HorizontalMin, &[&[2.0, -1.0, 3.0]]), [-1.0]);
    assert_eq!(floats(Op::HorizontalMax, &[&[2.0, -1.0, 3.0, 3.5]]), [3.5]);
    // The first of equal zeros; a NaN only if it comes first.
    assert_eq!(floats(Op::HorizontalMin, &[&[0.0, -0.0]])[0].to_bits(), 0);
    assert_eq!(floats(Op::HorizontalMax, &[&[-0.0, 0.0]])[0].to_bits(), (-0.0f32).to_bits());
    assert_eq!(floats(Op::HorizontalMin, &[&[1.0, NAN, 2.0]]), [1.0]);
    assert!(floats(Op::HorizontalMax, &[&[NAN, 1.0]])[0].is_nan());
    assert_eq!(floats(Op::HorizontalMin, &[&[7.0]]), [7.0]);
    assert_eq!(floats(Op::Length, &[&[3.0, 4.0]]), [5.0]);
    assert_eq!(floats(Op::Length, &[&[-1e-30]]), [1e-30]);
    assert_eq!(floats(Op::Distance, &[&[1.0, 1.0, 1.0], &[1.0, 3.0, 1.0]]), [2.0]);
    assert_eq!(floats(Op::Dot, &[&[1e8, 1.0, -1e8], &[1.0, 1.0, 1.0]]), [0.0]);
    assert_eq!(floats(Op::Normalize, &[&[0.0, -5.0]]), [0.0, -1.0]);
    assert!(floats(Op::Normalize, &[&[0.0, 0.0]])[0].is_nan());
    assert_eq!(floats(Op::Cross, &[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]]), [0.0, 0.0, 1.0]);
    assert_eq!(floats(Op::Reflect, &[&[1.0, -1.0], &[0.0, 1.0]]), [1.0, 1.0]);
    assert_eq!(floats(Op::Refract, &[&[0.0, -1.0], &[0.0, 1.0], &[0.5]]), [0.0, -1.0]);
    assert_eq!(floats(Op::Refract, &[&[1.0, 0.0], &[0.0, 1.0], &[1.5]]), [0.0, 0.0]);
    assert_eq!(floats(Op::FaceForward, &[&[1.0, 0.0], &[-1.0, 0.0], &[1.0, 0.0]]), [1.0, 0.0]);
    assert_eq!(floats(Op::FaceForward, &[&[1.0, 0.0], &[0.0, 0.0], &[1.0, 0.0]]), [-1.0, -0.0]);
}

#[test]
fn exponents_and_fractions() {
    let ldexp = |x: f32, e: i32| {
        f32::from_bits(
            call(Op::Ldexp, Imm::NONE, &[(Type::F32, &[f(x)]), (Type::I32, &[i(e)])], Type::F32).unwrap()[0] as u32,
        )
    };
    assert_eq!((ldexp(0.75, 2), ldexp(1.0, i32::MAX), ldexp(-1.0, i32::MIN).to_bits()), (3.0, INF, 0x8000_0000));
    // 1.5 * 2^-149 lies halfway between one and two units: to even.
    assert_eq!((ldexp(1.5, -149), ldexp(TINY, 149)), (2.0 * TINY, 1.0));
    let two = |op, x: f32| call(op, Imm::NONE, &[(Type::F32, &[f(x)])], Type::F32).unwrap();
    assert_eq!(two(Op::Frexp, 8.0), [f(0.5), 4]);
    assert_eq!(two(Op::Frexp, TINY), [f(0.5), i(-148)]);
    assert_eq!(two(Op::Frexp, -0.0), [f(-0.0), 0]);
    assert_eq!(two(Op::Frexp, INF), [f(INF), 0]);
    assert_eq!(two(Op::Modf, -2.5), [f(-0.5), f(-2.0)]);
    assert_eq!(two(Op::Modf, -INF), [f(-0.0), f(-INF)]);
    assert_eq!(two(Op::Modf, 3.0), [f(0.0), f(3.0)]);
}

#[test]
fn integers_wrap_and_division_never_faults() {
    let (min, max) = (i(i32::MIN), i(i32::MAX));
    for (op, x, y, expected) in [
        (Op::Add, max, 1, min),
        (Op::Subtract, min, 1, max),
        (Op::Multiply, max, max, 1),
        (Op::Divide, min, i(-1), min),
        (Op::Divide, i(-7), 2, i(-3)),
        (Op::Divide, 7, 0, 7),
        (Op::Remainder, i(-7), 2, i(-1)),
        (Op::Remainder, min, i(-1), 0),
        (Op::Remainder, 7, 0, 0),
        (Op::Min, min, 1, min),
        (Op::Max, i(-1), 1, 1),
        (Op::ShiftLeft, 1, 33, 2),
        (Op::ShiftRight, min, 31, i(-1)),
        (Op::ShiftRight, i(-8), i(-31), i(-4)),
        (Op::RotateLeft, min, 33, 1),
        (Op::RotateRight, 1, 1, min),
        (Op::DivideTrapping, i(-9), 3, i(-3)),
        (Op::RemainderTrapping, min, i(-1), 0),
    ] {
        assert_eq!(ints(op, Type::I32, &[x, y]), expected, "{}", op.name());
    }
    assert_eq!(ints(Op::Divide, Type::U32, &[i(-1), 2]), 0x7fff_ffff);
    assert_eq!(ints(Op::MultiplyAdd, Type::I32, &[max, 2, 3]), 1);
    assert_eq!(ints(Op::MultiplyAdd, Type::U32, &[1 << 31, 2, 7]), 7);
    assert_eq!(ints(Op::ShiftRight, Type::U32, &[min, 31]), 1);
    assert_eq!((ints(Op::Abs, Type::I32, &[min]), ints(Op::Negate, Type::I32, &[min])), (min, min));
    assert_eq!((ints(Op::Sign, Type::I32, &[min]), ints(Op::Sign, Type::U32, &[min])), (i(-1), 1));
    let trap = |op, y| call(op, Imm::NONE, &[(Type::I32, &[min]), (Type::I32, &[y])], Type::I32);
    assert_eq!(trap(Op::DivideTrapping, 0), Err(Fault::Trap(TrapKind::DivisionByZero)));
    assert_eq!(trap(Op::RemainderTrapping, 0), Err(Fault::Trap(TrapKind::DivisionByZero)));
    assert_eq!(trap(Op::DivideTrapping, i(-1)), Err(Fault::Trap(TrapKind::IntegerOverflow)));
}

#[test]
fn sixty_four_bits() {
    let mut types = Types::new();
    let i64 = types.scalar(Scalar::I64);
    let eval = |op, args: &[u64]| {
        let operands: Vec<Operand<'_>> =
            args.iter().map(|a| Operand { ty: i64, bits: std::slice::from_ref(a) }).collect();
        let mut out = Vec::new();
        evaluate(&types, op, Imm::NONE, &operands, i64, &mut out).unwrap();
        out[0]
    };
    assert_eq!(eval(Op::Multiply, &[1 << 63, 3]), 1 << 63);
    assert_eq!(eval(Op::Divide, &[1 << 63, u64::MAX]), 1 << 63);
    assert_eq!(eval(Op::ShiftLeft, &[1, 65]), 2);
    assert_eq!(eval(Op::FindMsb, &[u64::MAX]), u64::MAX);
    assert_eq!(eval(Op::FindMsb, &[1 << 40]), 40);
    assert_eq!(eval(Op::CountLeadingZeros, &[0]), 64);
    assert_eq!(eval(Op::SignExtend32, &[0x8000_0000]), 0xffff_ffff_8000_0000);
}

#[test]
fn bit_queries() {
    for (op, x, expected) in [
        (Op::BitCount, i(-1), 32),
        (Op::BitReverse, 1, 0x8000_0000),
        (Op::FindLsb, 0, i(-1)),
        (Op::FindLsb, 8, 3),
        (Op::FindMsb, 0, i(-1)),
        (Op::FindMsb, i(-1), i(-1)),
        (Op::FindMsb, i(-2), 0),
        (Op::FindMsb, i(i32::MIN), 30),
        (Op::CountLeadingZeros, 0, 32),
        (Op::CountTrailingZeros, 0, 32),
        (Op::CountTrailingZeros, 40, 3),
        (Op::SignExtend8, 0x180, i(-128)),
        (Op::SignExtend16, 0x7fff, 0x7fff),
        (Op::BitwiseNot, 0, i(-1)),
    ] {
        assert_eq!(ints(op, Type::I32, &[x]), expected, "{} of {x:#x}", op.name());
    }
    assert_eq!(ints(Op::FindMsb, Type::U32, &[i(-1)]), 31);
    assert_eq!(ints(Op::FindMsb, Type::U32, &[0]), i(-1));
}

#[test]
fn bit_fields_are_cut_to_the_word() {
    for (x, offset, bits, signed, unsigned) in [
        (0xf0, 4, 4, i(-1), 15),
        (0x70, 4, 4, 7, 7),
        (i(-1), 0, 32, i(-1), i(-1)),
        (i(-1), 0, 0, 0, 0),
        (i(-1), 32, 5, 0, 0),
        (i(-1), 28, 100, i(-1), 15),
        (i(-1), -1, 5, 0, 0),
        (0x4000_0000, 0, -1, 0x4000_0000, 0x4000_0000),
    ] {
        for (ty, expected) in [(Type::I32, signed), (Type::U32, unsigned)] {
            let args: [(Type, &[u64]); 3] = [(ty, &[x]), (Type::I32, &[i(offset)]), (Type::I32, &[i(bits)])];
            assert_eq!(call(Op::BitfieldExtract, Imm::NONE, &args, ty).unwrap(), [expected], "{x:#x} {offset} {bits}");
        }
    }
    for (base, new, offset, bits, expected) in
        [(0, i(-1), 4, 4, 0xf0), (i(-1), 0, 0, 32, 0), (5, i(-1), 3, 0, 5), (0, i(-1), 30, 9, 0xc000_0000)]
    {
        let u = Type::U32;
        let args: [(Type, &[u64]); 4] = [(u, &[base]), (u, &[new]), (Type::I32, &[i(offset)]), (Type::I32, &[i(bits)])];
        assert_eq!(call(Op::BitfieldInsert, Imm::NONE, &args, u).unwrap(), [expected]);
    }
}

#[test]
fn two_words() {
    let words = |op, ty, x, y| call(op, Imm::NONE, &[(ty, &[x]), (ty, &[y])], ty).unwrap();
    assert_eq!(words(Op::AddCarry, Type::U32, i(-1), 1), [0, 1]);
    assert_eq!(words(Op::SubtractBorrow, Type::U32, 0, 1), [i(-1), 1]);
    assert_eq!(words(Op::MultiplyExtended, Type::U32, i(-1), i(-1)), [0xffff_fffe, 1]);
    assert_eq!(words(Op::MultiplyExtended, Type::I32, i(-1), 2), [i(-1), i(-2)]);
    let vectors = call(Op::AddCarry, Imm::NONE, &[(Type::UVEC2, &[i(-1), 1]), (Type::UVEC2, &[1, 1])], Type::UVEC2);
    assert_eq!(vectors.unwrap(), [0, 2, 1, 0]);
}

#[test]
fn comparisons_with_nan_and_zeros() {
    let compare =
        |op, x: f32, y: f32| call(op, Imm::NONE, &[(Type::F32, &[f(x)]), (Type::F32, &[f(y)])], Type::BOOL).unwrap()[0];
    assert_eq!([Op::Equal, Op::NotEqual].map(|op| compare(op, NAN, NAN)), [0, 1]);
    assert_eq!([Op::Equal, Op::LessThan].map(|op| compare(op, -0.0, 0.0)), [1, 0]);
    let ordered = [Op::LessThan, Op::LessThanEqual, Op::GreaterThan, Op::GreaterThanEqual];
    assert_eq!(ordered.map(|op| compare(op, NAN, 1.0)), [0; 4]);
    assert_eq!(ints(Op::LessThan, Type::I32, &[i(-1), 0]), 1);
    assert_eq!(ints(Op::LessThan, Type::U32, &[i(-1), 0]), 0);
    let mut types = Types::new();
    let array = types.array(Type::F32, 3);
    assert_eq!(equal(&types, array, &[f(0.0), 0, 0], &[f(-0.0), 0, 0]), Some(true));
    assert_eq!(equal(&types, array, &[f(NAN), 0, 0], &[f(NAN), 0, 0]), Some(false));
    assert_eq!(call(Op::Any, Imm::NONE, &[(Type::BVEC3, &[0, 1, 0])], Type::BOOL).unwrap(), [1]);
    assert_eq!(call(Op::All, Imm::NONE, &[(Type::BVEC3, &[1, 1, 0])], Type::BOOL).unwrap(), [0]);
}

#[test]
fn conversions_saturate() {
    for (x, from, to, expected) in [
        (f(-1.9), Scalar::F32, Scalar::I32, i(-1)),
        (f(3e9), Scalar::F32, Scalar::I32, i(i32::MAX)),
        (f(-INF), Scalar::F32, Scalar::I32, i(i32::MIN)),
        (f(NAN), Scalar::F32, Scalar::I32, 0),
        (f(-1.0), Scalar::F32, Scalar::U32, 0),
        (f(5e9), Scalar::F32, Scalar::U32, i(-1)),
        (f(NAN), Scalar::F32, Scalar::Bool, 1),
        (f(-0.0), Scalar::F32, Scalar::Bool, 0),
        (i(-1), Scalar::I32, Scalar::U32, i(-1)),
        (i(-1), Scalar::I32, Scalar::I64, u64::MAX),
        (i(-1), Scalar::U32, Scalar::I64, 0xffff_ffff),
        (1 << 40 | 7, Scalar::I64, Scalar::I32, 7),
        (16_777_217, Scalar::I32, Scalar::F32, f(16_777_216.0)),
        (i(-1), Scalar::U32, Scalar::F32, f(4_294_967_296.0)),
        (1, Scalar::Bool, Scalar::F32, f(1.0)),
        (1e300f64.to_bits(), Scalar::F64, Scalar::F32, f(INF)),
        (2, Scalar::I32, Scalar::Bool, 1),
    ] {
        assert_eq!(convert(x, from, to), expected, "{x:#x}: {from:?} to {to:?}");
    }
    let truncate = |x: f32, to| call(Op::TruncateTrapping, Imm::NONE, &[(Type::F32, &[f(x)])], to);
    assert_eq!(truncate(-2147483648.0, Type::I32).unwrap(), [i(i32::MIN)]);
    assert_eq!(truncate(2147483648.0, Type::I32), Err(Fault::Trap(TrapKind::IntegerOverflow)));
    assert_eq!(truncate(-0.9, Type::U32).unwrap(), [0]);
    assert_eq!(truncate(NAN, Type::U32), Err(Fault::Trap(TrapKind::InvalidConversion)));
}

#[test]
fn halves_convert_both_ways() {
    for half in 0..=u16::MAX {
        let nan = half & 0x7c00 == 0x7c00 && half & 0x3ff != 0;
        assert_eq!(to_half(from_half(half)), if nan { 0x7e00 } else { half });
    }
    assert_eq!((to_half(65519.9), to_half(65520.0), to_half(-1e9)), (0x7bff, 0x7c00, 0xfc00));
    // Halfway between two halves: to even; just above: up. Below half the least subnormal: zero.
    assert_eq!((to_half(1.0 + 1.0 / 2048.0), to_half(1.0 + 1.1 / 2048.0)), (0x3c00, 0x3c01));
    assert_eq!((to_half(2f32.powi(-25)), to_half(1.1 * 2f32.powi(-25)), to_half(-TINY)), (0, 1, 0x8000));
}

#[test]
fn packing() {
    let pack = |op, x: &[f32]| {
        let bits: Vec<u64> = x.iter().map(|&x| f(x)).collect();
        call(op, Imm::NONE, &[(vector_of(Type::F32, x.len()), &bits)], Type::U32).unwrap()[0]
    };
    assert_eq!(pack(Op::PackSnorm2x16, &[1.0, -1.0]), 0x8001_7fff);
    assert_eq!(pack(Op::PackUnorm2x16, &[2.0, NAN]), 0x0000_ffff);
    assert_eq!(pack(Op::PackHalf2x16, &[1.0, -2.0]), 0xc000_3c00);
    assert_eq!(pack(Op::PackSnorm4x8, &[1.0, 0.0, -1.0, 0.5]), 0x4081_007f);
    assert_eq!(pack(Op::PackUnorm4x8, &[0.0, 1.0, 0.5, -3.0]), 0x0080_ff00);
    let unpack = |op, x: u64, ty| call(op, Imm::NONE, &[(Type::U32, &[x])], ty).unwrap();
    assert_eq!(unpack(Op::UnpackSnorm2x16, 0x8000_7fff, Type::VEC2), [f(1.0), f(-1.0)]);
    assert_eq!(unpack(Op::UnpackUnorm4x8, 0xff00_0000, Type::VEC4), [0, 0, 0, f(1.0)]);
    assert_eq!(unpack(Op::UnpackHalf2x16, 0xc000_3c00, Type::VEC2), [f(1.0), f(-2.0)]);
    assert_eq!(unpack(Op::UnpackSnorm4x8, 0x81, Type::VEC4), [f(-1.0), 0, 0, 0]);
    assert_eq!(unpack(Op::UnpackUnorm2x16, 0xffff, Type::VEC2), [f(1.0), 0]);
    let double = call(Op::PackDouble2x32, Imm::NONE, &[(Type::UVEC2, &[0, 0x3ff0_0000])], Type::VOID).unwrap();
    assert_eq!(double, [1f64.to_bits()]);
    for standard in 0..3 {
        let grey: [u64; 3] = [f(0.5); 3];
        let args: [(Type, &[u64]); 2] = [(Type::VEC3, &grey), (Type::YUV_CSC, &[standard])];
        let yuv = call(Op::RgbToYuv, Imm::NONE, &args, Type::VEC3).unwrap();
        let back = call(Op::YuvToRgb, Imm::NONE, &[(Type::VEC3, &yuv), args[1]], Type::VEC3).unwrap();
        for x in back {
            assert!((f32::from_bits(x as u32) - 0.5).abs() < 1e-6);
        }
        assert!((f32::from_bits(yuv[1] as u32) - 128.0 / 255.0).abs() < 1e-6, "grey has no chroma");
    }
}

#[test]
fn matrices() {
    let m: Vec<u64> = [1.0, 2.0, 3.0, 4.0].map(f).to_vec();
    let v: Vec<u64> = [5.0, 6.0].map(f).to_vec();
    let float = |r: Vec<u64>| r.into_iter().map(|b| f32::from_bits(b as u32)).collect::<Vec<_>>();
    let two = |op, a: (Type, &[u64]), b: (Type, &[u64])| float(call(op, Imm::NONE, &[a, b], a.0).unwrap());
    assert_eq!(two(Op::MatrixTimesVector, (Type::MAT2, &m), (Type::VEC2, &v)), [23.0, 34.0]);
    assert_eq!(two(Op::VectorTimesMatrix, (Type::VEC2, &v), (Type::MAT2, &m)), [17.0, 39.0]);
    assert_eq!(two(Op::MatrixTimesMatrix, (Type::MAT2, &m), (Type::MAT2, &m)), [7.0, 10.0, 15.0, 22.0]);
    assert_eq!(two(Op::MatrixTimesScalar, (Type::MAT2, &m), (Type::F32, &[f(2.0)])), [2.0, 4.0, 6.0, 8.0]);
    assert_eq!(two(Op::OuterProduct, (Type::VEC2, &v), (Type::VEC2, &m[..2])), [5.0, 6.0, 10.0, 12.0]);
    let one = |op, ty, m: &[f32]| {
        let bits: Vec<u64> = m.iter().map(|&x| f(x)).collect();
        float(call(op, Imm::NONE, &[(ty, &bits)], ty).unwrap())
    };
    let m23 = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    assert_eq!(one(Op::Transpose, Type::MAT2X3, &m23), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    let m3 = [2.0, 0.0, 1.0, 1.0, 3.0, 0.0, 0.0, 1.0, 4.0];
    assert_eq!(one(Op::Determinant, Type::MAT3, &m3), [25.0]);
    let m4 = [2.0, 0.0, 0.0, 1.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 8.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let inverse = one(Op::Inverse, Type::MAT4, &m4);
    assert_eq!(inverse, [0.5, 0.0, 0.0, -0.5, 0.0, 0.25, 0.0, 0.0, 0.0, 0.0, 0.125, 0.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn construction_and_parts() {
    let mut module = crate::module::Module::default();
    let c = |x: f32| f(x);
    let made = call(
        Op::ConstructVectorFromMultiple,
        Imm::NONE,
        &[(Type::IVEC2, &[i(-1), 2]), (Type::VEC3, &[c(0.5), 1, 2])],
        Type::VEC3,
    );
    assert_eq!(made.unwrap(), [c(-1.0), c(2.0), c(0.5)]);
    let diagonal = call(Op::ConstructMatrixFromScalar, Imm::NONE, &[(Type::I32, &[2])], Type::MAT2X3).unwrap();
    assert_eq!(diagonal, [c(2.0), 0, 0, 0, c(2.0), 0]);
    let wider = call(Op::ConstructMatrixFromMatrix, Imm::NONE, &[(Type::MAT2, &[1, 2, 3, 4])], Type::MAT3).unwrap();
    assert_eq!(wider, [1, 2, 0, 3, 4, 0, 0, 0, c(1.0)]);
    let lanes = Lanes::new(&[2, 0, 0]);
    let swizzled = call(Op::ExtractVectorComponentMulti, lanes.into(), &[(Type::IVEC3, &[7, 8, 9])], Type::IVEC3);
    assert_eq!(swizzled.unwrap(), [9, 7, 7]);
    for (index, expected) in [(0, 7), (2, 9), (3, 9), (i(-1), 9)] {
        let args: [(Type, &[u64]); 2] = [(Type::IVEC3, &[7, 8, 9]), (Type::I32, &[index])];
        assert_eq!(call(Op::ExtractVectorComponentDynamic, Imm::NONE, &args, Type::I32).unwrap(), [expected]);
    }
    let column: [(Type, &[u64]); 3] = [(Type::MAT2, &[1, 2, 3, 4]), (Type::VEC2, &[8, 9]), (Type::I32, &[5])];
    assert_eq!(call(Op::InsertMatrixColumn, Imm::NONE, &column, Type::MAT2).unwrap(), [1, 2, 8, 9]);

    // Folding, and that it stops where the cost would be that of the whole for each part.
    let x = module.consts.f32(1.5);
    let v = fold(&mut module, Op::ConstructVectorFromScalar, Imm::NONE, &[x], Type::VEC3).unwrap();
    let sum = fold(&mut module, Op::Add, Imm::NONE, &[v, v], Type::VEC3).unwrap();
    let three = module.consts.f32(3.0);
    assert_eq!(module.consts.as_parts(sum), Some(&[three; 3][..]));
    let zero = module.consts.i32(0);
    assert_eq!(fold(&mut module, Op::DivideTrapping, Imm::NONE, &[zero, zero], Type::I32), None);
    let long = module.types.array(Type::F32, 100_000);
    let array = fold(&mut module, Op::ConstructArray, Imm::NONE, &vec![x; 100_000], long).unwrap();
    for index in 0..100_000 {
        let index = module.consts.i32(index);
        assert_eq!(fold(&mut module, Op::ExtractArrayElement, Imm::NONE, &[array, index], Type::F32), Some(x));
        assert_eq!(fold(&mut module, Op::InsertArrayElement, Imm::NONE, &[array, x, index], long), None);
    }
}
