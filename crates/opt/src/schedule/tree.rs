//! Dominance of blocks by scopes: values of a block may be used in the blocks below it.
//!
//! Besides the blocks of the function there are *select arms*: the branches that an `If` for a `select` would have.

use planish_ir::arena::{Id, SideTable};
use planish_ir::entity::Block;
use planish_ir::function::{Body, Exit};
use planish_ir::walk::{self, BlockKind, Event, events};

use crate::analysis::needs::Needs;

/// A schedule point: a block or a select arm.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub(super) struct Spot(u32);

impl Id for Spot {
    fn new(index: usize) -> Self {
        Spot(index as u32)
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug)]
struct SpotData {
    parent: Spot,
    /// An ancestor some levels up, so that a search takes logarithmic time.
    jump: Spot,
    depth: u32,
    loops: u32,
    /// The first point outside of the innermost loop; itself if it is in none.
    outside: Spot,
    /// The first point outside of some loops more; itself if it is in none.
    far_outside: Spot,
    /// Whether it is part of a loop's condition, which must stay short.
    in_condition: bool,
    /// Number of conditions that it is control dependent on.
    conditions: u32,
    /// The lowest block above it, or itself, whose end is not followed by the next block: an exiting branch.
    way: Option<Spot>,
    /// If it is an exiting branch: everything its end leaves is below this depth.
    leaves: u32,
}

/// Blocks of a chain that are looked at for its end.
const MAX_CHAIN: u32 = 16;

/// The tree of schedule points.
pub(super) struct SpotTree {
    spots: Vec<SpotData>,
    of: SideTable<Block, Option<Spot>>,
    /// Number of those that are blocks; those after are select arms.
    blocks: usize,
}

impl SpotTree {
    /// The reachable blocks that are needed.
    pub(super) fn new(body: &Body, needs: &Needs) -> Self {
        let mut tree = SpotTree { spots: Vec::new(), of: SideTable::with_capacity(body.blocks.len()), blocks: 0 };
        let mut skip: Option<u32> = None;
        for event in events(body, body.entry) {
            let Event::Enter { block, kind, parent, depth } = event else { continue };
            match skip {
                Some(limit) if depth > limit => continue,
                _ => skip = None,
            }
            if needs.drops_construct(block) {
                skip = Some(depth);
            }
            tree.add(body, block, kind, parent);
        }
        tree.blocks = tree.spots.len();
        tree
    }

    fn add(&mut self, body: &Body, block: Block, kind: BlockKind, owner: Block) {
        let spot = if kind == BlockKind::Entry {
            self.push(None)
        } else {
            let is_loop = matches!(body.blocks[owner].exit, Exit::Loop { .. } | Exit::DoLoop { .. });
            let above = match (&body.blocks[owner].exit, kind) {
                // Values of a `while` loop's condition are in scope in all of the loop and after it.
                (Exit::Loop { condition, .. }, BlockKind::LoopBody | BlockKind::Next | BlockKind::Merge) => {
                    self.of[walk::chain_end(body, *condition)].or(self.of[owner])
                }
                _ => self.of[owner],
            };
            let above = above.expect("what dominates a block comes before it");
            let spot = self.push(Some(above));
            let unconditional =
                matches!(kind, BlockKind::Merge | BlockKind::Condition | BlockKind::Next | BlockKind::LabelledBody);
            let behind = self.of[owner].map_or(0, |o| self.spots[o.index()].conditions);
            let data = &mut self.spots[spot.index()];
            data.conditions = if unconditional { behind } else { behind + 1 };
            if let Some(leaves) = self.leaves(body, block, kind, owner) {
                let data = &mut self.spots[spot.index()];
                (data.way, data.leaves) = (Some(spot), leaves);
            }
            let data = &mut self.spots[spot.index()];
            if is_loop {
                let outer = self.of[owner].expect("an owner comes before what it owns");
                let (loops, outside) = (self.spots[outer.index()].loops, self.spots[outer.index()].outside);
                let in_condition = self.spots[outer.index()].in_condition;
                let data = &mut self.spots[spot.index()];
                if kind == BlockKind::Merge {
                    data.loops = loops;
                    data.outside = if loops == 0 { spot } else { outside };
                    data.in_condition = in_condition;
                } else {
                    data.loops = loops + 1;
                    data.outside = outer;
                    data.in_condition = kind == BlockKind::Condition;
                }
            } else if data.loops == 0 {
                data.outside = spot;
            }
            self.spots[spot.index()].far_outside = self.far_outside(spot);
            spot
        };
        self.of[block] = Some(spot);
    }

    /// The first point outside of some of the loops around one: skip pointers, so that a search takes logarithmic time.
    fn far_outside(&self, spot: Spot) -> Spot {
        let of = |spot: Spot| self.spots[spot.index()];
        if of(spot).loops == 0 {
            return spot;
        }
        let next = of(of(spot).outside);
        let far = of(next.far_outside);
        let skips = next.loops - far.loops == far.loops - of(far.far_outside).loops;
        if skips { far.far_outside } else { of(spot).outside }
    }

    /// If a block is one of several exiting branches: the depth below which everything is that its end leaves.
    fn leaves(&self, body: &Body, block: Block, kind: BlockKind, owner: Block) -> Option<u32> {
        let is_way = match kind {
            BlockKind::Then | BlockKind::Otherwise | BlockKind::Case(_) => true,
            BlockKind::Merge => matches!(body.blocks[owner].exit, Exit::Labelled { .. }),
            _ => false,
        };
        let mut end = block;
        for _ in 0..MAX_CHAIN {
            match &body.blocks[end].exit {
                exit if !is_way || exit.merge_block().is_none() => break,
                exit => end = exit.merge_block()?,
            }
        }
        match &body.blocks[end].exit {
            _ if !is_way => None,
            Exit::Return(_) => Some(0),
            Exit::Break(to, _) | Exit::Continue(to, _) => self.of[*to].map(|to| self.depth(to) + 1),
            _ => None,
        }
    }

    /// The lowest exiting branch above a point, or itself, that leaves another above it to where neither is.
    pub(super) fn way(&self, spot: Spot, below: Spot) -> Option<Spot> {
        let way = self.spots[spot.index()].way?;
        let depth = self.depth(below);
        (self.depth(way) > depth && self.spots[way.index()].leaves <= depth).then_some(way)
    }

    /// A new point below another, in the same loops.
    fn push(&mut self, parent: Option<Spot>) -> Spot {
        let spot = Spot(self.spots.len() as u32);
        let Some(parent) = parent else {
            let root = SpotData {
                parent: spot,
                jump: spot,
                depth: 0,
                loops: 0,
                outside: spot,
                far_outside: spot,
                in_condition: false,
                conditions: 0,
                way: None,
                leaves: 0,
            };
            self.spots.push(root);
            return spot;
        };
        let above = self.spots[parent.index()];
        let jump = self.spots[above.jump.index()];
        let skips = above.depth - jump.depth == jump.depth - self.spots[jump.jump.index()].depth;
        self.spots.push(SpotData {
            parent,
            jump: if skips { jump.jump } else { parent },
            depth: above.depth + 1,
            loops: above.loops,
            outside: above.outside,
            far_outside: above.far_outside,
            in_condition: above.in_condition,
            conditions: above.conditions,
            way: above.way,
            leaves: 0,
        });
        spot
    }

    /// The two arms of a conditional at a point.
    pub(super) fn add_sides(&mut self, at: Spot) -> [Spot; 2] {
        let sides = [self.push(Some(at)), self.push(Some(at))];
        sides.iter().for_each(|s| self.spots[s.index()].conditions += 1);
        sides
    }

    /// Whether a point is a block, rather than a select arm.
    pub(super) fn is_block(&self, spot: Spot) -> bool {
        spot.index() < self.blocks
    }

    pub(super) fn len(&self) -> usize {
        self.spots.len()
    }

    /// The point of a block, if it is reached and needed.
    pub(super) fn of(&self, block: Block) -> Option<Spot> {
        self.of[block]
    }

    pub(super) fn depth(&self, spot: Spot) -> u32 {
        self.spots[spot.index()].depth
    }

    pub(super) fn in_condition(&self, spot: Spot) -> bool {
        self.spots[spot.index()].in_condition
    }

    /// Number of loops around a schedule point.
    pub(super) fn loops(&self, spot: Spot) -> u32 {
        self.spots[spot.index()].loops
    }

    /// The first point outside of the innermost loop around a point.
    pub(super) fn outside(&self, spot: Spot) -> Spot {
        self.spots[spot.index()].outside
    }

    /// Number of conditions that a schedule point is control dependent on.
    pub(super) fn conditions(&self, spot: Spot) -> u32 {
        self.spots[spot.index()].conditions
    }

    /// The point right below another on the path to a third below that.
    pub(super) fn towards(&self, from: Spot, to: Spot) -> Spot {
        self.at_depth(to, self.depth(from) + 1)
    }

    /// The ancestor of a point at a depth that is not below it.
    fn at_depth(&self, mut spot: Spot, depth: u32) -> Spot {
        while self.spots[spot.index()].depth > depth {
            let data = self.spots[spot.index()];
            spot = if self.spots[data.jump.index()].depth >= depth { data.jump } else { data.parent };
        }
        spot
    }

    /// The lowest point above both.
    pub(super) fn common(&self, a: Spot, b: Spot) -> Spot {
        let depth = self.depth(a).min(self.depth(b));
        let (mut a, mut b) = (self.at_depth(a, depth), self.at_depth(b, depth));
        while a != b {
            let (da, db) = (self.spots[a.index()], self.spots[b.index()]);
            (a, b) = if da.jump != db.jump { (da.jump, db.jump) } else { (da.parent, db.parent) };
        }
        a
    }

    /// Whether a point is another or above it.
    pub(super) fn is_above(&self, above: Spot, below: Spot) -> bool {
        self.depth(above) <= self.depth(below) && self.at_depth(below, self.depth(above)) == above
    }

    /// The point in the fewest loops between one and another above it; the lowest of those.
    pub(super) fn out_of_loops(&self, early: Spot, late: Spot) -> Spot {
        let mut best = late;
        let (loops, depth) = (self.loops(early), self.depth(early));
        // The points above `late` are totally ordered.
        let fits = |spot: Spot| self.depth(spot) >= depth && self.loops(spot) >= loops;
        debug_assert!(self.is_above(early, late), "operands are bound above their users");
        loop {
            let data = self.spots[best.index()];
            if data.loops <= loops {
                return best;
            }
            best = match (fits(data.far_outside), fits(data.outside)) {
                (true, _) => data.far_outside,
                (false, true) => data.outside,
                (false, false) => return best,
            };
        }
    }
}
