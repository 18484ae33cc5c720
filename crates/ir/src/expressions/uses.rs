//! What the emitter must know of a function beforehand: how often each value is read, and where from, and who jumps where.

use crate::arena::SideTable;
use crate::entity::{Block, Local, Node, Value};
use crate::function::{Body, Exit};
use crate::tree::Tree;
use crate::walk::{self, BlockKind};

/// What a back end says of the nodes of a function.
pub trait Says {
    /// Whether a node with one operand leaves it as it is, and only gives it another type.
    fn is_nothing(&self, body: &Body, node: Node) -> bool;

    /// How often what is written for a node reads each operand.
    fn reads(&self, body: &Body, node: Node) -> u32;
}

/// See the module's documentation.
pub struct Uses {
    /// Where each block hangs.
    pub tree: Tree,
    /// What a value is, where an op only gives its operand another type.
    aliases: SideTable<Local, Option<Value>>,
    /// How often a value is read.
    pub counts: SideTable<Local, u32>,
    /// The block that read it last; where a value is read once, the only one.
    pub readers: SideTable<Local, Option<Block>>,
    /// Constructs (by owner) that are left by a `Break`.
    pub broken: SideTable<Block, bool>,
    /// Loops (by owner) whose rounds are also ended by another `Continue` than the one at the end of the body or of the
    /// continue block.
    pub continued: SideTable<Block, bool>,
}

impl Uses {
    /// Looks at a placed function; O(its size).
    pub fn new(body: &Body, says: &impl Says) -> Self {
        let mut uses = Uses {
            tree: Tree::new(body),
            aliases: SideTable::new(),
            counts: SideTable::new(),
            readers: SideTable::new(),
            broken: SideTable::new(),
            continued: SideTable::new(),
        };
        let blocks: Vec<Block> = walk::blocks(body).collect();
        for &block in &blocks {
            for &node in &body.blocks[block].nodes {
                uses.alias(body, node, says);
            }
        }
        // Backwards, so that what only dead nodes read is dead too.
        for &block in blocks.iter().rev() {
            uses.exit(body, block);
        }
        for &block in blocks.iter().rev() {
            for &node in body.blocks[block].nodes.iter().rev() {
                uses.node(body, block, node, says);
            }
        }
        uses
    }

    /// The value that another one is by a different type.
    pub fn resolve(&self, value: Value) -> Value {
        value.as_local().and_then(|l| self.aliases[l]).unwrap_or(value)
    }

    fn alias(&mut self, body: &Body, node: Node, says: &impl Says) {
        if let (Some(result), &[operand]) = (body.result(node), body.args(node))
            && says.is_nothing(body, node)
        {
            self.aliases[result] = Some(self.resolve(operand));
        }
    }

    fn read(&mut self, block: Block, value: Value, times: u32) {
        if let Some(local) = self.resolve(value).as_local() {
            self.counts[local] += times;
            self.readers[local] = Some(block);
        }
    }

    fn node(&mut self, body: &Body, block: Block, node: Node, says: &impl Says) {
        if self.is_dead(body, node) {
            return;
        }
        let times = says.reads(body, node);
        for &arg in body.args(node) {
            self.read(block, arg, times);
        }
    }

    /// Whether nothing comes of a node: it is pure and nobody reads it, or it only gives its operand another type.
    pub fn is_dead(&self, body: &Body, node: Node) -> bool {
        let unread = |r: Local| self.counts[r] == 0 || self.aliases[r].is_some();
        body.node(node).op.is_pure() && body.results(node).all(unread)
    }

    fn exit(&mut self, body: &Body, block: Block) {
        body.blocks[block].exit.for_each_operand(|value| self.read(block, value, 1));
        match body.blocks[block].exit {
            Exit::Break(owner, _) => self.broken[owner] = true,
            Exit::Continue(owner, _) => {
                let place = self.tree.place(block);
                let ends_body = place.is_some_and(|p| p.owner == Some(owner) && p.kind == BlockKind::LoopBody);
                let in_next = place.is_some_and(|p| p.owner == Some(owner) && p.kind == BlockKind::Next);
                if !ends_body && !in_next {
                    self.continued[owner] = true;
                }
            }
            _ => {}
        }
    }
}
