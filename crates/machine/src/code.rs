//! The list of nodes between the IR and the directives: straight-line code with labels and loops, on values of one or
//! more words.
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
//! Composite values have been split into their components, so that a value is a scalar, a reference, or 128 bits. All
//! tables are vectors that are reused from function to function.

use planish_ir::function::TrapKind;
use planish_ir::ops::{Imm, Op};
use planish_ir::source::Span;

use crate::isa::Kind;

/// Sentinel: no value, label, edge or node.
pub const NONE: u32 = u32::MAX;
/// Pseudo-label of function exit.
pub const RETURN: u32 = u32::MAX;

/// A packed argument of a node: a value, a constant, a nested node, or (during lowering) several of these.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Arg(u32);

/// A decoded [`Arg`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgKind {
    /// A value by number.
    Value(u32),
    /// A constant by number; one of 128 bits takes two numbers.
    Const(u32),
    /// A nested operation, by the number of its node.
    Nested(u32),
    /// During lowering: a composite, by the index of its components; a pointer, by number.
    Many(u32),
}

const SHIFT: u32 = 30;

impl Arg {
    /// No argument.
    pub const NONE: Arg = Arg(u32::MAX);

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

    /// Decodes it.
    #[inline]
    pub fn kind(self) -> ArgKind {
        let index = self.0 & ((1 << SHIFT) - 1);
        match self.0 >> SHIFT {
            0 => ArgKind::Value(index),
            1 => ArgKind::Const(index),
            2 => ArgKind::Nested(index),
            _ => ArgKind::Many(index),
        }
    }

    /// The value, if it is one.
    #[inline]
    pub fn as_value(self) -> Option<u32> {
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

/// Kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// Not needed, or nested in another node.
    Nothing,
    /// Function entry: `outs` are the parameters.
    Inputs,
    /// A jump target; `outs` are its inputs.
    Label(u32),
    /// A label with back edges. Control falls in by its own edge.
    Loop {
        /// The label.
        label: u32,
        /// The entry edge.
        edge: u32,
    },
    /// After the last back edge of the loop.
    LoopEnd(u32),
    /// Takes the edge.
    Br(u32),
    /// Takes the edge if operand 0 is not zero.
    BrIf(u32),
    /// Takes the edge if operand 0 is zero.
    BrIfZero(u32),
    /// Takes the edge if the comparison `op` of operands 0 and 1 holds; `negated`: does not hold.
    BrCompare {
        /// The edge.
        edge: u32,
        /// Whether the comparison is negated.
        negated: bool,
    },
    /// Takes the edge selected by operand 0, counted from `first`; out-of-range indices take the last one.
    BrTable {
        /// The first edge.
        first: u32,
        /// Their number, the last included.
        count: u32,
    },
    /// A call.
    Call(CallKind),
    /// A tail call, which takes over the frame.
    TailCall(CallKind),
    /// An op of the IR.
    Operation,
    /// A constant as a value: operand 0.
    Constant,
    /// Loads from a slot (operand 0), at the word offset in the immediate, plus operand 1 if present.
    SlotLoad,
    /// Stores operand 1 to a slot (operand 0), at the word offset in the immediate, plus operand 2 if present.
    SlotStore,
    /// Terminates the program with a trap.
    Unreachable(TrapKind),
}

/// Callee of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallKind {
    /// The function in the immediate.
    Func,
    /// The imported function in the immediate.
    Import,
    /// The function reference in the last operand, of the immediate's type.
    Value,
    /// The element of the immediate's table at the last operand, of the immediate's type.
    Table,
}

/// A node.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The kind of node.
    pub what: What,
    /// The op; only for [`What::Operation`] and comparing jumps.
    pub op: Op,
    /// Kind of the operands, as in [`crate::isa::Operation`].
    pub operand: Kind,
    /// Kind of the first result.
    pub result: Kind,
    /// Number of arguments.
    pub args_len: u16,
    /// Number of results.
    pub outs_len: u16,
    /// The first argument, among those of the whole function.
    pub args: u32,
    /// The first result; further ones are the following values.
    pub outs: u32,
    /// The op's immediate.
    pub imm: Imm,
    /// Its place in the source.
    pub span: Span,
}

/// A control-flow edge with its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Target label, or [`RETURN`].
    pub label: u32,
    /// The first argument, among those of the whole function.
    pub args: u32,
    /// Number of arguments.
    pub args_len: u32,
    /// Next edge to the same label; [`NONE`] at the end.
    pub next: u32,
}

/// A label.
#[derive(Clone, Copy, Debug)]
pub struct LabelData {
    /// Its node, once placed.
    pub node: u32,
    /// Head of the list of its edges, the last one first.
    pub edges: u32,
    /// Number of edges.
    pub edge_count: u32,
    /// Its inputs.
    pub inputs: u32,
    /// Number of inputs.
    pub inputs_len: u32,
    /// For a loop, the node of its end.
    pub end: u32,
}

/// A value.
#[derive(Clone, Copy, Debug)]
pub struct ValueData {
    /// The node that defines it.
    pub node: u32,
    /// Kind; [`Kind::None`] for a slot: memory of a variable, with registers of its own.
    pub kind: Kind,
    /// Number of registers.
    pub words: u32,
}

/// A constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constant {
    /// Its bits, zero-extended; the lower ones of 128.
    pub bits: u64,
    /// Its kind.
    pub kind: Kind,
}

/// A function as a list of nodes.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The nodes, in order.
    pub nodes: Vec<Node>,
    /// Arguments of nodes and edges.
    pub args: Vec<Arg>,
    /// The edges.
    pub edges: Vec<Edge>,
    /// The labels.
    pub labels: Vec<LabelData>,
    /// The values, by number.
    pub values: Vec<ValueData>,
    /// The constants, by number.
    pub consts: Vec<Constant>,
    /// Kinds of the results.
    pub results: Vec<Kind>,
    /// Number of words of the parameters.
    pub arg_words: u32,
    /// Number of words of the results.
    pub result_words: u32,
    /// Whether the function has calls.
    pub has_calls: bool,
    /// Values that are slots.
    pub slots: Vec<u32>,
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
        self.results.clear();
        self.has_calls = false;
    }

    /// The arguments of a node.
    #[inline]
    pub fn args_of(&self, node: &Node) -> &[Arg] {
        &self.args[node.args as usize..][..node.args_len as usize]
    }

    /// The edges to a label.
    pub fn edges_to(&self, label: u32) -> impl Iterator<Item = &Edge> {
        let edge = |at: u32| (at != NONE).then(|| &self.edges[at as usize]);
        std::iter::successors(edge(self.labels[label as usize].edges), move |last| edge(last.next))
    }

    /// The arguments that become an input of a label.
    pub fn incoming(&self, label: u32, input: u32) -> impl Iterator<Item = Arg> {
        let number = input - self.labels[label as usize].inputs;
        self.edges_to(label).map(move |edge| self.args[(edge.args + number) as usize])
    }

    /// The arguments of an edge.
    #[inline]
    pub fn edge_args(&self, edge: &Edge) -> &[Arg] {
        &self.args[edge.args as usize..][..edge.args_len as usize]
    }

    /// The edges of a node.
    #[inline]
    pub fn edges_of(&self, what: What) -> std::ops::Range<u32> {
        match what {
            What::Loop { edge, .. } | What::Br(edge) | What::BrIf(edge) | What::BrIfZero(edge) => edge..edge + 1,
            What::BrCompare { edge, .. } => edge..edge + 1,
            What::BrTable { first, count } => first..first + count,
            _ => 0..0,
        }
    }

    /// The kind of an argument.
    #[inline]
    pub fn kind_of(&self, arg: Arg) -> Kind {
        match arg.kind() {
            ArgKind::Value(v) => self.values[v as usize].kind,
            ArgKind::Const(c) => self.consts[c as usize].kind,
            ArgKind::Nested(n) => self.nodes[n as usize].result,
            ArgKind::Many(_) => Kind::None,
        }
    }

    /// The bits of a constant.
    #[inline]
    pub fn bits(&self, c: u32) -> u128 {
        let Constant { bits, kind } = self.consts[c as usize];
        let high = if kind == Kind::V128 { self.consts[c as usize + 1].bits } else { 0 };
        u128::from(bits) | u128::from(high) << 64
    }
}
