//! Inlines functions: those that are called once, those that cost little more than a call, and with `inline_all` all.
//!
//! ```text
//! before: fn @f(%x) { return %x * 2.0 }        after: fn @main() { … %0 = %a * 2.0 … }
//!         fn @main() { … %0 = call @f %a … }
//! ```
//!
//! Holds before: placed functions. Left alone: imports, and recursive functions; a remark reports them.
//! The functions themselves stay for `remove_unreachable_functions`.

use planish_ir::arena::SideTable;
use planish_ir::entity::Func;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::walk;

use crate::analysis::call_graph::CallGraph;
use crate::context::{Context, Goal, Options, RemarkKind};
use crate::cost::CostTable;
use crate::restage::{Policy, rewrite};

/// Maximum number of functions examined to find the cycle of a recursive function.
const MOST_ON_A_WAY: usize = 256;

/// Maximum cost of a function with the calls inlined into it, in multiples of the limit; itself it costs no more than the
/// limit. Much of the inlined code is often simplified.
const GROWTH: u32 = 2;

/// Runs on every function.
pub fn run(module: &mut Module, context: &mut Context) {
    let graph = CallGraph::new(module);
    let inline = choose(module, &graph, context);
    rewrite(module, context, &Policy::SIMPLIFY, inline, &graph, |_| true);
}

/// The functions whose calls are inlined.
fn choose(module: &Module, graph: &CallGraph, context: &mut Context) -> SideTable<Func, bool> {
    let options = context.options.clone();
    let costs = options.costs(module);
    let mut inline: SideTable<Func, bool> = SideTable::new();
    // Functions that stay, whether they are called or not.
    let mut stays: SideTable<Func, bool> = SideTable::new();
    module.roots().for_each(|func| stays[func] = true);
    // The cost of each function with the calls inlined into it.
    let mut grown: SideTable<Func, u32> = SideTable::new();
    for func in graph.callees_first() {
        let function = &module.funcs[func];
        if function.body.is_none() {
            continue;
        }
        let own = cost_of(module, func, &costs);
        let taken_in = graph.calls_in(func).filter(|&(callee, _)| inline[callee]);
        let more =
            taken_in.map(|(callee, times)| grown[callee].saturating_sub(costs.of(Op::Call)).saturating_mul(times));
        grown[func] = more.fold(own, u32::saturating_add);
        let calls = graph.calls_of(func);
        // Functions that will be flattened must still exist then.
        if calls == 0 || graph.is_recursive(func) || function.stays_called() {
            continue;
        }
        let salt = u64::from(func.as_u32());
        let limit = options.vary(salt, inline_limit(module, func, &options));
        let is_small = match options.goal {
            Goal::Speed => grown[func] <= limit || own <= limit && grown[func] <= limit.saturating_mul(GROWTH),
            Goal::Size => grown[func] <= limit,
        };
        inline[func] = options.inline_all || options.vary_choice(salt, calls == 1 && !stays[func]) || is_small;
    }
    for (func, function) in module.funcs.iter() {
        let calls = graph.calls_of(func);
        if function.body.is_none() || calls == 0 || function.stays_called() {
            continue;
        }
        let name = &function.name.text;
        let cost = grown[func];
        if graph.is_recursive(func) {
            let way = graph.cycle(func, MOST_ON_A_WAY);
            let way: Vec<_> = way.iter().map(|&f| format!("`{}`", module.funcs[f].name.text)).collect();
            let way = if way.is_empty() { "through many functions".to_owned() } else { way.join(" → ") };
            let message = format!("`{name}` is not inlined: it is recursive, {way}");
            context.remark(RemarkKind::Missed, "NotInlined", module, func, function.span, message);
        } else if inline[func] {
            let message = format!("`{name}` is inlined: cost {cost}, calls {calls}");
            context.remark(RemarkKind::Passed, "Inlined", module, func, function.span, message);
        } else {
            let limit = inline_limit(module, func, &options);
            let message = format!("`{name}` is not inlined: cost {cost} is above {limit}, and there are {calls} calls");
            context.remark(RemarkKind::Missed, "NotInlined", module, func, function.span, message);
        }
    }
    inline
}

/// Maximum cost of a function that is inlined at every call.
pub(crate) fn inline_limit(module: &Module, func: Func, options: &Options) -> u32 {
    let function = &module.funcs[func];
    let (params, results) = (function.params.len() as u32, function.results.len() as u32);
    // Results beyond the first cost a copy each: they are put into an aggregate and extracted again.
    let results_to_move = results.saturating_sub(1);
    match options.goal {
        Goal::Speed => options.limits.inline_cost + results_to_move,
        Goal::Size if options.costs(module).moves_operands => 1 + params + results,
        Goal::Size => options.limits.inline_cost / 2 + results_to_move,
    }
}

/// The cost of the body of a function.
pub(crate) fn cost_of(module: &Module, func: Func, costs: &CostTable) -> u32 {
    module.funcs[func].body.as_ref().map_or(0, |body| costs.of_blocks(module, body, walk::blocks(body)))
}
