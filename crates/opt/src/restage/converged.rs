//! Functions that have converged: a rewrite has left nothing to the next one, so that the next one skips them.
//!
//! A rewrite does nearly all that it can at once, and reports the rest ([`Report`]). Its result depends on the body, on
//! the policy, and on facts about the module: the global variables that only this function uses, and the effects of its
//! callees. The latter make a fingerprint, which is noted on the body. Whatever writes the body again writes it without the
//! note. A hash collision can only skip an optimization; it cannot change behaviour.

use std::hash::{Hash, Hasher};

use planish_ir::arena::SideTable;
use planish_ir::entity::{Block, Func, Value};
use planish_ir::function::{Body, Exit, Form};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::walk::{self, BlockKind, Event};
use rustc_hash::{FxHashSet, FxHasher};

use super::{Env, Policy, unroll};
use crate::context::Context;

/// Report of a rewrite.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    /// Whether the output equals the source.
    pub(super) is_same: bool,
    /// Whether another rewrite may find more in the output.
    pub(super) leaves_more: bool,
    /// Whether a loop was unrolled.
    pub(super) unrolled: bool,
}

/// Bit of a note: the rewrite would have unrolled loops, and so does a next one that may.
const UNROLLS: u64 = 1;
/// Bit of every note.
const NOTED: u64 = 2;

impl Env {
    /// Fingerprint of all that a rewrite of a placed function depends on besides its body; `None` if it inlines a call.
    pub(super) fn fingerprint(&self, module: &Module, func: Func, policy: &Policy) -> Option<u64> {
        let body = module.funcs[func].body.as_ref().filter(|body| body.form == Form::Placed)?;
        let mut hash = FxHasher::default();
        Policy { unroll: false, ..*policy }.hash(&mut hash);
        if self.is_sole_entry(func) {
            module.globals.iter().filter(|&&var| self.sole[var] == Some(func)).for_each(|var| var.hash(&mut hash));
        }
        for node in walk::blocks(body).flat_map(|block| &body.blocks[block].nodes) {
            if body.node(*node).op == Op::Call {
                let args = body.args(*node);
                if args[0].as_func().is_some_and(|callee| self.inline[callee]) {
                    return None;
                }
                self.summaries.of_call(Op::Call, args).hash(&mut hash);
            }
        }
        Some(hash.finish() & !UNROLLS | NOTED)
    }

    /// Whether a rewrite under a policy would leave a function as it is.
    pub(super) fn has_converged(&self, module: &Module, func: Func, policy: &Policy) -> bool {
        let note = module.funcs[func].body.as_ref().map_or(0, |body| body.note);
        let loops = |body: &Body| {
            walk::blocks(body).any(|b| matches!(body.blocks[b].exit, Exit::Loop { .. } | Exit::DoLoop { .. }))
        };
        note != 0
            && self.fingerprint(module, func, policy) == Some(note & !UNROLLS)
            && (!policy.unroll || note & UNROLLS != 0 || !module.funcs[func].body.as_ref().is_some_and(loops))
    }

    /// Notes on a function that was just rewritten whether it has converged.
    pub(super) fn note_convergence(
        &self,
        module: &mut Module,
        func: Func,
        policy: &Policy,
        report: Report,
        context: &Context,
    ) {
        let fingerprint = self.fingerprint(module, func, policy);
        let Some(fingerprint) = fingerprint.filter(|_| report.is_same || !report.leaves_more) else { return };
        let leaves_more = |body: &Body| repeats_a_condition(body) || chooses_values(body);
        if !report.is_same && module.funcs[func].body.as_ref().is_some_and(leaves_more) {
            return;
        }
        let Some(mut body) = module.funcs[func].body.take() else { return };
        // After a loop is unrolled, the iterations of the loop around it may be countable.
        let limit = context.options.limits.unroll_iterations;
        let unrolls =
            policy.unroll && (report.is_same || !report.unrolled) || !unroll::counts_rounds(module, &body, limit);
        body.note = fingerprint | if unrolls { UNROLLS } else { 0 };
        module.funcs[func].body = Some(body);
    }
}

/// Whether an `If` does nothing but choose what its merge block gets, so that a rewrite would make selects of it: what
/// was in its arms has become values.
fn chooses_values(body: &Body) -> bool {
    let is_empty =
        |block: Block| body.blocks[block].nodes.is_empty() && matches!(body.blocks[block].exit, Exit::Merge(_));
    walk::blocks(body)
        .any(|block| matches!(body.blocks[block].exit, Exit::If { then, otherwise, .. } if is_empty(then) && is_empty(otherwise)))
}

/// Whether two `If`s of one merge chain of a placed function have the same condition, so that a rewrite would merge their
/// arms: the schedule may write selects as a branch in front of another one.
pub(super) fn repeats_a_condition(body: &Body) -> bool {
    // By block: the first block of its chain.
    let mut heads: SideTable<Block, Option<Block>> = SideTable::with_capacity(body.blocks.len());
    let mut conditions: FxHashSet<(Block, Value)> = FxHashSet::default();
    for event in walk::events(body, body.entry) {
        let Event::Enter { block, kind, parent, .. } = event else { continue };
        let head = if kind == BlockKind::Merge { heads[parent] } else { Some(block) };
        heads[block] = head;
        if let (Exit::If { condition, .. }, Some(head)) = (&body.blocks[block].exit, head)
            && !conditions.insert((head, *condition))
        {
            return true;
        }
    }
    false
}
