//! The list of nodes between the IR and the directives: straight-line code with labels and loops, on values that are
//! single words, or several words that stay together.
//!
//! ```text
//!  IR                                   nodes
//!  loop 0 {                             Loop L0 (v1)  ← 0
//!  cond b1(%1: i32):
//!    %2 = less_than %1, %0                v2 = less_than v1, v0
//!    loop_if %2                           BrIfZero v2 → L1
//!  body b2:
//!    %3 = add %1, 1                       v3 = add v1, 1
//!    continue b0, %3                      Br L0 (v3)
//!  }                                    LoopEnd
//!  b3:                                  Label L1
//! ```
//!
//! Composite values are taken apart into their components before, so that a value here is a scalar, a reference, or 128
//! bits. All tables are vectors that are reused from function to function.

use planish_ir::function::TrapKind;
use planish_ir::ops::{Imm, Op};
use planish_ir::source::Span;

use crate::isa::Kind;

/// No value, label, edge or node.
pub(crate) const NONE: u32 = u32::MAX;
/// The label that leaves the function.
pub(crate) const RETURN: u32 = u32::MAX;

/// What a node reads, in a word: a value, a constant, a node inside it, or (while lowering) several of these.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arg(u32);

/// An [`Arg`] taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArgKind {
    /// A value by number.
    Value(u32),
    /// A constant by number; one of 128 bits takes two numbers.
    Const(u32),
    /// An operation by its node's number, done inside the reader.
    Nested(u32),
    /// While lowering: a composite, by where its components stand; a pointer by number.
    Many(u32),
}

const SHIFT: u32 = 30;

impl Arg {
    pub(crate) const NONE: Arg = Arg(u32::MAX);

    #[inline]
    pub(crate) fn value(v: u32) -> Arg {
        debug_assert!(v >> SHIFT == 0);
        Arg(v)
    }

    #[inline]
    pub(crate) fn constant(c: u32) -> Arg {
        debug_assert!(c >> SHIFT == 0);
        Arg(1 << SHIFT | c)
    }

    #[inline]
    pub(crate) fn nested(node: u32) -> Arg {
        debug_assert!(node >> SHIFT == 0);
        Arg(2 << SHIFT | node)
    }

    #[inline]
    pub(crate) fn many(at: u32) -> Arg {
        debug_assert!(at >> SHIFT == 0);
        Arg(3 << SHIFT | at)
    }

    #[inline]
    pub(crate) fn kind(self) -> ArgKind {
        let index = self.0 & ((1 << SHIFT) - 1);
        match self.0 >> SHIFT {
            0 => ArgKind::Value(index),
            1 => ArgKind::Const(index),
            2 => ArgKind::Nested(index),
            _ => ArgKind::Many(index),
        }
    }

    #[inline]
    pub(crate) fn as_value(self) -> Option<u32> {
        (self.0 >> SHIFT == 0).then_some(self.0)
    }
}

impl std::fmt::Debug for Arg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind() {
            ArgKind::Value(v) => write!(f, "v{v}"),
            ArgKind::Const(c) => write!(f, "c{c}"),
            ArgKind::Nested(n) => write!(f, "[{n}]"),
            ArgKind::Many(m) => write!(f, "m{m}"),
        }
    }
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    /// Nobody needs it, or another node does it inside.
    Nothing,
    /// The function begins: `outs` are the parameters.
    Inputs,
    /// Control comes here by the edges of the label; `outs` are its inputs.
    Label(u32),
    /// As a label, to which edges lead also from behind. Control falls in by its own edge.
    Loop {
        /// The label.
        label: u32,
        /// The edge from above.
        edge: u32,
    },
    /// No edge leads from behind this to the loop.
    LoopEnd(u32),
    /// Along the edge.
    Br(u32),
    /// Along the edge if operand 0 is not zero.
    BrIf(u32),
    /// Along the edge if operand 0 is zero.
    BrIfZero(u32),
    /// Along the edge if the comparison `op` of operands 0 and 1 holds; `negated`: does not.
    BrCompare {
        /// The edge.
        edge: u32,
        /// Whether it must not hold.
        negated: bool,
    },
    /// Along the edge that operand 0 counts from `first` on; the last of them for all others.
    BrTable {
        /// The first edge.
        first: u32,
        /// Their number, the last included.
        count: u32,
    },
    /// A call.
    Call(CallKind),
    /// A call that takes over the frame; ends the function.
    TailCall(CallKind),
    /// An op of the IR.
    Operation,
    /// A constant as a value of its own: operand 0.
    Constant,
    /// What is in a slot (operand 0) now, from the word on that the immediate counts; with operand 1, so many words
    /// further on.
    SlotLoad,
    /// Operand 1 into a slot (operand 0), at the word that the immediate counts; with operand 2, so many words further on.
    SlotStore,
    /// Ends the program.
    Unreachable(TrapKind),
}

/// Who is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CallKind {
    /// The function with the number in the immediate.
    Func,
    /// The same, from outside.
    Import,
    /// What the last operand refers to.
    Value,
    /// The element of the immediate's table at the last operand, of the immediate's type.
    Table,
}

/// A node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) what: What,
    pub(crate) op: Op,
    /// The kind of the operands, as [`crate::isa::Operation`] has it.
    pub(crate) operand: Kind,
    /// The kind of the first result.
    pub(crate) result: Kind,
    pub(crate) args_len: u16,
    pub(crate) outs_len: u16,
    pub(crate) args: u32,
    /// The first result; the others are the values behind it.
    pub(crate) outs: u32,
    pub(crate) imm: Imm,
    pub(crate) span: Span,
}

/// A way that control goes, with what it brings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// The label, or [`RETURN`].
    pub(crate) label: u32,
    pub(crate) args: u32,
    pub(crate) args_len: u32,
    /// The next edge to the same label.
    pub(crate) next: u32,
}

/// Where edges lead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabelData {
    /// Its node, once it is placed.
    pub(crate) node: u32,
    /// The edges to it, the last one first.
    pub(crate) edges: u32,
    /// How many.
    pub(crate) edge_count: u32,
    /// Its inputs.
    pub(crate) inputs: u32,
    /// How many.
    pub(crate) inputs_len: u32,
    /// Of a loop: the node of its end.
    pub(crate) end: u32,
}

/// A value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueData {
    /// The node that makes it.
    pub(crate) node: u32,
    /// What it is; [`Kind::None`] for a slot: a variable's memory, which keeps changing and has its registers for itself.
    pub(crate) kind: Kind,
    /// Its registers.
    pub(crate) words: u32,
}

/// A constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Constant {
    pub(crate) bits: u64,
    pub(crate) kind: Kind,
}

/// A function as nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) nodes: Vec<Node>,
    pub(crate) args: Vec<Arg>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) labels: Vec<LabelData>,
    pub(crate) values: Vec<ValueData>,
    pub(crate) consts: Vec<Constant>,
    /// Words of the parameters and of the results.
    pub(crate) arg_words: u32,
    pub(crate) result_words: u32,
    /// Whether a node calls.
    pub(crate) has_calls: bool,
    /// The values that are slots.
    pub(crate) slots: Vec<u32>,
}

impl Code {
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.args.clear();
        self.edges.clear();
        self.labels.clear();
        self.values.clear();
        self.consts.clear();
        self.slots.clear();
        self.has_calls = false;
    }

    #[inline]
    pub(crate) fn args_of(&self, node: &Node) -> &[Arg] {
        &self.args[node.args as usize..][..node.args_len as usize]
    }

    #[inline]
    pub(crate) fn edge_args(&self, edge: &Edge) -> &[Arg] {
        &self.args[edge.args as usize..][..edge.args_len as usize]
    }

    /// The edges that a node has.
    #[inline]
    pub(crate) fn edges_of(&self, what: What) -> std::ops::Range<u32> {
        match what {
            What::Loop { edge, .. } | What::Br(edge) | What::BrIf(edge) | What::BrIfZero(edge) => edge..edge + 1,
            What::BrCompare { edge, .. } => edge..edge + 1,
            What::BrTable { first, count } => first..first + count,
            _ => 0..0,
        }
    }

    /// The kind of an argument.
    #[inline]
    pub(crate) fn kind_of(&self, arg: Arg) -> Kind {
        match arg.kind() {
            ArgKind::Value(v) => self.values[v as usize].kind,
            ArgKind::Const(c) => self.consts[c as usize].kind,
            ArgKind::Nested(n) => self.nodes[n as usize].result,
            ArgKind::Many(_) => Kind::None,
        }
    }

    /// The bits of a constant.
    #[inline]
    pub(crate) fn bits(&self, c: u32) -> u128 {
        let Constant { bits, kind } = self.consts[c as usize];
        let high = if kind == Kind::V128 { self.consts[c as usize + 1].bits } else { 0 };
        u128::from(bits) | u128::from(high) << 64
    }
}
