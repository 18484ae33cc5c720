//! Ops on the invocations of a subgroup, by those that a target has.
//!
//! All invocations that are active do the same in the same order, so an expansion may have several of these ops.

use planish_ir::builder::{Builder, Request};
use planish_ir::decoration::{BuiltIn, Precision};
use planish_ir::entity::{Const, Type, Value};
use planish_ir::meaning::reduction;
use planish_ir::ops::{GroupOperation, Imm, Op};
use planish_ir::types::Scalar;

use super::{Legalizer, integer};
use crate::lower_subgroup_inputs;

/// An op on subgroups that the target lacks.
pub(super) fn expand(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, request: &Request<'_>) -> Option<Value> {
    let args = request.args;
    if request.op == Op::SubgroupElect {
        let own = invocation(b);
        let first = l.op(b, Op::SubgroupBroadcastFirst, &[own])?;
        return l.op(b, Op::Equal, &[own, first]);
    }
    let ty = b.type_of(*args.first()?);
    let is_bool = b.module.types.scalar_of(ty) == Some(Scalar::Bool);
    let group = request.imm.as_group();
    match request.op {
        Op::SubgroupAllEqual => {
            let first = l.op(b, Op::SubgroupBroadcastFirst, args)?;
            let same = l.op(b, Op::Equal, &[args[0], first])?;
            let is_scalar = b.module.types.vector_size(ty) == Some(1);
            let same = if is_scalar { same } else { l.op(b, Op::All, &[same])? };
            l.op(b, Op::SubgroupAll, &[same])
        }
        Op::SubgroupInverseBallot => {
            let own = invocation(b);
            bit_of_ballot(l, b, args[0], own)
        }
        Op::SubgroupBallotBitExtract => bit_of_ballot(l, b, args[0], args[1]),
        Op::SubgroupBallotBitCount => {
            let ballot = match group {
                GroupOperation::InclusiveScan => masked(l, b, args[0], true)?,
                GroupOperation::ExclusiveScan => masked(l, b, args[0], false)?,
                _ => args[0],
            };
            let counts = l.op(b, Op::BitCount, &[ballot])?;
            let mut sum = b.swizzle(counts, &[0]);
            for c in 1..4 {
                let count = b.swizzle(counts, &[c]);
                sum = l.op(b, Op::Add, &[sum, count])?;
            }
            l.bitcast(b, sum, Scalar::U32)
        }
        Op::SubgroupBallotFindLsb | Op::SubgroupBallotFindMsb => {
            let is_lsb = request.op == Op::SubgroupBallotFindLsb;
            let found = l.op(b, if is_lsb { Op::FindLsb } else { Op::FindMsb }, args)?;
            let order: [u8; 4] = if is_lsb { [3, 2, 1, 0] } else { [0, 1, 2, 3] };
            let mut result = integer(b, Type::U32, 0);
            for c in order {
                let (word, at) = (b.swizzle(args[0], &[c]), b.swizzle(found, &[c]));
                let (zero, base) = (integer(b, Type::U32, 0), integer(b, Type::U32, u64::from(c) * 32));
                let any = l.op(b, Op::NotEqual, &[word, zero])?;
                let at = l.bitcast(b, at, Scalar::U32)?;
                let at = if c == 0 { at } else { l.op(b, Op::Add, &[at, base])? };
                result = l.select(b, any, at, result)?;
            }
            Some(result)
        }
        Op::SubgroupAnd | Op::SubgroupOr | Op::SubgroupXor if b.module.types.scalar_of(ty) == Some(Scalar::I32) => {
            let word = l.bitcast(b, args[0], Scalar::U32)?;
            let result = l.make(b, Request { args: &[word], ty: None, ..*request })?;
            l.bitcast(b, result, Scalar::I32)
        }
        // Votes, and the parity of a vote.
        Op::SubgroupAnd | Op::SubgroupOr | Op::SubgroupXor
            if is_bool && group == GroupOperation::Reduce && b.module.types.vector_size(ty) == Some(1) =>
        {
            match request.op {
                Op::SubgroupAnd => l.op(b, Op::SubgroupAll, args),
                Op::SubgroupOr => l.op(b, Op::SubgroupAny, args),
                _ => on_words(l, b, request, ty),
            }
        }
        Op::SubgroupBroadcast => l.op(b, Op::SubgroupShuffle, args),
        Op::SubgroupShuffleXor | Op::SubgroupShuffleUp | Op::SubgroupShuffleDown if !is_bool => {
            let op = match request.op {
                Op::SubgroupShuffleXor => Op::BitwiseXor,
                Op::SubgroupShuffleUp => Op::Subtract,
                _ => Op::Add,
            };
            let own = invocation(b);
            let other = l.op(b, op, &[own, args[1]])?;
            l.op(b, Op::SubgroupShuffle, &[args[0], other])
        }
        Op::QuadBroadcast if !is_bool => {
            let own = invocation(b);
            let mask = integer(b, Type::U32, !3);
            let first = l.op(b, Op::BitwiseAnd, &[own, mask])?;
            let other = l.op(b, Op::BitwiseOr, &[first, args[1]])?;
            l.op(b, Op::SubgroupShuffle, &[args[0], other])
        }
        Op::SubgroupAdd | Op::SubgroupMultiply if group == GroupOperation::InclusiveScan => {
            let (combine, _) = reduction(request.op, b.module.types.scalar_of(ty)?)?;
            let before = l.make(b, Request { imm: Imm::from(GroupOperation::ExclusiveScan), ..*request })?;
            l.op(b, combine, &[before, args[0]])
        }
        _ if is_bool => on_words(l, b, request, ty),
        // The loop of the function needs these two.
        _ if reduction(request.op, Scalar::U32).is_some() => {
            let (moved, vote) = ([args[0], args[0]], [Const::TRUE.into()]);
            let needed = [Request::new(Op::SubgroupShuffle, &moved), Request::new(Op::SubgroupBallot, &vote)];
            if !needed.iter().all(|request| l.has(b, request)) {
                return None;
            }
            l.call(b, *request)?.first().copied()
        }
        _ => None,
    }
}

/// The function of a scan, or of a reduction over clusters, that the target lacks: takes the operands of active invocations one after the
/// other, as all invocations do.
pub(super) fn by_loop(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, op: Op, group: GroupOperation) -> Option<()> {
    let x = b.param(0);
    let ty = b.type_of(x);
    let (combine, identity) = reduction(op, b.module.types.scalar_of(ty)?)?;
    let own = invocation(b);
    let yes = b.bool(true);
    let ballot = l.op(b, Op::SubgroupBallot, &[yes])?;
    let last = l.op(b, Op::SubgroupBallotFindMsb, &[ballot])?;
    let [zero, one] = [0, 1].map(|n| integer(b, Type::U32, n));
    let start = b.module.consts.splat(&mut b.module.types, ty, identity)?.into();
    let no = b.bool(false);
    let blocks = b.loop_(&[zero, start, no], false);
    let lane = b.add_input(blocks.condition, Type::U32, Precision::High);
    let sum = b.add_input(blocks.condition, ty, Precision::None);
    let any = b.add_input(blocks.condition, Type::BOOL, Precision::None);
    b.switch_to(blocks.condition);
    let goes_on = l.op(b, Op::LessThanEqual, &[lane, last])?;
    b.loop_if(goes_on);
    b.switch_to(blocks.body);
    let is_active = bit_of_ballot(l, b, ballot, lane)?;
    let value = l.op(b, Op::SubgroupShuffle, &[x, lane])?;
    let is_mine = match group {
        GroupOperation::InclusiveScan => l.op(b, Op::LessThanEqual, &[lane, own])?,
        GroupOperation::ExclusiveScan => l.op(b, Op::LessThan, &[lane, own])?,
        GroupOperation::Reduce => yes,
        GroupOperation::ClusteredReduce(size) => {
            let mask = integer(b, Type::U32, !(u64::from(size) - 1));
            let (a, c) = (l.op(b, Op::BitwiseAnd, &[lane, mask])?, l.op(b, Op::BitwiseAnd, &[own, mask])?);
            l.op(b, Op::Equal, &[a, c])?
        }
    };
    let takes = l.op(b, Op::LogicalAnd, &[is_active, is_mine])?;
    let both = l.op(b, combine, &[sum, value])?;
    let taken = l.select(b, any, both, value)?;
    let sum_after = l.select(b, takes, taken, sum)?;
    let any_after = l.op(b, Op::LogicalOr, &[any, takes])?;
    let next = l.op(b, Op::Add, &[lane, one])?;
    b.continue_(blocks.owner, &[next, sum_after, any_after]);
    b.switch_to(blocks.merge);
    b.ret(&[sum]);
    Some(())
}

/// The op on numbers in place of booleans.
fn on_words(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, request: &Request<'_>, ty: Type) -> Option<Value> {
    let words = b.module.types.with_scalar(ty, Scalar::U32);
    let (zero, one) = (integer(b, words, 0), integer(b, words, 1));
    let word = l.select(b, request.args[0], one, zero)?;
    let args: Vec<Value> = std::iter::once(word).chain(request.args[1..].iter().copied()).collect();
    let result = l.make(b, Request { args: &args, ty: None, ..*request })?;
    l.op(b, Op::NotEqual, &[result, zero])
}

fn bit_of_ballot(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, ballot: Value, bit: Value) -> Option<Value> {
    let [five, one, zero] = [5, 1, 0].map(|n| integer(b, Type::U32, n));
    let index = l.op(b, Op::ShiftRight, &[bit, five])?;
    let word = l.op(b, Op::ExtractVectorComponentDynamic, &[ballot, index])?;
    let shifted = shift(l, b, Op::ShiftRight, word, bit)?;
    let bit = l.op(b, Op::BitwiseAnd, &[shifted, one])?;
    l.op(b, Op::NotEqual, &[bit, zero])
}

/// A word shifted by the low five bits of an amount.
fn shift(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, op: Op, word: Value, amount: Value) -> Option<Value> {
    let low = integer(b, Type::U32, 31);
    let amount = l.op(b, Op::BitwiseAnd, &[amount, low])?;
    l.make(b, Request::new(op, &[word, amount]).imm(Imm::GUARDED))
}

/// The bits of a ballot below the invocation's own, and that if `up_to` it.
fn masked(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, ballot: Value, up_to: bool) -> Option<Value> {
    let own = invocation(b);
    let mut words = Vec::new();
    for c in 0..4u64 {
        // Bits of this word: all, none, or those below the invocation's.
        let [base, end, zero, one, all] = [32 * c, 32 * (c + 1), 0, 1, u64::MAX].map(|n| integer(b, Type::U32, n));
        let bit = shift(l, b, Op::ShiftLeft, one, own)?;
        let below = l.op(b, Op::Subtract, &[bit, one])?;
        let within = if up_to { l.op(b, Op::BitwiseOr, &[below, bit])? } else { below };
        let is_past = l.op(b, Op::GreaterThanEqual, &[own, end])?;
        let mut word = l.select(b, is_past, all, within)?;
        if c > 0 {
            let is_before = l.op(b, Op::LessThan, &[own, base])?;
            word = l.select(b, is_before, zero, word)?;
        }
        words.push(word);
    }
    let mask = l.make(b, Request::new(Op::ConstructVectorFromMultiple, &words).ty(Type::UVEC4))?;
    l.op(b, Op::BitwiseAnd, &[ballot, mask])
}

/// The number of the invocation in its subgroup.
fn invocation(b: &mut Builder<'_, '_>) -> Value {
    lower_subgroup_inputs::input(b, BuiltIn::SubgroupInvocationId)
}
