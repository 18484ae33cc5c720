//! Ops on the invocations of a subgroup: the instructions `OpGroupNonUniform…` of SPIR-V 1.3.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Node, Type, Value};
use planish_ir::ops::{GroupOperation, Op};
use planish_ir::types::Scalar;
use spirv::{Capability as C, GroupOperation as Part, Op as S, Scope};

use crate::Version;
use crate::assemble::Id;
use crate::function::FunctionWriter;
use crate::types::{Res, fail};

impl FunctionWriter<'_, '_> {
    /// Writes one; its result, if it has one.
    pub(crate) fn subgroup(&mut self, node: Node, args: &[Value], ty: Type) -> Res<Option<Id>> {
        let (op, imm) = (self.body.node(node).op, self.body.node(node).imm);
        if !self.cx.since(Version::V1_3) {
            let message = format!("SPIR-V before 1.3 has no `{}`", op.text());
            let diagnostic = Diagnostic::error(Code::E0604, self.span, message).help("write `--spirv-version 1.3`");
            return Err(Box::new(diagnostic));
        }
        if op == Op::SubgroupBarrier {
            self.subgroup_barrier();
            return Ok(None);
        }
        let scalar = args.first().map_or(Scalar::Bool, |&arg| self.shape(self.type_of(arg)).0);
        let varies = args.get(1).is_some_and(|index| index.as_const().is_none());
        let (instruction, capability) = match op {
            Op::SubgroupElect => (S::GroupNonUniformElect, C::GroupNonUniform),
            Op::SubgroupAll => (S::GroupNonUniformAll, C::GroupNonUniformVote),
            Op::SubgroupAny => (S::GroupNonUniformAny, C::GroupNonUniformVote),
            Op::SubgroupAllEqual => (S::GroupNonUniformAllEqual, C::GroupNonUniformVote),
            // Before 1.5 the number has to be a constant.
            Op::SubgroupBroadcast if varies && !self.cx.since(Version::V1_5) => {
                (S::GroupNonUniformShuffle, C::GroupNonUniformShuffle)
            }
            Op::SubgroupBroadcast => (S::GroupNonUniformBroadcast, C::GroupNonUniformBallot),
            Op::SubgroupBroadcastFirst => (S::GroupNonUniformBroadcastFirst, C::GroupNonUniformBallot),
            Op::SubgroupBallot => (S::GroupNonUniformBallot, C::GroupNonUniformBallot),
            Op::SubgroupInverseBallot => (S::GroupNonUniformInverseBallot, C::GroupNonUniformBallot),
            Op::SubgroupBallotBitExtract => (S::GroupNonUniformBallotBitExtract, C::GroupNonUniformBallot),
            Op::SubgroupBallotBitCount => (S::GroupNonUniformBallotBitCount, C::GroupNonUniformBallot),
            Op::SubgroupBallotFindLsb => (S::GroupNonUniformBallotFindLSB, C::GroupNonUniformBallot),
            Op::SubgroupBallotFindMsb => (S::GroupNonUniformBallotFindMSB, C::GroupNonUniformBallot),
            Op::SubgroupShuffle => (S::GroupNonUniformShuffle, C::GroupNonUniformShuffle),
            Op::SubgroupShuffleXor => (S::GroupNonUniformShuffleXor, C::GroupNonUniformShuffle),
            Op::SubgroupShuffleUp => (S::GroupNonUniformShuffleUp, C::GroupNonUniformShuffleRelative),
            Op::SubgroupShuffleDown => (S::GroupNonUniformShuffleDown, C::GroupNonUniformShuffleRelative),
            Op::QuadBroadcast if varies && !self.cx.since(Version::V1_5) => {
                let message = "SPIR-V before 1.5 broadcasts in a quad from an invocation of a constant number only";
                return fail(Code::E0604, self.span, message);
            }
            Op::QuadBroadcast => (S::GroupNonUniformQuadBroadcast, C::GroupNonUniformQuad),
            Op::QuadSwapHorizontal | Op::QuadSwapVertical | Op::QuadSwapDiagonal => {
                (S::GroupNonUniformQuadSwap, C::GroupNonUniformQuad)
            }
            _ => match reduction(op, scalar) {
                Some(instruction) => (instruction, C::GroupNonUniformArithmetic),
                None => return self.no_such_op(op),
            },
        };
        self.cx.out.need(C::GroupNonUniform);
        let group = (op.info().imm == planish_ir::ops::ImmKind::Group).then(|| imm.as_group());
        let mut operands = vec![self.cx.u32(Scope::Subgroup as u32)];
        match group {
            Some(GroupOperation::ClusteredReduce(_)) => self.cx.out.need(C::GroupNonUniformClustered),
            _ => self.cx.out.need(capability),
        }
        operands.extend(group.map(|group| match group {
            GroupOperation::Reduce => Part::Reduce as u32,
            GroupOperation::InclusiveScan => Part::InclusiveScan as u32,
            GroupOperation::ExclusiveScan => Part::ExclusiveScan as u32,
            GroupOperation::ClusteredReduce(_) => Part::ClusteredReduce as u32,
        }));
        for &arg in args {
            operands.push(self.id(arg)?);
        }
        if let Some(GroupOperation::ClusteredReduce(size)) = group {
            operands.push(self.cx.u32(size));
        }
        match op {
            Op::QuadSwapHorizontal => operands.push(self.cx.u32(0)),
            Op::QuadSwapVertical => operands.push(self.cx.u32(1)),
            Op::QuadSwapDiagonal => operands.push(self.cx.u32(2)),
            _ => {}
        }
        let ty = self.cx.number(ty);
        Ok(Some(self.emit(instruction, ty, &operands)))
    }
}

/// The instruction that combines values of a type.
fn reduction(op: Op, scalar: Scalar) -> Option<S> {
    let kinds = match op {
        Op::SubgroupAdd => [S::GroupNonUniformFAdd, S::GroupNonUniformIAdd, S::GroupNonUniformIAdd],
        Op::SubgroupMultiply => [S::GroupNonUniformFMul, S::GroupNonUniformIMul, S::GroupNonUniformIMul],
        Op::SubgroupMin => [S::GroupNonUniformFMin, S::GroupNonUniformSMin, S::GroupNonUniformUMin],
        Op::SubgroupMax => [S::GroupNonUniformFMax, S::GroupNonUniformSMax, S::GroupNonUniformUMax],
        Op::SubgroupAnd if scalar == Scalar::Bool => [S::GroupNonUniformLogicalAnd; 3],
        Op::SubgroupOr if scalar == Scalar::Bool => [S::GroupNonUniformLogicalOr; 3],
        Op::SubgroupXor if scalar == Scalar::Bool => [S::GroupNonUniformLogicalXor; 3],
        Op::SubgroupAnd => [S::GroupNonUniformBitwiseAnd; 3],
        Op::SubgroupOr => [S::GroupNonUniformBitwiseOr; 3],
        Op::SubgroupXor => [S::GroupNonUniformBitwiseXor; 3],
        _ => return None,
    };
    Some(kinds[if scalar.is_float() { 0 } else { 2 - usize::from(scalar.is_signed()) }])
}
