//! The walk through a function: constructs under masks.
//!
//! No jump of the source remains: it adds the active lanes to those that have arrived at its target. A construct ends when every
//! lane in it has left it; those that have arrived at its merge block then go on together, as in the evaluator.

use std::sync::Arc;

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, LoopBlocks, Request};
use planish_ir::decoration::{Name, NameSource};
use planish_ir::entity::{Block, Func, Local, Node, Type, Value, Var};
use planish_ir::function::{Body, Case, Exit};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::tree::Tree;
use planish_ir::types::{AddressSpace, Scalar, TypeKind};
use planish_ir::walk;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::Work;
use super::divergence::Divergence;
use super::lanes::{and, and_not, broadcast, mask};
use super::places::Place;
use crate::cost::MACHINE;
use crate::lower_to_scalars::values::Parts;

/// Code of at most this cost runs under an empty mask rather than behind a test of it.
const MAX_UNTESTED: u32 = 8;
/// Cost of a loop or a call, which always is worth a test.
const WORTH_A_TEST: u32 = 64;

/// Writes the body of the widened function of `func`.
pub(super) fn write(
    b: &mut Builder<'_, '_>,
    old: &Module,
    body: &Body,
    func: Func,
    all_active: bool,
    work: &mut Work,
) {
    let tree = Tree::new(body);
    let active = if all_active { mask(b, true, work.n) } else { b.param(0) };
    let mut widener = Widener {
        old,
        body,
        n: work.n,
        divergence: Divergence::new(old, body, &tree),
        weights: weights(body),
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
    };
    let first = widener.begin_interface(usize::from(!all_active), b);
    widener.params(func, first, b);
    widener.declare_results(func, b);
    widener.tasks.push(Task::Chain(body.entry));
    while let Some(task) = widener.tasks.pop() {
        widener.run(task, b);
    }
    let mut results = Parts::new();
    for &var in &widener.results {
        results.push(b.load(var.into()));
    }
    widener.end_interface(&mut results, b);
    b.ret(&results);
}

pub(super) struct Widener<'a, 'w> {
    pub(super) old: &'a Module,
    pub(super) body: &'a Body,
    pub(super) n: u8,
    pub(super) divergence: Divergence,
    /// By block: the cost of its merge chain with all that is nested in it.
    weights: SideTable<Block, u32>,
    tree: Tree,
    pub(super) work: &'w mut Work,
    pub(super) values: SideTable<Local, Option<Parts>>,
    pub(super) places: SideTable<Local, Option<Place>>,
    /// The variables of the components of a block input.
    merges: SideTable<Local, Option<Arc<[Var]>>>,
    /// By the block that the construct ends.
    constructs: SideTable<Block, Option<Construct>>,
    /// The mask where the function begins.
    entry: Value,
    /// The mask of the lanes that are here.
    pub(super) active: Value,
    results: Vec<Var>,
    /// Loops around the current point.
    loops: u32,
    tasks: Vec<Task>,
}

/// A set of lanes that grows while a construct runs.
#[derive(Clone, Copy, Debug)]
enum Arrivals {
    /// All lanes of the construct arrive.
    All,
    /// A variable with their mask.
    Mask(Var),
    /// A variable that says whether all arrive, or none: where all lanes of the construct take the same path.
    Flag(Var),
}

/// A construct whose code is being written.
#[derive(Clone, Debug)]
struct Construct {
    /// The mask where it begins.
    entry: Value,
    /// Lanes that have arrived at its merge block.
    merged: Arrivals,
    /// Of an `If` on a value that varies, its condition and the mask of its second arm.
    choice: Option<(Value, Value)>,
    /// Loops around it.
    loops: u32,
    /// The blocks to which something has been passed already: of a loop, in this iteration.
    passed: SmallVec<[Block; 2]>,
    /// Of a loop: lanes waiting for the second part of the iteration, and for the next iteration. Of a switch: lanes that pass
    /// through to the next case.
    continued: Arrivals,
    again: Arrivals,
    /// Of a loop with its test at its beginning, its blocks.
    natural: Option<LoopBlocks>,
    /// Of a loop: values of its condition that are used after it, with variables for them.
    escapes: Vec<(Local, Vec<Var>)>,
}

enum Task {
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
}

impl Widener<'_, '_> {
    fn params(&mut self, func: Func, first: usize, b: &mut Builder<'_, '_>) {
        let mut next = first;
        for (&input, param) in self.body.blocks[self.body.entry].inputs.iter().zip(&self.old.funcs[func].params) {
            let Some(types) = self.work.types_of(b.module, param.ty) else { continue };
            let parts: Parts = (next..next + types.len()).map(|i| b.param(i)).collect();
            next += types.len();
            match self.old.types.pointee(param.ty) {
                Some((pointee, space)) => {
                    self.places[input] = Some(Place::behind(parts[0], pointee, super::is_own(space)));
                }
                None => self.values[input] = Some(parts),
            }
        }
    }

    /// Begins the variables of an invocation, if they are those of the function; the number of parameters so far.
    fn begin_interface(&mut self, first: usize, b: &mut Builder<'_, '_>) -> usize {
        let mut next = first;
        if !self.work.options.interface {
            return next;
        }
        b.declare(self.work.helpers);
        if self.work.options.helpers {
            let helpers = b.param(next);
            b.store(self.work.helpers.into(), helpers);
            next += 1;
        }
        for var in self.work.inputs.clone() {
            let Some(place) = self.declared(var, b) else { continue };
            for cell in super::places::cells_of(b, &place).unwrap_or_default() {
                let value = b.param(next);
                b.store(cell, value);
                next += 1;
            }
        }
        let own: Vec<Var> = self.work.private.iter().chain(&self.work.outputs).copied().collect();
        for var in own {
            self.begin_variable(var, b);
        }
        next
    }

    fn declared(&mut self, var: Var, b: &mut Builder<'_, '_>) -> Option<Place> {
        let lanes = self.work.variable(b.module, self.old, var)?;
        b.declare(lanes);
        self.place(var.into(), b)
    }

    fn end_interface(&mut self, results: &mut Parts, b: &mut Builder<'_, '_>) {
        if !self.work.options.interface {
            return;
        }
        for var in self.work.outputs.clone() {
            if let Some(place) = self.place(var.into(), b) {
                let cells = super::places::cells_of(b, &place).unwrap_or_default();
                results.extend(cells.into_iter().map(|cell| b.load(cell)));
            }
        }
        if self.work.has_helpers {
            results.push(b.load(self.work.helpers.into()));
        }
    }

    fn declare_results(&mut self, func: Func, b: &mut Builder<'_, '_>) {
        let mut types: Vec<Type> = Vec::new();
        for result in &self.old.funcs[func].results {
            types.extend(self.work.types_of(b.module, result.ty).into_iter().flatten());
        }
        self.results = types.into_iter().map(|ty| self.declare(ty, "result", b)).collect();
    }

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
    fn has_helpers(&self) -> bool {
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
            Task::EndCases(owner) => {
                let through = self.construct(owner).continued;
                if let Some(mask) = self.arrived(through, owner, b) {
                    self.active = mask;
                    self.arrive(owner, b);
                }
            }
        }
    }

    fn construct(&self, owner: Block) -> &Construct {
        self.constructs[owner].as_ref().expect("a construct begins before it is left")
    }

    fn guarded(&mut self, mask: Value, chain: Block, b: &mut Builder<'_, '_>) {
        if self.weights[chain] <= MAX_UNTESTED {
            self.active = mask;
            self.tasks.push(Task::Chain(chain));
            return;
        }
        let any = b.op(Op::Any, &[mask]);
        self.only_if(any, mask, b);
        self.tasks.push(Task::Chain(chain));
    }

    /// What follows, until the arm ends, runs only if a condition holds: pushes the tasks that end it.
    fn only_if(&mut self, condition: Value, mask: Value, b: &mut Builder<'_, '_>) {
        let blocks = b.if_(condition);
        b.switch_to(blocks.otherwise);
        b.merge(&[]);
        b.switch_to(blocks.then);
        self.active = mask;
        self.tasks.extend([Task::To(blocks.merge), Task::End]);
    }

    /// The variables of the inputs of a block, declared in the current one.
    fn declare_inputs(&mut self, block: Block, b: &mut Builder<'_, '_>) {
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

    fn load_inputs(&mut self, block: Block, b: &mut Builder<'_, '_>) {
        for &input in &self.body.blocks[block].inputs {
            let Some(vars) = self.merges[input].clone() else { continue };
            let parts: Parts = vars.iter().map(|&var| b.load(var.into())).collect();
            self.set(input, parts, b);
        }
    }

    /// Passes arguments to the inputs of a block of a construct, in the active lanes.
    fn pass(&mut self, owner: Block, target: Block, args: &[Value], b: &mut Builder<'_, '_>) {
        let construct = self.construct(owner).clone();
        let is_merge = self.body.blocks[owner].exit.merge_block() == Some(target);
        let is_loop = matches!(self.body.blocks[owner].exit, Exit::Loop { .. } | Exit::DoLoop { .. });
        // Lanes arrive at the merge block of a loop in several iterations, and elsewhere in one.
        let loops = construct.loops + u32::from(is_loop);
        let first = !(is_merge && is_loop) && !construct.passed.contains(&target) && self.loops == loops;
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
    fn add(&mut self, to: Arrivals, b: &mut Builder<'_, '_>) {
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

    /// The mask of a set of lanes of a construct, if it has a variable.
    fn arrived(&mut self, from: Arrivals, owner: Block, b: &mut Builder<'_, '_>) -> Option<Value> {
        match from {
            Arrivals::All => None,
            Arrivals::Mask(var) => Some(b.load(var.into())),
            Arrivals::Flag(var) => {
                let flag = b.load(var.into());
                let entry = self.construct(owner).entry;
                Some(and(b, entry, flag, self.n))
            }
        }
    }

    /// Adds the active lanes to those in the merge block of a construct.
    fn arrive(&mut self, owner: Block, b: &mut Builder<'_, '_>) {
        let merged = self.construct(owner).merged;
        self.add(merged, b);
    }

    fn clear(&mut self, set: Arrivals, b: &mut Builder<'_, '_>) {
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
    fn arrivals(&mut self, owner: Block, name: &str, b: &mut Builder<'_, '_>) -> Arrivals {
        let set = if self.divergence.is_apart(owner) {
            Arrivals::Mask(self.declare_mask(name, b))
        } else {
            Arrivals::Flag(self.declare(Type::BOOL, name, b))
        };
        self.clear(set, b);
        set
    }

    /// Begins a construct.
    fn begin(&mut self, owner: Block, b: &mut Builder<'_, '_>) {
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
                Some(node) => {
                    self.access(node, b);
                }
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

    fn begin_variable(&mut self, var: Var, b: &mut Builder<'_, '_>) {
        let data = &self.old.vars[var];
        let Some(lanes) = self.work.variable(b.module, self.old, var) else {
            return self.work.error(data.span, "a variable of this type");
        };
        b.at(data.span);
        b.declare(lanes);
        if let Some(constant) = data.initializer
            && let Some(value) = super::constant_in_memory(b, constant, self.n)
        {
            b.store(lanes.into(), value);
        }
    }

    fn exit(&mut self, block: Block, b: &mut Builder<'_, '_>) {
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
                let blocks = b.if_(any);
                b.switch_to(blocks.then);
                b.exit(Exit::Trap(*kind));
                b.switch_to(blocks.otherwise);
                b.merge(&[]);
                b.switch_to(blocks.merge);
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

    fn leave_to_merge(&mut self, owner: Block, args: &[Value], b: &mut Builder<'_, '_>) {
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

    fn begin_switch(
        &mut self,
        block: Block,
        selector: Value,
        (cases, args, merge): (&[Case], &[Value], Block),
        b: &mut Builder<'_, '_>,
    ) {
        self.begin(block, b);
        let passes_through = |case: &Case| {
            matches!(self.body.blocks[walk::chain_end(self.body, case.block)].exit, Exit::Passthrough)
        };
        let through = cases.iter().any(passes_through);
        if through {
            let set = self.arrivals(block, "through", b);
            if let Some(construct) = &mut self.constructs[block] {
                construct.continued = set;
            }
        }
        let selected = self.parts(selector, b)[0];
        let ty = b.type_of(selected);
        let mut any: Option<Value> = None;
        let mut hits = Vec::new();
        for case in cases {
            let mut hit: Option<Value> = None;
            for &value in &case.values {
                let bits = b.module.consts.as_bits(value).expect("a number");
                let value = b.module.consts.splat(&mut b.module.types, ty, bits).expect("a number").into();
                let equal = b.op(Op::Equal, &[selected, value]);
                hit = Some(hit.map_or(equal, |hit| b.op(Op::LogicalOr, &[hit, equal])));
            }
            if let Some(hit) = hit {
                any = Some(any.map_or(hit, |any| b.op(Op::LogicalOr, &[any, hit])));
            }
            hits.push(hit);
        }
        let truth = b.module.types.with_scalar(ty, Scalar::Bool);
        let no: Value = b.module.consts.splat(&mut b.module.types, truth, 0).expect("a truth value").into();
        let others = match any {
            Some(any) => b.op(Op::LogicalNot, &[any]),
            None => b.module.consts.splat(&mut b.module.types, truth, 1).expect("a truth value").into(),
        };
        let active = self.active;
        if !cases.iter().any(|case| case.is_default) {
            // Lanes without a case.
            if self.divergence.is_varying(selector) {
                self.active = and(b, active, others, self.n);
                self.pass(block, merge, args, b);
                self.arrive(block, b);
            } else {
                let blocks = b.if_(others);
                b.switch_to(blocks.then);
                self.pass(block, merge, args, b);
                self.arrive(block, b);
                b.merge(&[]);
                b.switch_to(blocks.otherwise);
                b.merge(&[]);
                b.switch_to(blocks.merge);
            }
        }
        self.tasks.extend([Task::After(block), Task::EndCases(block)]);
        for (i, (case, hit)) in cases.iter().zip(hits).enumerate().rev() {
            let hit = match (hit, case.is_default) {
                (Some(hit), true) => b.op(Op::LogicalOr, &[hit, others]),
                (Some(hit), false) => hit,
                (None, true) => others,
                (None, false) => no,
            };
            self.tasks.push(Task::Case(block, i, hit));
        }
    }

    fn case(&mut self, owner: Block, case: usize, hit: Value, b: &mut Builder<'_, '_>) {
        let body = self.body;
        let Exit::Switch { cases, .. } = &body.blocks[owner].exit else { return };
        let chain = cases[case].block;
        let &Construct { entry, continued, .. } = self.construct(owner);
        if !self.divergence.is_apart(owner) {
            let hit = match continued {
                Arrivals::Flag(through) => {
                    let through = b.load(through.into());
                    b.op(Op::LogicalOr, &[hit, through])
                }
                _ => hit,
            };
            self.clear(continued, b);
            self.only_if(hit, entry, b);
            self.tasks.push(Task::Chain(chain));
            return;
        }
        let mut mask = and(b, entry, hit, self.n);
        if let Arrivals::Mask(through) = continued {
            let through = b.load(through.into());
            mask = b.op(Op::LogicalOr, &[mask, through]);
            self.clear(continued, b);
        }
        self.guarded(mask, chain, b);
    }

    fn begin_loop(&mut self, owner: Block, args: &[Value], first: Block, b: &mut Builder<'_, '_>) {
        self.begin(owner, b);
        for block in self.body.blocks[owner].exit.sub_blocks() {
            self.declare_inputs(block, b);
        }
        let again = self.arrivals(owner, "again", b);
        if let Arrivals::Mask(var) = again {
            b.store(var.into(), self.active);
        }
        let escapes = self.escapes(owner, b);
        if let Some(construct) = &mut self.constructs[owner] {
            (construct.again, construct.escapes) = (again, escapes);
        }
        self.pass(owner, first, args, b);
        if self.is_natural(owner, first) {
            return self.begin_natural_loop(owner, first, b);
        }
        let blocks = b.do_loop(&[]);
        b.switch_to(blocks.body);
        self.loops += 1;
        if let Arrivals::Mask(var) = again {
            self.active = b.load(var.into());
        }
        self.clear(again, b);
        let is_do = matches!(self.body.blocks[owner].exit, Exit::DoLoop { .. });
        if is_do || matches!(self.body.blocks[owner].exit, Exit::Loop { next: Some(_), .. }) {
            let continued = self.arrivals(owner, "continued", b);
            if let Some(construct) = &mut self.constructs[owner] {
                construct.continued = continued;
            }
        }
        self.tasks.push(Task::EndLoop(owner, blocks));
        if is_do {
            self.tasks.push(Task::Second(owner));
        }
        self.tasks.push(Task::Chain(first));
    }

    /// Whether a loop has its test at its beginning, which then is that of the widened one too: in one block, and, where lanes run
    /// together, as the only way out.
    fn is_natural(&self, owner: Block, first: Block) -> bool {
        let body = self.body;
        let is_break = |block: Block| matches!(body.blocks[block].exit, Exit::Break(label, _) if label == owner);
        matches!(body.blocks[owner].exit, Exit::Loop { .. })
            && matches!(body.blocks[first].exit, Exit::LoopIf { .. })
            && (self.divergence.is_apart(owner)
                || !self.divergence.leaks(owner) && !walk::inside(body, owner).any(is_break))
    }

    fn begin_natural_loop(&mut self, owner: Block, first: Block, b: &mut Builder<'_, '_>) {
        let blocks = b.loop_(&[], false);
        b.switch_to(blocks.condition);
        self.loops += 1;
        let again = self.construct(owner).again;
        if let Arrivals::Mask(var) = again {
            self.active = b.load(var.into());
        }
        self.clear(again, b);
        if let Some(construct) = &mut self.constructs[owner] {
            construct.natural = Some(blocks);
        }
        self.tasks.push(Task::Chain(first));
    }

    /// The condition of a loop with its test at its beginning.
    fn natural_test(
        &mut self,
        owner: Block,
        blocks: LoopBlocks,
        (test, varies): (Value, bool),
        (first, body_args): (Block, &[Value]),
        merge_args: &[Value],
        b: &mut Builder<'_, '_>,
    ) {
        let active = self.active;
        let yes = if varies { and(b, active, test, self.n) } else { active };
        let mut goes = test;
        if varies || self.has_helpers() || self.divergence.is_apart(owner) {
            let going = if self.has_helpers() { self.live(yes, b) } else { yes };
            let any = b.op(Op::Any, &[going]);
            goes = if varies { any } else { b.op(Op::LogicalAnd, &[test, any]) };
        }
        self.active = match self.construct(owner).merged {
            _ if varies => and_not(b, active, test, self.n),
            // What is passed in the last iteration counts.
            Arrivals::All => active,
            _ => and_not(b, active, goes, self.n),
        };
        self.leave_to_merge(owner, merge_args, b);
        if varies && self.has_helpers() {
            // Helpers alone leave.
            self.active = and_not(b, yes, goes, self.n);
            self.arrive(owner, b);
        }
        b.loop_if(goes);
        b.switch_to(blocks.body);
        self.active = yes;
        if matches!(self.body.blocks[owner].exit, Exit::Loop { next: Some(_), .. }) {
            let continued = self.arrivals(owner, "continued", b);
            if let Some(construct) = &mut self.constructs[owner] {
                construct.continued = continued;
            }
        }
        self.pass(owner, first, body_args, b);
        self.tasks.push(Task::EndLoop(owner, blocks));
        if matches!(self.body.blocks[owner].exit, Exit::Loop { next: Some(_), .. }) {
            self.tasks.push(Task::Second(owner));
        }
        self.tasks.push(Task::Chain(first));
    }

    /// Values of the condition of a loop that are used after it, with variables for those that are no pointers.
    fn escapes(&mut self, owner: Block, b: &mut Builder<'_, '_>) -> Vec<(Local, Vec<Var>)> {
        let body = self.body;
        let &Exit::Loop { condition, .. } = &body.blocks[owner].exit else { return Vec::new() };
        let mut defined: FxHashSet<Local> = FxHashSet::default();
        let mut order = Vec::new();
        let mut chain = Some(condition);
        while let Some(block) = chain {
            let data = &body.blocks[block];
            let locals = data.inputs.iter().copied().chain(data.nodes.iter().flat_map(|&node| body.results(node)));
            order.extend(locals);
            chain = data.exit.merge_block();
        }
        defined.extend(&order);
        let mut used: FxHashSet<Local> = FxHashSet::default();
        for block in self.users_after(owner) {
            let data = &body.blocks[block];
            let operands = data.nodes.iter().flat_map(|&node| body.args(node));
            used.extend(operands.filter_map(|arg| arg.as_local()).filter(|local| defined.contains(local)));
            data.exit.for_each_operand(|value| used.extend(value.as_local().filter(|local| defined.contains(local))));
        }
        // A pointer is made again, from its index.
        for &local in order.iter().rev().filter(|local| used.contains(local)).collect::<Vec<_>>() {
            if let Some(node) = body.node_of(local.into()).filter(|&node| is_access(body, node)) {
                used.extend(body.args(node).iter().filter_map(|arg| arg.as_local()).filter(|arg| defined.contains(arg)));
            }
        }
        let mut found = Vec::new();
        for local in order.into_iter().filter(|local| used.contains(local)) {
            let mut vars = Vec::new();
            if !body.node_of(local.into()).is_some_and(|node| is_access(body, node)) {
                let mut scalars = Vec::new();
                let _ = super::scalars_of(b.module, body.local_type(local), &mut scalars);
                let n = if self.divergence.is_varying(local.into()) { self.n } else { 1 };
                for scalar in scalars {
                    let ty = b.module.types.vector(scalar, n);
                    vars.push(self.declare(ty, "last", b));
                }
            }
            found.push((local, vars));
        }
        found
    }

    /// The blocks of the merge chain after a construct, with what is nested in them.
    fn users_after(&self, owner: Block) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut at = self.body.blocks[owner].exit.merge_block();
        while let Some(block) = at {
            blocks.push(block);
            blocks.extend(walk::inside(self.body, block));
            at = self.body.blocks[block].exit.merge_block();
        }
        blocks
    }

    fn loop_if(
        &mut self,
        owner: Block,
        condition: Value,
        body_args: &[Value],
        merge_args: &[Value],
        b: &mut Builder<'_, '_>,
    ) {
        for (local, vars) in self.construct(owner).escapes.clone() {
            for (var, part) in vars.into_iter().zip(self.parts(local.into(), b)) {
                match self.divergence.is_varying(local.into()) {
                    true => self.store_lanes(var.into(), part, b),
                    false => b.store(var.into(), part),
                }
            }
        }
        let (first, is_do) = match self.body.blocks[owner].exit {
            Exit::Loop { body, .. } => (body, false),
            Exit::DoLoop { body, .. } => (body, true),
            _ => panic!("a condition without a loop"),
        };
        let active = self.active;
        let test = self.parts(condition, b)[0];
        let varies = self.divergence.is_varying(condition);
        if let Some(blocks) = self.construct(owner).natural {
            return self.natural_test(owner, blocks, (test, varies), (first, body_args), merge_args, b);
        }
        if !varies {
            let mut test = test;
            if self.has_helpers() {
                let live = self.live(active, b);
                let any = b.op(Op::Any, &[live]);
                test = b.op(Op::LogicalAnd, &[test, any]);
            }
            let blocks = b.if_(test);
            b.switch_to(blocks.otherwise);
            let merge = self.body.blocks[owner].exit.merge_block().expect("a loop has a merge block");
            self.pass(owner, merge, merge_args, b);
            self.arrive(owner, b);
            b.merge(&[]);
            b.switch_to(blocks.then);
            self.tasks.extend([Task::To(blocks.merge), Task::End]);
        } else {
            let yes = and(b, active, test, self.n);
            self.active = and_not(b, active, test, self.n);
            self.leave_to_merge(owner, merge_args, b);
            let mut going = yes;
            if self.has_helpers() {
                going = self.live(yes, b);
            }
            let any = b.op(Op::Any, &[going]);
            if self.has_helpers() {
                // Helpers alone leave.
                self.active = and_not(b, yes, any, self.n);
                self.arrive(owner, b);
            }
            self.only_if(any, yes, b);
        }
        self.pass(owner, first, body_args, b);
        if is_do {
            let again = self.construct(owner).again;
            self.add(again, b);
            return;
        }
        if matches!(self.body.blocks[owner].exit, Exit::Loop { next: Some(_), .. }) {
            self.tasks.push(Task::Second(owner));
        }
        self.tasks.push(Task::Chain(first));
    }

    fn second(&mut self, owner: Block, b: &mut Builder<'_, '_>) {
        let chain = match self.body.blocks[owner].exit {
            Exit::Loop { next: Some(next), .. } => next,
            Exit::DoLoop { condition, .. } => condition,
            _ => return,
        };
        let &Construct { entry, continued, .. } = self.construct(owner);
        match continued {
            Arrivals::All => {}
            Arrivals::Mask(var) => {
                let mask = b.load(var.into());
                self.guarded(mask, chain, b);
            }
            Arrivals::Flag(var) => {
                let flag = b.load(var.into());
                self.only_if(flag, entry, b);
                self.tasks.push(Task::Chain(chain));
            }
        }
    }

    fn continue_(&mut self, block: Block, label: Block, args: &[Value], b: &mut Builder<'_, '_>) {
        let Some((target, _)) = self.tree.edges(self.body, block).first().copied() else { return };
        self.pass(label, target, args, b);
        let construct = self.construct(label);
        let waits = match self.body.blocks[label].exit {
            Exit::Loop { condition, .. } if target == condition => construct.again,
            _ => construct.continued,
        };
        self.add(waits, b);
    }

    fn end_loop(&mut self, owner: Block, blocks: LoopBlocks, b: &mut Builder<'_, '_>) {
        self.loops -= 1;
        b.continue_(blocks.owner, &[]);
        if self.construct(owner).natural.is_some() {
            b.switch_to(blocks.merge);
            return self.tasks.extend([Task::After(owner), Task::Left(owner)]);
        }
        b.switch_to(blocks.condition);
        let goes = match self.construct(owner).again {
            Arrivals::All => b.bool(true),
            Arrivals::Flag(var) => b.load(var.into()),
            Arrivals::Mask(var) => {
                let mut mask = b.load(var.into());
                if self.has_helpers() {
                    mask = self.live(mask, b);
                }
                b.op(Op::Any, &[mask])
            }
        };
        b.loop_if(goes);
        b.switch_to(blocks.merge);
        self.tasks.extend([Task::After(owner), Task::Left(owner)]);
    }

    /// Helpers that would iterate alone leave the loop.
    fn left(&mut self, owner: Block, b: &mut Builder<'_, '_>) {
        if let Arrivals::Mask(var) = self.construct(owner).again
            && self.has_helpers()
        {
            self.active = b.load(var.into());
            self.arrive(owner, b);
        }
    }

    /// A call of the widened callee.
    pub(super) fn call(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<()> {
        let data = *self.body.node(node);
        let args = self.body.args(node);
        if !matches!(data.op, Op::Call | Op::TailCall) {
            return None;
        }
        let callee = args[0].as_func()?;
        if self.work.entry == Some(callee) && self.work.all_active || self.work.options.interface {
            return None;
        }
        let widened = self.work.function(b.module, self.old, callee);
        let mut operands: Parts = Parts::from_slice(&[widened.into(), self.active]);
        let mut written = Vec::new();
        for &arg in &args[1..] {
            let ty = self.old.type_of(self.body, arg);
            if !matches!(self.old.types[ty], TypeKind::Pointer { .. }) {
                for part in self.parts(arg, b) {
                    operands.push(broadcast(b, part, self.n));
                }
                continue;
            }
            let place = self.place(arg, b)?;
            match place.direct() {
                Some(pointer) => operands.push(pointer),
                None if place.is_own => {
                    let (pointee, _) = self.old.types.pointee(ty)?;
                    let copy = self.temporary(pointee, b)?;
                    let parts = self.load(&place, b)?;
                    self.store(&copy, &parts, b)?;
                    operands.push(copy.direct()?);
                    written.push((place, copy));
                }
                None => return None,
            }
        }
        let results = b.make_all(Request::new(Op::Call, &operands));
        let mut next = 0;
        for result in self.body.results(node) {
            let count = self.work.types_of(b.module, self.body.local_type(result))?.len();
            self.set(result, results[next..next + count].into(), b);
            next += count;
        }
        for (place, copy) in written {
            let parts = self.load(&copy, b)?;
            self.store(&place, &parts, b)?;
        }
        Some(())
    }
}

fn is_access(body: &Body, node: Node) -> bool {
    body.node(node).op.info().class == Class::Access
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
