//! Ops on the invocations of a subgroup, by those that a target has.
//!
//! All invocations that are active do the same in the same order, so an expansion may have several of these ops.

use planish_ir::builder::{Builder, Request};
use planish_ir::decoration::{BuiltIn, Decoration, Name, NameSource};
use planish_ir::entity::{Type, Value, Var};
use planish_ir::ops::{GroupOperation, Imm, Op};
use planish_ir::types::{AddressSpace, Scalar};

use super::{Legalizer, integer};

/// An op on subgroups that the target lacks.
pub(super) fn expand(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, request: &Request<'_>) -> Option<Value> {
    let args = request.args;
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
            let words: Vec<Value> = (0..4).map(|c| b.swizzle(counts, &[c])).collect();
            let sum = words.into_iter().try_fold(None, |sum, word| {
                let sum = match sum {
                    None => word,
                    Some(sum) => l.op(b, Op::Add, &[sum, word])?,
                };
                Some(Some(sum))
            })??;
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
                let at = l.op(b, Op::Add, &[at, base])?;
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
            let combine = if request.op == Op::SubgroupAdd { Op::Add } else { Op::Multiply };
            let before = l.make(b, Request { imm: Imm::from(GroupOperation::ExclusiveScan), ..*request })?;
            l.op(b, combine, &[before, args[0]])
        }
        _ if is_bool => on_words(l, b, request, ty),
        _ => None,
    }
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
    let [five, low, one, zero] = [5, 31, 1, 0].map(|n| integer(b, Type::U32, n));
    let index = l.op(b, Op::ShiftRight, &[bit, five])?;
    let word = l.op(b, Op::ExtractVectorComponentDynamic, &[ballot, index])?;
    let amount = l.op(b, Op::BitwiseAnd, &[bit, low])?;
    let shifted = l.op(b, Op::ShiftRight, &[word, amount])?;
    let bit = l.op(b, Op::BitwiseAnd, &[shifted, one])?;
    l.op(b, Op::NotEqual, &[bit, zero])
}

/// The bits of a ballot below the invocation's own, and that if `up_to` it.
fn masked(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, ballot: Value, up_to: bool) -> Option<Value> {
    let own = invocation(b);
    let mut words = Vec::new();
    for c in 0..4u64 {
        // Bits of this word: all, none, or those below the invocation's.
        let [base, end, zero, one, low, all] =
            [32 * c, 32 * (c + 1), 0, 1, 31, u64::MAX].map(|n| integer(b, Type::U32, n));
        let amount = l.op(b, Op::BitwiseAnd, &[own, low])?;
        let bit = l.op(b, Op::ShiftLeft, &[one, amount])?;
        let below = l.op(b, Op::Subtract, &[bit, one])?;
        let within = if up_to { l.op(b, Op::BitwiseOr, &[below, bit])? } else { below };
        let is_past = l.op(b, Op::GreaterThanEqual, &[own, end])?;
        let is_before = l.op(b, Op::LessThan, &[own, base])?;
        let word = l.select(b, is_past, all, within)?;
        words.push(l.select(b, is_before, zero, word)?);
    }
    let mask = l.make(b, Request::new(Op::ConstructVectorFromMultiple, &words).ty(Type::UVEC4))?;
    l.op(b, Op::BitwiseAnd, &[ballot, mask])
}

/// The number of the invocation in its subgroup.
fn invocation(b: &mut Builder<'_, '_>) -> Value {
    let is_it = |var: &&Var| b.module.vars[**var].decorations.builtin() == Some(BuiltIn::SubgroupInvocationId);
    let var = match b.module.globals.iter().find(is_it) {
        Some(&var) => var,
        None => {
            let name = Name::new(BuiltIn::SubgroupInvocationId.glsl_name(), NameSource::BuiltIn);
            let var = b.module.add_var(name, Type::U32, AddressSpace::Input);
            b.module.vars[var].decorations.add(Decoration::BuiltIn(BuiltIn::SubgroupInvocationId));
            var
        }
    };
    let value = b.load(var.into());
    // Binaries may give it another sign.
    b.convert(value, Type::U32)
}
