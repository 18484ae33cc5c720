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
//! A backward analysis from the readers that observe bits, along edges and through selections (an optimistic fixpoint). Of a
//! vector the readers must agree with its definition about the lanes; and a selection by bits must take whole lanes.

use planish_ir::ops::{Class, LaneShape, Op};
use smallvec::SmallVec;

use crate::code::{Arg, ArgKind, Code, Node, RETURN, What};
use crate::isa::{Kind, is_comparison};
use crate::liveness::Liveness;

/// Maximum depth of the operands of a mask that are examined.
const MASK_DEPTH: u32 = 6;

impl Liveness {
    /// Runs the analysis, after [`Liveness::mark`].
    pub(crate) fn find_numbers(&mut self, code: &Code) {
        self.numbers.clear();
        if !code.values.iter().any(|value| value.kind.is_float() || value.kind == Kind::V128) {
            return;
        }
        self.numbers.resize(code.values.len(), true);
        self.lanes.clear();
        self.lanes.resize(code.values.len(), None);
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
        self.follow_choices(code);
    }

    /// Marks the bit-observing operands of a node and of its nested nodes.
    /// Recursion: once: nested operations have no nested operands (`fuse::absorb`).
    fn look(&mut self, code: &Code, node: &Node) {
        for (i, &arg) in code.args_of(node).iter().enumerate() {
            match arg.kind() {
                ArgKind::Nested(inner) => self.look(code, &code.nodes[inner as usize]),
                // Seen if the result is.
                _ if is_chosen(node, i) => {}
                _ if reads_number(node) => {}
                _ => match lanes_read(node) {
                    Some(lanes) => self.is_read_as(code, arg, lanes),
                    None => self.is_seen(arg),
                },
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

    /// A vector whose lanes are read as numbers. If its NaNs are those of other lanes, their bits are seen.
    fn is_read_as(&mut self, code: &Code, arg: Arg, lanes: LaneShape) {
        let mut stack = SmallVec::<[Arg; 4]>::from_slice(&[arg]);
        while let Some(arg) = stack.pop() {
            let Some(v) = arg.as_value().filter(|&v| self.numbers[v as usize]) else { continue };
            let node = &code.nodes[code.values[v as usize].node as usize];
            match (lanes_made(node), self.lanes[v as usize]) {
                (Some(made), _) if made != lanes => self.is_seen(arg),
                (Some(_), _) => {}
                (None, Some(known)) if known != lanes => self.is_seen(arg),
                (None, Some(_)) => {}
                (None, None) => {
                    self.lanes[v as usize] = Some(lanes);
                    if node.op == Op::SimdSelect
                        && node.what == What::Operation
                        && !is_mask(code, code.args_of(node)[2], lanes, MASK_DEPTH)
                    {
                        self.is_seen(arg);
                    }
                    for_each_choice(code, v, &mut |arg| stack.push(arg));
                }
            }
        }
    }

    /// Propagates from results that are one of several values to these values.
    fn follow_choices(&mut self, code: &Code) {
        while let Some(v) = self.work.pop() {
            for_each_choice(code, v, &mut |arg| self.is_seen(arg));
        }
    }
}

/// Calls `f` with the values of which a value is one: arguments of the edges to a label, operands of a selection.
fn for_each_choice(code: &Code, v: u32, f: &mut dyn FnMut(Arg)) {
    let node = &code.nodes[code.values[v as usize].node as usize];
    match node.what {
        What::Label(label) | What::Loop { label, .. } => code.incoming(label, v).for_each(f),
        What::Operation | What::Nothing => {
            let args = code.args_of(node).iter().enumerate();
            args.filter(|&(i, _)| is_chosen(node, i)).for_each(|(_, &arg)| f(arg));
        }
        _ => {}
    }
}

/// Whether the result of a node may be its operand number `i`, bit for bit, and depends on its bits in no other way.
fn is_chosen(node: &Node, i: usize) -> bool {
    let of_floats = node.operand.is_float() || node.operand == Kind::V128;
    match node.op {
        Op::Select => matches!(node.what, What::Operation | What::Nothing) && of_floats && i > 0,
        Op::SimdSelect => matches!(node.what, What::Operation | What::Nothing) && i < 2,
        _ => false,
    }
}

/// Whether the node observes only the numbers of its operands.
fn reads_number(node: &Node) -> bool {
    use Op::{Abs, ConstructScalarFromScalar, CopySign, Negate, Select, TruncateTrapping};
    let computes = || match node.op {
        TruncateTrapping | ConstructScalarFromScalar => true,
        // These move bits.
        Abs | CopySign | Negate | Select => false,
        op => {
            let class = op.info().class;
            matches!(class, Class::Unary | Class::Binary | Class::BuiltIn) && op.is_componentwise()
        }
    };
    match node.what {
        // (A nested operation is handled with its reader.)
        What::Operation | What::Nothing => node.operand.is_float() && (is_comparison(node.op) || computes()),
        What::BrCompare { .. } => true,
        _ => false,
    }
}

/// The lanes of floats whose numbers alone a node observes in its operands.
fn lanes_read(node: &Node) -> Option<LaneShape> {
    use Op::*;
    let shape = node.imm.as_shape();
    match node.op {
        _ if !matches!(node.what, What::Operation | What::Nothing) => None,
        SimdAdd | SimdSubtract | SimdMultiply | SimdDivide | SimdMin | SimdMax | SimdSqrt | SimdCeil | SimdFloor
        | SimdTrunc | SimdRoundEven | SimdEqual | SimdNotEqual | SimdLessThan | SimdLessThanEqual | SimdGreaterThan
        | SimdGreaterThanEqual => shape.is_float().then_some(shape),
        SimdTruncate | SimdPromote => Some(LaneShape::F32x4),
        SimdTruncateLow | SimdDemote => Some(LaneShape::F64x2),
        _ => None,
    }
}

/// The lanes of floats that a node computes, with one NaN.
fn lanes_made(node: &Node) -> Option<LaneShape> {
    use Op::*;
    let shape = node.imm.as_shape();
    match node.op {
        _ if !matches!(node.what, What::Operation | What::Nothing) => None,
        SimdAdd | SimdSubtract | SimdMultiply | SimdDivide | SimdMin | SimdMax | SimdSqrt | SimdCeil | SimdFloor
        | SimdTrunc | SimdRoundEven => shape.is_float().then_some(shape),
        SimdDemote => Some(LaneShape::F32x4),
        SimdPromote => Some(LaneShape::F64x2),
        _ => None,
    }
}

/// Whether every lane of a vector is all ones or all zeros, as far as its definition tells.
/// Recursion: at most `depth` levels of operands.
fn is_mask(code: &Code, arg: Arg, lanes: LaneShape, depth: u32) -> bool {
    use Op::*;
    let Some(v) = arg.as_value() else { return false };
    let node = &code.nodes[code.values[v as usize].node as usize];
    if depth == 0 || !matches!(node.what, What::Operation | What::Nothing) {
        return false;
    }
    let args = code.args_of(node);
    match node.op {
        SimdEqual | SimdNotEqual | SimdLessThan | SimdLessThanEqual | SimdGreaterThan | SimdGreaterThanEqual => {
            node.imm.as_shape().bits() == lanes.bits()
        }
        SimdAnd | SimdAndNot | SimdOr | SimdXor | SimdNot => {
            args.iter().all(|&arg| is_mask(code, arg, lanes, depth - 1))
        }
        _ => false,
    }
}
