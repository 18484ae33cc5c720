//! Steps of loops that cannot overflow, so that a counter is `i++` and not `int(uint(i) + 1u)`.
//!
//! ```text
//! cond b1(%i: i32):  %c = less_than %i, %n    loop_if %c
//! body b2:           %j = add %i, 1           %i is less than %n, so %j is at most %n
//! ```
//!
//! A counter in memory is one whose only store in the loop is that of the step.

use planish_ir::entity::{Block, Node, Type, Value};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::AddressSpace;
use planish_ir::walk;
use rustc_hash::FxHashSet;

/// Sums and differences of a counter and a constant within its loop, whose condition keeps them in range. O(nodes × depth of loops).
pub(crate) fn steps(module: &Module, body: &Body) -> FxHashSet<Node> {
    let mut found = FxHashSet::default();
    for owner in walk::blocks(body) {
        let Exit::Loop { condition, .. } = body.blocks[owner].exit else { continue };
        let Some((counter, range)) = bounded(module, body, owner, condition) else { continue };
        let before: FxHashSet<Block> = walk::events(body, condition)
            .filter_map(|e| if let walk::Event::Enter { block, .. } = e { Some(block) } else { None })
            .collect();
        for block in walk::inside(body, owner).filter(|b| !before.contains(b)) {
            let stays = |&node: &Node| {
                let mut args = body.args(node);
                let mut node = node;
                if let Counter::Memory(place) = counter {
                    // The step is what the store writes.
                    let is_store = body.node(node).op == Op::Store && args[0] == place;
                    let written = body.node_of(*args.last().unwrap_or(&place)).filter(|_| is_store)?;
                    (node, args) = (written, body.args(written));
                }
                let by = args.get(1).and_then(|v| constant(module, *v));
                let result = match (body.node(node).op, by) {
                    (Op::Add, Some(by)) => [range.0 + by, range.1 + by],
                    (Op::Subtract, Some(by)) => [range.0 - by, range.1 - by],
                    _ => return None,
                };
                let fits = result.iter().all(|n| i32::try_from(*n).is_ok());
                (fits && counter.is(body, args[0])).then_some(node)
            };
            found.extend(body.blocks[block].nodes.iter().filter_map(stays));
        }
    }
    found
}

fn constant(module: &Module, value: Value) -> Option<i64> {
    let c = value.as_const().filter(|&c| module.consts[c].ty == Type::I32)?;
    module.consts.as_bits(c).map(|bits| i64::from(bits as u32 as i32))
}

/// A number that a loop counts.
#[derive(Clone, Copy)]
enum Counter {
    /// An input of the condition.
    Value(Value),
    /// A variable.
    Memory(Value),
}

impl Counter {
    fn is(self, body: &Body, value: Value) -> bool {
        match self {
            Counter::Value(counter) => counter == value,
            Counter::Memory(place) => loaded(body, value) == Some(place),
        }
    }
}

/// The variable that a value is loaded from.
fn loaded(body: &Body, value: Value) -> Option<Value> {
    let node = body.node_of(value).filter(|&n| body.node(n).op == Op::Load)?;
    Some(body.args(node)[0])
}

/// Whether nothing in a loop but one store writes a variable of the function.
fn is_stored_once(module: &Module, body: &Body, owner: Block, place: Value) -> bool {
    let is_local = place.as_var().is_some_and(|v| module.vars[v].space == AddressSpace::Function);
    let mentions = walk::inside(body, owner)
        .flat_map(|b| &body.blocks[b].nodes)
        .filter(|&&n| body.node(n).op != Op::Load && body.args(n).contains(&place));
    let stores: Vec<&Node> = mentions.collect();
    is_local && stores.len() == 1 && body.node(*stores[0]).op == Op::Store && body.args(*stores[0])[0] == place
}

/// The counter that the condition of a loop compares, and its least and greatest value in the body.
fn bounded(module: &Module, body: &Body, owner: Block, condition: Block) -> Option<(Counter, (i64, i64))> {
    let Exit::LoopIf { condition: test, .. } = &body.blocks[walk::chain_end(body, condition)].exit else { return None };
    let node = body.node_of(*test)?;
    let args = body.args(node);
    let (least, greatest) = (i64::from(i32::MIN), i64::from(i32::MAX));
    let counter_of = |v: Value| {
        let is_input = body.blocks[condition].inputs.iter().any(|&i| Value::from(i) == v);
        let memory = loaded(body, v).filter(|&place| is_stored_once(module, body, owner, place));
        if is_input { Some(Counter::Value(v)) } else { memory.map(Counter::Memory) }
    };
    let (side, counter) = args.iter().enumerate().find_map(|(i, &v)| Some((i, counter_of(v)?)))?;
    let other = *args.get(1 - side)?;
    if module.type_of(body, args[side]) != Type::I32 {
        return None;
    }
    let known = constant(module, other);
    let (below, above) = (known.unwrap_or(greatest), known.unwrap_or(least));
    let range = match (body.node(node).op, side) {
        (Op::LessThan, 0) | (Op::GreaterThan, 1) => (least, below - 1),
        (Op::LessThanEqual, 0) | (Op::GreaterThanEqual, 1) => (least, below),
        (Op::GreaterThan, 0) | (Op::LessThan, 1) => (above + 1, greatest),
        (Op::GreaterThanEqual, 0) | (Op::LessThanEqual, 1) => (above, greatest),
        _ => return None,
    };
    Some((counter, range))
}
