//! Turns variables into values: at merges of different values, they become selects or inputs of the merge
//! block, and loops carry the values that change in them. Parts of structs and arrays are values of their own.
//!
//! ```text
//! before: var @x = 0.0                        after: if %c { … } else { … }
//!         if %c { store @x, 1.0; … }                 %x = select %c, 1.0, 0.0
//!         %0 = load @x                               return %x
//!         return %0
//! ```
//!
//! Holds before: a placed function. Left alone: variables whose address is used otherwise (dynamic elements of arrays,
//! atomics, calls that are not inlined), volatile and coherent ones, and those with more parts than `split_components`.

use planish_ir::arena::SideTable;
use planish_ir::module::Module;

use crate::analysis::call_graph::CallGraph;
use crate::context::Context;
use crate::restage::{Policy, rewrite};

/// Runs on every function.
pub fn run(module: &mut Module, context: &mut Context) {
    let graph = CallGraph::new(module);
    rewrite(module, context, &Policy::SIMPLIFY, SideTable::new(), &graph, |_| true);
}
