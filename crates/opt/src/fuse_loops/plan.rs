//! Which loops can be fused.

use planish_ir::aliasing::Root;
use planish_ir::arena::SideTable;
use planish_ir::entity::{Block, Func, Local, Node, Value, Var};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::tree::Tree;
use planish_ir::types::{Scalar, TypeKind};
use planish_ir::walk;
use rustc_hash::{FxHashMap, FxHashSet};

use super::effects::{Effects, Place};
use crate::vectorize_loops::candidate;

/// Places at which iterations of the second loop run.
#[derive(Clone, Debug)]
pub(super) enum Sites {
    /// Every place at which elements are added.
    Appends(Vec<Site>),
    /// At the end of the body of the first loop, a block; with the index of the iteration.
    End { block: Block, index: Local },
}

/// A place where elements are added.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// The last node that adds one.
    pub(super) after: Node,
    /// The arrays that the second loop reads, each with the element.
    pub(super) elements: Vec<(Var, Value)>,
}

/// Two loops that become one.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Start of the first loop: the construct that ends this block, or its nodes.
    pub(super) first: First,
    /// The block that ends with the loop that is moved.
    pub(super) consumer: Block,
    /// The number of its index among the values that it carries.
    pub(super) index: usize,
    pub(super) sites: Sites,
    /// From between them.
    pub(super) needs: Needs,
}

/// The beginning of a part of a chain of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct First {
    pub(super) block: Block,
    /// Whether the nodes of the block belong to it, or only the construct after them.
    pub(super) with_nodes: bool,
}

/// Parts of the code between two loops that the second one needs.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs {
    /// Pure nodes, in their order.
    pub(super) nodes: Vec<Node>,
    /// Variables that are declared there.
    pub(super) variables: Vec<Var>,
}

/// Nodes that may be written again because an array is added to in several places.
const MOST_COPIES: usize = 200;

/// A reason why a loop over an array stays by itself.
type Reason = &'static str;

/// The first pair of loops that can be fused.
pub(super) fn find(module: &Module, body: &Body) -> Option<Plan> {
    let search = Search::new(module, body);
    search.loops().find_map(|owner| search.consumer(owner)?.ok())
}

/// The loops over arrays that stay by themselves.
pub(super) fn refusals(module: &Module, func: Func) -> Vec<(Span, Reason)> {
    let Some(body) = &module.funcs[func].body else { return Vec::new() };
    let search = Search::new(module, body);
    let refusal = |owner: Block| match search.consumer(owner)? {
        Err(Some(reason)) => Some((body.blocks[owner].exit_span, reason)),
        _ => None,
    };
    search.loops().filter_map(refusal).collect()
}

struct Search<'a> {
    module: &'a Module,
    body: &'a Body,
    tree: Tree,
    /// The block of each local value.
    homes: SideTable<Local, Option<Block>>,
    arrays: FxHashMap<Var, Array>,
}

/// A growable array of the function.
#[derive(Default)]
struct Array {
    /// Block that declares it.
    home: Option<Block>,
    appends: Vec<(Node, Block)>,
    /// Blocks with other ops on it.
    others: Vec<(Node, Block)>,
    /// Whether an element is changed, or its address goes elsewhere.
    changes: bool,
}

/// A loop over numbers that grow by one.
struct Counted {
    index: usize,
    start: Value,
    bound: Value,
}

impl<'a> Search<'a> {
    fn new(module: &'a Module, body: &'a Body) -> Self {
        let mut homes = SideTable::new();
        let mut arrays: FxHashMap<Var, Array> = FxHashMap::default();
        for block in walk::blocks(body) {
            let data = &body.blocks[block];
            data.inputs.iter().for_each(|&input| homes[input] = Some(block));
            for &var in data.variables.iter().filter(|&&var| module.types.growable(module.vars[var].pointer).is_some())
            {
                arrays.entry(var).or_default().home = Some(block);
            }
            for &node in &data.nodes {
                body.results(node).for_each(|result| homes[result] = Some(block));
                for (number, &arg) in body.args(node).iter().enumerate() {
                    let Some(array) = body.base(arg).as_var().and_then(|var| arrays.get_mut(&var)) else { continue };
                    match body.node(node).op {
                        Op::Append if number == 0 => array.appends.push((node, block)),
                        Op::ArrayLength | Op::AccessArrayElement | Op::Load => array.others.push((node, block)),
                        _ => array.changes = true,
                    }
                }
            }
        }
        Search { module, body, tree: Tree::new(body), homes, arrays }
    }

    /// All loops, those outside before those in them.
    fn loops(&self) -> impl Iterator<Item = Block> + '_ {
        walk::blocks(self.body).filter(|&block| matches!(self.body.blocks[block].exit, Exit::Loop { .. }))
    }

    /// Returns how a loop is fused with one before it; `None` for a loop that goes through no array, and has none to run with.
    fn consumer(&self, owner: Block) -> Option<Result<Plan, Option<Reason>>> {
        let counted = self.counted(owner)?;
        let array = self.length_of(counted.bound);
        Some(match array {
            Some(arrays) if self.module.consts.as_bits(counted.start.as_const()?) == Some(0) => {
                self.vertical(owner, &counted, &arrays).map_err(Some)
            }
            _ if self.module.facts.processor => self.horizontal(owner, &counted).ok_or(None),
            _ => return None,
        })
    }

    /// A loop whose condition is that its index, which grows by one, is below a bound from outside, and which nothing else leaves.
    fn counted(&self, owner: Block) -> Option<Counted> {
        let body = self.body;
        let Exit::Loop { args, condition, body: first, next: None, .. } = &body.blocks[owner].exit else { return None };
        let Exit::LoopIf { condition: test, body_args, merge_args } = &body.blocks[*condition].exit else {
            return None;
        };
        if !(body_args.is_empty() && merge_args.is_empty()) {
            return None;
        }
        let last = walk::chain_end(body, *first);
        let Exit::Continue(_, again) = &body.blocks[last].exit else { return None };
        let node = body.node_of(*test)?;
        let operands = body.args(node);
        let (index, bound) = match body.node(node).op {
            Op::LessThan => (operands[0], operands[1]),
            Op::GreaterThan => (operands[1], operands[0]),
            _ => return None,
        };
        let inputs = &body.blocks[*condition].inputs;
        let number = inputs.iter().position(|&input| Value::from(input) == index)?;
        let is_integer = |scalar: Scalar| matches!(scalar, Scalar::U32 | Scalar::I32 | Scalar::U64 | Scalar::I64);
        let TypeKind::Scalar(scalar) = self.module.types[body.local_type(inputs[number])] else { return None };
        let step = body.node_of(again[number]).filter(|&node| body.node(node).op == Op::Add)?;
        let one = match *body.args(step) {
            [x, one] if x == index => one,
            [one, x] if x == index => one,
            _ => return None,
        };
        let is_one = self.module.consts.as_bits(one.as_const()?) == Some(1);
        let comes_from_outside = bound.as_local().is_none_or(|local| !self.is_in(local, owner));
        if !(is_one && is_integer(scalar) && comes_from_outside && self.stays_inside(owner, &[last])) {
            return None;
        }
        let pure = body.blocks[*condition].nodes.iter().all(|&node| body.node(node).op.is_pure());
        let is_used = |block: Block| {
            let data = &body.blocks[block];
            let mut by_exit = false;
            data.exit.for_each_operand(|value| by_exit |= block != *condition && value == *test);
            by_exit || data.nodes.iter().any(|&node| body.args(node).contains(test))
        };
        let pure = pure && !walk::blocks(body).any(is_used);
        pure.then(|| Counted { index: number, start: args[number], bound })
    }

    /// Whether nothing leaves a construct but its own condition, and only the given blocks begin it again.
    fn stays_inside(&self, owner: Block, last: &[Block]) -> bool {
        walk::inside(self.body, owner).all(|block| match self.body.blocks[block].exit {
            Exit::Return(_) | Exit::Discard | Exit::Open => false,
            Exit::Break(label, _) => label != owner && self.tree.is_inside(label, owner),
            Exit::Continue(label, _) if label == owner => last.contains(&block),
            Exit::Continue(label, _) => self.tree.is_inside(label, owner),
            _ => true,
        })
    }

    fn is_in(&self, local: Local, owner: Block) -> bool {
        self.homes[local].is_some_and(|home| home != owner && self.tree.is_inside(home, owner))
    }

    /// The arrays whose length a value is: the lesser of theirs, of arrays that are added to in the same block only.
    fn length_of(&self, value: Value) -> Option<Vec<Var>> {
        if let Some(var) = self.array_of(value) {
            return Some(vec![var]);
        }
        let node = self.body.node_of(value).filter(|&node| matches!(self.body.node(node).op, Op::Select | Op::Min))?;
        let values = self.body.args(node).iter().rev().take(2);
        let arrays: Vec<Var> = values.map(|&value| self.array_of(value)).collect::<Option<_>>()?;
        let site = |var: &Var| match self.arrays[var].appends[..] {
            [(_, block)] => Some(block),
            _ => None,
        };
        let first = site(&arrays[0])?;
        arrays.iter().all(|var| site(var) == Some(first)).then_some(arrays)
    }

    /// The array whose length a value is.
    fn array_of(&self, mut value: Value) -> Option<Var> {
        loop {
            let node = self.body.node_of(value)?;
            let args = self.body.args(node);
            match self.body.node(node).op {
                Op::ArrayLength => return args[0].as_var().filter(|var| self.arrays.contains_key(var)),
                Op::Bitcast | Op::ConstructScalarFromScalar => {
                    let ty = |value: Value| self.module.type_of(self.body, value);
                    let fits = [value, args[0]].iter().all(|&value| {
                        matches!(self.module.types[ty(value)], TypeKind::Scalar(Scalar::I32 | Scalar::U32))
                    });
                    fits.then_some(())?;
                    value = args[0];
                }
                _ => return None,
            }
        }
    }

    fn vertical(&self, owner: Block, counted: &Counted, arrays: &[Var]) -> Result<Plan, Reason> {
        let blocks: Vec<Block> = self.arrays[&arrays[0]].appends.iter().map(|&(_, block)| block).collect();
        let begins = blocks.iter().map(|&block| self.begin_of(block, owner));
        let begins: Vec<First> =
            begins.collect::<Option<_>>().ok_or("what adds to its array is not in the same block")?;
        let first = begins.into_iter().min_by_key(|&first| self.order(first)).ok_or("nothing adds to its array")?;
        self.may_copy(owner, blocks.len())?;
        // The elements that are read at the index are those that are added in the same places.
        let Exit::Loop { condition, .. } = self.body.blocks[owner].exit else { return Err("it is no loop") };
        let index = Value::from(self.body.blocks[condition].inputs[counted.index]);
        let mut read: Vec<Var> = arrays.to_vec();
        for block in walk::inside(self.body, owner) {
            for &node in &self.body.blocks[block].nodes {
                let args = self.body.args(node);
                let Some(other) = args.first().and_then(|arg| arg.as_var()) else { continue };
                let Some(data) = self.arrays.get(&other) else { continue };
                let is_element = self.body.node(node).op == Op::AccessArrayElement && args[1] == index;
                let is_added_to = data.appends.iter().any(|&(_, block)| self.is_from(first, block, owner));
                if is_element && data.appends.iter().map(|&(_, block)| block).eq(blocks.iter().copied()) {
                    read.push(other);
                } else if is_added_to || arrays.contains(&other) {
                    return Err("it needs other elements than that of its index");
                }
            }
        }
        read.sort_unstable();
        read.dedup();
        if !read.iter().all(|&var| self.begins_with(var, first)) {
            return Err("its array is older than what adds to it");
        }
        if read.iter().any(|var| self.arrays[var].changes) {
            return Err("elements of its array change");
        }
        let site = |number: usize| {
            let appends = read.iter().map(|var| (*var, self.arrays[var].appends[number].0));
            let position = |node: Node| self.body.blocks[blocks[number]].nodes.iter().position(|&other| other == node);
            let after = appends.clone().map(|(_, node)| node).max_by_key(|&node| position(node)).expect("one at least");
            Site { after, elements: appends.map(|(var, node)| (var, self.body.args(node)[1])).collect() }
        };
        let sites = Sites::Appends((0..blocks.len()).map(site).collect());
        let except = read.iter().map(|&var| Place::Root(Root::Var(var))).collect();
        let needs = self.can_move(owner, first, &except)?;
        Ok(Plan { first, consumer: owner, index: counted.index, sites, needs })
    }

    /// Whether the body of a loop may be written so many times.
    fn may_copy(&self, owner: Block, count: usize) -> Result<(), Reason> {
        if count == 1 {
            return Ok(());
        }
        let blocks = || walk::inside(self.body, owner).map(|block| &self.body.blocks[block]);
        let nodes: usize = blocks().map(|data| data.nodes.len() + 1).sum();
        if nodes * (count - 1) > MOST_COPIES {
            return Err("its array is added to in several places, and its body is too large to be written in each");
        }
        if blocks().any(|data| !data.variables.is_empty()) {
            return Err("its array is added to in several places, and its body has variables");
        }
        Ok(())
    }

    /// Position in the merge chain of a loop of something before it: in the nodes of a block, or in its construct.
    fn begin_of(&self, block: Block, owner: Block) -> Option<First> {
        let mut at = owner;
        loop {
            if at == block {
                return Some(First { block, with_nodes: true });
            }
            if at != owner && self.tree.is_inside(block, at) {
                return Some(First { block: at, with_nodes: false });
            }
            at = self.tree.merged(at)?;
        }
    }

    fn order(&self, first: First) -> (u32, bool) {
        (self.tree.order(first.block), !first.with_nodes)
    }

    /// Whether a block is in a part of a chain from its beginning to a loop.
    fn is_from(&self, first: First, block: Block, owner: Block) -> bool {
        self.begin_of(block, owner).is_some_and(|begin| self.order(begin) >= self.order(first))
    }

    /// Whether an array is empty whenever the part begins that is all that adds to it.
    fn begins_with(&self, array: Var, first: First) -> bool {
        let is_home = |block: Block| self.arrays[&array].home == Some(block);
        is_home(first.block) || self.before(first.block, is_home).is_some()
    }

    fn horizontal(&self, owner: Block, counted: &Counted) -> Option<Plan> {
        let together = |block: Block| {
            self.counted(block).is_some_and(|first| first.bound == counted.bound && first.start == counted.start)
        };
        let producer = self.before(owner, together)?;
        // Loops that can be vectorized stay by themselves.
        let vectorizes = |owner| candidate::find(self.module, self.body, &self.tree, owner).is_ok();
        if vectorizes(owner) || vectorizes(producer) {
            return None;
        }
        let first = self.counted(producer)?;
        let Exit::Loop { condition, body, .. } = self.body.blocks[producer].exit else { return None };
        let index = self.body.blocks[condition].inputs[first.index];
        let Exit::Loop { condition: other, .. } = self.body.blocks[owner].exit else { return None };
        let other = self.body.blocks[other].inputs[counted.index];
        if self.body.local_type(index) != self.body.local_type(other) {
            return None;
        }
        let first = First { block: producer, with_nodes: false };
        let needs = self.can_move(owner, first, &FxHashSet::default()).ok()?;
        let sites = Sites::End { block: walk::chain_end(self.body, body), index };
        Some(Plan { first, consumer: owner, index: counted.index, sites, needs })
    }

    /// The nearest block before another one in its chain of merges for which a condition holds.
    fn before(&self, block: Block, holds: impl Fn(Block) -> bool) -> Option<Block> {
        let mut at = block;
        while let Some(owner) = self.tree.merged(at) {
            if holds(owner) {
                return Some(owner);
            }
            at = owner;
        }
        None
    }

    /// Whether a loop can run together with what begins before it in its chain, and what it needs of the code between them.
    fn can_move(&self, owner: Block, first: First, except: &FxHashSet<Place>) -> Result<Needs, Reason> {
        let (mut before, mut moved) = (Effects::default(), Effects::default());
        walk::inside(self.body, owner).for_each(|block| moved.add(self.module, self.body, block));
        // The blocks whose nodes run in between; of all but the loop's own the construct, too.
        let mut between: Vec<Block> = Vec::new();
        let mut at = owner;
        while at != first.block {
            between.push(at);
            at = self.tree.merged(at).ok_or("they are not in the same block")?;
        }
        between.extend(first.with_nodes.then_some(first.block));
        between.dedup();
        let constructs: FxHashSet<Block> =
            between.iter().copied().chain([first.block]).filter(|&block| block != owner).collect();
        between.iter().for_each(|&block| before.add(self.module, self.body, block));
        for &construct in &constructs {
            if !self.stays_inside_or_breaks(construct) {
                return Err("code before it may leave the function");
            }
            walk::inside(self.body, construct).for_each(|block| before.add(self.module, self.body, block));
        }
        if !moved.commute(&before, self.module, except) {
            return Err("it and code before it use the same memory, or may trap, so that their order matters");
        }
        if walk::inside(self.body, owner).any(|block| self.runs_long(block, owner)) {
            return Err("a loop in it may not end");
        }
        self.needs(owner, &between, &constructs)
    }

    /// Whether a block begins a loop that is not known to end.
    fn runs_long(&self, block: Block, owner: Block) -> bool {
        block != owner
            && match self.body.blocks[block].exit {
                Exit::DoLoop { .. } => true,
                Exit::Loop { .. } => self.counted(block).is_none(),
                _ => false,
            }
    }

    /// Whether nothing leaves a construct for more than what follows it.
    fn stays_inside_or_breaks(&self, owner: Block) -> bool {
        walk::inside(self.body, owner).all(|block| match self.body.blocks[block].exit {
            Exit::Return(_) | Exit::Discard | Exit::Open => false,
            Exit::Break(label, _) | Exit::Continue(label, _) => label == owner || self.tree.is_inside(label, owner),
            _ => true,
        })
    }

    /// The parts of the code between that a loop needs: of the nodes of blocks, and not of constructs.
    fn needs(&self, owner: Block, between: &[Block], constructs: &FxHashSet<Block>) -> Result<Needs, Reason> {
        let Exit::Loop { ref args, condition, .. } = self.body.blocks[owner].exit else { return Err("it is no loop") };
        let test = match &self.body.blocks[condition].exit {
            Exit::LoopIf { condition, .. } => self.body.node_of(*condition),
            _ => None,
        };
        let mut work: Vec<Local> = args.iter().filter_map(|arg| arg.as_local()).collect();
        for block in walk::inside(self.body, owner) {
            let data = &self.body.blocks[block];
            let nodes = data.nodes.iter().filter(|&&node| Some(node) != test);
            nodes.for_each(|&node| work.extend(self.body.args(node).iter().filter_map(|arg| arg.as_local())));
            data.exit.for_each_operand(|value| work.extend(value.as_local()));
        }
        let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
        while let Some(local) = work.pop() {
            let home = self.homes[local].ok_or("it uses something unknown")?;
            // (Values of constructs before it reach it, too: those that a loop carries, and their conditions.)
            let is_within = constructs.iter().any(|&block| self.tree.is_inside(home, block));
            if is_within {
                return Err("it needs a result of the one before");
            }
            if !between.contains(&home) || self.is_in(local, owner) {
                continue;
            }
            let node = self.body.node_of(local.into()).filter(|&node| self.body.node(node).op.is_pure());
            let node = node.ok_or("it needs a result of the one before, or the length of its array")?;
            if seen.insert(node) {
                work.extend(self.body.args(node).iter().filter_map(|arg| arg.as_local()));
                found.push(node);
            }
        }
        // Operands have smaller numbers than their users.
        found.sort_unstable();
        let mut used: FxHashSet<Var> = FxHashSet::default();
        for block in walk::inside(self.body, owner) {
            let nodes = self.body.blocks[block].nodes.iter();
            nodes.for_each(|&node| used.extend(self.body.args(node).iter().filter_map(|arg| arg.as_var())));
        }
        let declared = between.iter().flat_map(|&block| &self.body.blocks[block].variables);
        let mut variables: Vec<Var> = declared.copied().filter(|var| used.contains(var)).collect();
        variables.sort_unstable();
        Ok(Needs { nodes: found, variables })
    }
}
