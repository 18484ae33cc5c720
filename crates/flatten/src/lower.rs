//! Predicated lowering: calls inlined, loops unrolled, branches as selects. The interpreter is that of the optimizer
//! ([`planish_opt::restage::flatten`]); this module configures it.
//!
//! ```text
//! if x > 0.5 { return x * 2.0 }  return x     →     return select(x > 0.5, x * 2.0, x)
//! ```

use planish_ir::custom;
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Func, Value, Var};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::Effect;
use planish_ir::types::AddressSpace;
use planish_ir::walk;
use planish_opt::Context;
use planish_opt::restage::{Flattening, flatten};
use planish_opt::rules::{RULE_SETS, RuleSet};

use crate::dynamic::DYNAMIC;
use crate::legalize::legalize;
use crate::options::{Options, mark_leaves};

/// Rules that decide conditions and split aggregates; none of them changes a value, whatever the options are.
const SETS: [&str; 6] = ["boolean", "compare", "select", "bounds", "vector", "aggregate"];

/// Flattens a function in place. A flat function is unchanged.
///
/// # Errors
/// Constructs that cannot be flattened (E1101 to E1107), each with its location; the function is then unchanged.
pub fn lower(module: &mut Module, func: Func, options: &Options) -> Result<bool, Vec<Diagnostic>> {
    custom::check(module)?;
    mark_leaves(module, &options.leaves);
    if module.funcs[func].body.as_ref().is_some_and(|body| is_flat(module, body)) {
        return legalized(module, func, options);
    }
    let mut sets: Vec<RuleSet> = RULE_SETS.iter().filter(|s| SETS.contains(&s.name)).copied().collect();
    sets.push(DYNAMIC);
    let leaves = module.funcs.iter().filter(|(_, f)| f.is_leaf()).map(|(func, _)| func).collect();
    let how = Flattening { sets: &sets, leaves };
    let strict = Options { fast_math: false, ..options.clone() };
    let before = module.funcs[func].body.clone();
    flatten(module, func, &how, &mut Context::new(strict.optimizer()))?;
    if let Err(errors) = legalize(module, func, options) {
        module.funcs[func].body = before;
        return Err(errors);
    }
    Ok(true)
}

/// As [`legalize`], but on error the function is unchanged.
fn legalized(module: &mut Module, func: Func, options: &Options) -> Result<bool, Vec<Diagnostic>> {
    let before = options.ops.as_ref().and_then(|_| module.funcs[func].body.clone());
    legalize(module, func, options).inspect_err(|_| module.funcs[func].body = before)
}

/// Whether a function is branch-free dataflow: one block (possibly followed by ends that discard or trap), without
/// calls, without memory of its own, and without loads of memory that it writes.
pub fn is_flat(module: &Module, body: &Body) -> bool {
    let only_ends = walk::blocks(body).all(|block| match &body.blocks[block].exit {
        Exit::If { then, otherwise, merge, .. } => {
            let ends = |b| matches!(body.blocks[b].exit, Exit::Discard | Exit::Trap(_)) && is_empty(body, b);
            let goes_on = |b| matches!(&body.blocks[b].exit, Exit::Merge(args) if args.is_empty()) && is_empty(body, b);
            ends(*then) && goes_on(*otherwise) && body.blocks[*merge].inputs.is_empty()
        }
        Exit::Return(_) | Exit::Merge(_) | Exit::Discard | Exit::Trap(_) => true,
        _ => false,
    });
    let no_memory = walk::blocks(body).all(|b| body.blocks[b].variables.is_empty());
    let mut written: Vec<Value> = Vec::new();
    only_ends
        && no_memory
        && walk::blocks(body).flat_map(|b| &body.blocks[b].nodes).all(|&node| {
            let (op, args) = (body.node(node).op, body.args(node));
            match op.info().effect {
                _ if module.is_leaf_call(op, args) => true,
                Effect::Pure | Effect::Quad | Effect::ImageLoad | Effect::MayTrap => true,
                Effect::Load => module.floats(body, op, args) || !written.contains(&body.base(args[0])),
                Effect::Store => {
                    let root = body.base(args[0]);
                    let shared =
                        |v: Var| matches!(module.vars[v].space, AddressSpace::Storage | AddressSpace::Workgroup);
                    written.push(root);
                    !root.as_var().is_some_and(shared)
                }
                _ => false,
            }
        })
}

fn is_empty(body: &Body, block: planish_ir::entity::Block) -> bool {
    body.blocks[block].nodes.is_empty()
}
