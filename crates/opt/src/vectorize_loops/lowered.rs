//! The function of lanes as 128-bit values.

use planish_ir::entity::{Block, Func};
use planish_ir::function::{Body, Exit, Function};
use planish_ir::module::Module;
use planish_ir::walk;
use planish_target::legal::TargetInfo;

use crate::context::Context;
use crate::cost::MACHINE;
use crate::lower_to_scalars;
use crate::pass::run_passes;
use crate::pipeline::PASSES;
use crate::schedule;
use crate::widen::{Iterations, widen_iterations};

/// Passes after lowering.
const CLEAN: [&str; 2] = ["promote_variables", "eliminate_dead_code"];
/// A batch of lanes costs at most so much of what its iterations cost one by one.
const MOST: (u64, u64) = (3, 4);

/// The function of the iterations of a loop, in a module of its own with the same numbers of everything; `None` if lanes lack an operation.
pub(super) fn function_of_lanes(
    module: &Module,
    func: Func,
    found: &Iterations,
    lanes: u8,
    context: &Context,
) -> Option<(Module, Func)> {
    let mut alone = module.clone();
    let target = widen_iterations(&mut alone, module, func, found, lanes).ok()?;
    // Nothing else is lowered.
    for other in module.funcs.keys() {
        let function = &mut alone.funcs[other];
        function.body = None;
        function.params.clear();
        function.results.clear();
    }
    alone.entry_points.clear();
    alone.globals.clear();
    let mut context = Context::new(context.options.clone());
    lower_to_scalars::run_on_lanes(&mut alone, &TargetInfo::EVERYTHING, &mut context, lanes).ok()?;
    // (A table that is indexed would be a new memory.)
    (alone.memories.len() == module.memories.len()).then_some(())?;
    let passes: Vec<_> = CLEAN.iter().filter_map(|name| PASSES.iter().find(|pass| pass.name == *name)).collect();
    run_passes(&mut alone, &passes, &mut context, &mut |_, _| {});
    schedule::place(&mut alone, target, &mut context);
    Some((alone, target))
}

/// Whether a batch in a function of lanes costs less than so many iterations of the loop of `body`.
pub(super) fn is_better(body: &Body, found: &Iterations, wide: &Function, lanes: u8) -> bool {
    let cost = |body: &Body, owner: Block| -> u64 {
        let nodes = walk::inside(body, owner).flat_map(|block| &body.blocks[block].nodes);
        nodes.map(|&node| u64::from(MACHINE.of(body.node(node).op))).sum()
    };
    let wide = wide.body.as_ref().expect("it was written");
    let is_loop = |&block: &Block| matches!(wide.blocks[block].exit, Exit::Loop { .. } | Exit::DoLoop { .. });
    let Some(batches) = walk::blocks(wide).find(is_loop) else { return false };
    cost(wide, batches) * MOST.1 <= cost(body, found.owner) * u64::from(lanes) * MOST.0
}
