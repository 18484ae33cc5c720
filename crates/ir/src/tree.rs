//! Where each block hangs, and whom its exit feeds: what a pass asks of a function's tree of blocks.

use smallvec::SmallVec;

use crate::arena::SideTable;
use crate::entity::{Block, Value};
use crate::function::{Body, Exit};
use crate::walk::{BlockKind, Event, events};

/// The place of a block: the construct it belongs to, named by the block that the construct ends, and what it is to it.
/// A merge block has the place of the block before it, since it goes on in the same chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The block that ends with the construct around; `None` in the chain that the function begins with.
    pub owner: Option<Block>,
    /// What the chain is to that construct.
    pub kind: BlockKind,
    /// Constructs around.
    pub depth: u32,
}

/// The places of all reachable blocks of a function.
///
/// Made in one walk; O(blocks) in time and memory.
#[derive(Clone, Debug)]
pub struct Tree {
    places: SideTable<Block, Option<Place>>,
    /// For each block, its number in the order of the walk, and that of its merge block; 0 if it has none.
    orders: SideTable<Block, (u32, u32)>,
}

impl Tree {
    /// Walks a function.
    pub fn new(body: &Body) -> Self {
        let mut places: SideTable<Block, Option<Place>> = SideTable::with_capacity(body.blocks.len());
        let mut orders: SideTable<Block, (u32, u32)> = SideTable::with_capacity(body.blocks.len());
        let mut order = 0;
        for event in events(body, body.entry) {
            let Event::Enter { block, kind, parent, depth } = event else { continue };
            orders[block].0 = order;
            if kind == BlockKind::Merge {
                orders[parent].1 = order;
            }
            order += 1;
            places[block] = Some(match kind {
                BlockKind::Entry => Place { owner: None, kind, depth },
                BlockKind::Merge => places[parent].expect("a merge block comes after its owner"),
                _ => Place { owner: Some(parent), kind, depth },
            });
        }
        Tree { places, orders }
    }

    /// The place of a block; `None` if nothing leads to it.
    pub fn place(&self, block: Block) -> Option<Place> {
        self.places[block]
    }

    /// The number of a block in the order of the walk.
    pub fn order(&self, block: Block) -> u32 {
        self.orders[block].0
    }

    /// Whether `block` lies somewhere inside the construct that ends `owner` (not in its merge chain).
    pub fn is_inside(&self, block: Block, owner: Block) -> bool {
        // What is inside is walked between the two.
        let ((order, _), (from, to)) = (self.orders[block], self.orders[owner]);
        from < order && order < to
    }

    /// The blocks that a `Continue` to the loop that ends `label` may go to, from `block`.
    fn continue_target(&self, body: &Body, block: Block, label: Block) -> Option<Block> {
        match body.blocks[label].exit {
            Exit::Loop { condition, next, .. } => {
                let in_next = self.is_in_next(block, label, next);
                Some(if in_next { condition } else { next.unwrap_or(condition) })
            }
            Exit::DoLoop { condition, .. } => Some(condition),
            _ => None,
        }
    }

    /// Whether `block` lies in the continue block of the loop that ends `owner`, at any depth.
    fn is_in_next(&self, block: Block, owner: Block, next: Option<Block>) -> bool {
        // It is walked last, right before the merge block.
        next.is_some_and(|next| self.order(next) <= self.order(block) && self.is_inside(block, owner))
    }

    /// Every jump with values that the exit of `block` makes: the block it goes to, and what it feeds to its inputs.
    /// Sub-blocks without inputs (the arms of an `If`, the cases of a `Switch`) are left out, and so is `Return`.
    pub fn edges<'b>(&self, body: &'b Body, block: Block) -> SmallVec<[(Block, &'b [Value]); 2]> {
        let mut out = SmallVec::new();
        let owner = self.place(block).and_then(|p| p.owner);
        let merge_of = |b: Block| body.blocks[b].exit.merge_block();
        match &body.blocks[block].exit {
            Exit::Loop { args, condition, .. } => out.push((*condition, &args[..])),
            Exit::DoLoop { args, body, .. } => out.push((*body, &args[..])),
            Exit::Switch { args, merge, .. } => out.push((*merge, &args[..])),
            Exit::Merge(args) => out.extend(owner.and_then(merge_of).map(|m| (m, &args[..]))),
            Exit::Break(label, args) => out.extend(merge_of(*label).map(|m| (m, &args[..]))),
            Exit::Continue(label, args) => {
                out.extend(self.continue_target(body, block, *label).map(|t| (t, &args[..])));
            }
            Exit::LoopIf { body_args, merge_args, .. } => {
                if let Some(Exit::Loop { body, merge, .. } | Exit::DoLoop { body, merge, .. }) =
                    owner.map(|o| &body.blocks[o].exit)
                {
                    out.push((*body, &body_args[..]));
                    out.push((*merge, &merge_args[..]));
                }
            }
            Exit::Open
            | Exit::If { .. }
            | Exit::Labelled { .. }
            | Exit::NextBlock { .. }
            | Exit::Passthrough
            | Exit::Return(_)
            | Exit::Discard
            | Exit::Trap(_) => {}
        }
        out
    }
}
