//! Lengths of growable arrays to which a loop adds one element in each iteration.

use planish_ir::builder::{Builder, Policy, Results};
use planish_ir::entity::{Block, Func, Local, Node, Type, Value, Var};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::walk;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::smallvec;

use super::effects::Effects;
use super::plan::{First, Needs, Plan, Search, Sites};
use crate::context::Context;
use crate::restage::{Stage, copy_node, restage};

/// An array that has as many elements as a loop has iterations, after that loop.
#[derive(Clone, Copy)]
pub(super) struct Length {
    /// The loop.
    pub(super) owner: Block,
    /// The number of iterations, a `u32`, which the test of the loop compares the index with.
    pub(super) count: Value,
    pub(super) test: Node,
    /// The index of the loop.
    pub(super) index: Local,
}

impl Search<'_> {
    /// The length of an array that nothing but a loop from 0 adds to, once in each iteration, and that is empty when the loop begins.
    pub(super) fn length(&self, array: Var) -> Option<Length> {
        let [(_, block)] = self.arrays[&array].appends[..] else { return None };
        if self.arrays[&array].escapes {
            return None;
        }
        // The loop whose iterations all come to that block: it is in the chain of the body.
        let owner = self.loops().find(|&owner| {
            let Exit::Loop { body, .. } = self.body.blocks[owner].exit else { return false };
            self.chain(body).any(|other| other == block)
        })?;
        let counted = self.counted(owner)?;
        let start = self.module.consts.as_bits(counted.start.as_const()?)?;
        let ty = self.module.type_of(self.body, counted.bound);
        let is_home = |block: Block| self.arrays[&array].home == Some(block);
        let begins_empty = is_home(owner) || self.before(owner, is_home).is_some();
        let Exit::Loop { condition, .. } = self.body.blocks[owner].exit else { return None };
        let (count, test, index) = (counted.bound, counted.test, self.body.blocks[condition].inputs[counted.index]);
        (start == 0 && ty == Type::U32 && begins_empty).then_some(Length { owner, count, test, index })
    }

    /// The blocks with constructs of whose values something outside uses one.
    fn seen_from_outside(&self) -> FxHashSet<Block> {
        let mut seen = FxHashSet::default();
        let mut uses = |block: Block, value: Value| {
            let mut at = value.as_local().and_then(|local| self.homes[local]);
            while let Some(owner) = at.and_then(|home| self.tree.place(home)).and_then(|place| place.owner) {
                if self.tree.is_inside(block, owner) {
                    break;
                }
                seen.insert(owner);
                at = Some(owner);
            }
        };
        for block in walk::blocks(self.body) {
            let data = &self.body.blocks[block];
            data.nodes.iter().for_each(|&node| self.body.args(node).iter().for_each(|&arg| uses(block, arg)));
            data.exit.for_each_operand(|value| uses(block, value));
        }
        seen
    }

    /// A block and those that its chain of merges goes on with.
    fn chain(&self, first: Block) -> impl Iterator<Item = Block> + '_ {
        std::iter::successors(Some(first), |&block| self.body.blocks[block].exit.merge_block())
    }

    /// Whether a block runs only after a construct has ended, and in the same run of the block that it is in.
    fn is_after(&self, block: Block, owner: Block) -> bool {
        let mut merges = self.chain(owner).skip(1);
        merges.any(|merge| merge == block || self.tree.is_inside(block, merge))
    }
}

/// Makes numbers of such lengths; returns whether there were any.
pub(super) fn run(module: &mut Module, func: Func, context: &mut Context) -> bool {
    let Some(body) = &module.funcs[func].body else { return false };
    let search = Search::new(module, body);
    let mut lengths: FxHashMap<Node, Length> = FxHashMap::default();
    let mut known: FxHashMap<Var, Option<Length>> = FxHashMap::default();
    for block in walk::blocks(body) {
        for &node in &body.blocks[block].nodes {
            if body.node(node).op != Op::ArrayLength {
                continue;
            }
            let Some(var) = body.args(node)[0].as_var().filter(|var| search.arrays.contains_key(var)) else { continue };
            let length = known.entry(var).or_insert_with(|| search.length(var));
            if let Some(length) = length.filter(|length| search.is_after(block, length.owner)) {
                lengths.insert(node, length);
            }
        }
    }
    if lengths.is_empty() {
        return false;
    }
    context.changed();
    context.count("LengthsKnown", lengths.len() as u64);
    restage(module, func, Policy::PLAIN, &mut Counts { lengths, bounds: FxHashMap::default() });
    true
}

/// Replaces the lengths.
struct Counts {
    lengths: FxHashMap<Node, Length>,
    /// By the test of each loop, the bound that it compares the index with.
    bounds: FxHashMap<Node, Value>,
}

impl Stage for Counts {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], b: &mut Builder<'_, '_>) -> Results {
        if let Some(length) = self.lengths.get(&node) {
            // (The test is in a block before.)
            let count = if length.count.as_const().is_some() { length.count } else { self.bounds[&length.test] };
            return smallvec![b.op_typed(Op::Bitcast, &[count], Type::I32)];
        }
        match old.node(node).op {
            Op::LessThan => self.bounds.insert(node, args[1]),
            Op::GreaterThan => self.bounds.insert(node, args[0]),
            _ => None,
        };
        copy_node(old, node, args, b)
    }
}

/// A loop over numbers that computes nothing that anything sees.
pub(super) fn dead(module: &Module, body: &Body) -> Option<Plan> {
    let search = Search::new(module, body);
    let seen = search.seen_from_outside();
    search.loops().find_map(|owner| {
        let counted = search.counted(owner)?;
        let mut effects = Effects::default();
        walk::inside(body, owner).for_each(|block| effects.add(module, body, block));
        let is_silent = effects.writes.is_empty() && !effects.traps && !effects.world && !effects.others;
        let ends = !walk::inside(body, owner).any(|block| search.runs_long(block, owner));
        let is_dead = is_silent && ends && !seen.contains(&owner);
        let first = First { block: owner, with_nodes: false };
        let (sites, needs) = (Sites::Appends(Vec::new()), Needs::default());
        is_dead.then_some(Plan { first, consumer: owner, index: counted.index, producer: None, sites, needs })
    })
}
