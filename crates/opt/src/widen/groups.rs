//! Work groups: more invocations than lanes, with barriers between them.
//!
//! The invocations of a group are split into *batches* of lanes. Code between two barriers, a *piece*, is a loop over the batches:
//!
//! ```text
//! before: a[i] = x;          after: for batch in 0..n { a[i] = x }
//!         barrier();                for batch in 0..n { y = a[j]; any = any || c }
//!         y = a[j];                 if any {
//!         if (c) {                      for batch in 0..n { b[i] = y }
//!             b[i] = y;                 …
//!             barrier();            }
//!             …
//! ```
//!
//! Constructs with a barrier in them, or a jump to such a construct, are those of the group: all invocations that are there pass through
//! them together, as shading languages demand; a trap reports that they do not. Only the arms of an `If` that no jump leaves run one after
//! the other, each with the invocations that take it: early returns are of this form after optimization. Values that a later piece uses,
//! the variables of an invocation and the mask of those that are there are kept in arrays with an element for each batch.

use std::sync::Arc;

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, LoopBlocks};
use planish_ir::decoration::{Name, NameSource, Precision};
use planish_ir::entity::{Block, Local, Type, Value, Var};
use planish_ir::function::{Body, Case, Exit, TrapKind};
use planish_ir::ops::Op;
use planish_ir::types::{AddressSpace, Scalar};
use planish_ir::walk;
use rustc_hash::FxHashSet;

use super::control::{Task, Widener, trap_if};
use super::lanes::{and, and_not, broadcast, mask};
use super::pieces::Pieces;
use super::places::Place;
use crate::lower_to_scalars::values::Parts;

/// Of a widened work group.
pub(super) struct Group {
    pub(super) count: u32,
    pieces: Pieces,
    /// The variables of the components of values that pieces share.
    homes: SideTable<Local, Option<Arc<[Var]>>>,
    /// By construct of the group: its block in the widened function.
    labels: SideTable<Block, Option<Block>>,
    /// The masks of the invocations there are, by batch; `None` if all batches are full.
    present: Option<Var>,
    /// The masks of the invocations that are here, by batch; `None` if all are everywhere.
    alive: Option<Var>,
    /// The masks that the next piece begins with instead.
    resume: Option<Var>,
    /// By `If` whose arms run one after the other: the masks of the invocations that have arrived at its merge block.
    arrived: SideTable<Block, Option<Var>>,
    /// Variables of an invocation that are arrays by batch.
    arrays: FxHashSet<Var>,
    piece: u32,
    /// The loop over batches of the current piece, and the number of the batch.
    open: Option<(LoopBlocks, Value)>,
    has_begun: bool,
    /// Variables with values that the piece passes, and where they go when it ends.
    passed: Vec<(Var, Var)>,
}

impl Group {
    pub(super) fn new(pieces: Pieces, count: u32, present: Option<Var>) -> Self {
        Group {
            count,
            pieces,
            homes: SideTable::new(),
            labels: SideTable::new(),
            present,
            alive: None,
            resume: None,
            arrived: SideTable::new(),
            arrays: FxHashSet::default(),
            piece: 0,
            open: None,
            has_begun: false,
            passed: Vec::new(),
        }
    }
}

impl Widener<'_, '_> {
    fn group(&mut self) -> &mut Group {
        self.group.as_mut().expect("the function is that of a work group")
    }

    /// Whether a block is at the level of the work group, with all invocations.
    pub(super) fn is_of_group(&self, block: Block) -> bool {
        let owner = self.tree.place(block).and_then(|place| place.owner);
        self.group.as_ref().is_some_and(|group| group.pieces.is_of_group(owner))
    }

    /// Declares what pieces share, and begins the variables of an invocation.
    pub(super) fn begin_group(&mut self, b: &mut Builder<'_, '_>) {
        let body = self.body;
        let private = self.work.private.clone();
        let locals = walk::blocks(body).filter(|&block| self.is_of_group(block));
        let locals: Vec<Var> = locals.flat_map(|block| body.blocks[block].variables.iter().copied()).collect();
        for &var in private.iter().chain(&locals) {
            let Some(lanes) = super::lanes_in_memory(b.module, self.old.vars[var].ty, self.n) else {
                self.work.error(self.old.vars[var].span, "a variable of this type");
                continue;
            };
            let array = self.declare_by_batch(lanes, &self.old.vars[var].name.text.clone(), b);
            self.work.vars.insert(var, array);
            self.group().arrays.insert(var);
        }
        let inputs = self.work.inputs.clone();
        self.group().arrays.extend(inputs);
        let shared: Vec<Local> = {
            let group = self.group.as_ref().expect("it is one");
            body.locals().map(|(local, _)| local).filter(|&local| group.pieces.crossing[local]).collect()
        };
        let inputs = walk::blocks(body).filter(|&block| self.is_of_group(block) && self.is_target(block));
        let inputs: Vec<Local> = inputs.flat_map(|block| body.blocks[block].inputs.iter().copied()).collect();
        for local in shared.into_iter().chain(inputs) {
            self.declare_home(local, b);
        }
        if self.group().pieces.has_masks {
            let ty = b.module.types.vector(Scalar::Bool, self.n);
            let alive = self.declare_by_batch(ty, "alive", b);
            self.group().alive = Some(alive);
        }
        self.open_piece(b);
        for var in private {
            self.begin_variable(var, b);
        }
    }

    /// Whether a block at the group's level is entered by a jump of that level.
    fn is_target(&self, block: Block) -> bool {
        self.group.as_ref().expect("it is one").pieces.is_target(&self.tree, block)
    }

    fn declare_by_batch(&mut self, ty: Type, name: &str, b: &mut Builder<'_, '_>) -> Var {
        let count = self.group().count;
        let array = b.module.types.array(ty, count);
        let var = b.module.add_var(Name::new(name, NameSource::Internal), array, AddressSpace::Function);
        b.declare(var);
        var
    }

    fn declare_home(&mut self, local: Local, b: &mut Builder<'_, '_>) {
        if self.group().homes[local].is_some() {
            return;
        }
        let mut scalars = Vec::new();
        if super::scalars_of(b.module, self.body.local_type(local), &mut scalars).is_none() {
            return self.work.error(self.body.blocks[self.body.entry].exit_span, "a value of this type at a barrier");
        }
        let varies = self.divergence.is_varying(local.into());
        let mut vars = Vec::new();
        for scalar in scalars {
            vars.push(match varies {
                true => {
                    let ty = b.module.types.vector(scalar, self.n);
                    self.declare_by_batch(ty, "kept", b)
                }
                false => {
                    let ty = b.module.types.scalar(scalar);
                    self.declare(ty, "kept", b)
                }
            });
        }
        self.group().homes[local] = Some(vars.into());
    }

    /// The element of an array by batch.
    fn of_batch(&mut self, array: Var, b: &mut Builder<'_, '_>) -> Value {
        let (_, batch) = self.group().open.expect("a piece is open");
        b.op(Op::AccessArrayElement, &[array.into(), batch])
    }

    fn home_of(&mut self, local: Local, var: Var, b: &mut Builder<'_, '_>) -> Value {
        if self.divergence.is_varying(local.into()) { self.of_batch(var, b) } else { var.into() }
    }

    /// The place of a variable of an invocation, if it is an array by batch.
    pub(super) fn place_by_batch(&mut self, var: Var, b: &mut Builder<'_, '_>) -> Option<Place> {
        let group = self.group.as_ref()?;
        let &array = self.work.vars.get(&var).filter(|_| group.arrays.contains(&var))?;
        let pointer = self.of_batch(array, b);
        Some(Place::behind(pointer, self.old.vars[var].ty, true))
    }

    /// Begins the loop over batches of the current piece, if it has not begun.
    fn open_piece(&mut self, b: &mut Builder<'_, '_>) {
        if self.group().open.is_some() {
            return;
        }
        let zero = b.i32(0);
        let blocks = b.loop_(&[zero], false);
        let batch = b.add_input(blocks.condition, Type::I32, Precision::None);
        b.switch_to(blocks.condition);
        let count = b.i32(self.group().count as i32);
        let more = b.op(Op::LessThan, &[batch, count]);
        b.loop_if(more);
        b.switch_to(blocks.body);
        self.group().open = Some((blocks, batch));
        let is_first = !std::mem::replace(&mut self.group().has_begun, true);
        let resume = self.group().resume.take();
        let masks = resume.or(self.group().alive.filter(|_| !is_first)).or(self.group().present);
        self.active = match masks {
            Some(masks) => {
                let pointer = self.of_batch(masks, b);
                b.load(pointer)
            }
            None => mask(b, true, self.n),
        };
        let piece = self.group().piece as usize;
        for local in self.group().pieces.used[piece].clone() {
            self.take_up(local, b);
        }
    }

    /// Loads a value of another piece, or makes it again.
    fn take_up(&mut self, local: Local, b: &mut Builder<'_, '_>) {
        match self.group().homes[local].clone() {
            Some(vars) => {
                let mut parts = Parts::new();
                for &var in vars.iter() {
                    let pointer = self.home_of(local, var, b);
                    parts.push(b.load(pointer));
                }
                self.values[local] = Some(parts);
            }
            None => {
                if let Some(node) = self.body.node_of(local.into()) {
                    self.node(node, b);
                }
            }
        }
    }

    /// Ends the loop over batches: keeps what later pieces use.
    fn close_piece(&mut self, b: &mut Builder<'_, '_>) {
        if self.group().open.is_none() {
            return;
        }
        let piece = self.group().piece as usize;
        for local in self.group().pieces.kept[piece].clone() {
            let parts = self.parts(local.into(), b);
            self.keep(local, &parts, b);
        }
        if let Some(alive) = self.group().alive {
            let pointer = self.of_batch(alive, b);
            let active = broadcast(b, self.active, self.n);
            b.store(pointer, active);
        }
        let (blocks, batch) = self.group().open.take().expect("it is open");
        let one = b.i32(1);
        let next = b.op(Op::Add, &[batch, one]);
        b.continue_(blocks.owner, &[next]);
        b.switch_to(blocks.merge);
        for (next, var) in std::mem::take(&mut self.group().passed) {
            let value = b.load(next.into());
            b.store(var.into(), value);
        }
    }

    fn keep(&mut self, local: Local, parts: &[Value], b: &mut Builder<'_, '_>) {
        let Some(vars) = self.group().homes[local].clone() else { return };
        let varies = self.divergence.is_varying(local.into());
        for (&var, &part) in vars.iter().zip(parts) {
            let pointer = self.home_of(local, var, b);
            let part = if varies { broadcast(b, part, self.n) } else { part };
            b.store(pointer, part);
        }
    }

    /// The components of a value in the active lanes, and those that are kept in others.
    fn blended(&mut self, local: Local, parts: &[Value], b: &mut Builder<'_, '_>) -> Parts {
        let homes = self.group().homes[local].clone();
        let mut blended = Parts::new();
        for (&var, &part) in homes.iter().flat_map(|vars| vars.iter()).zip(parts) {
            let pointer = self.home_of(local, var, b);
            let (new, old) = (broadcast(b, part, self.n), b.load(pointer));
            blended.push(b.op(Op::Select, &[self.active, new, old]));
        }
        blended
    }

    /// Keeps the components of a value that is the same for all invocations, when the piece has ended.
    fn keep_after(&mut self, local: Local, parts: &[Value], b: &mut Builder<'_, '_>) {
        let Some(vars) = self.group().homes[local].clone() else { return };
        for (&var, &part) in vars.iter().zip(parts) {
            let next = self.declare_outside(b.type_of(part), b);
            b.store(next.into(), part);
            self.group().passed.push((next, var));
        }
    }

    /// Passes arguments to the inputs of a block of the group's level.
    fn pass_in_group(&mut self, target: Block, args: &[Value], b: &mut Builder<'_, '_>) {
        if args.is_empty() {
            return;
        }
        self.open_piece(b);
        let mut all = Vec::new();
        for (&input, &arg) in self.body.blocks[target].inputs.iter().zip(args) {
            all.push((input, self.parts(arg, b)));
        }
        let merged = self.tree.merged(target).filter(|&construct| self.group().pieces.masked[construct]);
        for (input, mut parts) in all {
            if merged.is_some() {
                // The other arm has passed the values of its invocations.
                parts = self.blended(input, &parts, b);
            }
            match self.divergence.is_varying(input.into()) {
                true => self.keep(input, &parts, b),
                // The other batches of this piece may still read the old value.
                false => self.keep_after(input, &parts, b),
            }
        }
    }

    /// A block of the group's level.
    pub(super) fn group_block(&mut self, block: Block, b: &mut Builder<'_, '_>) {
        let body = self.body;
        let data = &body.blocks[block];
        if self.is_target(block) && block != body.entry {
            let first =
                data.nodes.first().map_or(self.group().pieces.ends[block], |&node| self.group().pieces.of[node]);
            self.group().piece = first;
            if self.group().resume.is_some() {
                self.open_piece(b);
            }
            if !data.inputs.is_empty() {
                self.open_piece(b);
                for &input in &data.inputs {
                    self.take_up(input, b);
                }
            }
        } else {
            self.load_inputs(block, b);
        }
        for &var in &data.variables {
            self.open_piece(b);
            self.begin_variable(var, b);
        }
        for &node in &data.nodes {
            if body.node(node).op == Op::ControlBarrier {
                self.close_piece(b);
                self.group().piece += 1;
                continue;
            }
            self.open_piece(b);
            self.node(node, b);
        }
        b.at(data.exit_span);
        self.group_exit(block, b);
    }

    fn group_exit(&mut self, block: Block, b: &mut Builder<'_, '_>) {
        let body = self.body;
        let owner = self.tree.place(block).and_then(|place| place.owner);
        let exit = &body.blocks[block].exit;
        let is_construct = exit.merge_block().is_some() && !matches!(exit, Exit::NextBlock { .. });
        if is_construct && !self.group().pieces.together[block] {
            self.open_piece(b);
            return self.exit(block, b);
        }
        match exit {
            Exit::NextBlock { merge } => self.tasks.push(Task::Chain(*merge)),
            Exit::If { condition, then, otherwise, merge } if self.group().pieces.masked[block] => {
                self.one_arm_after_the_other(block, *condition, [*then, *otherwise, *merge], b);
            }
            Exit::If { condition, then, otherwise, merge } => {
                let condition = self.decide(*condition, b);
                self.label(block, b);
                let blocks = b.if_(condition);
                self.tasks.extend([Task::Chain(*merge), Task::To(blocks.merge)]);
                self.tasks.extend([Task::Chain(*otherwise), Task::To(blocks.otherwise)]);
                self.tasks.extend([Task::Chain(*then), Task::To(blocks.then)]);
            }
            Exit::Loop { args, condition, body, next, merge } => {
                self.pass_in_group(*condition, args, b);
                self.close_piece(b);
                self.label(block, b);
                let blocks = b.loop_(&[], next.is_some());
                self.tasks.extend([Task::Chain(*merge), Task::To(blocks.merge)]);
                if let (Some(source), Some(next)) = (next, blocks.next) {
                    self.tasks.extend([Task::Chain(*source), Task::To(next)]);
                }
                self.tasks.extend([Task::Chain(*body), Task::To(blocks.body)]);
                self.tasks.extend([Task::Chain(*condition), Task::To(blocks.condition)]);
            }
            Exit::DoLoop { args, body, condition, merge } => {
                self.pass_in_group(*body, args, b);
                self.close_piece(b);
                self.label(block, b);
                let blocks = b.do_loop(&[]);
                self.tasks.extend([Task::Chain(*merge), Task::To(blocks.merge)]);
                self.tasks.extend([Task::Chain(*condition), Task::To(blocks.condition)]);
                self.tasks.extend([Task::Chain(*body), Task::To(blocks.body)]);
            }
            Exit::Switch { selector, cases, args, merge } => {
                self.group_switch(block, *selector, (cases, args, *merge), b)
            }
            Exit::Labelled { body, merge } => {
                self.close_piece(b);
                self.label(block, b);
                let (inner, after) = b.labelled();
                self.tasks.extend([Task::Chain(*merge), Task::To(after)]);
                self.tasks.extend([Task::Chain(*body), Task::To(inner)]);
            }
            Exit::LoopIf { condition, .. } => {
                for (target, args) in self.tree.edges(body, block) {
                    self.pass_in_group(target, args, b);
                }
                let condition = self.decide_loop(*condition, b);
                b.loop_if(condition);
            }
            Exit::Return(_) => self.group_return(block, None, b),
            Exit::Trap(kind) => self.group_return(block, Some(*kind), b),
            Exit::Merge(args) if owner.is_some_and(|owner| self.group().pieces.masked[owner]) => {
                let owner = owner.expect("a merge is in a construct");
                self.open_piece(b);
                self.pass_in_group(exit_target(body, owner), args, b);
                let arrived = self.group().arrived[owner].expect("the construct began");
                let pointer = self.of_batch(arrived, b);
                let old = b.load(pointer);
                let new = b.op(Op::LogicalOr, &[old, self.active]);
                b.store(pointer, new);
                self.close_piece(b);
            }
            Exit::Discard | Exit::Open => panic!("{block} of a work group ends with {exit:?}"),
            Exit::Merge(_) | Exit::Break(..) | Exit::Continue(..) | Exit::Passthrough => {
                for (target, args) in self.tree.edges(body, block) {
                    self.pass_in_group(target, args, b);
                }
                self.close_piece(b);
                let label =
                    |label: &Block| self.group.as_ref().and_then(|group| group.labels[*label]).expect("it began");
                match exit {
                    Exit::Break(to, _) => b.break_(label(to), &[]),
                    Exit::Continue(to, _) => b.continue_(label(to), &[]),
                    Exit::Passthrough => b.exit(Exit::Passthrough),
                    _ => b.merge(&[]),
                }
            }
        }
    }

    /// An `If` with barriers on a condition that varies.
    fn one_arm_after_the_other(
        &mut self,
        block: Block,
        condition: Value,
        [then, otherwise, merge]: [Block; 3],
        b: &mut Builder<'_, '_>,
    ) {
        let lanes = b.module.types.vector(Scalar::Bool, self.n);
        let count = self.group().count;
        let masks = b.module.types.array(lanes, count);
        let [others, arrived] = [0; 2].map(|_| self.declare_outside(masks, b));
        self.open_piece(b);
        let test = self.parts(condition, b)[0];
        let yes = and(b, self.active, test, self.n);
        let no = and_not(b, self.active, test, self.n);
        let none = mask(b, false, self.n);
        for (array, value) in [(others, no), (arrived, none)] {
            let pointer = self.of_batch(array, b);
            b.store(pointer, value);
        }
        self.active = yes;
        self.close_piece(b);
        self.group().arrived[block] = Some(arrived);
        self.tasks.extend([Task::Chain(merge), Task::Resume(arrived)]);
        self.tasks.extend([Task::Chain(otherwise), Task::Resume(others), Task::Chain(then)]);
    }

    /// The next piece begins with these masks.
    pub(super) fn resume(&mut self, masks: Var) {
        self.group().resume = Some(masks);
    }

    /// A return of the invocations that are here, or a trap if there are some. If others wait in an arm of an `If`, the code goes on
    /// without lanes.
    fn group_return(&mut self, block: Block, trap: Option<TrapKind>, b: &mut Builder<'_, '_>) {
        let parent = |block: Block| self.tree.place(block).and_then(|place| place.owner);
        let group = self.group.as_ref().expect("it is one");
        let waits =
            std::iter::successors(parent(block), |&owner| parent(owner)).any(|owner| group.pieces.masked[owner]);
        let of_owner = parent(block).map(|owner| (owner, group.pieces.masked[owner], group.labels[owner]));
        if waits || trap.is_some() {
            self.open_piece(b);
        }
        let some = trap.map(|kind| (self.any_of_batches(self.active, b), kind));
        if waits {
            self.active = mask(b, false, self.n);
        }
        self.close_piece(b);
        if let Some((some, kind)) = some {
            let some = b.load(some.into());
            trap_if(b, some, kind);
        }
        if !waits {
            return b.ret(&[]);
        }
        let (owner, is_masked, label) = of_owner.expect("it is in an `If`");
        match self.body.blocks[owner].exit {
            _ if is_masked => {}
            Exit::If { .. } | Exit::Labelled { .. } => b.merge(&[]),
            _ => b.break_(label.expect("a construct begins before it is left"), &[]),
        }
    }

    fn group_switch(
        &mut self,
        block: Block,
        selector: Value,
        (cases, args, merge): (&[Case], &[Value], Block),
        b: &mut Builder<'_, '_>,
    ) {
        if self.divergence.is_varying(selector) {
            self.work.error(self.body.blocks[block].exit_span, "a barrier in a switch on a value that varies");
        }
        self.pass_in_group(merge, args, b);
        let ty = self.old.type_of(self.body, selector);
        let selected = self.declare_outside(ty, b);
        self.open_piece(b);
        let part = self.parts(selector, b)[0];
        let part = super::lanes::lane(b, part, 0);
        b.store(selected.into(), part);
        self.close_piece(b);
        let selected = b.load(selected.into());
        self.label(block, b);
        let blocks: Vec<Block> = cases.iter().map(|_| b.new_block()).collect();
        let new = cases.iter().zip(&blocks).map(|(case, &block)| Case { block, ..case.clone() }).collect();
        let after = b.switch(selected, new, &[]);
        self.tasks.extend([Task::Chain(merge), Task::To(after)]);
        for (case, block) in cases.iter().zip(blocks).rev() {
            self.tasks.extend([Task::Chain(case.block), Task::To(block)]);
        }
    }

    /// Notes the current block as that of a construct.
    fn label(&mut self, owner: Block, b: &mut Builder<'_, '_>) {
        self.group().labels[owner] = Some(b.block());
    }

    /// A variable of the whole group, declared where the function begins.
    fn declare_outside(&mut self, ty: Type, b: &mut Builder<'_, '_>) -> Var {
        let var = b.module.add_var(Name::new("chosen", NameSource::Internal), ty, AddressSpace::Function);
        let entry = b.body().entry;
        b.block_mut(entry).variables.push(var);
        var
    }

    /// Whether a condition holds in the active invocations of all batches; ends the piece. Traps if it holds in some of them only.
    fn decide(&mut self, condition: Value, b: &mut Builder<'_, '_>) -> Value {
        if !self.divergence.is_varying(condition) {
            if condition.as_const().is_some() {
                self.close_piece(b);
                return condition;
            }
            let decided = self.declare_outside(Type::BOOL, b);
            self.open_piece(b);
            let part = self.parts(condition, b)[0];
            b.store(decided.into(), part);
            self.close_piece(b);
            return b.load(decided.into());
        }
        self.open_piece(b);
        let test = self.parts(condition, b)[0];
        let yes = and(b, self.active, test, self.n);
        let no = and_not(b, self.active, test, self.n);
        let [some, others] = [yes, no].map(|lanes| self.any_of_batches(lanes, b));
        self.close_piece(b);
        let (some, others) = (b.load(some.into()), b.load(others.into()));
        let apart = b.op(Op::LogicalAnd, &[some, others]);
        trap_if(b, apart, TrapKind::Unreachable);
        some
    }

    /// A variable that holds after the piece whether any lane of any batch is set.
    fn any_of_batches(&mut self, lanes: Value, b: &mut Builder<'_, '_>) -> Var {
        let found = self.declare_outside(Type::BOOL, b);
        let (_, batch) = self.group().open.expect("a piece is open");
        let any = b.op(Op::Any, &[lanes]);
        let zero = b.i32(0);
        let is_first = b.op(Op::Equal, &[batch, zero]);
        let old = b.load(found.into());
        let no = b.bool(false);
        let before = b.op(Op::Select, &[is_first, no, old]);
        let new = b.op(Op::LogicalOr, &[before, any]);
        b.store(found.into(), new);
        found
    }

    /// As [`Self::decide`], of a loop, which ends when all invocations have returned.
    fn decide_loop(&mut self, condition: Value, b: &mut Builder<'_, '_>) -> Value {
        if self.group().alive.is_none() {
            return self.decide(condition, b);
        }
        self.open_piece(b);
        let alive = self.any_of_batches(self.active, b);
        let condition = self.decide(condition, b);
        let alive = b.load(alive.into());
        b.op(Op::LogicalAnd, &[condition, alive])
    }

    /// Goes on after a construct whose lanes may not all have arrived: at the group's level the others are dead.
    pub(super) fn survive(&mut self, flag: Value, entry: Value, b: &mut Builder<'_, '_>) {
        let none = mask(b, false, self.n);
        let all = broadcast(b, entry, self.n);
        self.active = b.op(Op::Select, &[flag, all, none]);
    }
}

fn exit_target(body: &Body, owner: Block) -> Block {
    body.blocks[owner].exit.merge_block().expect("a construct has a merge block")
}
