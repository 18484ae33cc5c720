//! What a rewrite leaves to the next one.
//!
//! ```text
//! labelled { if %c { break } else { merge } return 0 } …     what the first rewrite reads
//! if %c { merge } else { return 0 } …                        what it writes: the label is gone
//! if %c { … merge } else { merge 0 } return                  what the second one makes of that
//! ```

use planish_ir::arena::SideTable;
use planish_ir::entity::{Block, Value};
use planish_ir::function::{Body, Exit};
use planish_ir::walk::{BlockKind, Event, events};
use rustc_hash::FxHashSet;

/// What is known of an `If`.
#[derive(Clone, Copy, Default)]
struct Arms {
    /// Whether the one for true leaves.
    leaves: bool,
    /// Whether there is something in it.
    is_full: bool,
}

/// Whether another rewrite may change a floating function that one has just written: if an arm of an `If` leaves to where the
/// chain that the `If` stands in ends, the rest of the chain can go into the other arm; if it leaves elsewhere, what is in the other
/// arm can go behind the `If`. A rewrite does both, but where the way led elsewhere in what it read.
pub(super) fn is_unfinished(body: &Body) -> bool {
    // By block: the construct whose chain it is in, what the chain is to it, and the chain's first block.
    let mut chains: SideTable<Block, Option<(Block, BlockKind, Block)>> = SideTable::with_capacity(body.blocks.len());
    let mut ifs: SideTable<Block, Arms> = SideTable::with_capacity(body.blocks.len());
    for event in events(body, body.entry) {
        let Event::Enter { block, kind, parent, .. } = event else { continue };
        let chain = if kind == BlockKind::Merge { chains[parent] } else { Some((parent, kind, block)) };
        chains[block] = chain;
        let exit = &body.blocks[block].exit;
        let Some((owner, BlockKind::Then | BlockKind::Otherwise, head)) = chain else { continue };
        if exit.merge_block().is_some() {
            continue;
        }
        let nests = match (exit, chains[owner]) {
            (Exit::Return(_), Some((_, BlockKind::Entry, _))) => true,
            (Exit::Break(label, _), Some((outer, BlockKind::LabelledBody, _)))
            | (Exit::Continue(label, _), Some((outer, BlockKind::LoopBody, _))) => *label == outer,
            _ => false,
        };
        let leaves = !matches!(exit, Exit::Merge(_));
        let is_full = leaves || head != block || !body.blocks[block].nodes.is_empty();
        let this = Arms { leaves, is_full };
        let other = std::mem::replace(&mut ifs[owner], this);
        if nests || leaves && other.is_full || other.leaves && is_full {
            return true;
        }
    }
    false
}

/// Whether another rewrite may change a placed function: if two `If`s of one chain ask the same, their arms become one. The schedule may
/// make a branch of selects in front of another one.
pub(super) fn asks_twice(body: &Body) -> bool {
    // By block: the first block of its chain.
    let mut heads: SideTable<Block, Option<Block>> = SideTable::with_capacity(body.blocks.len());
    let mut asked: FxHashSet<(Block, Value)> = FxHashSet::default();
    for event in events(body, body.entry) {
        let Event::Enter { block, kind, parent, .. } = event else { continue };
        let head = if kind == BlockKind::Merge { heads[parent] } else { Some(block) };
        heads[block] = head;
        if let (Exit::If { condition, .. }, Some(head)) = (&body.blocks[block].exit, head)
            && !asked.insert((head, *condition))
        {
            return true;
        }
    }
    false
}
