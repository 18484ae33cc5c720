//! Remarks on loops: the nodes that were moved out of one, and loop-invariant nodes that could not be.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Func, Node};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Effect};

use super::place::Placement;
use crate::context::{Context, RemarkKind};

/// Leaves a remark for each group of nodes that has left a loop (at the node that uses the others), and one for each node that stays.
/// A node that was made outside of the loop in the first place has not left it.
pub(super) fn explain(
    module: &Module,
    func: Func,
    body: &Body,
    placement: &Placement,
    loops_around: &SideTable<Node, u32>,
    context: &mut Context,
) {
    let pass = context.enter("schedule");
    // Nodes that an earlier run could not move may be gone or have moved since.
    context.forget_remarks("NotHoisted", module, func);
    for &node in placement.hoisted.iter().rev() {
        let Some(spot) = placement.spots[node].filter(|_| is_work(module, body, node)) else { continue };
        let (before, after) = (loops_around[node], placement.tree.loops(spot));
        if after < before {
            let left = if before - after == 1 { String::from("a loop") } else { format!("{} loops", before - after) };
            let message = format!("`{}` and its operands are moved out of {left}", body.node(node).op.text());
            context.remark(RemarkKind::Passed, "Hoisted", module, func, body.node(node).span, message);
        }
    }
    for &node in &placement.stuck {
        if let Some(why) = obstacle(body, node) {
            let message = format!(
                "`{}` stays in the loop, though its operands do not change there: {why}",
                body.node(node).op.text()
            );
            context.remark(RemarkKind::Missed, "NotHoisted", module, func, body.node(node).span, message);
        }
    }
    context.enter(pass);
}

/// Whether a node is more than the name of something: an address, an image.
fn is_work(module: &Module, body: &Body, node: Node) -> bool {
    let values = |result| module.types.scalar_of(body.local_type(result)).is_some();
    body.node(node).op.info().class != Class::Access && body.result(node).is_some_and(values)
}

/// The reason why a node cannot leave a loop; `None` for those whose effect belongs to each iteration.
fn obstacle(body: &Body, node: Node) -> Option<&'static str> {
    body.result(node)?;
    match body.node(node).op.info().effect {
        Effect::Pure => Some("it divides by what may be zero where the loop does not run"),
        Effect::MayTrap | Effect::MemoryLoad | Effect::TableLoad => Some("it may trap, and the loop may not run"),
        Effect::Quad => Some("it depends on the neighbours of the fragment, who may not run the loop"),
        Effect::Subgroup => Some("it depends on which invocations of the subgroup are here"),
        Effect::Load | Effect::ImageLoad => Some("what it reads may be written in between"),
        Effect::Call => Some("the call has an effect, or may not come back"),
        _ => None,
    }
}
