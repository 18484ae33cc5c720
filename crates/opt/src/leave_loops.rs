//! Leaves a loop where only the block around it is left.
//!
//! ```text
//! before: labelled {                              after: loop … {
//!           loop … { cond: loop_if true                    cond: loop_if true
//!             body: if %c { break outer %x } … }           body: if %c { break %x } … }
//!           trap                                         (%r)
//!         }
//!         (%r)
//! ```
//!
//! That is what becomes of a function that calls itself last, and of WebAssembly's loops. Targets whose `break` only knows the
//! innermost construct then need no flag and no second construct. Holds before: placed functions. Left alone: loops that
//! end by their condition, or by a `break` of their own.

use planish_ir::arena::SideTable;
use planish_ir::builder::Policy;
use planish_ir::entity::{Block, Const, Func, Value};
use planish_ir::function::{Args, Body, Exit};
use planish_ir::module::Module;
use planish_ir::walk;
use rustc_hash::FxHashMap;

use crate::context::Context;
use crate::restage::{Stage, restage};

/// Runs on every function.
pub fn run(module: &mut Module, context: &mut Context) {
    let funcs: Vec<Func> = module.funcs.keys().collect();
    for func in funcs {
        let Some(mut plan) = find(module, func) else { continue };
        context.changed();
        restage(module, func, Policy::PLAIN, &mut plan);
    }
}

/// Which blocks go.
#[derive(Default)]
struct Plan {
    /// The owner of the loop that a labelled block (by its owner) is.
    joined: FxHashMap<Block, Block>,
    /// The exits of the conditions of those loops.
    conditions: FxHashMap<Block, Exit>,
}

fn find(module: &mut Module, func: Func) -> Option<Plan> {
    let body = module.funcs[func].body.as_ref()?;
    let mut leaves = SideTable::<Block, bool>::new();
    let mut candidates = Vec::new();
    for block in walk::blocks(body) {
        match body.blocks[block].exit {
            Exit::Break(label, _) => leaves[label] = true,
            Exit::Labelled { body: inner, merge } => candidates.push((block, inner, merge)),
            _ => {}
        }
    }
    candidates.retain(|&(_, inner, _)| !leaves[inner] && endless(module, body, inner).is_some());
    if candidates.is_empty() {
        return None;
    }
    let mut plan = Plan::default();
    for (owner, inner, merge) in candidates {
        let body = module.funcs[func].body.as_ref()?;
        let (condition, always) = endless(module, body, inner)?;
        let types: Vec<_> = body.blocks[merge].inputs.iter().map(|&input| body.local_type(input)).collect();
        // Arguments that are never taken must still have values.
        let zeros = types.into_iter().map(|ty| module.consts.zero(&mut module.types, ty));
        let Some(zeros) = zeros.collect::<Option<Vec<Const>>>() else { continue };
        let merge_args: Args = zeros.into_iter().map(Value::from).collect();
        plan.joined.insert(owner, inner);
        plan.conditions.insert(condition, Exit::LoopIf { condition: always, body_args: Args::new(), merge_args });
    }
    (!plan.joined.is_empty()).then_some(plan)
}

/// The condition block of the loop that a block ends with, if the condition is always true.
fn endless(module: &Module, body: &Body, owner: Block) -> Option<(Block, Value)> {
    let Exit::Loop { condition, body: inner, .. } = body.blocks[owner].exit else { return None };
    let Exit::LoopIf { condition: always, .. } = body.blocks[condition].exit else { return None };
    let is_true = always.as_const().is_some_and(|c| module.consts.as_bits(c) == Some(1));
    (is_true && body.blocks[inner].inputs.is_empty()).then_some((condition, always))
}

impl Stage for Plan {
    fn joins(&self, owner: Block) -> Option<Block> {
        self.joined.get(&owner).copied()
    }

    fn exit(&mut self, block: Block) -> Option<Exit> {
        self.conditions.get(&block).cloned()
    }
}
