//! Equality of functions up to the numbering of nodes.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Block, Local, Node, Value};
use planish_ir::function::{Body, Exit};
use planish_ir::walk;

/// Whether two placed bodies list equal nodes in the same order, in the same blocks. O(nodes).
pub(crate) fn same(source: &Body, new: &Body) -> bool {
    let mut pairs = Pairs { source, new, locals: SideTable::with_capacity(source.local_count()) };
    let mut blocks = walk::blocks(source).zip(walk::blocks(new));
    walk::blocks(source).count() == walk::blocks(new).count() && blocks.all(|(x, y)| pairs.block(x, y))
}

struct Pairs<'a> {
    source: &'a Body,
    new: &'a Body,
    /// By local of the source body, the corresponding one of the new body.
    locals: SideTable<Local, Option<Local>>,
}

impl Pairs<'_> {
    fn block(&mut self, x: Block, y: Block) -> bool {
        let (x, y) = (&self.source.blocks[x], &self.new.blocks[y]);
        if (x.inputs.len(), x.nodes.len()) != (y.inputs.len(), y.nodes.len()) {
            return false;
        }
        for (&x, &y) in x.inputs.iter().zip(&y.inputs) {
            self.locals[x] = Some(y);
        }
        x.nodes.iter().zip(&y.nodes).all(|(&x, &y)| self.node(x, y)) && self.exit(&x.exit, &y.exit)
    }

    fn node(&mut self, x: Node, y: Node) -> bool {
        let (one, other) = (self.source.node(x), self.new.node(y));
        let is_same = (one.op, one.imm, one.precise, one.precision, one.result_count())
            == (other.op, other.imm, other.precise, other.precision, other.result_count())
            && self.values(self.source.args(x), self.new.args(y));
        for (x, y) in self.source.results(x).zip(self.new.results(y)) {
            self.locals[x] = Some(y);
        }
        let types = self.source.results(x).zip(self.new.results(y));
        is_same && types.into_iter().all(|(x, y)| self.source.local_type(x) == self.new.local_type(y))
    }

    fn exit(&self, x: &Exit, y: &Exit) -> bool {
        let operands = |exit: &Exit| {
            let mut all: Vec<Value> = Vec::new();
            exit.for_each_operand(|v| all.push(v));
            all
        };
        std::mem::discriminant(x) == std::mem::discriminant(y) && self.values(&operands(x), &operands(y))
    }

    fn values(&self, x: &[Value], y: &[Value]) -> bool {
        let is_same = |(&x, &y): (&Value, &Value)| match (x.as_local(), y.as_local()) {
            (Some(x), Some(y)) => self.locals[x] == Some(y),
            _ => x == y,
        };
        x.len() == y.len() && x.iter().zip(y).all(is_same)
    }
}
