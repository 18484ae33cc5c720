//! The constructs around the place that is being interpreted: the interpreter's own stack.

use planish_ir::arena::Id;
use planish_ir::entity::{Block, Node, Value};
use smallvec::SmallVec;

use super::engine::At;
use super::flat::{Cases, Choice};
use super::join::Edge;
use super::loops::LoopState;
use super::state::Since;
use super::unroll::Unrolled;

/// The kinds of constructs on the stack.
pub(super) enum Kind {
    /// The function: `Return` goes here.
    Root,
    /// A call that is inlined: its callee's `Return` goes here.
    Inline { node: Node, resume: At, body: Block },
    /// An `If`, one arm of which is being interpreted.
    If(IfState),
    /// A resolved construct: a source construct (named by the block that it ended) whose branch is known, so that it is gone. What went
    /// to its merge block continues there.
    Resolved { source: Block },
    /// A `Labelled`.
    Labelled { source: Block, body: Block },
    /// A `Switch`.
    Switch(super::switches::SwitchState),
    /// An `If` that is being flattened.
    Choice(Choice),
    /// A `Switch` that is being flattened.
    Cases(Cases),
    /// A `Loop` or `DoLoop`.
    Loop(Box<LoopState>),
    /// A loop that is unrolled: `Break` goes here.
    Unrolled(Box<Unrolled>),
    /// An iteration of the unrolled loop below: `Continue` goes here.
    Iteration { source: Block, body: Block },
}

impl Kind {
    /// The source block that it ended, if it can be left for the merge block, or (and then `true`) is an iteration.
    pub(super) fn label(&self) -> Option<(Block, bool)> {
        match self {
            Kind::Resolved { source } | Kind::Labelled { source, .. } => Some((*source, false)),
            Kind::Switch(state) => Some((state.source, false)),
            Kind::Cases(state) => Some((state.source, false)),
            Kind::Loop(state) => Some((state.source, false)),
            Kind::Unrolled(state) => Some((state.source, false)),
            Kind::Iteration { source, .. } => Some((*source, true)),
            Kind::Root | Kind::Inline { .. } | Kind::If(_) | Kind::Choice(_) => None,
        }
    }

    /// Whether it has a chain of its own in the new function.
    pub(super) fn is_new(&self) -> bool {
        match self {
            Kind::Resolved { .. } => false,
            Kind::If(state) => state.nested.is_none(),
            _ => true,
        }
    }

    /// Whether it is a loop that may have to be interpreted again.
    pub(super) fn may_be_tried_again(&self) -> bool {
        match self {
            Kind::Loop(state) => state.is_tried,
            Kind::Unrolled(state) => state.again.is_some(),
            _ => false,
        }
    }
}

/// An `If` that is being interpreted.
pub(super) struct IfState {
    pub(super) source: Block,
    /// The source owner whose merge block ends it: of the last of several `If`s in a row on the same condition.
    pub(super) end: Block,
    pub(super) condition: Value,
    /// The new arms: for true, for false.
    pub(super) arms: [Block; 2],
    /// Which one was interpreted first.
    pub(super) first: usize,
    /// Whether the second is being interpreted.
    pub(super) second: bool,
    /// If the first arm left to the construct around, and what follows the `If` is interpreted in the second arm: the block
    /// with which the first arm ended.
    pub(super) nested: Option<Block>,
}

/// A construct that is being interpreted.
pub(super) struct Construct {
    /// Unique for the lifetime of the rewrite (stack indices are reused). 0 means none.
    pub(super) id: u32,
    pub(super) kind: Kind,
    /// Number of frames where it was entered.
    pub(super) frames: usize,
    /// The new block that it ends.
    pub(super) owner: Block,
    /// The edges to its merge block.
    pub(super) edges: Vec<Edge>,
    /// The state's log where it was entered.
    pub(super) log: Since,
    /// Number of local values made before it was entered: later ones are not visible after it.
    pub(super) limit: u32,
    /// Loops around, itself included, that may still be interpreted again.
    pub(super) tried: u32,
    /// Loops around, itself included.
    pub(super) loops: u32,
    /// The innermost construct around (by its id), perhaps itself, that is in the new function.
    pub(super) new: u32,
    /// The innermost construct around (by its id), perhaps itself, that is no resolved one.
    pub(super) firm: u32,
    /// Number of edges that had been noted when it was entered.
    pub(super) ways: usize,
    /// The constructs (by their ids) to which its own chain was left.
    pub(super) chain_leaves: SmallVec<[u32; 2]>,
    /// The divergence epoch where it was entered, and the number of departures until then.
    pub(super) epoch: u32,
    pub(super) departures: u32,
    /// Arms of `If`s in its own chain that leave it, which the rest of the chain could not follow: the construct (by its id) that
    /// each leaves to, and the block that it ends with.
    pub(super) loose_arms: SmallVec<[(u32, Block); 1]>,
    /// While flattening: whether it has been left, by the first so-many edges.
    pub(super) left: (usize, Option<Value>),
}

impl Construct {
    /// Forgets edges from blocks that are no more.
    pub(super) fn forget_edges_from(&mut self, blocks: usize) {
        forget_edges_from(&mut self.edges, blocks);
        if let Kind::Loop(state) = &mut self.kind {
            state.forget_edges_from(blocks);
        }
    }
}

/// Forgets edges from blocks that are no more: those from older blocks were there before.
pub(super) fn forget_edges_from(ways: &mut Vec<Edge>, blocks: usize) {
    while ways.pop_if(|e| e.block.index() >= blocks).is_some() {}
}
