//! What the emitter must know of a function beforehand: how often each value is read, and where from, and who jumps where.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Block, Local, Node, Value};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::tree::Tree;
use planish_ir::walk;

use crate::compose;
use crate::ops::is_nothing;

/// See the module's documentation.
pub(crate) struct Uses {
    pub(crate) tree: Tree,
    /// What a value is, where an op only gives its operand another type.
    aliases: SideTable<Local, Option<Value>>,
    /// How often a value is read.
    pub(crate) counts: SideTable<Local, u32>,
    /// The block that read it last; where a value is read once, the only one.
    pub(crate) readers: SideTable<Local, Option<Block>>,
    /// Constructs (by owner) that are left by a `Break`.
    pub(crate) broken: SideTable<Block, bool>,
    /// Blocks that end a loop's body (by themselves) and so need no label, and those that more than that jump to.
    pub(crate) continued: SideTable<Block, bool>,
}

impl Uses {
    /// Looks at a placed function; O(its size).
    pub(crate) fn new(module: &Module, body: &Body) -> Self {
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
                uses.alias(module, body, node);
            }
        }
        // Backwards, so that what only dead nodes read is dead too.
        for &block in blocks.iter().rev() {
            uses.exit(body, block);
        }
        for &block in blocks.iter().rev() {
            for &node in body.blocks[block].nodes.iter().rev() {
                uses.node(module, body, block, node);
            }
        }
        uses
    }

    /// The value that another one is by a different type.
    pub(crate) fn resolve(&self, value: Value) -> Value {
        value.as_local().and_then(|l| self.aliases[l]).unwrap_or(value)
    }

    fn alias(&mut self, module: &Module, body: &Body, node: Node) {
        let op = body.node(node).op;
        let (Op::Bitcast | Op::ConstructScalarFromScalar, &[operand]) = (op, body.args(node)) else { return };
        let Some(result) = body.result(node) else { return };
        let scalar = |ty| module.types.scalar_of(ty);
        if let (Some(from), Some(to)) = (scalar(module.type_of(body, operand)), scalar(body.local_type(result)))
            && is_nothing(op, from, to)
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

    fn node(&mut self, module: &Module, body: &Body, block: Block, node: Node) {
        if self.is_dead(body, node) {
            return;
        }
        let times = if compose::is_composed(module, body, node) { 2 } else { 1 };
        for &arg in body.args(node) {
            self.read(block, arg, times);
        }
    }

    /// Whether nothing comes of a node: it is pure and nobody reads it, or it only gives its operand another type.
    pub(crate) fn is_dead(&self, body: &Body, node: Node) -> bool {
        let unread = |r: Local| self.counts[r] == 0 || self.aliases[r].is_some();
        body.node(node).op.is_pure() && body.results(node).all(unread)
    }

    fn exit(&mut self, body: &Body, block: Block) {
        body.blocks[block].exit.for_each_operand(|value| self.read(block, value, 1));
        match body.blocks[block].exit {
            Exit::Break(owner, _) => self.broken[owner] = true,
            Exit::Continue(owner, _) => {
                let place = self.tree.place(block);
                let ends_body = place.is_some_and(|p| p.owner == Some(owner) && p.kind == walk::BlockKind::LoopBody);
                let in_next = place.is_some_and(|p| p.owner == Some(owner) && p.kind == walk::BlockKind::Next);
                if !ends_body && !in_next {
                    self.continued[owner] = true;
                }
            }
            _ => {}
        }
    }
}
