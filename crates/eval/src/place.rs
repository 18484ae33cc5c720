//! Execution order of nodes: the listed order of a placed function, or for a floating one each pure node before its
//! first use in each scope.

use planish_ir::arena::Id;
use planish_ir::entity::{Node, Value};
use planish_ir::function::{Body, Exit, Form};
use planish_ir::module::Module;
use planish_ir::walk::{Event, events};

/// The nodes of each block (by index), in execution order.
pub(crate) fn order(module: &Module, body: &Body) -> Vec<Vec<Node>> {
    let mut order: Vec<Vec<Node>> = vec![Vec::new(); body.blocks.len()];
    if body.form == Form::Placed {
        for (id, block) in body.blocks.iter() {
            order[id.index()] = block.nodes.to_vec();
        }
        return order;
    }
    // Nodes placed in a merge chain stay in scope to its end, and in nested blocks.
    let mut placed = vec![false; body.node_count()];
    let mut in_scope: Vec<Node> = Vec::new();
    let mut marks: Vec<usize> = Vec::new();
    for event in events(body, body.entry) {
        match event {
            Event::Enter { block, kind, .. } => {
                if kind != planish_ir::walk::BlockKind::Merge {
                    marks.push(in_scope.len());
                }
                let data = &body.blocks[block];
                let list = &mut order[block.index()];
                for &node in &data.nodes {
                    for &arg in body.args(node) {
                        place(module, body, arg, &mut placed, &mut in_scope, list);
                    }
                    placed[node.index()] = true;
                    in_scope.push(node);
                    list.push(node);
                }
                data.exit.for_each_operand(|v| place(module, body, v, &mut placed, &mut in_scope, list));
            }
            Event::Leave { .. } => {
                let mark = marks.pop().unwrap_or(0);
                for node in in_scope.drain(mark..) {
                    placed[node.index()] = false;
                }
            }
        }
    }
    order
}

/// Places the pure node that makes `value`, and its operands before it, without recursion. Other nodes are in their own
/// block's list.
fn place(
    module: &Module,
    body: &Body,
    value: Value,
    placed: &mut [bool],
    in_scope: &mut Vec<Node>,
    list: &mut Vec<Node>,
) {
    let Some(root) = body.node_of(value) else { return };
    let mut stack = vec![(root, false)];
    while let Some((node, ready)) = stack.pop() {
        if placed[node.index()] || !module.floats(body, body.node(node).op, body.args(node)) {
            continue;
        }
        if ready {
            placed[node.index()] = true;
            in_scope.push(node);
            list.push(node);
            continue;
        }
        stack.push((node, true));
        stack.extend(body.args(node).iter().rev().filter_map(|&a| body.node_of(a)).map(|n| (n, false)));
    }
}

/// Blocks (by index) of loop conditions: their values are used after the loop, by lanes that left it in different
/// iterations.
pub(crate) fn sticky_blocks(body: &Body) -> Vec<bool> {
    let mut sticky = vec![false; body.blocks.len()];
    for (_, block) in body.blocks.iter() {
        if let Exit::Loop { condition, .. } | Exit::DoLoop { condition, .. } = block.exit {
            let mut at = Some(condition);
            while let Some(b) = at {
                if std::mem::replace(&mut sticky[b.index()], true) {
                    break;
                }
                at = body.blocks[b].exit.merge_block();
            }
        }
    }
    sticky
}
