//! Ops on the invocations of a subgroup: the functions of `GL_KHR_shader_subgroup_…`.

use planish_back_text::tree::{Expr, ExprKind};
use planish_ir::entity::Node;
use planish_ir::ops::{GroupOperation, Op};
use planish_ir::types::Scalar;

use crate::dialect::Lower;

/// Writes one as a call; `None` if there is no such op.
pub(crate) fn expression(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let data = l.body.node(node);
    let args = l.body.args(node);
    let group = data.imm.as_group();
    let (name, extension) = function(data.op, group)?;
    l.w.subgroup_extension(extension, data.span);
    if args.first().is_some_and(|&arg| l.w.module.types.scalar_of(l.type_of(arg)) == Some(Scalar::F16)) {
        l.w.extension("GL_EXT_shader_subgroup_extended_types_float16");
    }
    let mut exprs: Vec<Expr> = args.iter().map(|&arg| l.operand(arg)).collect();
    if let (true, GroupOperation::ClusteredReduce(size)) = (extension == "clustered", group) {
        exprs.push(l.w.tree.add(ExprKind::Uint(size)));
    }
    Some(l.w.tree.builtin(name, &exprs))
}

/// The function, and the end of the name of the extension that has it.
pub(crate) fn function(op: Op, group: GroupOperation) -> Option<(&'static str, &'static str)> {
    let of = |names: [&'static str; 4]| match group {
        GroupOperation::Reduce => (names[0], "arithmetic"),
        GroupOperation::InclusiveScan => (names[1], "arithmetic"),
        GroupOperation::ExclusiveScan => (names[2], "arithmetic"),
        GroupOperation::ClusteredReduce(_) => (names[3], "clustered"),
    };
    Some(match op {
        Op::SubgroupBarrier => ("subgroupBarrier", "basic"),
        Op::SubgroupElect => ("subgroupElect", "basic"),
        Op::SubgroupAll => ("subgroupAll", "vote"),
        Op::SubgroupAny => ("subgroupAny", "vote"),
        Op::SubgroupAllEqual => ("subgroupAllEqual", "vote"),
        Op::SubgroupBroadcast => ("subgroupBroadcast", "ballot"),
        Op::SubgroupBroadcastFirst => ("subgroupBroadcastFirst", "ballot"),
        Op::SubgroupBallot => ("subgroupBallot", "ballot"),
        Op::SubgroupInverseBallot => ("subgroupInverseBallot", "ballot"),
        Op::SubgroupBallotBitExtract => ("subgroupBallotBitExtract", "ballot"),
        Op::SubgroupBallotBitCount => match group {
            GroupOperation::InclusiveScan => ("subgroupBallotInclusiveBitCount", "ballot"),
            GroupOperation::ExclusiveScan => ("subgroupBallotExclusiveBitCount", "ballot"),
            _ => ("subgroupBallotBitCount", "ballot"),
        },
        Op::SubgroupBallotFindLsb => ("subgroupBallotFindLSB", "ballot"),
        Op::SubgroupBallotFindMsb => ("subgroupBallotFindMSB", "ballot"),
        Op::SubgroupShuffle => ("subgroupShuffle", "shuffle"),
        Op::SubgroupShuffleXor => ("subgroupShuffleXor", "shuffle"),
        Op::SubgroupShuffleUp => ("subgroupShuffleUp", "shuffle_relative"),
        Op::SubgroupShuffleDown => ("subgroupShuffleDown", "shuffle_relative"),
        Op::SubgroupAdd => of(["subgroupAdd", "subgroupInclusiveAdd", "subgroupExclusiveAdd", "subgroupClusteredAdd"]),
        Op::SubgroupMultiply => {
            of(["subgroupMul", "subgroupInclusiveMul", "subgroupExclusiveMul", "subgroupClusteredMul"])
        }
        Op::SubgroupMin => of(["subgroupMin", "subgroupInclusiveMin", "subgroupExclusiveMin", "subgroupClusteredMin"]),
        Op::SubgroupMax => of(["subgroupMax", "subgroupInclusiveMax", "subgroupExclusiveMax", "subgroupClusteredMax"]),
        Op::SubgroupAnd => of(["subgroupAnd", "subgroupInclusiveAnd", "subgroupExclusiveAnd", "subgroupClusteredAnd"]),
        Op::SubgroupOr => of(["subgroupOr", "subgroupInclusiveOr", "subgroupExclusiveOr", "subgroupClusteredOr"]),
        Op::SubgroupXor => of(["subgroupXor", "subgroupInclusiveXor", "subgroupExclusiveXor", "subgroupClusteredXor"]),
        Op::QuadBroadcast => ("subgroupQuadBroadcast", "quad"),
        Op::QuadSwapHorizontal => ("subgroupQuadSwapHorizontal", "quad"),
        Op::QuadSwapVertical => ("subgroupQuadSwapVertical", "quad"),
        Op::QuadSwapDiagonal => ("subgroupQuadSwapDiagonal", "quad"),
        _ => return None,
    })
}
