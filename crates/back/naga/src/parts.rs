//! Long expressions in parts. naga's writers put a value that is used once into the place of its use, and recurse into it:
//! a thousand statements `x = fract(x * 1.7);` would be one expression of two thousand brackets, which no reader of WGSL
//! takes and on which the writers overflow their stack. So a value whose text would grow too long gets a name.
//!
//! ```text
//! let part = fract((… fract((x * 1.7f)) …));
//! let part_1 = fract((… fract((part * 1.7f)) …));
//! ```
//!
//! For the same reason a value that is made before a loop and used once, in it, gets a name: the writers would compute it in
//! every iteration, where the schedule has it once.

use planish_ir::arena::Id;
use planish_ir::entity::Local;
use planish_ir::function::Body;
use planish_ir::walk::{self, BlockKind, Event};
use rustc_hash::FxHashSet;

/// Nodes in one expression of the text. A node has two pairs of brackets at most, so that they nest no deeper than 120.
const MOST_NODES: u32 = 60;

/// Number of nodes in the text of each value.
pub(crate) struct Parts {
    uses: Vec<u32>,
    nodes: Vec<u32>,
    /// Whether the exit of a block has it.
    leaves: Vec<bool>,
    /// Made before a loop and used in it.
    hoisted: FxHashSet<Local>,
}

impl Parts {
    pub(crate) fn new(body: &Body) -> Self {
        let mut uses = vec![0; body.local_count()];
        for (node, _) in body.nodes() {
            body.args(node).iter().filter_map(|a| a.as_local()).for_each(|l| uses[l.index()] += 1);
        }
        let mut leaves = vec![false; uses.len()];
        for block in body.blocks.values() {
            block.exit.for_each_operand(|v| v.as_local().into_iter().for_each(|l| leaves[l.index()] = true));
        }
        Parts { nodes: vec![0; uses.len()], uses, leaves, hoisted: hoisted(body) }
    }

    /// Whether a value has no uses.
    pub(crate) fn is_unused(&self, made: Local) -> bool {
        self.uses[made.index()] == 0 && !self.leaves[made.index()]
    }

    /// Whether a value is made before a loop and used in it.
    pub(crate) fn is_hoisted(&self, made: Local) -> bool {
        self.hoisted.contains(&made)
    }

    /// Whether a value that is being made needs a name of its own, or its text would grow too long.
    pub(crate) fn is_too_long(&mut self, body: &Body, made: Local) -> bool {
        let Some(node) = body.node_of(made.into()) else { return false };
        let operands = body.args(node).iter().filter_map(|a| a.as_local());
        // Operands with several uses have names.
        let inside = operands.filter(|l| self.uses[l.index()] == 1).map(|l| self.nodes[l.index()]);
        let nodes = 1 + inside.sum::<u32>();
        let too_long = nodes > MOST_NODES;
        self.nodes[made.index()] = if too_long { 0 } else { nodes };
        too_long
    }
}

/// The values of nodes that are used in a loop which they are not made in.
fn hoisted(body: &Body) -> FxHashSet<Local> {
    let mut hoisted = FxHashSet::default();
    // For each block the number of the innermost loop around it, and 0 outside of all.
    let mut loops = vec![0u32; body.blocks.len()];
    let (mut around, mut count) = (vec![0u32], 0);
    for event in walk::events(body, body.entry) {
        match event {
            Event::Enter { block, kind, parent, .. } => {
                let outer = *around.last().expect("not empty");
                let inner = match kind {
                    BlockKind::Merge | BlockKind::Entry => outer,
                    // The parts of one loop are one.
                    BlockKind::Condition | BlockKind::LoopBody | BlockKind::Next => {
                        let known = body.blocks[parent].exit.sub_blocks().into_iter().map(|b| loops[b.index()]).max();
                        known.filter(|&n| n != 0).unwrap_or_else(|| {
                            count += 1;
                            count
                        })
                    }
                    _ => outer,
                };
                if !matches!(kind, BlockKind::Merge | BlockKind::Entry) {
                    around.push(inner);
                }
                loops[block.index()] = inner;
            }
            Event::Leave { kind, .. } if !matches!(kind, BlockKind::Merge | BlockKind::Entry) => {
                around.pop();
            }
            Event::Leave { .. } => {}
        }
    }
    if count == 0 {
        return hoisted;
    }
    let mut made = vec![0u32; body.local_count()];
    for (block, data) in body.blocks.iter() {
        for local in data.nodes.iter().flat_map(|&node| body.results(node)) {
            made[local.index()] = loops[block.index()];
        }
    }
    for (block, data) in body.blocks.iter() {
        let mut check = |l: Local| {
            if loops[block.index()] != made[l.index()] && body.node_of(l.into()).is_some() {
                hoisted.insert(l);
            }
        };
        for &node in &data.nodes {
            body.args(node).iter().filter_map(|a| a.as_local()).for_each(&mut check);
        }
        data.exit.for_each_operand(|v| v.as_local().into_iter().for_each(&mut check));
    }
    hoisted
}
