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

/// Where an iteration of the second loop runs.
#[derive(Clone, Debug)]
pub(super) enum Site {
    /// After the node that adds the element; the arrays whose elements it reads, each with the value that is added.
    Append { after: Node, arrays: Vec<(Var, Value)> },
    /// At the end of the body of the first loop, a block; with the index of the iteration.
    End { block: Block, index: Local },
}

/// Two loops that become one.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The block that ends with the construct that runs first.
    pub(super) producer: Block,
    /// The block that ends with the loop that is moved.
    pub(super) consumer: Block,
    /// The number of its index among the values that it carries.
    pub(super) index: usize,
    pub(super) site: Site,
    /// From between them.
    pub(super) needs: Needs,
}

/// Parts of the code between two loops that the second one needs.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs {
    /// Pure nodes, in their order.
    pub(super) nodes: Vec<Node>,
    /// Variables that are declared there.
    pub(super) variables: Vec<Var>,
}

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
    /// Where it is declared.
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

    /// How a loop is fused with one before it; `None` of a loop that goes through no array, and has none to run with.
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
        let &[(append, site)] = &self.arrays[&arrays[0]].appends[..] else {
            return Err("its array is added to in several places");
        };
        let producer = self.before(owner, |block| block != site && self.tree.is_inside(site, block));
        let producer = producer.ok_or("what adds to its array is not in the same block")?;
        if !arrays.iter().all(|&var| self.begins_with(var, producer)) {
            return Err("its array is older than the loop that adds to it");
        }
        // The elements that are read at the index are those that are added in the same place.
        let Exit::Loop { condition, .. } = self.body.blocks[owner].exit else { return Err("it is no loop") };
        let index = Value::from(self.body.blocks[condition].inputs[counted.index]);
        let mut read: Vec<Var> = arrays.to_vec();
        for block in walk::inside(self.body, owner) {
            for &node in &self.body.blocks[block].nodes {
                let args = self.body.args(node);
                let Some(other) = args.first().and_then(|arg| arg.as_var()) else { continue };
                let Some(data) = self.arrays.get(&other) else { continue };
                let is_element = self.body.node(node).op == Op::AccessArrayElement && args[1] == index;
                let sites = data.appends.iter().filter(|&&(_, block)| self.tree.is_inside(block, producer));
                match sites.collect::<Vec<_>>()[..] {
                    // An array that is complete before, or one that the loop itself makes.
                    [] if !arrays.contains(&other) => {}
                    [&(_, block)] if is_element && block == site && data.appends.len() == 1 => {
                        if !self.begins_with(other, producer) {
                            return Err("an array is older than the loop that adds to it");
                        }
                        if !read.contains(&other) {
                            read.push(other);
                        }
                    }
                    _ => return Err("it needs other elements than that of its index"),
                }
            }
        }
        if read.iter().any(|var| self.arrays[var].changes) {
            return Err("elements of its array change");
        }
        let touches = |&(_, block): &(Node, Block)| self.tree.is_inside(block, producer);
        if read.iter().any(|var| self.arrays[var].others.iter().any(touches)) {
            return Err("what adds to its array reads it");
        }
        let position = |node: Node| self.body.blocks[site].nodes.iter().position(|&other| other == node);
        let appends = read.iter().map(|var| self.arrays[var].appends[0].0);
        let after = appends.max_by_key(|&node| position(node)).unwrap_or(append);
        let arrays = read.iter().map(|&var| (var, self.body.args(self.arrays[&var].appends[0].0)[1])).collect();
        let except = read.iter().map(|&var| Place::Root(Root::Var(var))).collect();
        let needs = self.can_move(owner, producer, &except)?;
        Ok(Plan { producer, consumer: owner, index: counted.index, site: Site::Append { after, arrays }, needs })
    }

    /// Whether an array is empty whenever a construct begins that is all that adds to it.
    fn begins_with(&self, array: Var, producer: Block) -> bool {
        let is_home = |block: Block| self.arrays[&array].home == Some(block);
        is_home(producer) || self.before(producer, is_home).is_some()
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
        let needs = self.can_move(owner, producer, &FxHashSet::default()).ok()?;
        let site = Site::End { block: walk::chain_end(self.body, body), index };
        Some(Plan { producer, consumer: owner, index: counted.index, site, needs })
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

    /// Whether a loop can run together with a construct before it in its chain, and what it needs of the code between them.
    fn can_move(&self, owner: Block, producer: Block, except: &FxHashSet<Place>) -> Result<Needs, Reason> {
        let (mut first, mut second, mut between) = (Effects::default(), Effects::default(), Effects::default());
        if !self.stays_inside_or_breaks(producer) {
            return Err("what adds to its array may leave the function");
        }
        walk::inside(self.body, producer).for_each(|block| first.add(self.module, self.body, block));
        walk::inside(self.body, owner).for_each(|block| second.add(self.module, self.body, block));
        let mut at = owner;
        while at != producer {
            // (The exit of the loop's own block is that of the loop.)
            between.add(self.module, self.body, at);
            if at != owner {
                walk::inside(self.body, at).for_each(|block| between.add(self.module, self.body, block));
                if !self.stays_inside_or_breaks(at) {
                    return Err("code between them may leave the function");
                }
            }
            at = self.tree.merged(at).ok_or("they are not in the same block")?;
        }
        if !second.commute(&first, self.module, except) {
            return Err("both use memory, or may trap, so that their order matters");
        }
        if !second.commute(&between, self.module, except) {
            return Err("code between them uses memory, or may trap, so that their order matters");
        }
        if walk::inside(self.body, owner).any(|block| self.runs_long(block, owner)) {
            return Err("a loop in it may not end");
        }
        self.needs(owner, producer)
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

    /// The parts of the code between a construct and a loop after it on which the loop depends.
    fn needs(&self, owner: Block, producer: Block) -> Result<Needs, Reason> {
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
        let mut between: FxHashSet<Block> = FxHashSet::default();
        let mut at = owner;
        while at != producer {
            between.insert(at);
            at = self.tree.merged(at).ok_or("they are not in the same block")?;
        }
        let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
        while let Some(local) = work.pop() {
            let home = self.homes[local].ok_or("it uses something unknown")?;
            // (Values of constructs before it reach it, too: those that a loop carries, and their conditions.)
            let is_within =
                between.iter().chain([&producer]).any(|&block| block != owner && self.tree.is_inside(home, block));
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
