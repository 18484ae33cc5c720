//! Type rules of the ops on 128-bit values, and which lanes each of them knows.

use super::rules::{Rule, TypeError, error, expect, take};
use super::{Imm, LaneShape, Op};
use crate::entity::Type;
use crate::types::{TypeKind, Types};

use LaneShape::{F32x4, F64x2, I8x16, I16x8, I32x4, I64x2, U8x16, U16x8, U32x4, U64x2};

const SIGNED: &[LaneShape] = &[I8x16, I16x8, I32x4, I64x2];
const FLOATS: &[LaneShape] = &[F32x4, F64x2];
const SIGNED_OR_FLOAT: &[LaneShape] = &[I8x16, I16x8, I32x4, I64x2, F32x4, F64x2];

impl Op {
    /// The lanes that a SIMD op knows, for ops whose immediate says them.
    pub fn lane_shapes(self) -> &'static [LaneShape] {
        use Op::*;
        match self {
            SimdSplat | SimdInsert | SimdEqual | SimdNotEqual | SimdAbs | SimdNegate | SimdAdd | SimdSubtract => {
                SIGNED_OR_FLOAT
            }
            SimdExtract => &[I8x16, U8x16, I16x8, U16x8, I32x4, I64x2, F32x4, F64x2],
            SimdAllTrue | SimdBitmask | SimdShiftLeft => SIGNED,
            SimdShiftRight => &[I8x16, U8x16, I16x8, U16x8, I32x4, U32x4, I64x2, U64x2],
            SimdLessThan | SimdLessThanEqual | SimdGreaterThan | SimdGreaterThanEqual => {
                &[I8x16, U8x16, I16x8, U16x8, I32x4, U32x4, I64x2, F32x4, F64x2]
            }
            SimdBitCount => &[I8x16],
            SimdMultiply => &[I16x8, I32x4, I64x2, F32x4, F64x2],
            SimdAddSaturate | SimdSubtractSaturate => &[I8x16, U8x16, I16x8, U16x8],
            SimdMin | SimdMax => &[I8x16, U8x16, I16x8, U16x8, I32x4, U32x4, F32x4, F64x2],
            SimdAverage => &[U8x16, U16x8],
            SimdNarrow => &[I8x16, U8x16, I16x8, U16x8],
            SimdExtendLow | SimdExtendHigh | SimdMultiplyLow | SimdMultiplyHigh => {
                &[I16x8, U16x8, I32x4, U32x4, I64x2, U64x2]
            }
            SimdAddPairs => &[I16x8, U16x8, I32x4, U32x4],
            SimdDivide | SimdPseudoMin | SimdPseudoMax | SimdSqrt | SimdCeil | SimdFloor | SimdTrunc
            | SimdRoundEven => FLOATS,
            SimdConvert | SimdConvertLow | SimdTruncate | SimdTruncateLow => &[I32x4, U32x4],
            _ => &[],
        }
    }
}

/// The result type of an op on 128-bit values; its immediate is known to be one that the op takes.
pub(super) fn infer_simd(types: &mut Types, rule: Rule, imm: Imm, operands: &[Type]) -> Result<Type, TypeError> {
    let wide = types.intern(TypeKind::V128);
    let all_wide = |operands: &[Type]| expect(operands.iter().all(|t| *t == wide), "needs 128-bit values");
    Ok(match rule {
        Rule::Simd(count) => {
            expect(operands.len() == usize::from(count), "wrong number of operands")?;
            all_wide(operands)?;
            wide
        }
        Rule::SimdToI32 => {
            all_wide(&take::<1>(operands)?)?;
            Type::I32
        }
        Rule::SimdShift => {
            let [value, amount] = take(operands)?;
            all_wide(&[value])?;
            expect(amount == Type::I32, "the amount must be i32")?;
            wide
        }
        Rule::SimdSplat => {
            let scalar = types.scalar(imm.as_shape().scalar());
            expect(take::<1>(operands)? == [scalar], "the scalar does not fit the lanes")?;
            wide
        }
        Rule::SimdLow => {
            let [scalar] = take(operands)?;
            expect(matches!(types[scalar], TypeKind::Scalar(s) if s.bits() >= 32), "needs a number")?;
            wide
        }
        Rule::SimdExtract => {
            all_wide(&take::<1>(operands)?)?;
            types.scalar(imm.as_shape().scalar())
        }
        Rule::SimdInsert => {
            let [value, lane] = take(operands)?;
            all_wide(&[value])?;
            expect(lane == types.scalar(imm.as_shape().scalar()), "the scalar does not fit the lanes")?;
            wide
        }
        _ => return error("the operands have the wrong types"),
    })
}
