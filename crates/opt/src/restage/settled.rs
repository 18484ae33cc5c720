//! Functions that a rewrite leaves as they are, so that the next one need not look at them.
//!
//! ```text
//! simplify_callees    @f → @f'            noted: no arm of a branch leaves where it could be nested, so that another rewrite
//!                                         would find nothing more
//! inline_functions    @f'                 nothing in it is inlined: skipped
//! unroll_loops        @f'                 has no loop whose rounds can be counted, so that it is the same rewrite: skipped
//! ```
//!
//! A rewrite does nearly all that it can at once. What it leaves to the next one is in [`super::unfinished`].
//!
//! What a rewrite does depends on the function, on the policy, and on what is known of the module: which global variables are
//! this function's own, and what its callees do. All of it goes into one number. Two functions with the same number, which is
//! next to impossible, cost an optimization and never the meaning: what is skipped stays as it is.

use std::hash::{Hash, Hasher};
use std::mem::discriminant;

use planish_ir::entity::{Block, Func, Local, Node, Value};
use planish_ir::function::{Body, Exit, Form};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::walk;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::{Env, Policy};
use crate::context::Context;

/// All that a rewrite of a function depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Situation {
    /// Of all but the next.
    number: u64,
    /// Whether there are loops, and they may be unrolled.
    unrolls: bool,
}

/// What is known of functions, as they are now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settled {
    /// Those that a rewrite would leave as they are, with whether it would have unrolled loops.
    done: FxHashMap<u64, bool>,
    /// Those that a rewrite will change, and the next one perhaps again.
    unfinished: FxHashSet<u64>,
}

impl Settled {
    /// Whether a rewrite would change nothing. One that might have unrolled a loop, and did not, tells of those that may not.
    pub(super) fn has(&self, situation: Option<Situation>) -> bool {
        let found = |s: Situation| self.done.get(&s.number).is_some_and(|&unrolls| unrolls || !s.unrolls);
        situation.is_some_and(found)
    }

    /// Notes that a rewrite would change nothing; `unrolls`: nor would one that may unroll loops.
    fn add(&mut self, situation: Situation, unrolls: bool) {
        *self.done.entry(situation.number).or_default() |= unrolls;
    }

    /// Whether a function was left unfinished.
    pub(super) fn is_unfinished(&self, situation: Option<Situation>) -> bool {
        situation.is_some_and(|s| self.unfinished.contains(&s.number))
    }

    /// Notes that a function is left unfinished.
    pub(super) fn leave(&mut self, situation: Situation) {
        self.unfinished.insert(situation.number);
    }
}

impl Env {
    /// Notes that a rewrite under the same policy would find nothing more in a function that one has just written; `same`: as
    /// it was.
    pub(super) fn settle(&self, module: &mut Module, func: Func, after: Situation, same: bool, context: &mut Context) {
        let body = module.funcs[func].body.take().expect("it has been written");
        let limit = context.options.limits.unroll_rounds;
        // Where one was unrolled, the loop around it can perhaps be counted now.
        let unrolls = same && after.unrolls || !super::unroll::counts_rounds(module, &body, limit);
        context.settled.add(after, unrolls);
        module.funcs[func].body = Some(body);
    }

    /// All that a rewrite of a function depends on; `None` if it inlines something.
    pub(super) fn situation(&self, module: &Module, func: Func, policy: &Policy) -> Option<Situation> {
        let body = module.funcs[func].body.as_ref().filter(|b| b.form == Form::Placed)?;
        let blocks: Vec<Block> = walk::blocks(body).collect();
        let is_loop = |&b: &Block| matches!(body.blocks[b].exit, Exit::Loop { .. } | Exit::DoLoop { .. });
        let mut hash = FxHasher::default();
        Policy { unroll: false, ..*policy }.hash(&mut hash);
        if self.is_sole_entry(func) {
            module.globals.iter().filter(|&&var| self.sole[var] == Some(func)).for_each(|var| var.hash(&mut hash));
        }
        for &block in &blocks {
            let data = &body.blocks[block];
            block.hash(&mut hash);
            data.variables.hash(&mut hash);
            data.inputs.iter().for_each(|&input| hash_local(body, input, &mut hash));
            for &node in &data.nodes {
                if body.node(node).op == Op::Call {
                    let callee = body.args(node)[0].as_func();
                    if callee.is_some_and(|f| self.inline[f]) {
                        return None;
                    }
                    self.summaries.of_call(Op::Call, body.args(node)).hash(&mut hash);
                }
                hash_node(module, body, node, &mut hash);
            }
            hash_exit(module, &data.exit, &mut hash);
        }
        // Without loops there is nothing to unroll.
        Some(Situation { number: hash.finish(), unrolls: policy.unroll && blocks.iter().any(is_loop) })
    }
}

fn hash_local(body: &Body, local: Local, hash: &mut FxHasher) {
    let data = body.local(local);
    (local, data.ty, data.precision as u8).hash(hash);
}

/// Functions go by their names and places: their numbers change when others are removed.
fn hash_operand(module: &Module, value: Value, hash: &mut FxHasher) {
    match value.as_func() {
        Some(func) => (&module.funcs[func].name.text, module.funcs[func].span).hash(hash),
        None => value.hash(hash),
    }
}

fn hash_node(module: &Module, body: &Body, node: Node, hash: &mut FxHasher) {
    let data = body.node(node);
    (data.op as u16, data.imm, data.precise, body.args(node).len()).hash(hash);
    body.args(node).iter().for_each(|&arg| hash_operand(module, arg, hash));
    body.results(node).for_each(|result| hash_local(body, result, hash));
}

fn hash_exit(module: &Module, exit: &Exit, hash: &mut FxHasher) {
    discriminant(exit).hash(hash);
    exit.merge_block().hash(hash);
    exit.sub_blocks().hash(hash);
    exit.for_each_operand(|value| hash_operand(module, value, hash));
    match exit {
        Exit::Break(label, _) | Exit::Continue(label, _) => label.hash(hash),
        Exit::Switch { cases, .. } => cases.iter().for_each(|case| (&case.values, case.is_default).hash(hash)),
        // How the operands are shared out among body and merge block.
        Exit::LoopIf { body_args, .. } => body_args.len().hash(hash),
        Exit::Trap(kind) => kind.hash(hash),
        _ => {}
    }
}
