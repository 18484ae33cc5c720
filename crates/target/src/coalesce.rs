//! Copy coalescing: a block input and its arguments share a variable if their live ranges do not overlap, which saves
//! the copy at the jump.
//!
//! A back end reports the positions at which its output mentions each value, and the pairs to coalesce, in order of
//! decreasing benefit. A value is live from its definition to its last mention. Beyond a budget of visited positions,
//! values keep variables of their own. The method is Chaitin's coalescing (1981), with live positions as intervals
//! instead of an interference graph.

use planish_ir::arena::{Id, SideTable};
use planish_ir::entity::{Block, Local};
use planish_ir::function::{Body, LocalDef};
use smallvec::SmallVec;

use crate::flow::Flow;

/// Maximum number of mentions of a value that may share a variable.
const MOST_MENTIONS: usize = 64;

/// Live positions: sorted half-open ranges `(from, to]`, with gaps between them.
type Ranges = Vec<(u32, u32)>;

/// Values and their equivalence classes.
#[derive(Clone, Debug)]
pub struct Coalescer<'a> {
    body: &'a Body,
    flow: &'a Flow<'a>,
    /// Positions that mention a value.
    mentions: SideTable<Local, SmallVec<[u32; 2]>>,
    /// Values with too many mentions.
    many: SideTable<Local, bool>,
    /// Union-find parent of a value (1 + its number; 0: it is the root).
    parent: SideTable<Local, u32>,
    ranges: SideTable<Local, Option<Ranges>>,
    /// Remaining steps of the budget.
    budget: u64,
}

impl<'a> Coalescer<'a> {
    /// No mentions, and a class for each value.
    pub fn new(body: &'a Body, flow: &'a Flow<'a>) -> Self {
        let locals = body.local_count();
        Coalescer {
            body,
            flow,
            mentions: SideTable::with_capacity(locals),
            many: SideTable::with_capacity(locals),
            parent: SideTable::new(),
            ranges: SideTable::new(),
            budget: (1 << 16) + 64 * (locals + body.blocks.len()) as u64,
        }
    }

    // Mentions. All must precede the first call of `join`.

    /// Adds a mention of a value at a position.
    pub fn mention(&mut self, local: Local, place: u32) {
        if self.mentions[local].contains(&place) {
            return;
        }
        if self.mentions[local].len() < MOST_MENTIONS {
            self.mentions[local].push(place);
        } else {
            self.many[local] = true;
        }
    }

    /// Adds mentions of a value at all positions that mention another.
    pub fn mention_with(&mut self, local: Local, other: Local) {
        if self.many[other] {
            self.many[local] = true;
        }
        for i in 0..self.mentions[other].len() {
            let place = self.mentions[other][i];
            self.mention(local, place);
        }
    }

    /// Whether a value has too many mentions to share a variable.
    pub fn has_many(&self, local: Local) -> bool {
        self.many[local]
    }

    // Classes.

    /// The representative of a value's class.
    pub fn root(&mut self, mut local: Local) -> Local {
        while let Some(up) = self.parent[local].checked_sub(1) {
            let above = Local::new(up as usize);
            if self.parent[above] != 0 {
                self.parent[local] = self.parent[above];
            }
            local = above;
        }
        local
    }

    /// Merges the classes of two values, if their live ranges do not overlap.
    pub fn join(&mut self, a: Local, b: Local) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        for local in [a, b] {
            if self.ranges[local].is_none() {
                self.ranges[local] = self.live(local);
            }
        }
        let (Some(x), Some(y)) = (&self.ranges[a], &self.ranges[b]) else { return };
        let work = (x.len() + y.len()) as u64;
        if self.budget < work || overlap(x, y) {
            return;
        }
        self.budget -= work;
        let mut all: Ranges = [&x[..], &y[..]].concat();
        all.sort_unstable();
        join_touching(&mut all);
        self.ranges[a] = Some(all);
        self.ranges[b] = None;
        self.parent[b] = a.index() as u32 + 1;
    }

    /// Live ranges of a value; `None` if the budget is exhausted.
    fn live(&mut self, local: Local) -> Option<Ranges> {
        let flow = self.flow;
        let (home, made) = match self.body.local(local).def {
            LocalDef::Input(block, _) => (block, flow.start[block]),
            LocalDef::Result(node, _) => (flow.block_at(flow.place[node]), flow.place[node]),
        };
        let mut ranges: Ranges = Vec::new();
        let mut seen: Vec<Block> = Vec::new();
        let mut visited: rustc_hash::FxHashMap<u32, u32> = rustc_hash::FxHashMap::default();
        for &place in &self.mentions[local] {
            let block = flow.block_at(place);
            let from = if block == home { made } else { flow.start[block].saturating_sub(1) };
            let until = visited.entry(flow.start[block]).or_insert(0);
            *until = place.max(*until);
            ranges.push((from, place));
            if block != home {
                seen.extend(flow.preds(block));
            }
        }
        while let Some(block) = seen.pop() {
            self.budget = self.budget.checked_sub(1)?;
            let end = flow.end[block];
            let until = visited.entry(flow.start[block]).or_insert(0);
            if *until == end {
                continue;
            }
            *until = end;
            if block == home {
                ranges.push((made, end));
            } else {
                ranges.push((flow.start[block].saturating_sub(1), end));
                seen.extend(flow.preds(block));
            }
        }
        // Of ranges with the same start, the longest contains the others.
        ranges.sort_unstable_by_key(|r| (r.0, std::cmp::Reverse(r.1)));
        ranges.dedup_by_key(|r| r.0);
        join_touching(&mut ranges);
        Some(ranges)
    }
}

/// Joins ranges where one starts at the end of the previous one.
fn join_touching(ranges: &mut Ranges) {
    ranges.dedup_by(|next, range| {
        let touch = range.1 == next.0;
        if touch {
            range.1 = next.1;
        }
        touch
    });
}

fn overlap(a: &[(u32, u32)], b: &[(u32, u32)]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i].0.max(b[j].0) < a[i].1.min(b[j].1) {
            return true;
        }
        if a[i].1 <= b[j].1 { i += 1 } else { j += 1 }
    }
    false
}
