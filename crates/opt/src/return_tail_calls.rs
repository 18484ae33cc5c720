//! Returns the results of a tail call directly, so that back ends find the return right after it.
//!
//! ```text
//! before: if %c { then: %0 = tail_call @f   merge %0      after: if %c { then: %0 = tail_call @f   return %0
//!                 else: merge 1 }                                       else: merge 1 }
//!         (%r): return %r                                        (%r): return %r
//! ```
//!
//! Holds before: placed functions. Left alone: tail calls (of functions that were inlined, say) whose results are not
//! returned as they are: those are calls like others.

use planish_ir::builder::{Builder, Policy, Results};
use planish_ir::entity::{Block, Func, Local, Node, Value};
use planish_ir::function::{Args, Body, Exit, Form};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::tree::Tree;
use planish_ir::walk;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::context::Context;
use crate::restage::{Stage, copy_node, restage};

/// Runs on every function.
pub fn run(module: &mut Module, context: &mut Context) {
    let funcs: Vec<Func> = module.funcs.keys().collect();
    for func in funcs {
        let Some(body) = module.funcs[func].body.as_ref().filter(|b| b.form == Form::Placed) else { continue };
        let blocks = find(body);
        if !blocks.is_empty() {
            context.changed();
            restage(module, func, Policy::PLAIN, &mut ReturnTailCalls { blocks, results: Args::new() });
        }
    }
}

/// Blocks that end with a tail call whose results are returned, but not at once.
fn find(body: &Body) -> FxHashSet<Block> {
    let mut found = FxHashSet::default();
    let mut tree = None;
    for block in walk::blocks(body) {
        let data = &body.blocks[block];
        let Some(&last) = data.nodes.last() else { continue };
        let tail = matches!(body.node(last).op, Op::TailCall | Op::TailCallIndirect);
        if tail && !matches!(data.exit, Exit::Return(_)) {
            let tree = tree.get_or_insert_with(|| Tree::new(body));
            if is_returned(body, tree, block, last) {
                found.insert(block);
            }
        }
    }
    found
}

/// Whether nothing happens after a call but that its results are returned, all and in order.
pub(crate) fn is_returned(body: &Body, tree: &Tree, block: Block, call: Node) -> bool {
    if body.blocks[block].nodes.last() != Some(&call) {
        return false;
    }
    // A block that owns others would orphan them.
    if !matches!(body.blocks[block].exit, Exit::Return(_) | Exit::Merge(_) | Exit::Break(..)) {
        return false;
    }
    let mut fed: FxHashMap<Local, Value> = FxHashMap::default();
    let mut at = block;
    loop {
        let known = |v: &Value| v.as_local().and_then(|l| fed.get(&l).copied()).unwrap_or(*v);
        let (target, args) = match &body.blocks[at].exit {
            Exit::Return(args) => {
                let results = body.results(call).map(Value::from);
                return args.len() == results.len() && args.iter().map(known).eq(results);
            }
            Exit::NextBlock { merge } => (*merge, &[][..]),
            Exit::Merge(_) | Exit::Break(..) => match tree.edges(body, at).first() {
                Some(&edge) => edge,
                None => return false,
            },
            _ => return false,
        };
        let args: Args = args.iter().map(known).collect();
        fed.extend(body.blocks[target].inputs.iter().copied().zip(args));
        if !body.blocks[target].nodes.is_empty() {
            return false;
        }
        at = target;
    }
}

struct ReturnTailCalls {
    blocks: FxHashSet<Block>,
    /// The results of the last tail call met.
    results: Args,
}

impl Stage for ReturnTailCalls {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let results = copy_node(old, node, args, builder);
        if matches!(old.node(node).op, Op::TailCall | Op::TailCallIndirect) {
            self.results = results.iter().copied().collect();
        }
        results
    }

    fn exit(&mut self, block: Block) -> Option<Exit> {
        self.blocks.contains(&block).then(|| Exit::Return(std::mem::take(&mut self.results)))
    }
}
