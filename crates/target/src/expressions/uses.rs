//! Facts about a function that a back end needs before it writes it: readers of each value, and targets of jumps.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Block, Local, Node, Value};
use planish_ir::function::{Body, Exit};
use planish_ir::tree::Tree;
use planish_ir::walk::{self, BlockKind};

/// Reports how a back end writes the nodes of a function.
pub trait ReportUses {
    /// Whether a node with one operand leaves it as it is, and only gives it another type.
    fn is_nothing(&self, body: &Body, node: Node) -> bool;
}

/// Readers of values and targets of jumps of a function.
pub struct Uses {
    /// Place of each block.
    pub tree: Tree,
    /// The operand, for results of ops that only give their operand another type.
    aliases: SideTable<Local, Option<Value>>,
    /// Number of reads of a value.
    pub counts: SideTable<Local, u32>,
    /// Block with the last read of a value.
    pub readers: SideTable<Local, Option<Block>>,
    /// Constructs (by owner) that are left by a `Break`.
    pub broken: SideTable<Block, bool>,
    /// Loops (by owner) with a `Continue` other than at the end of the body or of the continue block.
    pub continued: SideTable<Block, bool>,
}

impl Uses {
    /// Analyzes a placed function; O(its size).
    pub fn new(body: &Body, report: &impl ReportUses) -> Self {
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
                uses.alias(body, node, report);
            }
        }
        // Backwards, so that values which only dead nodes read are dead too.
        for &block in blocks.iter().rev() {
            uses.exit(body, block);
        }
        for &block in blocks.iter().rev() {
            for &node in body.blocks[block].nodes.iter().rev() {
                uses.node(body, block, node);
            }
        }
        uses
    }

    /// The value without changes of type around it.
    pub fn resolve(&self, value: Value) -> Value {
        value.as_local().and_then(|l| self.aliases[l]).unwrap_or(value)
    }

    fn alias(&mut self, body: &Body, node: Node, report: &impl ReportUses) {
        if let (Some(result), &[operand]) = (body.result(node), body.args(node))
            && report.is_nothing(body, node)
        {
            self.aliases[result] = Some(self.resolve(operand));
        }
    }

    fn read(&mut self, block: Block, value: Value) {
        if let Some(local) = self.resolve(value).as_local() {
            self.counts[local] += 1;
            self.readers[local] = Some(block);
        }
    }

    fn node(&mut self, body: &Body, block: Block, node: Node) {
        if self.is_dead(body, node) {
            return;
        }
        for &arg in body.args(node) {
            self.read(block, arg);
        }
    }

    /// Whether a node needs no code: it is pure and never read, or it only gives its operand another type.
    pub fn is_dead(&self, body: &Body, node: Node) -> bool {
        let unread = |r: Local| self.counts[r] == 0 || self.aliases[r].is_some();
        body.node(node).op.is_pure() && body.results(node).all(unread)
    }

    fn exit(&mut self, body: &Body, block: Block) {
        body.blocks[block].exit.for_each_operand(|value| self.read(block, value));
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
