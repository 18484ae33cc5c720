//! The position of a fragment, whose w HLSL has inverted.

use planish_ir::decoration::BuiltIn;
use planish_ir::entity::{Local, Value, Var};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;

/// Whether no use of `gl_FragCoord` sees its w: only single other components are.
pub(crate) fn leaves_w_alone(module: &Module) -> bool {
    let is_position = |var: Var| module.vars[var].decorations.builtin() == Some(BuiltIn::FragCoord);
    let mut bodies = module.funcs.values().filter_map(|f| f.body.as_ref());
    bodies.all(|body| {
        let mut wholes: Vec<Local> = vec![];
        let uses_are_fine = body.nodes().all(|(node, data)| {
            let Some(&first) = body.args(node).first() else { return true };
            let others = body.args(node)[1..].iter().any(|a| a.as_var().is_some_and(is_position));
            let is_it = first.as_var().is_some_and(is_position);
            if is_it && data.op == Op::Load {
                wholes.extend(body.result(node));
                return !others;
            }
            !others && (!is_it || is_other_component(body, node))
        });
        uses_are_fine && wholes.iter().all(|&whole| uses_components(body, whole))
    })
}

fn is_other_component(body: &Body, node: planish_ir::entity::Node) -> bool {
    let data = body.node(node);
    match data.op {
        Op::AccessVectorComponent | Op::ExtractVectorComponent => data.imm.as_index() != 3,
        Op::AccessVectorComponentMulti | Op::ExtractVectorComponentMulti => data.imm.as_lanes().iter().all(|n| n != 3),
        _ => false,
    }
}

/// Whether every use of a vector takes components but the last.
fn uses_components(body: &Body, whole: Local) -> bool {
    let is_it = |value: &Value| value.as_local() == Some(whole);
    let of_nodes = body.nodes().all(|(node, _)| !body.args(node).iter().any(is_it) || is_other_component(body, node));
    let exits = body.blocks.values().all(|block| {
        let mut found = false;
        block.exit.for_each_operand(|value| found |= is_it(&value));
        !found
    });
    of_nodes && exits
}
