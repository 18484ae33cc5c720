//! Which floats are only ever asked for their number, so that any NaN is as good as another.
//!
//! Arithmetic gives one NaN; a processor gives several. Where all that reads a result is arithmetic again, a comparison, or a
//! conversion, a machine may leave the processor's as it is: the next one that somebody can look at is made right.
//!
//! ```text
//! v2 = multiply v0, v1        only its number is read
//! v3 = add v2, v1             its bits are stored
//! memory_store v4, v3
//! ```
//!
//! Starts from the readers that see bits, and goes back along edges (the optimistic fixpoint).

use planish_ir::ops::Op;

use crate::code::{Arg, ArgKind, Code, NONE, Node, RETURN, What};
use crate::isa::is_comparison;
use crate::liveness::Liveness;

impl Liveness {
    /// Finds them, after [`Liveness::mark`].
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

    /// What a node sees, and what is inside it.
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

    /// What edges bring is seen where the input is.
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

/// Whether the node asks its operands for nothing but their numbers.
fn reads_number(node: &Node) -> bool {
    use Op::{Add, ConstructScalarFromScalar, Divide, Multiply, Sqrt, Subtract, TruncateTrapping};
    let arithmetic =
        matches!(node.op, Add | Subtract | Multiply | Divide | Sqrt | TruncateTrapping | ConstructScalarFromScalar);
    match node.what {
        // (What is inside another one is nothing of its own.)
        What::Operation | What::Nothing => node.operand.is_float() && (arithmetic || is_comparison(node.op)),
        What::BrCompare { .. } => true,
        _ => false,
    }
}
