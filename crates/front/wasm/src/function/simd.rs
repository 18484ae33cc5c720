//! 128-bit values. Loads that widen, splat or zero-extend are loads of a scalar and an op on it.
//! whole: one list of instructions and what they are.

use planish_ir::entity::Value;
use planish_ir::ops::{Imm, LaneShape, Op, Width};
use wasmparser::{MemArg, Operator};

use super::Translator;
use LaneShape::{F32x4, F64x2, I8x16, I16x8, I32x4, I64x2, U8x16, U16x8, U32x4, U64x2};
use Width::{B8, B16, B32, B64, B128};

impl Translator<'_, '_> {
    pub(super) fn simd(&mut self, op: &Operator<'_>) -> bool {
        if self.simd_memory(op) || self.simd_lane(op) {
            return true;
        }
        let Some((op, shape, count)) = on_lanes(op) else { return false };
        self.with_imm(op, shape.map_or(Imm::NONE, Imm::from), count);
        true
    }

    /// Loads and stores.
    fn simd_memory(&mut self, op: &Operator<'_>) -> bool {
        use Operator::*;
        let v128 = self.env.values.v128[0];
        match *op {
            V128Load { memarg } => {
                let value = self.loaded(&memarg, B128, false, v128);
                self.push(value);
            }
            V128Store { memarg } => self.store(&memarg, B128),
            V128Load8x8S { memarg } => self.load_widened(&memarg, I16x8),
            V128Load8x8U { memarg } => self.load_widened(&memarg, U16x8),
            V128Load16x4S { memarg } => self.load_widened(&memarg, I32x4),
            V128Load16x4U { memarg } => self.load_widened(&memarg, U32x4),
            V128Load32x2S { memarg } => self.load_widened(&memarg, I64x2),
            V128Load32x2U { memarg } => self.load_widened(&memarg, U64x2),
            V128Load8Splat { memarg } => self.load_then(&memarg, B8, Op::SimdSplat, I8x16.into()),
            V128Load16Splat { memarg } => self.load_then(&memarg, B16, Op::SimdSplat, I16x8.into()),
            V128Load32Splat { memarg } => self.load_then(&memarg, B32, Op::SimdSplat, I32x4.into()),
            V128Load64Splat { memarg } => self.load_then(&memarg, B64, Op::SimdSplat, I64x2.into()),
            V128Load32Zero { memarg } => self.load_then(&memarg, B32, Op::SimdLow, Imm::NONE),
            V128Load64Zero { memarg } => self.load_then(&memarg, B64, Op::SimdLow, Imm::NONE),
            V128Load8Lane { memarg, lane } => self.load_lane(&memarg, B8, Imm::lane(I8x16, lane)),
            V128Load16Lane { memarg, lane } => self.load_lane(&memarg, B16, Imm::lane(I16x8, lane)),
            V128Load32Lane { memarg, lane } => self.load_lane(&memarg, B32, Imm::lane(I32x4, lane)),
            V128Load64Lane { memarg, lane } => self.load_lane(&memarg, B64, Imm::lane(I64x2, lane)),
            V128Store8Lane { memarg, lane } => self.store_lane(&memarg, B8, Imm::lane(U8x16, lane)),
            V128Store16Lane { memarg, lane } => self.store_lane(&memarg, B16, Imm::lane(U16x8, lane)),
            V128Store32Lane { memarg, lane } => self.store_lane(&memarg, B32, Imm::lane(I32x4, lane)),
            V128Store64Lane { memarg, lane } => self.store_lane(&memarg, B64, Imm::lane(I64x2, lane)),
            _ => return false,
        }
        true
    }

    /// The integer of this width at the topmost operand's address.
    fn load_integer(&mut self, memarg: &MemArg, width: Width) -> Value {
        let ty = if width == B64 { self.env.values.i64[0] } else { planish_ir::entity::Type::I32 };
        self.loaded(memarg, width, false, ty)
    }

    fn load_then(&mut self, memarg: &MemArg, width: Width, op: Op, imm: Imm) {
        let scalar = self.load_integer(memarg, width);
        let value = self.b.op_imm(op, imm, &[scalar]);
        self.push(value);
    }

    /// Eight bytes whose lanes become twice as wide.
    fn load_widened(&mut self, memarg: &MemArg, shape: LaneShape) {
        self.load_then(memarg, B64, Op::SimdLow, Imm::NONE);
        self.with_imm(Op::SimdExtendLow, shape, 1);
    }

    fn load_lane(&mut self, memarg: &MemArg, width: Width, lane: Imm) {
        let value = self.pop();
        let scalar = self.load_integer(memarg, width);
        let value = self.b.op_imm(Op::SimdInsert, lane, &[value, scalar]);
        self.push(value);
    }

    fn store_lane(&mut self, memarg: &MemArg, width: Width, lane: Imm) {
        self.with_imm(Op::SimdExtract, lane, 1);
        self.store(memarg, width);
    }

    /// Constants, shuffles, and one lane taken out or put in.
    fn simd_lane(&mut self, op: &Operator<'_>) -> bool {
        use Operator::*;
        let (op, count, shape, lane) = match *op {
            V128Const { value } => {
                self.push_wide(value.i128() as u128);
                return true;
            }
            I8x16Shuffle { lanes } => {
                self.push_wide(u128::from_le_bytes(lanes));
                self.with_imm(Op::SimdShuffle, Imm::NONE, 3);
                return true;
            }
            I8x16ExtractLaneS { lane } => (Op::SimdExtract, 1, I8x16, lane),
            I8x16ExtractLaneU { lane } => (Op::SimdExtract, 1, U8x16, lane),
            I8x16ReplaceLane { lane } => (Op::SimdInsert, 2, I8x16, lane),
            I16x8ExtractLaneS { lane } => (Op::SimdExtract, 1, I16x8, lane),
            I16x8ExtractLaneU { lane } => (Op::SimdExtract, 1, U16x8, lane),
            I16x8ReplaceLane { lane } => (Op::SimdInsert, 2, I16x8, lane),
            I32x4ExtractLane { lane } => (Op::SimdExtract, 1, I32x4, lane),
            I32x4ReplaceLane { lane } => (Op::SimdInsert, 2, I32x4, lane),
            I64x2ExtractLane { lane } => (Op::SimdExtract, 1, I64x2, lane),
            I64x2ReplaceLane { lane } => (Op::SimdInsert, 2, I64x2, lane),
            F32x4ExtractLane { lane } => (Op::SimdExtract, 1, F32x4, lane),
            F32x4ReplaceLane { lane } => (Op::SimdInsert, 2, F32x4, lane),
            F64x2ExtractLane { lane } => (Op::SimdExtract, 1, F64x2, lane),
            F64x2ReplaceLane { lane } => (Op::SimdInsert, 2, F64x2, lane),
            _ => return false,
        };
        self.with_imm(op, Imm::lane(shape, lane), count);
        true
    }

    fn push_wide(&mut self, bits: u128) {
        let module = &mut self.b.module;
        let constant = module.consts.wide(&mut module.types, bits);
        self.push(constant.into());
    }
}

/// The op, its lanes and its number of operands, for instructions that are one op on whole values.
/// whole: a table.
fn on_lanes(op: &Operator<'_>) -> Option<(Op, Option<LaneShape>, usize)> {
    use Operator::*;
    let (op, shape, count) = match op {
        I8x16Swizzle => return Some((Op::SimdSwizzle, None, 2)),
        V128Not => return Some((Op::SimdNot, None, 1)),
        V128And => return Some((Op::SimdAnd, None, 2)),
        V128AndNot => return Some((Op::SimdAndNot, None, 2)),
        V128Or => return Some((Op::SimdOr, None, 2)),
        V128Xor => return Some((Op::SimdXor, None, 2)),
        V128Bitselect => return Some((Op::SimdSelect, None, 3)),
        V128AnyTrue => return Some((Op::SimdAnyTrue, None, 1)),
        I32x4DotI16x8S => return Some((Op::SimdDot, None, 2)),
        I16x8Q15MulrSatS => return Some((Op::SimdMultiplyQ15, None, 2)),
        F32x4DemoteF64x2Zero => return Some((Op::SimdDemote, None, 1)),
        F64x2PromoteLowF32x4 => return Some((Op::SimdPromote, None, 1)),
        I8x16Splat => (Op::SimdSplat, I8x16, 1),
        I16x8Splat => (Op::SimdSplat, I16x8, 1),
        I32x4Splat => (Op::SimdSplat, I32x4, 1),
        I64x2Splat => (Op::SimdSplat, I64x2, 1),
        F32x4Splat => (Op::SimdSplat, F32x4, 1),
        F64x2Splat => (Op::SimdSplat, F64x2, 1),
        I8x16Eq => (Op::SimdEqual, I8x16, 2),
        I8x16Ne => (Op::SimdNotEqual, I8x16, 2),
        I8x16LtS => (Op::SimdLessThan, I8x16, 2),
        I8x16LtU => (Op::SimdLessThan, U8x16, 2),
        I8x16GtS => (Op::SimdGreaterThan, I8x16, 2),
        I8x16GtU => (Op::SimdGreaterThan, U8x16, 2),
        I8x16LeS => (Op::SimdLessThanEqual, I8x16, 2),
        I8x16LeU => (Op::SimdLessThanEqual, U8x16, 2),
        I8x16GeS => (Op::SimdGreaterThanEqual, I8x16, 2),
        I8x16GeU => (Op::SimdGreaterThanEqual, U8x16, 2),
        I16x8Eq => (Op::SimdEqual, I16x8, 2),
        I16x8Ne => (Op::SimdNotEqual, I16x8, 2),
        I16x8LtS => (Op::SimdLessThan, I16x8, 2),
        I16x8LtU => (Op::SimdLessThan, U16x8, 2),
        I16x8GtS => (Op::SimdGreaterThan, I16x8, 2),
        I16x8GtU => (Op::SimdGreaterThan, U16x8, 2),
        I16x8LeS => (Op::SimdLessThanEqual, I16x8, 2),
        I16x8LeU => (Op::SimdLessThanEqual, U16x8, 2),
        I16x8GeS => (Op::SimdGreaterThanEqual, I16x8, 2),
        I16x8GeU => (Op::SimdGreaterThanEqual, U16x8, 2),
        I32x4Eq => (Op::SimdEqual, I32x4, 2),
        I32x4Ne => (Op::SimdNotEqual, I32x4, 2),
        I32x4LtS => (Op::SimdLessThan, I32x4, 2),
        I32x4LtU => (Op::SimdLessThan, U32x4, 2),
        I32x4GtS => (Op::SimdGreaterThan, I32x4, 2),
        I32x4GtU => (Op::SimdGreaterThan, U32x4, 2),
        I32x4LeS => (Op::SimdLessThanEqual, I32x4, 2),
        I32x4LeU => (Op::SimdLessThanEqual, U32x4, 2),
        I32x4GeS => (Op::SimdGreaterThanEqual, I32x4, 2),
        I32x4GeU => (Op::SimdGreaterThanEqual, U32x4, 2),
        I64x2Eq => (Op::SimdEqual, I64x2, 2),
        I64x2Ne => (Op::SimdNotEqual, I64x2, 2),
        I64x2LtS => (Op::SimdLessThan, I64x2, 2),
        I64x2GtS => (Op::SimdGreaterThan, I64x2, 2),
        I64x2LeS => (Op::SimdLessThanEqual, I64x2, 2),
        I64x2GeS => (Op::SimdGreaterThanEqual, I64x2, 2),
        F32x4Eq => (Op::SimdEqual, F32x4, 2),
        F32x4Ne => (Op::SimdNotEqual, F32x4, 2),
        F32x4Lt => (Op::SimdLessThan, F32x4, 2),
        F32x4Gt => (Op::SimdGreaterThan, F32x4, 2),
        F32x4Le => (Op::SimdLessThanEqual, F32x4, 2),
        F32x4Ge => (Op::SimdGreaterThanEqual, F32x4, 2),
        F64x2Eq => (Op::SimdEqual, F64x2, 2),
        F64x2Ne => (Op::SimdNotEqual, F64x2, 2),
        F64x2Lt => (Op::SimdLessThan, F64x2, 2),
        F64x2Gt => (Op::SimdGreaterThan, F64x2, 2),
        F64x2Le => (Op::SimdLessThanEqual, F64x2, 2),
        F64x2Ge => (Op::SimdGreaterThanEqual, F64x2, 2),
        I8x16Abs => (Op::SimdAbs, I8x16, 1),
        I16x8Abs => (Op::SimdAbs, I16x8, 1),
        I32x4Abs => (Op::SimdAbs, I32x4, 1),
        I64x2Abs => (Op::SimdAbs, I64x2, 1),
        F32x4Abs => (Op::SimdAbs, F32x4, 1),
        F64x2Abs => (Op::SimdAbs, F64x2, 1),
        I8x16Neg => (Op::SimdNegate, I8x16, 1),
        I16x8Neg => (Op::SimdNegate, I16x8, 1),
        I32x4Neg => (Op::SimdNegate, I32x4, 1),
        I64x2Neg => (Op::SimdNegate, I64x2, 1),
        F32x4Neg => (Op::SimdNegate, F32x4, 1),
        F64x2Neg => (Op::SimdNegate, F64x2, 1),
        I8x16Popcnt => (Op::SimdBitCount, I8x16, 1),
        I8x16AllTrue => (Op::SimdAllTrue, I8x16, 1),
        I16x8AllTrue => (Op::SimdAllTrue, I16x8, 1),
        I32x4AllTrue => (Op::SimdAllTrue, I32x4, 1),
        I64x2AllTrue => (Op::SimdAllTrue, I64x2, 1),
        I8x16Bitmask => (Op::SimdBitmask, I8x16, 1),
        I16x8Bitmask => (Op::SimdBitmask, I16x8, 1),
        I32x4Bitmask => (Op::SimdBitmask, I32x4, 1),
        I64x2Bitmask => (Op::SimdBitmask, I64x2, 1),
        I8x16NarrowI16x8S => (Op::SimdNarrow, I8x16, 2),
        I8x16NarrowI16x8U => (Op::SimdNarrow, U8x16, 2),
        I16x8NarrowI32x4S => (Op::SimdNarrow, I16x8, 2),
        I16x8NarrowI32x4U => (Op::SimdNarrow, U16x8, 2),
        I8x16Shl => (Op::SimdShiftLeft, I8x16, 2),
        I16x8Shl => (Op::SimdShiftLeft, I16x8, 2),
        I32x4Shl => (Op::SimdShiftLeft, I32x4, 2),
        I64x2Shl => (Op::SimdShiftLeft, I64x2, 2),
        I8x16ShrS => (Op::SimdShiftRight, I8x16, 2),
        I8x16ShrU => (Op::SimdShiftRight, U8x16, 2),
        I16x8ShrS => (Op::SimdShiftRight, I16x8, 2),
        I16x8ShrU => (Op::SimdShiftRight, U16x8, 2),
        I32x4ShrS => (Op::SimdShiftRight, I32x4, 2),
        I32x4ShrU => (Op::SimdShiftRight, U32x4, 2),
        I64x2ShrS => (Op::SimdShiftRight, I64x2, 2),
        I64x2ShrU => (Op::SimdShiftRight, U64x2, 2),
        I8x16Add => (Op::SimdAdd, I8x16, 2),
        I16x8Add => (Op::SimdAdd, I16x8, 2),
        I32x4Add => (Op::SimdAdd, I32x4, 2),
        I64x2Add => (Op::SimdAdd, I64x2, 2),
        F32x4Add => (Op::SimdAdd, F32x4, 2),
        F64x2Add => (Op::SimdAdd, F64x2, 2),
        I8x16Sub => (Op::SimdSubtract, I8x16, 2),
        I16x8Sub => (Op::SimdSubtract, I16x8, 2),
        I32x4Sub => (Op::SimdSubtract, I32x4, 2),
        I64x2Sub => (Op::SimdSubtract, I64x2, 2),
        F32x4Sub => (Op::SimdSubtract, F32x4, 2),
        F64x2Sub => (Op::SimdSubtract, F64x2, 2),
        I16x8Mul => (Op::SimdMultiply, I16x8, 2),
        I32x4Mul => (Op::SimdMultiply, I32x4, 2),
        I64x2Mul => (Op::SimdMultiply, I64x2, 2),
        F32x4Mul => (Op::SimdMultiply, F32x4, 2),
        F64x2Mul => (Op::SimdMultiply, F64x2, 2),
        F32x4Div => (Op::SimdDivide, F32x4, 2),
        F64x2Div => (Op::SimdDivide, F64x2, 2),
        I8x16AddSatS => (Op::SimdAddSaturate, I8x16, 2),
        I8x16AddSatU => (Op::SimdAddSaturate, U8x16, 2),
        I16x8AddSatS => (Op::SimdAddSaturate, I16x8, 2),
        I16x8AddSatU => (Op::SimdAddSaturate, U16x8, 2),
        I8x16SubSatS => (Op::SimdSubtractSaturate, I8x16, 2),
        I8x16SubSatU => (Op::SimdSubtractSaturate, U8x16, 2),
        I16x8SubSatS => (Op::SimdSubtractSaturate, I16x8, 2),
        I16x8SubSatU => (Op::SimdSubtractSaturate, U16x8, 2),
        I8x16MinS => (Op::SimdMin, I8x16, 2),
        I8x16MinU => (Op::SimdMin, U8x16, 2),
        I16x8MinS => (Op::SimdMin, I16x8, 2),
        I16x8MinU => (Op::SimdMin, U16x8, 2),
        I32x4MinS => (Op::SimdMin, I32x4, 2),
        I32x4MinU => (Op::SimdMin, U32x4, 2),
        F32x4Min => (Op::SimdMin, F32x4, 2),
        F64x2Min => (Op::SimdMin, F64x2, 2),
        I8x16MaxS => (Op::SimdMax, I8x16, 2),
        I8x16MaxU => (Op::SimdMax, U8x16, 2),
        I16x8MaxS => (Op::SimdMax, I16x8, 2),
        I16x8MaxU => (Op::SimdMax, U16x8, 2),
        I32x4MaxS => (Op::SimdMax, I32x4, 2),
        I32x4MaxU => (Op::SimdMax, U32x4, 2),
        F32x4Max => (Op::SimdMax, F32x4, 2),
        F64x2Max => (Op::SimdMax, F64x2, 2),
        F32x4PMin => (Op::SimdPseudoMin, F32x4, 2),
        F64x2PMin => (Op::SimdPseudoMin, F64x2, 2),
        F32x4PMax => (Op::SimdPseudoMax, F32x4, 2),
        F64x2PMax => (Op::SimdPseudoMax, F64x2, 2),
        I8x16AvgrU => (Op::SimdAverage, U8x16, 2),
        I16x8AvgrU => (Op::SimdAverage, U16x8, 2),
        I16x8ExtAddPairwiseI8x16S => (Op::SimdAddPairs, I16x8, 1),
        I16x8ExtAddPairwiseI8x16U => (Op::SimdAddPairs, U16x8, 1),
        I32x4ExtAddPairwiseI16x8S => (Op::SimdAddPairs, I32x4, 1),
        I32x4ExtAddPairwiseI16x8U => (Op::SimdAddPairs, U32x4, 1),
        I16x8ExtendLowI8x16S => (Op::SimdExtendLow, I16x8, 1),
        I16x8ExtendLowI8x16U => (Op::SimdExtendLow, U16x8, 1),
        I32x4ExtendLowI16x8S => (Op::SimdExtendLow, I32x4, 1),
        I32x4ExtendLowI16x8U => (Op::SimdExtendLow, U32x4, 1),
        I64x2ExtendLowI32x4S => (Op::SimdExtendLow, I64x2, 1),
        I64x2ExtendLowI32x4U => (Op::SimdExtendLow, U64x2, 1),
        I16x8ExtendHighI8x16S => (Op::SimdExtendHigh, I16x8, 1),
        I16x8ExtendHighI8x16U => (Op::SimdExtendHigh, U16x8, 1),
        I32x4ExtendHighI16x8S => (Op::SimdExtendHigh, I32x4, 1),
        I32x4ExtendHighI16x8U => (Op::SimdExtendHigh, U32x4, 1),
        I64x2ExtendHighI32x4S => (Op::SimdExtendHigh, I64x2, 1),
        I64x2ExtendHighI32x4U => (Op::SimdExtendHigh, U64x2, 1),
        I16x8ExtMulLowI8x16S => (Op::SimdMultiplyLow, I16x8, 2),
        I16x8ExtMulLowI8x16U => (Op::SimdMultiplyLow, U16x8, 2),
        I32x4ExtMulLowI16x8S => (Op::SimdMultiplyLow, I32x4, 2),
        I32x4ExtMulLowI16x8U => (Op::SimdMultiplyLow, U32x4, 2),
        I64x2ExtMulLowI32x4S => (Op::SimdMultiplyLow, I64x2, 2),
        I64x2ExtMulLowI32x4U => (Op::SimdMultiplyLow, U64x2, 2),
        I16x8ExtMulHighI8x16S => (Op::SimdMultiplyHigh, I16x8, 2),
        I16x8ExtMulHighI8x16U => (Op::SimdMultiplyHigh, U16x8, 2),
        I32x4ExtMulHighI16x8S => (Op::SimdMultiplyHigh, I32x4, 2),
        I32x4ExtMulHighI16x8U => (Op::SimdMultiplyHigh, U32x4, 2),
        I64x2ExtMulHighI32x4S => (Op::SimdMultiplyHigh, I64x2, 2),
        I64x2ExtMulHighI32x4U => (Op::SimdMultiplyHigh, U64x2, 2),
        F32x4Sqrt => (Op::SimdSqrt, F32x4, 1),
        F64x2Sqrt => (Op::SimdSqrt, F64x2, 1),
        F32x4Ceil => (Op::SimdCeil, F32x4, 1),
        F64x2Ceil => (Op::SimdCeil, F64x2, 1),
        F32x4Floor => (Op::SimdFloor, F32x4, 1),
        F64x2Floor => (Op::SimdFloor, F64x2, 1),
        F32x4Trunc => (Op::SimdTrunc, F32x4, 1),
        F64x2Trunc => (Op::SimdTrunc, F64x2, 1),
        F32x4Nearest => (Op::SimdRoundEven, F32x4, 1),
        F64x2Nearest => (Op::SimdRoundEven, F64x2, 1),
        I32x4TruncSatF32x4S => (Op::SimdTruncate, I32x4, 1),
        I32x4TruncSatF32x4U => (Op::SimdTruncate, U32x4, 1),
        I32x4TruncSatF64x2SZero => (Op::SimdTruncateLow, I32x4, 1),
        I32x4TruncSatF64x2UZero => (Op::SimdTruncateLow, U32x4, 1),
        F32x4ConvertI32x4S => (Op::SimdConvert, I32x4, 1),
        F32x4ConvertI32x4U => (Op::SimdConvert, U32x4, 1),
        F64x2ConvertLowI32x4S => (Op::SimdConvertLow, I32x4, 1),
        F64x2ConvertLowI32x4U => (Op::SimdConvertLow, U32x4, 1),
        _ => return None,
    };
    Some((op, Some(shape), count))
}
