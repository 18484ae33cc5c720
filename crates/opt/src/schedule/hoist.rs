//! Loads of byte memories that begin a loop and give the same value in each of its iterations.
//!
//! ```text
//! before: b0: loop …                                  after: b0: %0 = memory_load[memory0 u32] %p
//!         b1: %0 = memory_load[memory0 u32] %p               loop …
//!             memory_store[memory0 u32 offset 4] %p, …        b1: memory_store[memory0 u32 offset 4] %p, …
//! ```
//!
//! The first block of a loop runs at least once, and so do blocks that it leads to without a condition. A load in them leaves the loop if before it there is nothing that has an effect or
//! may trap, so that its own trap comes neither where there was none nor before something else; if its address is made outside;
//! and if no write in the loop may change its bytes. It moves to the end of the block before, from where it may leave the next
//! loop. O(n) for n nodes and blocks.

use planish_ir::aliasing::bytes::{Bytes, may_be_one_memory};
use planish_ir::arena::{Id, SideTable};
use planish_ir::entity::{Block, Const, Memory, Node, Value};
use planish_ir::function::{Body, Exit, LocalDef};
use planish_ir::module::Module;
use planish_ir::ops::{Effect, Op};
use planish_ir::walk;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::analysis::needs::Needs;
use crate::analysis::summaries::Summaries;

/// Maximum number of places that a loop is known to write; of one that writes to more, nothing is known.
const MOST_WRITES: usize = 16;

/// Loops that a load leaves in the mean at most: in a deep nest each load could leave as many as there are loads.
const MOST_LEFT: u64 = 8;

/// The writes of a loop to byte memories.
#[derive(Clone, Debug, Default)]
struct Writes {
    /// Whether it may write to any byte memory.
    all: bool,
    /// Memories that it may write to anywhere.
    memories: SmallVec<[Memory; 1]>,
    places: SmallVec<[Bytes; 4]>,
}

impl Writes {
    fn add(&mut self, other: &Writes) {
        self.all |= other.all;
        other.memories.iter().for_each(|&memory| self.add_memory(memory));
        other.places.iter().for_each(|&place| self.add_place(place));
    }

    fn add_memory(&mut self, memory: Memory) {
        if !self.all && !self.memories.contains(&memory) {
            self.memories.push(memory);
            self.all |= self.memories.len() > MOST_WRITES;
        }
    }

    fn add_place(&mut self, place: Bytes) {
        if self.all || self.places.contains(&place) {
            return;
        }
        self.places.push(place);
        self.all |= self.places.len() > MOST_WRITES;
    }

    fn may_change(&self, module: &Module, bytes: &Bytes) -> bool {
        let memory = |&m: &Memory| may_be_one_memory(module, m, bytes.memory);
        self.all || self.memories.iter().any(memory) || self.places.iter().any(|place| place.may_meet(module, bytes))
    }
}

/// A function whose loops are looked at.
struct Hoist<'a> {
    module: &'a Module,
    needs: &'a Needs,
    summaries: &'a Summaries,
    /// By block: 1 + the innermost loop around it, by its number in `owners`.
    around: SideTable<Block, u32>,
    /// By loop: the block that it ends, in the order of the walk.
    owners: Vec<Block>,
    /// By that block: 1 + the number of the loop.
    numbers: SideTable<Block, u32>,
    /// By loop: the number of loops around it, itself included.
    depths: Vec<u32>,
}

/// Moves loads out of loops. Returns how many.
pub(super) fn hoist_loads(module: &Module, body: &mut Body, needs: &Needs, summaries: &Summaries) -> u64 {
    if module.memories.is_empty() {
        return 0;
    }
    let blocks: Vec<Block> = walk::blocks(body).filter(|&b| needs.tree.place(b).is_some()).collect();
    let (around, numbers) = (SideTable::with_capacity(body.blocks.len()), SideTable::new());
    let mut hoist = Hoist { module, needs, summaries, around, owners: Vec::new(), numbers, depths: Vec::new() };
    hoist.find_loops(body, &blocks);
    // Each load that leaves several loops begins the innermost.
    if (0..hoist.owners.len()).all(|number| hoist.leading_loads(body, number).is_empty()) {
        return 0;
    }
    let mut writes = vec![Writes::default(); hoist.owners.len()];
    for &block in &blocks {
        let Some(inner) = (hoist.around[block] as usize).checked_sub(1) else { continue };
        hoist.add_writes(body, block, &mut writes[inner]);
    }
    let mut bound = hoist.bound_in(body, &blocks);
    let mut moved = 0;
    // Inner loops first: their owners are walked later.
    for number in (0..hoist.owners.len()).rev() {
        if moved > MOST_LEFT * body.node_count() as u64 {
            break;
        }
        let owner = hoist.owners[number];
        let loads = hoist.loads_that_leave(body, number, &writes[number], &bound);
        moved += loads.len() as u64;
        let depth = hoist.depth(owner);
        loads.iter().for_each(|&(_, load)| bound[load] = depth);
        let gone: FxHashSet<Node> = loads.iter().map(|&(_, load)| load).collect();
        for left in loads.chunk_by(|a, b| a.0 == b.0) {
            body.blocks[left[0].0].nodes.retain(|node| !gone.contains(node));
        }
        body.blocks[owner].nodes.extend(loads.into_iter().map(|(_, load)| load));
        if let Some(outer) = (hoist.around[owner] as usize).checked_sub(1) {
            let inner = std::mem::take(&mut writes[number]);
            writes[outer].add(&inner);
        }
    }
    moved
}

/// The block that a loop begins with.
fn first_block(body: &Body, owner: Block) -> Option<Block> {
    match body.blocks[owner].exit {
        Exit::Loop { condition, .. } => Some(condition),
        _ => body_block(body, owner),
    }
}

/// The first block of the body of a loop.
fn body_block(body: &Body, owner: Block) -> Option<Block> {
    match body.blocks[owner].exit {
        Exit::Loop { body, .. } | Exit::DoLoop { body, .. } => Some(body),
        _ => None,
    }
}

impl Hoist<'_> {
    fn find_loops(&mut self, body: &Body, blocks: &[Block]) {
        for &block in blocks {
            let parent = self.needs.tree.place(block).and_then(|place| place.owner);
            self.around[block] = match parent {
                Some(owner) if matches!(body.blocks[owner].exit, Exit::Loop { .. } | Exit::DoLoop { .. }) => {
                    if self.numbers[owner] == 0 {
                        self.depths.push(self.depth(owner) + 1);
                        self.owners.push(owner);
                        self.numbers[owner] = self.owners.len() as u32;
                    }
                    self.numbers[owner]
                }
                Some(owner) => self.around[owner],
                None => 0,
            };
        }
    }

    /// Number of loops around a block.
    fn depth(&self, block: Block) -> u32 {
        (self.around[block] as usize).checked_sub(1).map_or(0, |inner| self.depths[inner])
    }

    fn add_writes(&self, body: &Body, block: Block, to: &mut Writes) {
        for &node in &body.blocks[block].nodes {
            let (data, args) = (body.node(node), body.args(node));
            match data.op.info().effect {
                Effect::MemoryStore => {
                    to.add_place(Bytes::of(self.module, body, args[0], data.imm.as_mem_arg()));
                }
                Effect::MemoryModify if data.op == Op::MemoryGrow => {}
                Effect::MemoryModify => to.add_memory(Memory::from_u32(data.imm.as_pair().0)),
                Effect::World => to.all = true,
                Effect::Call => to.all |= self.summaries.of_call(data.op, args).is_none_or(|s| s.bytes),
                _ => {}
            }
        }
    }

    /// By node: the largest number of loops around something that it is made of and that a block binds.
    fn bound_in(&self, body: &Body, blocks: &[Block]) -> SideTable<Node, u32> {
        let mut bound: SideTable<Node, u32> = SideTable::with_capacity(body.node_count());
        let mut listed: SideTable<Node, bool> = SideTable::with_capacity(body.node_count());
        for &block in blocks {
            for &node in &body.blocks[block].nodes {
                (listed[node], bound[node]) = (true, self.depth(block));
            }
        }
        for index in 0..body.node_count() {
            let node = Node::new(index);
            if !listed[node] {
                bound[node] = body.args(node).iter().map(|&a| self.bound_at(body, a, &bound)).max().unwrap_or(0);
            }
        }
        bound
    }

    fn bound_at(&self, body: &Body, value: Value, bound: &SideTable<Node, u32>) -> u32 {
        match value.as_local().map(|local| body.local(local).def) {
            Some(LocalDef::Result(node, _)) => bound[node],
            Some(LocalDef::Input(block, _)) => self.depth(block),
            None => 0,
        }
    }

    /// The loads at the begin of a loop that leave it, with their blocks.
    fn loads_that_leave(
        &self,
        body: &Body,
        number: usize,
        writes: &Writes,
        bound: &SideTable<Node, u32>,
    ) -> Vec<(Block, Node)> {
        let mut loads = Vec::new();
        for (block, node) in self.leading_loads(body, number) {
            let (address, arg) = (body.args(node)[0], body.node(node).imm.as_mem_arg());
            let is_outside = self.bound_at(body, address, bound) < self.depths[number];
            if is_outside && !writes.may_change(self.module, &Bytes::of(self.module, body, address, arg)) {
                loads.push((block, node));
            } else if !arg.in_bounds {
                break;
            }
        }
        loads
    }

    /// The loads at the begin of a loop, with their blocks: all that runs at once, up to an effect or something else that may
    /// trap.
    fn leading_loads(&self, body: &Body, number: usize) -> Vec<(Block, Node)> {
        let mut loads = Vec::new();
        let mut next = first_block(body, self.owners[number]);
        while let Some(block) = next {
            for &node in body.blocks[block].nodes.iter().filter(|&&n| !self.needs.drops(n)) {
                let op = body.node(node).op;
                match op.info().effect {
                    Effect::MemoryLoad if op == Op::MemoryLoad => loads.push((block, node)),
                    Effect::MemoryLoad | Effect::Load | Effect::ImageLoad => {}
                    _ => return loads,
                }
            }
            next = match body.blocks[block].exit {
                Exit::LoopIf { condition, .. } if condition == Const::TRUE.into() => {
                    body_block(body, self.owners[number]).filter(|&other| other != block)
                }
                Exit::Labelled { body, .. } => Some(body),
                Exit::NextBlock { merge } => Some(merge),
                _ => None,
            };
        }
        loads
    }
}
