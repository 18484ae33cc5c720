//! Long expressions in parts. naga's writers put a value that is used once into the place of its use, and recurse into it:
//! a thousand statements `x = fract(x * 1.7);` would be one expression of two thousand brackets, which no reader of WGSL
//! takes and on which the writers overflow their stack. So a value whose text would grow too long gets a name.
//!
//! ```text
//! let part = fract((… fract((x * 1.7f)) …));
//! let part_1 = fract((… fract((part * 1.7f)) …));
//! ```

use planish_ir::arena::Id;
use planish_ir::entity::Local;
use planish_ir::function::Body;

/// Nodes in one expression of the text. A node has two pairs of brackets at most, so that they nest no deeper than 120.
const MOST_NODES: u32 = 60;

/// How many nodes the text of each value has.
pub(crate) struct Parts {
    uses: Vec<u32>,
    nodes: Vec<u32>,
    /// Whether the exit of a block has it.
    leaves: Vec<bool>,
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
        Parts { nodes: vec![0; uses.len()], uses, leaves }
    }

    /// Whether nobody has a value.
    pub(crate) fn is_unused(&self, made: Local) -> bool {
        self.uses[made.index()] == 0 && !self.leaves[made.index()]
    }

    /// Whether a value that is being made needs a name of its own.
    pub(crate) fn is_too_long(&mut self, body: &Body, made: Local) -> bool {
        let Some(node) = body.node_of(made.into()) else { return false };
        let operands = body.args(node).iter().filter_map(|a| a.as_local());
        // What is used more often has a name.
        let inside = operands.filter(|l| self.uses[l.index()] == 1).map(|l| self.nodes[l.index()]);
        let nodes = 1 + inside.sum::<u32>();
        let too_long = nodes > MOST_NODES;
        self.nodes[made.index()] = if too_long { 0 } else { nodes };
        too_long
    }
}
