//! The schedule: turns a floating function into a placed one. What nothing needs falls away; every other node goes where it
//! runs least often and is in scope of all that use it.
//!
//! ```text
//! floating: b0: loop b1…                     placed: b0: %0 = sin %x
//!           body b2:                                     loop …
//!             store @a, sin(%x)                        body b2:
//!             store @b, select(%c, f(%y), 0.0)           store @a, %0
//!                                                        if %c { %1 = f(%y); merge %1 } else { merge 0.0 } …
//! ```
//!
//! A node is placed at the lowest block that dominates its users, or farther out if that is in fewer loops. Where a `select`
//! picks one of two values, the branches of a conditional on its condition count as such blocks: selects on one condition
//! become one `If` if what only its branches need costs more than a branch. Nodes that trap, have an effect, or depend on
//! the neighbours of a fragment do not float, so no condition that guards them is passed. Only loads of byte memories that begin a
//! loop leave it ([`hoist`]).
//!
//! Time is O(n log n) in nodes and blocks.

mod emit;
mod explain;
mod hoist;
mod place;
mod tree;

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Policy, Scratch};
use planish_ir::entity::{Func, Node};
use planish_ir::function::{Form, Function};
use planish_ir::module::Module;

use crate::analysis::call_graph::CallGraph;
use crate::analysis::needs::Needs;
use crate::analysis::summaries::Summaries;
use crate::context::Context;
use crate::restage::rewrite;

/// Lets everything float and places it again, and changes nothing else.
pub fn run(module: &mut Module, context: &mut Context) {
    let graph = CallGraph::new(module);
    rewrite(module, context, &crate::restage::Policy::default(), SideTable::new(), &graph, |_| true);
}

/// As [`run`], of some functions.
pub fn run_on(module: &mut Module, funcs: &[Func], context: &mut Context) {
    let graph = CallGraph::new(module);
    let policy = crate::restage::Policy::default();
    rewrite(module, context, &policy, SideTable::new(), &graph, |func| funcs.contains(&func));
}

/// Places the nodes of one floating function; a placed one is left alone.
pub fn place(module: &mut Module, func: Func, context: &mut Context) {
    let mut summaries = Summaries::default();
    CallGraph::new(module).callees_first().into_iter().for_each(|func| summaries.look_at(module, func));
    schedule(module, func, &summaries, &SideTable::new(), context, &mut Scratch::default());
}

/// Places the nodes of all floating functions.
pub fn place_all(module: &mut Module, context: &mut Context) {
    let floats = |function: &Function| function.body.as_ref().is_some_and(|body| body.form == Form::Floating);
    let floating: Vec<Func> = module.funcs.iter().filter(|(_, f)| floats(f)).map(|(func, _)| func).collect();
    if floating.is_empty() {
        return;
    }
    let summaries = Summaries::new(module);
    for func in floating {
        schedule(module, func, &summaries, &SideTable::new(), context, &mut Scratch::default());
        context.changed();
    }
}

/// Places the nodes of a floating function, whose callees' summaries are known; a placed one is left alone. `loops_around`: the
/// number of loops around each node before, if the moves are to be explained. Returns whether another rewrite may find more.
pub(crate) fn schedule(
    module: &mut Module,
    func: Func,
    summaries: &Summaries,
    loops_around: &SideTable<Node, u32>,
    context: &mut Context,
    scratch: &mut Scratch,
) -> bool {
    let Some(mut old) = module.funcs[func].body.take() else { return false };
    if old.form == Form::Placed {
        module.funcs[func].body = Some(old);
        return false;
    }
    let needs = Needs::find(module, &old, &SideTable::new(), summaries);
    let hoisted = hoist::hoist_loads(module, &mut old, &needs, summaries);
    context.count("LoadsHoisted", hoisted);
    let placement = place::Placement::find(module, &old, &needs, &context.options);
    if context.options.explain {
        explain::explain(module, func, &old, &placement, loops_around, context);
    }
    let policy = Policy { form: Form::Placed, ..Policy::VERBATIM };
    let mut builder = Builder::with_scratch(module, func, policy, std::mem::take(scratch));
    emit::emit(&old, &needs, placement, &mut builder, context);
    *scratch = builder.finish();
    // Other loads of the same bytes are now after it.
    hoisted > 0
}
