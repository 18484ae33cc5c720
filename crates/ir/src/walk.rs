//! Walking a function's tree of blocks without recursion, in the order of the dump: a block, its sub-blocks, its merge
//! block.

use smallvec::SmallVec;

use crate::arena::Id;
use crate::entity::Block;
use crate::function::{Body, Exit};
use crate::source::Span;

/// Role of a block for its parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockKind {
    /// The function begins here.
    Entry,
    /// Arm of an `If`.
    Then,
    /// Arm of an `If`.
    Otherwise,
    /// Condition of a `Loop` or `DoLoop`.
    Condition,
    /// Body of a `Loop` or `DoLoop`.
    LoopBody,
    /// Continue block of a `Loop`.
    Next,
    /// Case of a `Switch`, by number.
    Case(u32),
    /// Body of a `Labelled`.
    LabelledBody,
    /// Merge block.
    Merge,
}

/// Action after a callback of [`visit`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// The sub-blocks, then the merge block.
    SubBlocks,
    /// The merge block only.
    SkipToMerge,
    /// Nothing more.
    Stop,
}

/// A step of [`events`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A block begins. `depth` counts the constructs around it.
    Enter {
        /// The block.
        block: Block,
        /// Role for the parent.
        kind: BlockKind,
        /// The block it hangs from (itself for the entry block).
        parent: Block,
        /// Constructs around it.
        depth: u32,
    },
    /// The chain of merges that began with this block has been walked to its end.
    Leave {
        /// The first block of the chain.
        block: Block,
        /// Role for the parent.
        kind: BlockKind,
    },
}

/// The sub-blocks of an exit with what they are, in the order of the dump.
pub fn sub_blocks(exit: &Exit) -> impl Iterator<Item = (Block, BlockKind)> + use<> {
    let blocks = exit.sub_blocks();
    let kinds: fn(usize) -> BlockKind = match exit {
        Exit::If { .. } => |i| if i == 0 { BlockKind::Then } else { BlockKind::Otherwise },
        Exit::Loop { .. } => |i| [BlockKind::Condition, BlockKind::LoopBody, BlockKind::Next][i],
        Exit::DoLoop { .. } => |i| [BlockKind::LoopBody, BlockKind::Condition][i],
        Exit::Switch { .. } => |i| BlockKind::Case(i as u32),
        _ => |_| BlockKind::LabelledBody,
    };
    blocks.into_iter().enumerate().map(move |(i, b)| (b, kinds(i)))
}

/// As [`sub_blocks`], the last first: for stacks.
fn each_sub_block_backwards(exit: &Exit, mut f: impl FnMut(Block, BlockKind)) {
    match exit {
        Exit::If { then, otherwise, .. } => {
            f(*otherwise, BlockKind::Otherwise);
            f(*then, BlockKind::Then);
        }
        Exit::Loop { condition, body, next, .. } => {
            next.iter().for_each(|&next| f(next, BlockKind::Next));
            f(*body, BlockKind::LoopBody);
            f(*condition, BlockKind::Condition);
        }
        Exit::DoLoop { body, condition, .. } => {
            f(*condition, BlockKind::Condition);
            f(*body, BlockKind::LoopBody);
        }
        Exit::Switch { cases, .. } => {
            cases.iter().enumerate().rev().for_each(|(i, case)| f(case.block, BlockKind::Case(i as u32)));
        }
        Exit::Labelled { body, .. } => f(*body, BlockKind::LabelledBody),
        _ => {}
    }
}

/// Whether the blocks form a tree, so that they can be walked: every block that can be reached exists and hangs from one
/// other block. So it is in every valid module; for code that must do with any.
pub fn is_tree(body: &Body) -> bool {
    let mut seen = vec![false; body.blocks.len()];
    let mut stack = vec![body.entry];
    while let Some(block) = stack.pop() {
        match seen.get_mut(block.index()) {
            Some(seen) if !*seen => *seen = true,
            _ => return false,
        }
        let exit = &body.blocks[block].exit;
        stack.extend(exit.sub_blocks());
        stack.extend(exit.merge_block());
    }
    true
}

/// Last block of the merge chain that goes on with `block`: the one whose exit leaves the chain. O(length of the chain).
pub fn chain_end(body: &Body, mut block: Block) -> Block {
    while let Some(merge) = body.blocks[block].exit.merge_block() {
        block = merge;
    }
    block
}

/// Whether the chain that begins with an arm of an `If` never gets to the merge block by its end.
pub fn leaves(body: &Body, arm: Block) -> bool {
    !matches!(body.blocks[chain_end(body, arm)].exit, Exit::Merge(_))
}

/// The place of the first construct with at least `most` of those that `counts` takes (by owner) around it, and that is one
/// itself.
pub fn deeper_than(body: &Body, most: usize, counts: impl Fn(Block) -> bool) -> Option<Span> {
    let mut around: Vec<bool> = vec![];
    let mut depth = 0;
    for event in events(body, body.entry) {
        match event {
            Event::Enter { kind: BlockKind::Merge | BlockKind::Entry, .. }
            | Event::Leave { kind: BlockKind::Merge | BlockKind::Entry, .. } => {}
            Event::Enter { parent, .. } => {
                around.push(counts(parent));
                depth += usize::from(counts(parent));
                if depth > most {
                    return Some(body.blocks[parent].exit_span);
                }
            }
            Event::Leave { .. } => depth -= usize::from(around.pop() == Some(true)),
        }
    }
    None
}

/// The blocks of the construct that ends `owner`, without its merge block and what follows that. O(their number).
pub fn inside(body: &Body, owner: Block) -> impl Iterator<Item = Block> + '_ {
    let entered = |event| match event {
        Event::Enter { block, .. } => Some(block),
        Event::Leave { .. } => None,
    };
    let chains = body.blocks[owner].exit.sub_blocks();
    chains.into_iter().flat_map(move |chain| events(body, chain).filter_map(entered))
}

/// Number of nodes that blocks list: of a placed function, all.
pub fn node_count(body: &Body) -> usize {
    blocks(body).map(|b| body.blocks[b].nodes.len()).sum()
}

/// All steps of the walk from `start` on; its chain of merges included. Memory is bounded by the nesting depth and the
/// number of cases, not by the length of the program.
pub fn events(body: &Body, start: Block) -> Events<'_> {
    let kind = if start == body.entry { BlockKind::Entry } else { BlockKind::Merge };
    Events { body, stack: vec![Step::Enter { block: start, kind, parent: start, depth: 0, head: (start, kind) }] }
}

#[derive(Clone, Copy)]
enum Step {
    Enter { block: Block, kind: BlockKind, parent: Block, depth: u32, head: (Block, BlockKind) },
    Leave { block: Block, kind: BlockKind },
}

/// Iterator of [`events`].
pub struct Events<'a> {
    body: &'a Body,
    stack: Vec<Step>,
}

impl Iterator for Events<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        match self.stack.pop()? {
            Step::Leave { block, kind } => Some(Event::Leave { block, kind }),
            Step::Enter { block, kind, parent, depth, head } => {
                let exit = &self.body.blocks[block].exit;
                match exit.merge_block() {
                    Some(merge) => {
                        self.stack.push(Step::Enter {
                            block: merge,
                            kind: BlockKind::Merge,
                            parent: block,
                            depth,
                            head,
                        });
                    }
                    None => self.stack.push(Step::Leave { block: head.0, kind: head.1 }),
                }
                each_sub_block_backwards(exit, |sub, kind| {
                    let head = (sub, kind);
                    self.stack.push(Step::Enter { block: sub, kind, parent: block, depth: depth + 1, head });
                });
                Some(Event::Enter { block, kind, parent, depth })
            }
        }
    }
}

/// All reachable blocks, in the order of the dump.
pub fn blocks(body: &Body) -> impl Iterator<Item = Block> {
    let mut stack: SmallVec<[Block; 32]> = SmallVec::new();
    let mut next = Some(body.entry);
    // The next block is kept apart from the stack, which is faster: every pass walks, and often.
    std::iter::from_fn(move || {
        let block = next?;
        next = match &body.blocks[block].exit {
            Exit::If { then, otherwise, merge, .. } => {
                stack.push(*merge);
                stack.push(*otherwise);
                Some(*then)
            }
            Exit::Labelled { body: first, merge } => {
                stack.push(*merge);
                Some(*first)
            }
            Exit::NextBlock { merge } => Some(*merge),
            exit => {
                if let Some(merge) = exit.merge_block() {
                    stack.push(merge);
                    each_sub_block_backwards(exit, |sub, _| stack.push(sub));
                }
                stack.pop()
            }
        };
        Some(block)
    })
}

/// Calls `f` for each reachable block; its answer says where to go on.
pub fn visit(body: &Body, mut f: impl FnMut(Block, BlockKind) -> Next) {
    let mut stack = vec![(body.entry, BlockKind::Entry)];
    while let Some((block, kind)) = stack.pop() {
        let next = f(block, kind);
        if next == Next::Stop {
            return;
        }
        let exit = &body.blocks[block].exit;
        stack.extend(exit.merge_block().map(|m| (m, BlockKind::Merge)));
        if next == Next::SubBlocks {
            each_sub_block_backwards(exit, |sub, kind| stack.push((sub, kind)));
        }
    }
}
