//! Analysis of float values whose readers observe only the number, so that any NaN is equivalent.
//!
//! The IR's arithmetic has one canonical NaN; a processor has several. If all readers of a result are arithmetic,
//! comparisons, or conversions, a machine may keep the processor's NaN: it is canonicalized at the first result whose
//! bits are observable.
//!
//! ```text
//! v2 = multiply v0, v1        only its number is read
//! v3 = add v2, v1             its bits are stored
//! memory_store v4, v3
//! ```
//!
//! A backward analysis from the readers that observe bits, along edges (an optimistic fixpoint).

use planish_ir::ops::Op;

use crate::code::{Arg, ArgKind, Code, NONE, Node, RETURN, What};
use crate::isa::is_comparison;
use crate::liveness::Liveness;

impl Liveness {
    /// Runs the analysis, after [`Liveness::mark`].
    pub(crate) fn find_numbers(&mut self, code: &Code) {
        self.numbers.clear();
        if !code.values.iter().any(|value| value.kind.is_float()) {
            return;
        }
        self.numbers.resize(code.values.len(), true);
        for node in &code.nodes {
            if node.what == What::Nothing {
                continue;
            }
            self.look(code, node);
            for edge in code.edges_of(node.what) {
                let edge = &code.edges[edge as usize];
                if edge.label == RETURN {
                    code.edge_args(edge).iter().for_each(|&arg| self.is_seen(arg));
                }
            }
        }
        self.follow_edges(code);
    }

    /// Marks the bit-observing operands of a node and of its nested nodes.
    /// Recursion: once: nested operations have no nested operands (`fuse::absorb`).
    fn look(&mut self, code: &Code, node: &Node) {
        for &arg in code.args_of(node) {
            match arg.kind() {
                ArgKind::Nested(inner) => self.look(code, &code.nodes[inner as usize]),
                _ if reads_number(node) => {}
                _ => self.is_seen(arg),
            }
        }
    }

    fn is_seen(&mut self, arg: Arg) {
        if let Some(v) = arg.as_value()
            && std::mem::replace(&mut self.numbers[v as usize], false)
        {
            self.work.push(v);
        }
    }

    /// Propagates from inputs of labels to the arguments of their edges.
    fn follow_edges(&mut self, code: &Code) {
        while let Some(v) = self.work.pop() {
            let node = code.values[v as usize].node as usize;
            let (What::Label(label) | What::Loop { label, .. }) = code.nodes[node].what else { continue };
            let data = &code.labels[label as usize];
            let mut at = data.edges;
            while at != NONE {
                let edge = &code.edges[at as usize];
                self.is_seen(code.args[(edge.args + v - data.inputs) as usize]);
                at = edge.next;
            }
        }
    }
}

/// Whether the node observes only the numbers of its operands.
fn reads_number(node: &Node) -> bool {
    use Op::{Add, ConstructScalarFromScalar, Divide, Multiply, Sqrt, Subtract, TruncateTrapping};
    let arithmetic =
        matches!(node.op, Add | Subtract | Multiply | Divide | Sqrt | TruncateTrapping | ConstructScalarFromScalar);
    match node.what {
        // (A nested operation is handled with its reader.)
        What::Operation | What::Nothing => node.operand.is_float() && (arithmetic || is_comparison(node.op)),
        What::BrCompare { .. } => true,
        _ => false,
    }
}
