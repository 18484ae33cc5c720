//! The function of lanes as 128-bit values.

use planish_ir::entity::{Block, Func};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::walk;
use planish_target::legal::TargetInfo;

use crate::context::Context;
use crate::cost::MACHINE;
use crate::lower_to_scalars;
use crate::pass::run_passes;
use crate::pipeline::PASSES;
use crate::schedule;
use crate::widen::Iterations;

/// Passes after lowering.
const CLEAN: [&str; 2] = ["promote_variables", "eliminate_dead_code"];
/// A batch of lanes costs at most so much of what its iterations cost one by one.
const MOST: (u64, u64) = (3, 4);

/// Lowers one function of lanes, and cleans it up; whether that was possible.
pub(super) fn lower(module: &mut Module, func: Func, lanes: u8, context: &Context) -> bool {
    // All by itself: nothing else has lanes.
    let mut alone = module.clone();
    for other in module.funcs.keys().filter(|&other| other != func) {
        let function = &mut alone.funcs[other];
        function.body = None;
        function.params.clear();
        function.results.clear();
    }
    alone.entry_points.clear();
    alone.globals.clear();
    let memories = alone.memories.len();
    let mut context = Context::new(context.options.clone());
    let lowered = lower_to_scalars::run_on_lanes(&mut alone, &TargetInfo::EVERYTHING, &mut context, lanes);
    if lowered.is_err() || alone.memories.len() != memories {
        return false;
    }
    let passes: Vec<_> = CLEAN.iter().filter_map(|name| PASSES.iter().find(|pass| pass.name == *name)).collect();
    run_passes(&mut alone, &passes, &mut context, &mut |_, _| {});
    schedule::place(&mut alone, func, &mut context);
    module.funcs[func] = alone.funcs[func].clone();
    (module.types, module.consts, module.vars) = (alone.types, alone.consts, alone.vars);
    true
}

/// Whether a function of lanes costs less than the iterations of the loop.
pub(super) fn is_better(module: &Module, func: Func, found: &Iterations, (lanes, n): (Func, u8)) -> bool {
    let cost = |body: &Body, owner: Block| -> u64 {
        let nodes = walk::inside(body, owner).flat_map(|block| &body.blocks[block].nodes);
        nodes.map(|&node| u64::from(MACHINE.of(body.node(node).op))).sum()
    };
    let [scalar, wide] = [func, lanes].map(|func| module.funcs[func].body.as_ref().expect("it has a loop"));
    let is_loop = |&block: &Block| matches!(wide.blocks[block].exit, Exit::Loop { .. } | Exit::DoLoop { .. });
    let Some(batches) = walk::blocks(wide).find(is_loop) else { return false };
    let one_by_one = cost(scalar, found.owner) * u64::from(n);
    cost(wide, batches) * MOST.1 <= one_by_one * MOST.0
}
