//! Placement of a flat function after a step: dead nodes are removed, all others stay in creation order, so that a step
//! without effect does not reorder lines.
//!
//! The schedule of the optimizer, which chooses between blocks, has nothing to decide here: a flat function is one
//! block, possibly split by `if mask { discard }`.

use planish_ir::arena::{Id, SideTable};
use planish_ir::builder::Policy;
use planish_ir::entity::{Block, Func, Local, Node};
use planish_ir::function::{Body, Exit, Form};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::uniform::{is_uniform, uniform_values};
use planish_ir::walk;
use planish_opt::restage::{Identity, restage};

/// Order of the nodes of a flat function.
#[derive(Clone, Copy)]
pub(crate) enum Order {
    /// Creation order.
    AsMade,
    /// Uniform nodes first; results of barrier ops are not uniform.
    UniformFirst(fn(Op) -> bool),
}

/// The order of a placed function: [`Order::UniformFirst`] if all uniform nodes are first.
pub(crate) fn order_of(module: &Module, body: &Body, barrier: fn(Op) -> bool) -> Order {
    let uniform = uniform_values(module, body, &barrier);
    let stands_first = |nodes: &[Node]| {
        let is_uniform = |&node: &Node| body.result(node).is_some_and(|r| uniform[r]);
        nodes.iter().skip_while(|n| is_uniform(n)).all(|n| !is_uniform(n))
    };
    let mut blocks = walk::blocks(body);
    let first = blocks.next().is_some_and(|b| stands_first(&body.blocks[b].nodes));
    let rest = blocks.all(|b| body.blocks[b].nodes.iter().all(|&n| !body.result(n).is_some_and(|r| uniform[r])));
    if first && rest { Order::UniformFirst(barrier) } else { Order::AsMade }
}

/// Places a floating function whose blocks follow each other; returns `false` and leaves other functions unchanged.
pub(crate) fn place(module: &mut Module, func: Func, order: Order) -> bool {
    let Some(mut body) = module.funcs[func].body.take() else { return false };
    let lists = match main_blocks(&body) {
        Some(blocks) if body.form == Form::Floating => list(module, &body, &blocks, order),
        _ => {
            module.funcs[func].body = Some(body);
            return false;
        }
    };
    for (block, nodes) in lists {
        body.blocks[block].nodes = nodes.into();
    }
    body.form = Form::Placed;
    module.funcs[func].body = Some(body);
    // Only the copy is free of unlisted nodes.
    restage(module, func, Policy::VERBATIM, &mut Identity);
    true
}

/// The entry block and its successors, if no other block has a node or a variable, and none an input.
pub(crate) fn main_blocks(body: &Body) -> Option<Vec<Block>> {
    let mut main = vec![body.entry];
    while let Some(merge) = body.blocks[main[main.len() - 1]].exit.merge_block() {
        main.push(merge);
    }
    let flat = walk::blocks(body).all(|b| {
        let data = &body.blocks[b];
        let is_main = main.contains(&b);
        let goes = matches!(
            data.exit,
            Exit::If { .. } | Exit::NextBlock { .. } | Exit::Return(_) | Exit::Discard | Exit::Trap(_)
        ) || matches!(&data.exit, Exit::Merge(args) if args.is_empty());
        goes && data.variables.is_empty()
            && (is_main || data.nodes.is_empty())
            && (b == body.entry || data.inputs.is_empty())
    });
    flat.then_some(main)
}

/// The node list of each block.
fn list(module: &Module, body: &Body, blocks: &[Block], order: Order) -> Vec<(Block, Vec<Node>)> {
    let live = live(module, body, blocks);
    // By node: the index of the earliest block that it can be in.
    let mut place: SideTable<Node, u32> = SideTable::with_capacity(body.node_count());
    for (number, &block) in blocks.iter().enumerate() {
        body.blocks[block].nodes.iter().for_each(|&node| place[node] = number as u32);
    }
    let mut uniform: SideTable<Local, bool> = SideTable::with_capacity(body.local_count());
    let mut lists: Vec<(Block, Vec<Node>)> = blocks.iter().map(|&b| (b, Vec::new())).collect();
    let mut first = Vec::new();
    for node in (0..body.node_count()).map(Node::new).filter(|&node| live[node]) {
        let args = body.args(node);
        let behind = args.iter().filter_map(|&a| body.node_of(a)).map(|n| place[n]).max();
        place[node] = place[node].max(behind.unwrap_or(0));
        if let Order::UniformFirst(barrier) = order
            && stays_uniform(module, body, node, barrier, &uniform)
        {
            body.results(node).for_each(|local| uniform[local] = true);
            first.push(node);
            continue;
        }
        lists[place[node] as usize].1.push(node);
    }
    first.append(&mut lists[0].1);
    lists[0].1 = first;
    lists
}

fn stays_uniform(
    module: &Module,
    body: &Body,
    node: Node,
    barrier: fn(Op) -> bool,
    uniform: &SideTable<Local, bool>,
) -> bool {
    let (op, args) = (body.node(node).op, body.args(node));
    let may_be = module.floats(body, op, args) || module.is_pure_leaf_call(op, args);
    may_be && !barrier(op) && args.iter().all(|&a| is_uniform(module, uniform, a))
}

/// Nodes that an effect or an exit needs.
fn live(module: &Module, body: &Body, blocks: &[Block]) -> SideTable<Node, bool> {
    let mut live: SideTable<Node, bool> = SideTable::with_capacity(body.node_count());
    let mut work: Vec<Node> = Vec::new();
    for &block in blocks {
        let data = &body.blocks[block];
        let is_droppable = |n: Node| {
            let op = body.node(n).op;
            op.is_droppable(body.node(n).imm) || module.is_leaf_call(op, body.args(n))
        };
        work.extend(data.nodes.iter().filter(|&&n| !is_droppable(n)));
        data.exit.for_each_operand(|v| work.extend(body.node_of(v)));
    }
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut live[node], true) {
            work.extend(body.args(node).iter().filter_map(|&a| body.node_of(a)));
        }
    }
    live
}
