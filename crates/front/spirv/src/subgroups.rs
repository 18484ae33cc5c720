//! Instructions on the invocations of a subgroup: `OpGroupNonUniform…`, and those of `SPV_KHR_shader_ballot` and
//! `SPV_KHR_subgroup_vote` before them.

use planish_ir::builder::Request;
use planish_ir::entity::{Type, Value};
use planish_ir::ops::{GroupOperation, Imm, Op as Ir};
use spirv::{GroupOperation as Part, Op, Scope as Invocations};

use crate::function::{Scope, Val};
use crate::report::Res;
use crate::words::Inst;

/// Whether an instruction is one of those.
pub(crate) fn is_subgroup(op: Op) -> bool {
    (Op::GroupNonUniformElect as u32..=Op::GroupNonUniformQuadSwap as u32).contains(&(op as u32))
        || matches!(
            op,
            Op::SubgroupBallotKHR
                | Op::SubgroupFirstInvocationKHR
                | Op::SubgroupAllKHR
                | Op::SubgroupAnyKHR
                | Op::SubgroupAllEqualKHR
                | Op::SubgroupReadInvocationKHR
        )
}

impl<'w> Scope<'_, 'w, '_> {
    pub(crate) fn subgroup(&mut self, inst: &Inst<'w>) -> Res<Option<Val>> {
        let old = match inst.op {
            Op::SubgroupBallotKHR => Some(Ir::SubgroupBallot),
            Op::SubgroupFirstInvocationKHR => Some(Ir::SubgroupBroadcastFirst),
            Op::SubgroupAllKHR => Some(Ir::SubgroupAll),
            Op::SubgroupAnyKHR => Some(Ir::SubgroupAny),
            Op::SubgroupAllEqualKHR => Some(Ir::SubgroupAllEqual),
            Op::SubgroupReadInvocationKHR => Some(Ir::SubgroupBroadcast),
            _ => None,
        };
        if let Some(op) = old {
            let mut args = vec![self.combined(inst, 0)?];
            if op == Ir::SubgroupBroadcast {
                args.push(self.number_of(inst, 1)?);
            }
            return self.op(inst, op, &args).map(|value| Some(Val::Value(value)));
        }
        if self.integer(inst, inst.word(0)?)? != Invocations::Subgroup as u32 {
            return inst.unsupported("an instruction on other invocations than those of a subgroup");
        }
        self.non_uniform(inst).map(|value| Some(Val::Value(value)))
    }

    /// An operand that invocations exchange.
    fn combined(&mut self, inst: &Inst<'w>, index: usize) -> Res<Value> {
        let value = self.operand(inst, index)?;
        match self.b.module.types.scalar_of(self.b.type_of(value)) {
            Some(scalar) if scalar.is_small_integer() => inst.unsupported("an integer of 8 or 16 bits in a subgroup"),
            _ => Ok(value),
        }
    }

    /// The number of an invocation, as `u32`.
    fn number_of(&mut self, inst: &Inst<'w>, index: usize) -> Res<Value> {
        let value = self.operand(inst, index)?;
        self.converted(inst, value, planish_ir::types::Scalar::U32)
    }

    fn non_uniform(&mut self, inst: &Inst<'w>) -> Res<Value> {
        let one = |op| (op, false);
        let (op, has_index) = match inst.op {
            Op::GroupNonUniformElect => return self.op(inst, Ir::SubgroupElect, &[]),
            Op::GroupNonUniformAll => one(Ir::SubgroupAll),
            Op::GroupNonUniformAny => one(Ir::SubgroupAny),
            Op::GroupNonUniformAllEqual => one(Ir::SubgroupAllEqual),
            Op::GroupNonUniformBroadcast => (Ir::SubgroupBroadcast, true),
            Op::GroupNonUniformBroadcastFirst => one(Ir::SubgroupBroadcastFirst),
            Op::GroupNonUniformBallot => one(Ir::SubgroupBallot),
            Op::GroupNonUniformInverseBallot => one(Ir::SubgroupInverseBallot),
            Op::GroupNonUniformBallotBitExtract => (Ir::SubgroupBallotBitExtract, true),
            Op::GroupNonUniformBallotFindLSB => one(Ir::SubgroupBallotFindLsb),
            Op::GroupNonUniformBallotFindMSB => one(Ir::SubgroupBallotFindMsb),
            Op::GroupNonUniformShuffle => (Ir::SubgroupShuffle, true),
            Op::GroupNonUniformShuffleXor => (Ir::SubgroupShuffleXor, true),
            Op::GroupNonUniformShuffleUp => (Ir::SubgroupShuffleUp, true),
            Op::GroupNonUniformShuffleDown => (Ir::SubgroupShuffleDown, true),
            Op::GroupNonUniformQuadBroadcast => (Ir::QuadBroadcast, true),
            Op::GroupNonUniformQuadSwap => match self.integer(inst, inst.word(2)?)? {
                0 => one(Ir::QuadSwapHorizontal),
                1 => one(Ir::QuadSwapVertical),
                2 => one(Ir::QuadSwapDiagonal),
                _ => return inst.invalid("there is no such direction in a quad"),
            },
            _ => return self.reduction(inst),
        };
        let is_ballot = matches!(
            op,
            Ir::SubgroupInverseBallot
                | Ir::SubgroupBallotBitExtract
                | Ir::SubgroupBallotFindLsb
                | Ir::SubgroupBallotFindMsb
        );
        let mut args = vec![self.combined(inst, 1)?];
        if is_ballot {
            args[0] = self.adapt(inst, args[0], Type::UVEC4)?;
        }
        if has_index {
            args.push(self.number_of(inst, 2)?);
        }
        let value = self.op(inst, op, &args)?;
        let ty = self.result_type(inst)?;
        self.adapt(inst, value, ty)
    }

    fn reduction(&mut self, inst: &Inst<'w>) -> Res<Value> {
        // Integers: whether the order is signed, where there is one.
        let (op, signed) = match inst.op {
            Op::GroupNonUniformBallotBitCount => (Ir::SubgroupBallotBitCount, None),
            Op::GroupNonUniformIAdd | Op::GroupNonUniformFAdd => (Ir::SubgroupAdd, None),
            Op::GroupNonUniformIMul | Op::GroupNonUniformFMul => (Ir::SubgroupMultiply, None),
            Op::GroupNonUniformSMin => (Ir::SubgroupMin, Some(true)),
            Op::GroupNonUniformUMin => (Ir::SubgroupMin, Some(false)),
            Op::GroupNonUniformFMin => (Ir::SubgroupMin, None),
            Op::GroupNonUniformSMax => (Ir::SubgroupMax, Some(true)),
            Op::GroupNonUniformUMax => (Ir::SubgroupMax, Some(false)),
            Op::GroupNonUniformFMax => (Ir::SubgroupMax, None),
            Op::GroupNonUniformBitwiseAnd | Op::GroupNonUniformLogicalAnd => (Ir::SubgroupAnd, None),
            Op::GroupNonUniformBitwiseOr | Op::GroupNonUniformLogicalOr => (Ir::SubgroupOr, None),
            Op::GroupNonUniformBitwiseXor | Op::GroupNonUniformLogicalXor => (Ir::SubgroupXor, None),
            _ => return inst.unsupported("the instruction"),
        };
        let part = inst.word(1)?;
        let group = match part {
            _ if part == Part::Reduce as u32 => GroupOperation::Reduce,
            _ if part == Part::InclusiveScan as u32 => GroupOperation::InclusiveScan,
            _ if part == Part::ExclusiveScan as u32 => GroupOperation::ExclusiveScan,
            _ if part == Part::ClusteredReduce as u32 => {
                let size = self.integer(inst, inst.word(3)?)?;
                if !size.is_power_of_two() {
                    return inst.invalid("the size of its clusters is no power of two");
                }
                GroupOperation::ClusteredReduce(size)
            }
            _ => return inst.unsupported("this group operation"),
        };
        let mut value = self.combined(inst, 2)?;
        if op == Ir::SubgroupBallotBitCount {
            value = self.adapt(inst, value, Type::UVEC4)?;
        }
        if let Some(signed) = signed {
            value = self.with_sign(inst, value, signed)?;
        }
        let result = self.make(inst, Request::new(op, &[value]).imm(Imm::from(group)))?;
        let ty = self.result_type(inst)?;
        self.adapt(inst, result, ty)
    }
}
