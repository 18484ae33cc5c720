//! Branches at the end of loops.
//!
//! ```text
//! loop (i, p) { …                              loop (i, p) { …
//!   branch_if i == 1, exit                       i' = i - 1
//!   i' = i - 1                          ──►      p' = p + 8
//!   p' = p + 8                                   branch i' == 0, exit, loop (i', p')
//!   branch loop (i', p')                       }
//! }
//! ```
//!
//! One branch for an iteration takes the place of two. The operations between are cheap and have no effect, so that it does not
//! matter that they are done once more. A comparison for equality reads the new value of what it compares, so that the old
//! one ends before.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use planish_ir::ops::Op;
use planish_machine::code::{Arg, ArgKind, Node, What};
use smallvec::SmallVec;

use crate::body::{Builder, type_of};

/// Maximum number of operations after the branch.
const MAX_LATCH: usize = 8;

impl<'a> Builder<'a, '_> {
    /// The operations after the branch at node `at`, and the edge back to the innermost loop that ends them.
    pub(crate) fn latch(&self, at: usize) -> Option<(&'a [Node], u32)> {
        let code = self.code;
        let rest = &code.nodes[at + 1..];
        let count = rest.iter().take(MAX_LATCH).take_while(|node| is_cheap(node)).count();
        let What::Br(edge) = rest.get(count)?.what else { return None };
        let label = code.labels.get(code.edges[edge as usize].label as usize)?;
        let goes_back = (label.node as usize) < at && matches!(code.nodes[label.node as usize].what, What::Loop { .. });
        goes_back.then_some((&rest[..count], edge))
    }

    /// Writes a conditional branch, the operations after it, and the branch back.
    pub(crate) fn branch_back(&mut self, condition: Arg, (edge, holds): (u32, bool), latch: (&'a [Node], u32)) {
        let (nodes, back) = latch;
        for node in nodes {
            self.operation(node);
        }
        let condition = match self.condition_after(condition, nodes) {
            Some(condition) => condition,
            None => self.condition(condition),
        };
        let mut returns = SmallVec::new();
        let (block, args) = self.target(edge, &mut returns);
        let (header, back) = self.target(back, &mut returns);
        if holds {
            self.b.ins().brif(condition, block, &args, header, &back);
        } else {
            self.b.ins().brif(condition, header, &back, block, &args);
        }
        self.write_returns(returns);
    }

    /// A comparison of an integer with a constant, as one of the sum of both with another constant that is there.
    fn condition_after(&mut self, condition: Arg, nodes: &[Node]) -> Option<Value> {
        let code = self.code;
        let node = &code.nodes[code.values[condition.as_value()? as usize].node as usize];
        let cc = match node.op {
            _ if node.what != What::Operation || !node.operand.is_integer() => return None,
            Op::Equal => IntCC::Equal,
            Op::NotEqual => IntCC::NotEqual,
            _ => return None,
        };
        let (x, limit) = (code.args_of(node)[0].as_value()?, self.known(code.args_of(node)[1])?);
        let ty = type_of(node.operand);
        // The list may read the bits of `x` as a float, and as a wider integer: that is another sum.
        let sum = |node: &&Node| {
            matches!(node.op, Op::Add | Op::Subtract)
                && type_of(node.operand) == ty
                && type_of(code.values[node.outs as usize].kind) == ty
                && code.args_of(node)[0].as_value() == Some(x)
                && self.known(code.args_of(node)[1]).is_some()
        };
        let found = nodes.iter().find(sum)?;
        let by = self.known(code.args_of(found)[1])?;
        let limit = if found.op == Op::Add { limit.wrapping_add(by) } else { limit.wrapping_sub(by) };
        let (sum, limit) = (self.value_of(found.outs), self.constant(u128::from(limit), ty));
        Some(self.b.ins().icmp(cc, sum, limit))
    }

    /// The bits of a constant.
    pub(crate) fn known(&self, arg: Arg) -> Option<u64> {
        let ArgKind::Const(c) = arg.kind() else { return None };
        Some(self.code.bits(c) as u64)
    }
}

/// Whether an operation has no effect and takes about a cycle.
fn is_cheap(node: &Node) -> bool {
    use Op::*;
    let cheap = matches!(
        node.op,
        Add | Subtract | Multiply | BitwiseAnd | BitwiseOr | BitwiseXor | ShiftLeft | ShiftRight | Equal | NotEqual
    );
    node.what == What::Operation && cheap && (node.operand.is_integer() || node.operand.is_float())
}
