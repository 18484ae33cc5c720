//! The walk through a function: constructs under masks.
//!
//! No jump of the source remains: it adds the active lanes to those that have arrived at its target. A construct ends when every
//! lane in it has left it; those that have arrived at its merge block then go on together, as in the evaluator.

use std::sync::Arc;

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, LoopBlocks};
use planish_ir::decoration::{Name, NameSource};
use planish_ir::entity::{Block, Func, Local, Node, Type, Value, Var};
use planish_ir::function::{Body, Exit, TrapKind};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::tree::Tree;
use planish_ir::types::{AddressSpace, Scalar};
use planish_ir::walk;
use smallvec::SmallVec;

use super::Work;
use super::divergence::{Divergence, stopping_arm};
use super::groups::Group;
use super::iterations::Affine;
use super::lanes::{and, and_not, broadcast, mask};
use super::pieces::Pieces;
use super::places::Place;
use crate::cost::MACHINE;
use crate::lower_to_scalars::values::Parts;

/// Code of at most this cost runs under an empty mask rather than behind a test of it.
const MAX_UNTESTED: u32 = 8;
/// Cost of a loop or a call, which always is worth a test.
const WORTH_A_TEST: u32 = 64;

/// Writes the body of the widened function of `func`.
pub(super) fn write(b: &mut Builder<'_, '_>, old: &Module, body: &Body, func: Func, all_active: bool, work: &mut Work) {
    let active = if all_active { mask(b, true, work.n) } else { b.param(0) };
    let mut widener = Widener::of_invocations(b, old, body, active, work);
    let first = widener.begin_interface(usize::from(!all_active), b);
    widener.params(func, first, b);
    widener.declare_results(func, b);
    widener.walk(b);
    let mut results = Parts::new();
    for &var in &widener.results {
        results.push(b.load(var.into()));
    }
    widener.end_interface(&mut results, b);
    b.ret(&results);
}

/// Writes the body of the function over all invocations of a work group, in `batches` batches of lanes. `present` are the masks of the
/// invocations there are, by batch; `None` if all batches are full.
pub(super) fn write_group(
    b: &mut Builder<'_, '_>,
    old: &Module,
    body: &Body,
    (batches, present): (u32, Option<Var>),
    work: &mut Work,
) {
    let active = mask(b, true, work.n);
    let mut widener = Widener::of_invocations(b, old, body, active, work);
    widener.group = Some(Group::new(Pieces::new(old, body, &widener.tree, &widener.divergence), batches, present));
    widener.begin_group(b);
    widener.walk(b);
}

pub(super) struct Widener<'a, 'w> {
    pub(super) old: &'a Module,
    pub(super) body: &'a Body,
    pub(super) n: u8,
    pub(super) divergence: Divergence,
    /// By block: the cost of its merge chain with all that is nested in it.
    pub(super) weights: SideTable<Block, u32>,
    /// Values of conditions of loops that are used after their loop.
    pub(super) escaping: SideTable<Local, bool>,
    pub(super) tree: Tree,
    pub(super) work: &'w mut Work,
    pub(super) values: SideTable<Local, Option<Parts>>,
    pub(super) places: SideTable<Local, Option<Place>>,
    /// The variables of the components of a block input.
    pub(super) merges: SideTable<Local, Option<Arc<[Var]>>>,
    /// By the block that the construct ends.
    pub(super) constructs: SideTable<Block, Option<Construct>>,
    /// The mask where the function begins.
    pub(super) entry: Value,
    /// The mask of the lanes that are here.
    pub(super) active: Value,
    pub(super) results: Vec<Var>,
    /// Loops around the current point.
    pub(super) loops: u32,
    pub(super) tasks: Vec<Task>,
    /// Of a function over a whole work group.
    pub(super) group: Option<Group>,
    /// Of the iterations of a loop.
    pub(super) affine: Option<Affine<'a>>,
}

/// A set of lanes that grows while a construct runs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arrivals {
    /// All lanes of the construct arrive.
    All,
    /// A variable with their mask.
    Mask(Var),
    /// A variable that holds if all arrive, and not if none does: of a construct in which all lanes take the same path.
    Flag(Var),
}

/// A construct whose code is being written.
#[derive(Clone, Debug)]
pub(super) struct Construct {
    /// The mask where it begins.
    pub(super) entry: Value,
    /// Lanes that have arrived at its merge block.
    pub(super) merged: Arrivals,
    /// Of an `If` on a value that varies, its condition and the mask of its second arm.
    pub(super) choice: Option<(Value, Value)>,
    /// Loops around it.
    pub(super) loops: u32,
    /// The blocks to which something has been passed already: of a loop, in this iteration.
    pub(super) passed: SmallVec<[Block; 2]>,
    /// Of a loop: lanes waiting for the second part of the iteration, and for the next iteration. Of a switch: lanes that pass
    /// through to the next case.
    pub(super) continued: Arrivals,
    pub(super) again: Arrivals,
    /// Of a loop with its test at its beginning, its blocks.
    pub(super) natural: Option<LoopBlocks>,
    /// Of a loop: values of its condition that are used after it, with variables for them.
    pub(super) escapes: Vec<(Local, Vec<Var>)>,
}

pub(super) enum Task {
    /// Writes the merge chain that begins with a block, under the current mask.
    Chain(Block),
    /// The same under another mask, if that is not empty or the chain costs little.
    Guarded(Value, Block),
    /// Ends an arm.
    End,
    /// Goes on in a new block.
    To(Block),
    /// Sets the mask.
    Under(Value),
    /// Goes on after a construct.
    After(Block),
    /// Passes to the merge block of a loop that has run its last iteration.
    Left(Block),
    /// The second part of an iteration: continue block, or condition of a `DoLoop`.
    Second(Block),
    EndLoop(Block, LoopBlocks),
    /// A case, by number, with the condition for it.
    Case(Block, usize, Value),
    /// After the last case.
    EndCases(Block),
    /// In a work group, goes on with these masks.
    Resume(Var),
}

impl<'a, 'w> Widener<'a, 'w> {
    fn of_invocations(b: &Builder<'_, '_>, old: &'a Module, body: &'a Body, active: Value, work: &'w mut Work) -> Self {
        let tree = Tree::new(body);
        let space = |var: Var| b.module.vars[work.in_place_of(var)].space;
        let divergence = Divergence::new(body, &tree, &space);
        Self::new((old, body), (tree, divergence), active, work)
    }

    pub(super) fn new(
        (old, body): (&'a Module, &'a Body),
        (tree, divergence): (Tree, Divergence),
        active: Value,
        work: &'w mut Work,
    ) -> Self {
        Widener {
            old,
            body,
            n: work.n,
            divergence,
            weights: weights(body),
            escaping: super::loops::escaping(body, &tree),
            tree,
            work,
            values: SideTable::new(),
            places: SideTable::new(),
            merges: SideTable::new(),
            constructs: SideTable::new(),
            entry: active,
            active,
            results: Vec::new(),
            loops: 0,
            tasks: Vec::new(),
            group: None,
            affine: None,
        }
    }

    fn walk(&mut self, b: &mut Builder<'_, '_>) {
        self.walk_from(self.body.entry, b);
    }

    /// Writes the merge chain that begins with a block.
    pub(super) fn walk_from(&mut self, chain: Block, b: &mut Builder<'_, '_>) {
        self.tasks.push(Task::Chain(chain));
        while let Some(task) = self.tasks.pop() {
            self.run(task, b);
        }
    }
}

impl Widener<'_, '_> {
    /// A new variable in the current block.
    pub(super) fn declare(&mut self, ty: Type, name: &str, b: &mut Builder<'_, '_>) -> Var {
        let var = b.module.add_var(Name::new(name, NameSource::Internal), ty, AddressSpace::Function);
        b.declare(var);
        var
    }

    fn declare_mask(&mut self, name: &str, b: &mut Builder<'_, '_>) -> Var {
        let ty = b.module.types.vector(Scalar::Bool, self.n);
        self.declare(ty, name, b)
    }

    /// Whether invocations may be helpers.
    pub(super) fn has_helpers(&self) -> bool {
        self.work.has_helpers
    }

    fn run(&mut self, task: Task, b: &mut Builder<'_, '_>) {
        match task {
            Task::Chain(block) => self.block(block, b),
            Task::Guarded(mask, chain) => self.guarded(mask, chain, b),
            Task::End => b.merge(&[]),
            Task::To(block) => b.switch_to(block),
            Task::Under(mask) => self.active = mask,
            Task::After(owner) => self.after(owner, b),
            Task::Left(owner) => self.left(owner, b),
            Task::Second(owner) => self.second(owner, b),
            Task::EndLoop(owner, blocks) => self.end_loop(owner, blocks, b),
            Task::Case(owner, case, hit) => self.case(owner, case, hit, b),
            Task::EndCases(owner) => self.end_cases(owner, b),
            Task::Resume(masks) => self.resume(masks),
        }
    }

    pub(super) fn construct(&self, owner: Block) -> &Construct {
        self.constructs[owner].as_ref().expect("a construct begins before it is left")
    }

    pub(super) fn guarded(&mut self, mask: Value, chain: Block, b: &mut Builder<'_, '_>) {
        if self.weights[chain] <= MAX_UNTESTED {
            self.active = mask;
            self.tasks.push(Task::Chain(chain));
            return;
        }
        let any = b.op(Op::Any, &[mask]);
        self.only_if(any, mask, b);
        self.tasks.push(Task::Chain(chain));
    }

    /// Begins an arm that runs only if a condition holds: pushes the tasks that end it.
    pub(super) fn only_if(&mut self, condition: Value, mask: Value, b: &mut Builder<'_, '_>) {
        let blocks = b.if_(condition);
        b.switch_to(blocks.otherwise);
        b.merge(&[]);
        b.switch_to(blocks.then);
        self.active = mask;
        self.tasks.extend([Task::To(blocks.merge), Task::End]);
    }

    /// The variables of the inputs of a block, declared in the current one.
    pub(super) fn declare_inputs(&mut self, block: Block, b: &mut Builder<'_, '_>) {
        for &input in &self.body.blocks[block].inputs {
            let ty = self.body.local_type(input);
            let mut scalars = Vec::new();
            if super::scalars_of(b.module, ty, &mut scalars).is_none() {
                self.work.error(self.body.blocks[block].exit_span, "a block input of this type");
                continue;
            }
            let n = if self.divergence.is_varying(input.into()) { self.n } else { 1 };
            let mut vars = Vec::new();
            for scalar in scalars {
                let ty = b.module.types.vector(scalar, n);
                vars.push(self.declare(ty, "merged", b));
            }
            self.merges[input] = Some(vars.into());
        }
    }

    pub(super) fn load_inputs(&mut self, block: Block, b: &mut Builder<'_, '_>) {
        for &input in &self.body.blocks[block].inputs {
            let Some(vars) = self.merges[input].clone() else { continue };
            let parts: Parts = vars.iter().map(|&var| b.load(var.into())).collect();
            self.set(input, parts, b);
        }
    }

    /// Passes arguments to the inputs of a block of a construct, in the active lanes.
    pub(super) fn pass(&mut self, owner: Block, target: Block, args: &[Value], b: &mut Builder<'_, '_>) {
        let construct = self.construct(owner).clone();
        let is_merge = self.body.blocks[owner].exit.merge_block() == Some(target);
        let is_loop = matches!(self.body.blocks[owner].exit, Exit::Loop { .. } | Exit::DoLoop { .. });
        // Lanes arrive at the merge block of a loop in several iterations, and elsewhere in one.
        let loops = construct.loops + u32::from(is_loop);
        let is_early = !(construct.passed.contains(&target) || is_merge && is_loop);
        let first = is_early && self.loops == loops;
        let second = construct.choice.filter(|&(_, mask)| is_merge && mask == self.active);
        let mut stores = Vec::new();
        for (&input, &arg) in self.body.blocks[target].inputs.iter().zip(args) {
            let Some(vars) = self.merges[input].clone() else { continue };
            let varies = self.divergence.is_varying(input.into());
            for (&var, part) in vars.iter().zip(self.parts(arg, b)) {
                stores.push((var, varies, part));
            }
        }
        for (var, varies, part) in stores {
            let mut part = part;
            // Lanes that are not in the construct do not read the variable, nor do those that come later read what it holds before.
            if varies {
                part = broadcast(b, part, self.n);
                let plain = first || self.active == construct.entry;
                match second {
                    Some((condition, _)) => {
                        let old = b.load(var.into());
                        part = b.op(Op::Select, &[condition, old, part]);
                    }
                    None if plain => {}
                    None => {
                        let old = b.load(var.into());
                        part = b.op(Op::Select, &[self.active, part, old]);
                    }
                }
            }
            b.store(var.into(), part);
        }
        if let Some(construct) = self.constructs[owner].as_mut().filter(|_| self.loops >= loops) {
            construct.passed.push(target);
        }
    }

    /// Adds the active lanes to a set.
    pub(super) fn add(&mut self, to: Arrivals, b: &mut Builder<'_, '_>) {
        match to {
            Arrivals::All => {}
            Arrivals::Mask(var) => {
                let old = b.load(var.into());
                let new = b.op(Op::LogicalOr, &[old, self.active]);
                b.store(var.into(), new);
            }
            Arrivals::Flag(var) => {
                let yes = b.bool(true);
                b.store(var.into(), yes);
            }
        }
    }

    /// Adds the active lanes to those in the merge block of a construct.
    pub(super) fn arrive(&mut self, owner: Block, b: &mut Builder<'_, '_>) {
        let merged = self.construct(owner).merged;
        self.add(merged, b);
    }

    pub(super) fn clear(&mut self, set: Arrivals, b: &mut Builder<'_, '_>) {
        match set {
            Arrivals::All => {}
            Arrivals::Mask(var) => {
                let none = mask(b, false, self.n);
                b.store(var.into(), none);
            }
            Arrivals::Flag(var) => {
                let no = b.bool(false);
                b.store(var.into(), no);
            }
        }
    }

    /// A set of lanes of a construct that is empty at first, in a variable of the current block.
    pub(super) fn arrivals(&mut self, owner: Block, name: &str, b: &mut Builder<'_, '_>) -> Arrivals {
        let set = if self.divergence.is_apart(owner) {
            Arrivals::Mask(self.declare_mask(name, b))
        } else {
            Arrivals::Flag(self.declare(Type::BOOL, name, b))
        };
        self.clear(set, b);
        set
    }

    /// Begins a construct.
    pub(super) fn begin(&mut self, owner: Block, b: &mut Builder<'_, '_>) {
        let merged = if self.divergence.leaks(owner) { self.arrivals(owner, "arrived", b) } else { Arrivals::All };
        self.constructs[owner] = Some(Construct {
            entry: self.active,
            merged,
            choice: None,
            loops: self.loops,
            passed: SmallVec::new(),
            continued: Arrivals::All,
            again: Arrivals::All,
            natural: None,
            escapes: Vec::new(),
        });
        if let Some(merge) = self.body.blocks[owner].exit.merge_block() {
            self.declare_inputs(merge, b);
        }
    }

    fn after(&mut self, owner: Block, b: &mut Builder<'_, '_>) {
        let construct = self.construct(owner).clone();
        let merge = self.body.blocks[owner].exit.merge_block().expect("a construct has a merge block");
        for (local, vars) in &construct.escapes {
            match self.body.node_of((*local).into()).filter(|_| self.places[*local].is_some()) {
                // Of a handle, the place is what it was.
                Some(node) if self.body.node(node).op.info().class == Class::Access => {
                    self.access(node, b);
                }
                Some(_) => {}
                None => {
                    let parts: Parts = vars.iter().map(|&var| b.load(var.into())).collect();
                    self.set(*local, parts, b);
                }
            }
        }
        match construct.merged {
            Arrivals::All => {
                self.active = construct.entry;
                self.tasks.push(Task::Chain(merge));
            }
            // The rest has barriers, which must not be under a test.
            Arrivals::Mask(var) if self.is_of_group(merge) => {
                self.active = b.load(var.into());
                self.tasks.push(Task::Chain(merge));
            }
            Arrivals::Flag(var) if self.is_of_group(merge) => {
                let flag = b.load(var.into());
                self.survive(flag, construct.entry, b);
                self.tasks.push(Task::Chain(merge));
            }
            Arrivals::Mask(var) => {
                let mask = b.load(var.into());
                self.guarded(mask, merge, b);
            }
            Arrivals::Flag(var) => {
                let flag = b.load(var.into());
                self.only_if(flag, construct.entry, b);
                self.tasks.push(Task::Chain(merge));
            }
        }
    }

    fn block(&mut self, block: Block, b: &mut Builder<'_, '_>) {
        if self.is_of_group(block) {
            return self.group_block(block, b);
        }
        self.load_inputs(block, b);
        let body = self.body;
        let data = &body.blocks[block];
        for &var in &data.variables {
            self.begin_variable(var, b);
        }
        for &node in &data.nodes {
            self.node(node, b);
        }
        b.at(data.exit_span);
        self.exit(block, b);
    }

    pub(super) fn begin_variable(&mut self, var: Var, b: &mut Builder<'_, '_>) {
        let data = &self.old.vars[var];
        let Some(lanes) = self.work.variable(b.module, self.old, var) else {
            return self.work.error(data.span, "a variable of this type");
        };
        b.at(data.span);
        if let Some(place) = self.place_by_batch(var, b) {
            let ty = b.module.types.pointee(b.type_of(place.pointer())).map(|(ty, _)| ty);
            let first = data.initializer.and_then(|constant| super::constant_in_memory(b, constant, self.n));
            let zero = ty.and_then(|ty| b.module.consts.zero(&mut b.module.types, ty)).map(Value::from);
            return first.or(zero).into_iter().for_each(|value| b.store(place.pointer(), value));
        }
        b.declare(lanes);
        if let Some(constant) = data.initializer
            && let Some(value) = super::constant_in_memory(b, constant, self.n)
        {
            b.store(lanes.into(), value);
        }
    }

    pub(super) fn exit(&mut self, block: Block, b: &mut Builder<'_, '_>) {
        let body = self.body;
        let parent = self.tree.place(block).and_then(|place| place.owner);
        match &body.blocks[block].exit {
            Exit::Open => panic!("{block} has no exit"),
            Exit::If { condition, then, otherwise, .. } => self.begin_if(block, *condition, [*then, *otherwise], b),
            Exit::Loop { args, condition, .. } => self.begin_loop(block, args, *condition, b),
            Exit::DoLoop { args, body, .. } => self.begin_loop(block, args, *body, b),
            Exit::Switch { selector, cases, args, merge } => {
                self.begin_switch(block, *selector, (cases, args, *merge), b);
            }
            Exit::Labelled { body, .. } => {
                self.begin(block, b);
                self.tasks.extend([Task::After(block), Task::Chain(*body)]);
            }
            Exit::NextBlock { merge } => self.tasks.push(Task::Chain(*merge)),
            Exit::Merge(args) => {
                let owner = parent.expect("a merge is in a construct");
                self.leave_to_merge(owner, args, b);
            }
            Exit::Break(label, args) => self.leave_to_merge(*label, args, b),
            Exit::Continue(label, args) => self.continue_(block, *label, args, b),
            Exit::LoopIf { condition, body_args, merge_args } => {
                let owner = parent.expect("a condition is in a loop");
                self.loop_if(owner, *condition, body_args, merge_args, b);
            }
            Exit::Passthrough => {
                let through = self.construct(parent.expect("a case is in a switch")).continued;
                self.add(through, b);
            }
            Exit::Return(args) => self.return_(args, b),
            Exit::Discard => {
                self.demote(b);
                self.fall_out(parent, b);
            }
            Exit::Trap(kind) => {
                let live = if self.has_helpers() { self.live(self.active, b) } else { self.active };
                let any = b.op(Op::Any, &[live]);
                trap_if(b, any, *kind);
                self.fall_out(parent, b);
            }
        }
    }

    /// Lanes that are only helpers from here on leave the innermost construct.
    fn fall_out(&mut self, parent: Option<Block>, b: &mut Builder<'_, '_>) {
        if let Some(owner) = parent {
            self.arrive(owner, b);
        }
    }

    pub(super) fn leave_to_merge(&mut self, owner: Block, args: &[Value], b: &mut Builder<'_, '_>) {
        let merge = self.body.blocks[owner].exit.merge_block().expect("a construct has a merge block");
        self.pass(owner, merge, args, b);
        self.arrive(owner, b);
    }

    fn return_(&mut self, args: &[Value], b: &mut Builder<'_, '_>) {
        let parts: Vec<Value> = args.iter().flat_map(|&arg| self.parts(arg, b)).collect();
        for (i, part) in parts.into_iter().enumerate() {
            let var = self.results[i].into();
            if self.active == self.entry {
                let part = broadcast(b, part, self.n);
                b.store(var, part);
            } else {
                self.store_lanes(var, part, b);
            }
        }
    }

    fn begin_if(&mut self, block: Block, condition: Value, arms: [Block; 2], b: &mut Builder<'_, '_>) {
        self.begin(block, b);
        if self.affine.is_some()
            && let Some(arm) = stopping_arm(self.body, block)
        {
            return self.stop_before(block, (condition, arms, arm), b);
        }
        let active = self.active;
        let test = self.parts(condition, b)[0];
        self.tasks.push(Task::After(block));
        if !self.divergence.is_varying(condition) {
            let blocks = b.if_(test);
            self.tasks.extend([Task::To(blocks.merge), Task::End, Task::Chain(arms[1]), Task::Under(active)]);
            self.tasks.extend([Task::To(blocks.otherwise), Task::End, Task::Chain(arms[0])]);
            b.switch_to(blocks.then);
            return;
        }
        let yes = and(b, active, test, self.n);
        let no = and_not(b, active, test, self.n);
        if let Some(construct) = &mut self.constructs[block] {
            construct.choice = Some((test, no));
        }
        self.tasks.extend([Task::Guarded(no, arms[1]), Task::Guarded(yes, arms[0])]);
    }
}

/// Traps where a condition holds.
pub(super) fn trap_if(b: &mut Builder<'_, '_>, condition: Value, kind: TrapKind) {
    let blocks = b.if_(condition);
    b.switch_to(blocks.then);
    b.exit(Exit::Trap(kind));
    b.switch_to(blocks.otherwise);
    b.merge(&[]);
    b.switch_to(blocks.merge);
}

/// By block: the cost of the merge chain that begins with it, with all that is nested in it.
fn weights(body: &Body) -> SideTable<Block, u32> {
    let mut weights: SideTable<Block, u32> = SideTable::with_capacity(body.blocks.len());
    let blocks: Vec<Block> = walk::blocks(body).collect();
    for &block in blocks.iter().rev() {
        let data = &body.blocks[block];
        let of = |node: &Node| match body.node(*node).op.info().class {
            Class::Call | Class::Texture => WORTH_A_TEST,
            _ => MACHINE.of(body.node(*node).op),
        };
        let mut weight: u32 = data.nodes.iter().map(of).fold(0, u32::saturating_add);
        if matches!(data.exit, Exit::Loop { .. } | Exit::DoLoop { .. } | Exit::Trap(_)) {
            weight = weight.saturating_add(WORTH_A_TEST);
        }
        for next in data.exit.sub_blocks().into_iter().chain(data.exit.merge_block()) {
            weight = weight.saturating_add(weights[next]);
        }
        weights[block] = weight;
    }
    weights
}
