//! Parents of blocks and the edges of their exits.

use smallvec::SmallVec;

use crate::arena::SideTable;
use crate::entity::{Block, Value};
use crate::function::{Body, Exit};
use crate::walk::{BlockKind, Event, events};

/// Position of a block in the tree: the construct it belongs to, identified by the block that the construct ends, and
/// its role there. A merge block has the position of the block before it in the merge chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The block that ends with the parent construct; `None` in the outermost merge chain.
    pub owner: Option<Block>,
    /// Role of the merge chain in that construct.
    pub kind: BlockKind,
    /// Number of enclosing constructs.
    pub depth: u32,
}

/// Positions of all reachable blocks of a function.
///
/// One walk; O(blocks) in time and memory.
#[derive(Clone, Debug)]
pub struct Tree {
    places: SideTable<Block, Option<Place>>,
    /// By block: its number in walk order, and that of its merge block; 0 if it has none.
    orders: SideTable<Block, (u32, u32)>,
    /// By merge block: the block that ends with its construct.
    merged: SideTable<Block, Option<Block>>,
}

impl Tree {
    /// Walks a function.
    pub fn new(body: &Body) -> Self {
        let mut places: SideTable<Block, Option<Place>> = SideTable::with_capacity(body.blocks.len());
        let mut orders: SideTable<Block, (u32, u32)> = SideTable::with_capacity(body.blocks.len());
        let mut merged: SideTable<Block, Option<Block>> = SideTable::with_capacity(body.blocks.len());
        let mut order = 0;
        for event in events(body, body.entry) {
            let Event::Enter { block, kind, parent, depth } = event else { continue };
            orders[block].0 = order;
            if kind == BlockKind::Merge {
                orders[parent].1 = order;
                merged[block] = Some(parent);
            }
            order += 1;
            places[block] = Some(match kind {
                BlockKind::Entry => Place { owner: None, kind, depth },
                BlockKind::Merge => places[parent].expect("a merge block comes after its owner"),
                _ => Place { owner: Some(parent), kind, depth },
            });
        }
        Tree { places, orders, merged }
    }

    /// The position of a block; `None` if it is unreachable.
    pub fn place(&self, block: Block) -> Option<Place> {
        self.places[block]
    }

    /// The block with the construct of which a block is the merge block; `None` of other blocks.
    pub fn merged(&self, block: Block) -> Option<Block> {
        self.merged[block]
    }

    /// The number of a block in walk order.
    pub fn order(&self, block: Block) -> u32 {
        self.orders[block].0
    }

    /// Whether `block` is nested in the construct that ends `owner`, at any depth; false for its merge chain.
    pub fn is_inside(&self, block: Block, owner: Block) -> bool {
        // Nested blocks are walked between the owner and its merge block.
        let ((order, _), (from, to)) = (self.orders[block], self.orders[owner]);
        from < order && order < to
    }

    /// The target of a `Continue` in `block` to the loop that ends `label`; `None` if unknown.
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

    /// Whether `block` is in the continue block of the loop that ends `owner`, at any depth.
    fn is_in_next(&self, block: Block, owner: Block, next: Option<Block>) -> bool {
        // The continue block is walked last, right before the merge block.
        next.is_some_and(|next| self.order(next) <= self.order(block) && self.is_inside(block, owner))
    }

    /// All edges with arguments of the exit of `block`: target and arguments. Sub-blocks without inputs (the arms of an
    /// `If`, the cases of a `Switch`) are left out, and so is `Return`.
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
