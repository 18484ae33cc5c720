//! Bits of 64-bit integers, which SPIR-V counts and finds in words only: by halves.

use planish_ir::entity::{Type, Value};
use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use spirv::{GlslStd450Op as Glsl, Op as S};

use crate::assemble::Id;
use crate::function::FunctionWriter;
use crate::types::Res;

impl FunctionWriter<'_, '_> {
    /// `bit_count`, `bit_reverse`, `find_lsb`, `find_msb` and the counts of zeros, of 64-bit integers.
    pub(crate) fn wide_bits(&mut self, op: Op, value: Value, ty: Type) -> Res<Id> {
        let x = self.id(value)?;
        let signed = self.shape(ty).0.is_signed();
        let (word, wide) = (self.with_scalar(ty, Scalar::U32), self.with_scalar(ty, Scalar::U64));
        let mut x = self.reinterpret(x, ty, wide);
        if op == Op::FindMsb && signed {
            x = self.differing_from_sign(x, wide);
        }
        let by = self.cx.splat(wide, 32);
        let low = self.op1(S::UConvert, word, x);
        let high = self.op2(S::ShiftRightLogical, wide, x, by);
        let high = self.op1(S::UConvert, word, high);
        let found = match op {
            Op::BitReverse => {
                let (low, high) = (self.op1(S::BitReverse, word, low), self.op1(S::BitReverse, word, high));
                let (low, high) = (self.op1(S::UConvert, wide, low), self.op1(S::UConvert, wide, high));
                let low = self.op2(S::ShiftLeftLogical, wide, low, by);
                let both = self.op2(S::BitwiseOr, wide, low, high);
                return Ok(self.reinterpret(both, wide, ty));
            }
            Op::BitCount => {
                let (low, high) = (self.op1(S::BitCount, word, low), self.op1(S::BitCount, word, high));
                self.op2(S::IAdd, word, low, high)
            }
            Op::FindLsb => self.lowest(low, high, word),
            Op::FindMsb => self.highest(low, high, word),
            Op::CountLeadingZeros => {
                // The highest bit is number -1 if there is none.
                let (highest, last) = (self.highest(low, high, word), self.cx.splat(word, 63));
                self.op2(S::ISub, word, last, highest)
            }
            _ => {
                let (lowest, width) = (self.lowest(low, high, word), self.cx.splat(word, 64));
                self.glsl(Glsl::UMin, word, &[lowest, width])
            }
        };
        // A number of a bit, or -1.
        let (narrow, long) = (self.with_scalar(ty, Scalar::I32), self.with_scalar(ty, Scalar::I64));
        let found = self.op1(S::Bitcast, narrow, found);
        let found = self.op1(S::SConvert, long, found);
        Ok(self.reinterpret(found, long, ty))
    }

    /// The bits that differ from the sign.
    fn differing_from_sign(&mut self, x: Id, wide: Type) -> Id {
        let long = self.with_scalar(wide, Scalar::I64);
        let signed = self.op1(S::Bitcast, long, x);
        let by = self.cx.splat(long, 63);
        let sign = self.op2(S::ShiftRightArithmetic, long, signed, by);
        let differing = self.op2(S::BitwiseXor, long, signed, sign);
        self.op1(S::Bitcast, wide, differing)
    }

    fn lowest(&mut self, low: Id, high: Id, word: Type) -> Id {
        let (in_low, in_high) = (self.glsl(Glsl::FindILsb, word, &[low]), self.glsl(Glsl::FindILsb, word, &[high]));
        self.half(low, in_low, high, in_high, word, false)
    }

    fn highest(&mut self, low: Id, high: Id, word: Type) -> Id {
        let (in_low, in_high) = (self.glsl(Glsl::FindUMsb, word, &[low]), self.glsl(Glsl::FindUMsb, word, &[high]));
        self.half(high, in_high, low, in_low, word, true)
    }

    /// What was found in the first half, unless that is zero; else in the second; else -1. Bits of the upper half, which is
    /// the first or the second one, are 32 more.
    fn half(&mut self, first: Id, found: Id, second: Id, otherwise: Id, word: Type, upper_is_first: bool) -> Id {
        let (bools, zero) = (self.with_scalar(word, Scalar::Bool), self.cx.splat(word, 0));
        let (more, none) = (self.cx.splat(word, 32), self.cx.splat(word, u32::MAX.into()));
        let upper_half = if upper_is_first { found } else { otherwise };
        let raised = self.op2(S::IAdd, word, upper_half, more);
        let (found, otherwise) = if upper_is_first { (raised, otherwise) } else { (found, raised) };
        let (no_first, no_second) = (self.op2(S::IEqual, bools, first, zero), self.op2(S::IEqual, bools, second, zero));
        let otherwise = self.op3(S::Select, word, no_second, none, otherwise);
        self.op3(S::Select, word, no_first, otherwise, found)
    }
}
