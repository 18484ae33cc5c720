//! Simplifies the functions whose bodies decide whether their calls are inlined: those near the inline limit, and those that
//! call themselves, and may become loops. Applies the transformations of `promote_variables` to them alone.
//!
//! ```text
//! before: fn @f(%x) { var @t; store @t, %x; %0 = load @t; return %0 }       after: fn @f(%x) { return %x }
//!         fn @main() { … call @f … call @f … }                                     fn @main() { … call @f … call @f … }
//! ```
//!
//! Holds before: placed functions. Left alone: functions that are inlined at any cost, or not at all. `inline_functions` rewrites those
//! that are left, once: with what is inlined into them. Where they were simplified before, most of the work would be done twice.

use planish_ir::arena::SideTable;
use planish_ir::entity::Func;
use planish_ir::module::Module;

use crate::analysis::call_graph::CallGraph;
use crate::context::Context;
use crate::inline_functions::{cost_of, inline_limit};
use crate::restage::{Policy, rewrite};

/// Functions that cost more than this multiple of the inline limit do not become cheap enough.
const WITHIN_REACH: u32 = 4;

/// Runs on every function.
pub fn run(module: &mut Module, context: &mut Context) {
    let graph = CallGraph::new(module);
    let mut wanted: SideTable<Func, bool> = SideTable::new();
    for func in module.funcs.keys() {
        wanted[func] = graph.callees(func).contains(&func) || cost_matters(module, &graph, func, context);
    }
    rewrite(module, context, &Policy::SIMPLIFY, SideTable::new(), &graph, |func| wanted[func]);
}

/// Whether it depends on its cost whether a function is inlined.
fn cost_matters(module: &Module, graph: &CallGraph, func: Func, context: &Context) -> bool {
    let function = &module.funcs[func];
    if function.body.is_none()
        || graph.calls_of(func) < 2
        || graph.is_recursive(func)
        || function.stays_called()
        || context.options.inline_all
    {
        return false;
    }
    let limit = inline_limit(module, func, &context.options);
    let cost = cost_of(module, func, &context.options.costs(module));
    (limit..=limit.saturating_mul(WITHIN_REACH)).contains(&cost)
}
