//! Removes stores to memory whose value cannot be read: those that are overwritten on all paths before they may be read, and
//! those to variables that end with the function.
//!
//! ```text
//! before: store @a, 1.0                        after: store @a, 2.0
//!         store @a, 2.0                               %0 = load @a
//!         %0 = load @a                                call @f, %0
//!         store @local, 3.0
//!         call @f, %0
//! ```
//!
//! Goes backwards over the tree of blocks with the set of places that will certainly be overwritten before they are read;
//! at branches it is the intersection over all successors, and predecessors of a changed block are visited again. A place is a
//! variable or pointer parameter with constant steps into it, or a pointer by itself, which is known only from where it is made.
//! Stores to all parts of a place are as one to the place ([`families`]).
//! Time is O(n log n) for each 64 places, of which [`MAX_PLACES`] are looked at.
//!
//! Stores to byte memories are found by themselves ([`bytes`]).
//!
//! Holds before: placed functions. Left alone: volatile and coherent memory; and what other invocations, a caller or a callee
//! may see in between: calls, barriers, traps and the end of the function read whatever is not the function's own.

mod bytes;
mod families;

use std::collections::BinaryHeap;

use planish_ir::aliasing;
use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::constant::ConstValue;
use planish_ir::decoration::{Decoration, Decorations};
use planish_ir::entity::{Block, Func, Node, Value, Var};
use planish_ir::function::{Body, Exit, Form};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Effect, MemArg, Op};
use planish_ir::tree::Tree;
use planish_ir::types::AddressSpace;
use planish_ir::walk::{self, BlockKind};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::analysis::call_graph::CallGraph;
use crate::analysis::summaries::Summaries;
use crate::context::Context;
use crate::restage::{Root, Stage, copy_node, is_pointer, restage, root};
use bytes::Dead;
use families::Content;

/// Places of one function that are looked at; the stores to more of them stay.
const MAX_PLACES: usize = 256;

/// Runs on every function.
pub fn run(module: &mut Module, context: &mut Context) {
    let graph = CallGraph::new(module);
    let mut summaries = None;
    for func in graph.callees_first() {
        let Some(body) = module.funcs[func].body.as_ref().filter(|b| b.form == Form::Placed) else { continue };
        let is_entry = module.entry_points.iter().any(|e| e.func == func && e.stage.is_some());
        let memory = Memory { module, func, body, ends: is_entry && graph.calls_of(func) == 0 };
        let places = memory.candidates();
        let has_bytes = bytes::has_candidates(module, body);
        if places.is_empty() && !has_bytes {
            continue;
        }
        let summaries = summaries.get_or_insert_with(|| Summaries::with_graph(module, &graph));
        let mut dead = if has_bytes { bytes::find(module, body, summaries) } else { Dead::default() };
        if !places.is_empty() {
            dead.stores.extend(Search::new(memory, summaries).dead_among(&places));
        }
        if !dead.stores.is_empty() {
            context.count("StoresRemoved", dead.stores.len() as u64);
            context.changed_by(dead.stores.len() as u64);
            restage(module, func, Policy::PLAIN, &mut Without(dead));
        }
    }
}

struct Without(Dead);

impl Stage for Without {
    fn node(&mut self, source: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let data = source.node(node);
        if !self.0.unmarked.contains(&node) {
            return copy_node(source, node, args, builder);
        }
        let imm = MemArg { in_bounds: false, ..data.imm.as_mem_arg() }.into();
        let ty = source.result(node).map(|r| source.local_type(r));
        builder.make_all(Request { op: data.op, imm, args, ty, precision: Some(data.precision) })
    }

    fn drops(&self, node: Node) -> bool {
        self.0.stores.contains(&node)
    }
}

/// The pointee of a pointer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Place {
    root: Root,
    /// The steps into it, as far as they are constant.
    steps: SmallVec<[u64; 4]>,
    /// The pointer, if there are other steps.
    pointer: Option<Value>,
}

impl Place {
    /// Whether writing here writes all of the other place.
    fn covers(&self, other: &Place) -> bool {
        match self.pointer {
            Some(_) => self == other,
            None => self.root == other.root && other.steps.starts_with(&self.steps),
        }
    }

    /// Whether both are in one variable and may have something in common.
    fn meets(&self, other: &Place) -> bool {
        self.root == other.root && self.steps.iter().zip(&other.steps).all(|(a, b)| a == b)
    }
}

/// A memory effect of a node or block, for the backward analysis.
enum Event {
    /// All of the place is written; the store, if it may go.
    Write(Place, Option<Node>),
    /// The place may be read.
    Read(Place),
    /// All memory that is not the function's own may be read.
    ReadOthers,
    /// Anything may be read.
    ReadAll,
    /// A pointer is made: before, it is not known.
    Made(Value),
    /// A variable is declared: its former content is lost.
    Begins(Var),
}

/// Places by number, up to 64, and sets of them as bits.
struct Places<'a> {
    all: &'a [Place],
    /// Those whose memory ends with the function.
    own: u64,
    /// Those that end when the function returns.
    end: u64,
    /// Those all of whose parts are among them, with these.
    families: Vec<(u64, u64)>,
}

impl Places<'_> {
    /// The set with all places whose parts are in it.
    fn close(&self, bits: u64) -> u64 {
        self.families.iter().fold(bits, |bits, (whole, parts)| if bits & parts == *parts { bits | whole } else { bits })
    }

    /// The set of places with a property.
    fn that(&self, is: impl Fn(&Place) -> bool) -> u64 {
        self.all.iter().enumerate().filter(|(_, p)| is(p)).fold(0, |bits, (i, _)| bits | 1 << i)
    }
}

/// The memory that a function uses.
struct Memory<'a> {
    module: &'a Module,
    func: Func,
    body: &'a Body,
    /// Whether private variables end with the function.
    ends: bool,
}

impl Memory<'_> {
    /// The places whose stores may go: those in variables that end here, and those in variables that are stored to more than
    /// once.
    fn candidates(&self) -> Vec<Place> {
        let mut stores: FxHashMap<Root, (u32, Vec<Place>)> = FxHashMap::default();
        let mut order: Vec<Root> = Vec::new();
        let mut seen: FxHashSet<Place> = FxHashSet::default();
        for node in walk::blocks(self.body).flat_map(|b| self.body.blocks[b].nodes.iter().copied()) {
            if self.body.node(node).op != Op::Store {
                continue;
            }
            let Some(place) = self.place(self.body.args(node)[0]).filter(|_| self.may_go(node)) else { continue };
            let known = stores.entry(place.root).or_default();
            if known.0 == 0 {
                order.push(place.root);
            }
            known.0 += 1;
            let lanes = self.lanes(self.body.args(node)[0]);
            known.1.extend(lanes.chain([place]).filter(|place| seen.insert(place.clone())));
        }
        let mut places = Vec::new();
        for root in order {
            let (count, found) = stores.remove(&root).expect("it was found");
            if count > 1 || self.is_own(root) || self.ends_here(root) {
                let between = self.between(&found, &seen);
                places.extend(found.into_iter().chain(between));
            }
        }
        places.truncate(MAX_PLACES);
        places
    }

    /// Places that no store is to, but stores to all their parts, in a larger place that one is to.
    fn between(&self, found: &[Place], known: &FxHashSet<Place>) -> Vec<Place> {
        let mut between: Vec<Place> = Vec::new();
        for place in found.iter().filter(|p| p.pointer.is_none()) {
            let mut new = Vec::new();
            if families::is_covered(&self.module.types, place, self.content(place), known, &mut new) {
                new.retain(|p| !between.contains(p));
                between.extend(new);
            }
        }
        between
    }

    /// The type of the content at a place.
    fn content(&self, place: &Place) -> Content {
        let types = &self.module.types;
        let ty = match place.root {
            Root::Var(var) => self.module.vars[var].ty,
            Root::Param(param) => {
                let pointer = self.body.local_type(self.body.blocks[self.body.entry].inputs[param as usize]);
                types.pointee(pointer).expect("places have pointers").0
            }
        };
        place.steps.iter().fold(Content::Of(ty), |content, &step| content.part(types, step))
    }

    /// The components that a pointer to some of a vector leads to; none for other pointers.
    fn lanes(&self, pointer: Value) -> impl Iterator<Item = Place> {
        let swizzle = self.body.node_of(pointer).filter(|&n| self.body.node(n).op == Op::AccessVectorComponentMulti);
        let vector = swizzle.and_then(|n| self.place(self.body.args(n)[0])).filter(|p| p.pointer.is_none());
        let lanes = swizzle.map(|n| self.body.node(n).imm.as_lanes());
        let lane = |(mut place, lane): (Place, u8)| {
            place.steps.push(lane.into());
            place
        };
        let lanes = lanes.into_iter().flat_map(|l| l.iter().collect::<SmallVec<[u8; 4]>>());
        vector.into_iter().flat_map(move |v| lanes.clone().map(move |l| (v.clone(), l))).map(lane)
    }

    /// A variable of this function.
    fn is_own(&self, root: Root) -> bool {
        matches!(root, Root::Var(var) if self.module.vars[var].space == AddressSpace::Function)
    }

    /// A variable that is gone when this function has returned.
    fn ends_here(&self, root: Root) -> bool {
        self.ends && matches!(root, Root::Var(var) if self.module.vars[var].space == AddressSpace::Private)
    }

    /// The place a pointer points to; `None` if unknown.
    fn place(&self, pointer: Value) -> Option<Place> {
        let root = root(self.body, pointer)?;
        let mut steps: SmallVec<[Option<u64>; 4]> = SmallVec::new();
        let mut at = pointer;
        while let Some(node) = self.body.node_of(at) {
            let args = self.body.args(node);
            let imm = self.body.node(node).imm;
            steps.push(match self.body.node(node).op {
                Op::AccessStructField | Op::AccessVectorComponent => Some(u64::from(imm.as_index())),
                Op::AccessArrayElement | Op::AccessMatrixColumn => self.constant_step(args[0], args[1]),
                _ => None,
            });
            at = args[0];
        }
        let steps = steps.into_iter().rev();
        let known: SmallVec<[u64; 4]> = steps.clone().map_while(|s| s).collect();
        let pointer = (known.len() < steps.len()).then_some(pointer);
        Some(Place { root, steps: known, pointer })
    }

    /// A constant index within its bounds; others are clamped.
    fn constant_step(&self, pointer: Value, index: Value) -> Option<u64> {
        let ConstValue::Bits(index) = self.module.consts[index.as_const()?].value else { return None };
        let types = &self.module.types;
        let of = types.pointee(self.module.type_of(self.body, pointer))?.0;
        types.part_count(of).filter(|&n| index < u64::from(n)).map(|_| index)
    }

    /// Whether a store is to memory that changes only by ops of the program.
    fn may_go(&self, store: Node) -> bool {
        let special = |d: &Decorations| [Decoration::Volatile, Decoration::Coherent].into_iter().any(|s| d.has(s));
        let mut pointer = self.body.args(store)[0];
        while let Some(node) = self.body.node_of(pointer) {
            let data = self.body.node(node);
            pointer = self.body.args(node)[0];
            if data.op == Op::AccessStructField {
                let types = &self.module.types;
                let of = types.pointee(self.module.type_of(self.body, pointer)).map(|p| p.0);
                let members = of.and_then(|ty| types.as_struct(ty)).map(|s| &s.members);
                if members.and_then(|m| m.get(data.imm.as_index() as usize)).is_none_or(|m| special(&m.decorations)) {
                    return false;
                }
            }
        }
        pointer.as_var().is_none_or(|var| !special(&self.module.vars[var].decorations))
    }

    /// The memory effects of a block, last first.
    fn events(&self, block: Block, summaries: &Summaries) -> Vec<Event> {
        let data = &self.body.blocks[block];
        let mut events = Vec::new();
        for &var in &data.variables {
            events.push(Event::Begins(var));
        }
        for &node in &data.nodes {
            self.node_events(node, summaries, &mut events);
        }
        events.reverse();
        events
    }

    fn node_events(&self, node: Node, summaries: &Summaries, events: &mut Vec<Event>) {
        let data = self.body.node(node);
        let args = self.body.args(node);
        if data.op.info().class == Class::Access {
            events.extend(self.body.result(node).map(|r| Event::Made(r.into())));
            return;
        }
        if data.op == Op::Store {
            events.push(match self.place(args[0]) {
                Some(place) => Event::Write(place, self.may_go(node).then_some(node)),
                None => Event::ReadAll,
            });
            events.extend(self.lanes(args[0]).map(|lane| Event::Write(lane, None)));
            return;
        }
        let is_function = summaries.of_call(data.op, args).is_some_and(|s| s.is_function);
        match data.op.info().effect {
            Effect::Pure | Effect::Quad | Effect::Subgroup | Effect::Load | Effect::Modify | Effect::NewToken => {}
            // Images are no memory that pointers lead to.
            Effect::ImageLoad | Effect::ImageStore | Effect::ImageModify => {}
            Effect::Call if is_function => {}
            // Stops of the program and ordered ops make earlier writes observable.
            _ => events.push(Event::ReadOthers),
        }
        for &arg in args {
            if arg.as_func().is_none() && is_pointer(&self.module.types, self.module.type_of(self.body, arg)) {
                events.push(self.place(arg).map_or(Event::ReadAll, Event::Read));
            }
        }
    }

    /// The places that may be read where one is.
    fn read(&self, places: &Places<'_>, read: &Place) -> u64 {
        places.that(|p| p.meets(read) || p.root != read.root && self.may_be_same(p.root, read.root))
    }

    /// Whether different roots may lead to the same memory.
    fn may_be_same(&self, a: Root, b: Root) -> bool {
        aliasing::may_meet(self.module, self.func, a, b)
    }

    /// The places that are overwritten from before an event on, given those from after it on.
    fn before(&self, places: &Places<'_>, event: &Event, after: u64) -> u64 {
        match event {
            Event::Write(written, _) => places.close(after | places.that(|p| written.covers(p))),
            Event::Read(read) => after & !self.read(places, read),
            Event::ReadOthers => after & places.own,
            Event::ReadAll => 0,
            Event::Made(pointer) => after & !places.that(|p| p.pointer == Some(*pointer)),
            Event::Begins(var) => after | places.that(|p| p.root == Root::Var(*var)),
        }
    }
}

/// A function that is gone through backwards.
struct Search<'a> {
    memory: Memory<'a>,
    tree: Tree,
    blocks: Vec<Block>,
    /// By the blocks' order: the effects of each, last first.
    events: Vec<Vec<Event>>,
    /// By block: the places in that order of those that it comes after.
    comes_from: SideTable<Block, SmallVec<[usize; 2]>>,
}

impl<'a> Search<'a> {
    fn new(memory: Memory<'a>, summaries: &Summaries) -> Self {
        let blocks: Vec<Block> = walk::blocks(memory.body).collect();
        let events = blocks.iter().map(|&b| memory.events(b, summaries)).collect();
        let tree = Tree::new(memory.body);
        let mut comes_from: SideTable<Block, SmallVec<[usize; 2]>> = SideTable::new();
        for (at, &block) in blocks.iter().enumerate() {
            successors(memory.body, &tree, block).into_iter().for_each(|next| comes_from[next].push(at));
        }
        Search { tree, memory, blocks, events, comes_from }
    }

    /// The stores to some places that can go.
    fn dead_among(&self, places: &[Place]) -> FxHashSet<Node> {
        let mut dead = FxHashSet::default();
        for all in places.chunks(64) {
            let parts = |p: &Place| self.memory.content(p).parts(&self.memory.module.types);
            let mut places = Places { all, own: 0, end: 0, families: families::find(all, parts) };
            places.own = places.that(|p| self.memory.is_own(p.root));
            places.end = places.own | places.that(|p| self.memory.ends_here(p.root));
            self.find(&places, &mut dead);
        }
        dead
    }

    /// Puts the stores that can go into `dead`.
    fn find(&self, places: &Places<'_>, dead: &mut FxHashSet<Node>) {
        // A block is what is kept and what is added; the same each time.
        let whole =
            |events: &Vec<Event>, after: u64| events.iter().fold(after, |bits, e| self.memory.before(places, e, bits));
        let through: Vec<(u64, u64)> = self.events.iter().map(|e| (whole(e, u64::MAX), whole(e, 0))).collect();
        let mut entered: SideTable<Block, Option<u64>> = SideTable::new();
        // The last first; a block again when one that it goes to has changed.
        let mut due: BinaryHeap<usize> = (0..self.blocks.len()).collect();
        while let Some(at) = due.pop() {
            let (block, (keeps, adds)) = (self.blocks[at], through[at]);
            let bits = places.close(self.after(places, block, &entered) & keeps | adds);
            if entered[block].replace(bits) != Some(bits) {
                due.extend(self.comes_from[block].iter().copied().filter(|&from| entered[self.blocks[from]].is_some()));
            }
        }
        for (&block, events) in self.blocks.iter().zip(&self.events) {
            let mut bits = self.after(places, block, &entered);
            for event in events {
                if let Event::Write(written, Some(store)) = event
                    && places.all.iter().position(|p| p == written).is_some_and(|i| bits & 1 << i != 0)
                {
                    dead.insert(*store);
                }
                bits = self.memory.before(places, event, bits);
            }
        }
    }

    /// The places that are overwritten after a block on all paths. Of blocks not visited yet, all are.
    fn after(&self, places: &Places<'_>, block: Block, entered: &SideTable<Block, Option<u64>>) -> u64 {
        let known = |b: Block| entered[b].unwrap_or(u64::MAX);
        let (body, tree) = (self.memory.body, &self.tree);
        match &body.blocks[block].exit {
            Exit::Return(_) => places.end,
            Exit::Discard | Exit::Trap(_) => places.own,
            _ => {
                let next = successors(body, tree, block);
                if next.is_empty() { 0 } else { next.iter().fold(u64::MAX, |bits, &b| bits & known(b)) }
            }
        }
    }
}

/// The blocks that come right after one.
fn successors(body: &Body, tree: &Tree, block: Block) -> SmallVec<[Block; 2]> {
    match &body.blocks[block].exit {
        Exit::If { then, otherwise, .. } => [*then, *otherwise].into_iter().collect(),
        Exit::Loop { condition, .. } => [*condition].into_iter().collect(),
        Exit::DoLoop { body: first, .. } | Exit::Labelled { body: first, .. } => [*first].into_iter().collect(),
        Exit::NextBlock { merge } => [*merge].into_iter().collect(),
        Exit::Switch { cases, merge, .. } => {
            let past = (!cases.iter().any(|c| c.is_default)).then_some(*merge);
            cases.iter().map(|c| c.block).chain(past).collect()
        }
        Exit::Passthrough => next_case(body, tree, block).into_iter().collect(),
        Exit::Merge(_) | Exit::Break(..) | Exit::Continue(..) | Exit::LoopIf { .. } => {
            tree.edges(body, block).iter().map(|e| e.0).collect()
        }
        Exit::Return(_) | Exit::Discard | Exit::Trap(_) | Exit::Open => SmallVec::new(),
    }
}

/// The case after the one that a block ends.
fn next_case(body: &Body, tree: &Tree, block: Block) -> Option<Block> {
    let place = tree.place(block)?;
    let BlockKind::Case(number) = place.kind else { return None };
    let Exit::Switch { cases, .. } = &body.blocks[place.owner?].exit else { return None };
    cases.get(number as usize + 1).map(|c| c.block)
}
