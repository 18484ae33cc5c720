//! Steps of loops that cannot overflow, so that a counter is `i++` and not `int(uint(i) + 1u)`.
//!
//! ```text
//! cond b1(%i: i32):  %c = less_than %i, %n    loop_if %c
//! body b2:           %j = add %i, 1           %i is less than %n, so %j is at most %n
//! ```

use planish_ir::entity::{Block, Node, Type, Value};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::walk;
use rustc_hash::FxHashSet;

/// Sums and differences of a counter and a constant within its loop, whose condition keeps them in range. O(nodes × depth of loops).
pub(crate) fn steps(module: &Module, body: &Body) -> FxHashSet<Node> {
    let mut found = FxHashSet::default();
    for owner in walk::blocks(body) {
        let Exit::Loop { condition, .. } = body.blocks[owner].exit else { continue };
        let Some((counter, range)) = bounded(module, body, condition) else { continue };
        let before: FxHashSet<Block> = walk::events(body, condition)
            .filter_map(|e| if let walk::Event::Enter { block, .. } = e { Some(block) } else { None })
            .collect();
        for block in walk::inside(body, owner).filter(|b| !before.contains(b)) {
            let stays = |&node: &Node| {
                let args = body.args(node);
                let by = args.get(1).and_then(|v| constant(module, *v));
                let result = match (body.node(node).op, by) {
                    (Op::Add, Some(by)) => [range.0 + by, range.1 + by],
                    (Op::Subtract, Some(by)) => [range.0 - by, range.1 - by],
                    _ => return false,
                };
                args[0] == counter && result.iter().all(|n| i32::try_from(*n).is_ok())
            };
            found.extend(body.blocks[block].nodes.iter().copied().filter(stays));
        }
    }
    found
}

fn constant(module: &Module, value: Value) -> Option<i64> {
    let c = value.as_const().filter(|&c| module.consts[c].ty == Type::I32)?;
    module.consts.as_bits(c).map(|bits| i64::from(bits as u32 as i32))
}

/// The counter that the condition of a loop compares, and its least and greatest value in the body.
fn bounded(module: &Module, body: &Body, condition: Block) -> Option<(Value, (i64, i64))> {
    let Exit::LoopIf { condition: test, .. } = &body.blocks[walk::chain_end(body, condition)].exit else { return None };
    let node = body.node_of(*test)?;
    let args = body.args(node);
    let (least, greatest) = (i64::from(i32::MIN), i64::from(i32::MAX));
    let is_counter = |v: &Value| body.blocks[condition].inputs.iter().any(|&i| Value::from(i) == *v);
    let side = args.iter().position(is_counter)?;
    let (counter, other) = (args[side], args[1 - side]);
    if module.type_of(body, counter) != Type::I32 {
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
