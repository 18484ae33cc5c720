//! Unrolls loops that are known to have few iterations.
//!
//! ```text
//! before: loop (%i = 0) { less_than %i, 2 …           after: f(0)
//!         f(%i); continue %i + 1 }                           f(1)
//! ```
//!
//! Holds before: placed functions, whose counters have been promoted. Left alone: loops whose iterations depend on more than
//! constants, run more often than `unroll_iterations`, or cost more than the loop and `unroll_growth`; a remark reports them.

use planish_ir::arena::SideTable;
use planish_ir::module::Module;

use crate::analysis::call_graph::CallGraph;
use crate::context::Context;
use crate::restage::{Policy, rewrite};

/// Runs on every function.
pub fn run(module: &mut Module, context: &mut Context) {
    let graph = CallGraph::new(module);
    rewrite(module, context, &Policy { unroll: true, ..Policy::SIMPLIFY }, SideTable::new(), &graph, |_| true);
}
