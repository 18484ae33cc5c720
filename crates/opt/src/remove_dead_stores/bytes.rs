//! Dead stores to byte memories.
//!
//! ```text
//! before: memory_store[memory0 u32] %p, %a            after: memory_store[memory0 u32] %p, %b
//!         memory_store[memory0 u32 in_bounds] %p, %b
//! ```
//!
//! Goes backwards over the blocks with the bytes that will be overwritten on all paths before they may be seen: by a load, a call, or
//! by the embedder after a trap or an interruption. So nothing is carried over the begin or the end of a loop. Each block is
//! looked at once: O(nodes) for [`MOST`] places.
//!
//! A store that is known to be in bounds goes if its bytes are overwritten. Any other may trap, too: it goes only if the next
//! thing that happens is a store to the same place, which then traps in its stead and so loses its mark `in_bounds`.

use planish_ir::aliasing::bytes::Bytes;
use planish_ir::arena::SideTable;
use planish_ir::entity::{Block, Node, Value};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::{Effect, MemArg, Op};
use planish_ir::tree::Tree;
use planish_ir::walk;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::successors;
use crate::analysis::summaries::Summaries;

/// Maximum number of places that are known to be overwritten at a point.
const MOST: usize = 32;

/// Places that are overwritten before they are seen.
type Overwritten = SmallVec<[Bytes; 8]>;

/// Dead stores of a function.
#[derive(Default)]
pub(super) struct Dead {
    /// The stores.
    pub(super) stores: FxHashSet<Node>,
    /// The stores whose mark `in_bounds` rests on one of them.
    pub(super) unmarked: FxHashSet<Node>,
}

/// A function that is gone through backwards.
struct Search<'a> {
    module: &'a Module,
    body: &'a Body,
    summaries: &'a Summaries,
    roots: FxHashSet<Value>,
    overwritten: Overwritten,
    /// The store that is the next thing that happens, if one is.
    next: Option<(Node, Value, MemArg)>,
    dead: Dead,
}

/// Whether a function may have dead stores to byte memories.
pub(super) fn has_candidates(module: &Module, body: &Body) -> bool {
    let nodes = || walk::blocks(body).flat_map(|b| body.blocks[b].nodes.iter());
    !module.memories.is_empty() && nodes().filter(|&&n| body.node(n).op == Op::MemoryStore).nth(1).is_some()
}

/// Finds the dead stores of a function.
pub(super) fn find(module: &Module, body: &Body, summaries: &Summaries) -> Dead {
    let blocks: Vec<Block> = walk::blocks(body).collect();
    let nodes = blocks.iter().flat_map(|&b| body.blocks[b].nodes.iter());
    let stores = nodes.filter(|&&n| body.node(n).op == Op::MemoryStore);
    let roots = stores.filter_map(|&n| Bytes::of(module, body, body.args(n)[0], body.node(n).imm.as_mem_arg()).root);
    let mut search = Search {
        module,
        body,
        summaries,
        roots: roots.collect(),
        overwritten: Overwritten::new(),
        next: None,
        dead: Dead::default(),
    };
    let tree = Tree::new(body);
    let mut entered: SideTable<Block, Option<Overwritten>> = SideTable::new();
    for &block in blocks.iter().rev() {
        search.overwritten = after(body, &tree, block, &entered);
        search.next = None;
        search.block(block);
        entered[block] = Some(std::mem::take(&mut search.overwritten));
    }
    search.dead
}

/// The places that are overwritten after a block on all paths.
fn after(body: &Body, tree: &Tree, block: Block, entered: &SideTable<Block, Option<Overwritten>>) -> Overwritten {
    match body.blocks[block].exit {
        Exit::Loop { .. } | Exit::DoLoop { .. } | Exit::LoopIf { .. } | Exit::Continue(..) => Overwritten::new(),
        _ => {
            let next = successors(body, tree, block);
            let known = next.iter().map(|&b| entered[b].clone().unwrap_or_default());
            known.reduce(|a, b| common(&a, &b)).unwrap_or_default()
        }
    }
}

/// The places that are covered by places of both.
fn common(a: &Overwritten, b: &Overwritten) -> Overwritten {
    let covered = |by: &Overwritten, bytes: &Bytes| by.iter().any(|o| o.covers(bytes));
    let mut both: Overwritten = a.iter().filter(|bytes| covered(b, bytes)).copied().collect();
    let more: Overwritten = b.iter().filter(|bytes| covered(a, bytes) && !both.contains(bytes)).copied().collect();
    both.extend(more);
    both.truncate(MOST);
    both
}

impl Search<'_> {
    fn block(&mut self, block: Block) {
        let data = &self.body.blocks[block];
        for &node in data.nodes.iter().rev() {
            self.node(node);
            self.body.results(node).for_each(|result| self.begins(result.into()));
        }
        data.inputs.iter().for_each(|&input| self.begins(input.into()));
    }

    /// Before a value is bound, the places that it is the root of are others.
    fn begins(&mut self, value: Value) {
        if self.roots.contains(&value) {
            self.overwritten.retain(|bytes| bytes.root != Some(value));
        }
        if self.next.is_some_and(|(_, address, _)| address == value) {
            self.next = None;
        }
    }

    fn node(&mut self, node: Node) {
        let data = self.body.node(node);
        let args = self.body.args(node);
        match data.op.info().effect {
            Effect::Pure | Effect::Quad | Effect::Subgroup | Effect::Load | Effect::NewToken | Effect::ImageLoad => {}
            Effect::Store | Effect::Modify | Effect::ImageStore | Effect::ImageModify => self.next = None,
            Effect::MemoryLoad if data.op == Op::MemorySize => {}
            Effect::MemoryLoad if data.imm.as_mem_arg().in_bounds => {
                let read = Bytes::of(self.module, self.body, args[0], data.imm.as_mem_arg());
                self.overwritten.retain(|bytes| !read.may_meet(self.module, bytes));
                self.next = None;
            }
            Effect::MemoryStore => self.store(node, args[0], data.imm.as_mem_arg()),
            Effect::Call if self.summaries.of_call(data.op, args).is_some_and(|s| s.is_function && !s.has_loops) => {}
            _ => {
                self.overwritten.clear();
                self.next = None;
            }
        }
    }

    fn store(&mut self, node: Node, address: Value, arg: MemArg) {
        let bytes = Bytes::of(self.module, self.body, address, arg);
        let instead = self.next.filter(|&(_, other, next)| {
            let same = other == address && next.memory == arg.memory && next.end() == arg.end();
            same && next.width.bytes() >= arg.width.bytes()
        });
        match instead {
            _ if arg.in_bounds && self.overwritten.iter().any(|o| o.covers(&bytes)) => {
                self.dead.stores.insert(node);
                return;
            }
            Some((next, ..)) if !arg.in_bounds => {
                self.dead.stores.insert(node);
                self.dead.unmarked.insert(next);
                return;
            }
            _ => {}
        }
        self.next = Some((node, address, arg));
        if !arg.in_bounds {
            // It may trap.
            self.overwritten.clear();
        } else if self.overwritten.len() < MOST {
            self.overwritten.push(bytes);
        }
    }
}
