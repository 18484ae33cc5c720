//! The interpreter: goes through a source function in the order it runs, and writes a new, floating one.
//!
//! It keeps its own stack of constructs, so nesting costs memory, not stack frames. A chain of blocks is interpreted until it
//! leaves; the remaining work is then on top of the stack.

use std::sync::Arc;

use planish_ir::arena::{Id, SideTable};
use planish_ir::builder::{Builder, Scratch};
use planish_ir::entity::{Block, Func, Local, Node, Value, ValueKind, Var};
use planish_ir::function::{Args, Exit, LocalDef, Mark};
use planish_ir::meaning::float_bits;
use planish_ir::ops::{Class, Effect, Op};
use planish_ir::types::AddressSpace;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::bytes::Contents;
use super::construct::{Construct, Kind};
use super::converged::Report;
use super::flat::Flat;
use super::loops::Finding;
use super::memory::Made;
use super::mode::{Mode, Structured};
use super::share::Loops;
use super::slots::{Place, Slots};
use super::source::{Root, Source, fits};
use super::state::{Key, Since, State};
use super::{Env, Policy};
use crate::context::Context;

/// A function that is being interpreted: the one being rewritten, or one that is inlined into it.
pub(super) struct Frame {
    pub(super) func: Func,
    pub(super) source: Arc<Source>,
    /// The new values of its locals.
    pub(super) values: SideTable<Local, Option<Value>>,
    /// The places of those that are pointers to promoted memory.
    pub(super) places: SideTable<Local, Option<Place>>,
    /// Its variables that stay in memory and had to be made anew.
    pub(super) vars: FxHashMap<Var, Var>,
    /// Tells this activation from others, also when it is interpreted again.
    pub(super) path: u64,
    /// The construct (by its id) that is left when it returns.
    pub(super) body: u32,
    /// By source block: the last construct (by its id) that it ended and that can be left for its merge block.
    pub(super) left: SideTable<Block, u32>,
    /// By source block: the last iteration (by its id) of the unrolled loop that it ended.
    pub(super) rounds: SideTable<Block, u32>,
}

/// Lengths of the logs at a point, for rolling back to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noted {
    declared: usize,
    loops: usize,
}

/// The position of the interpreter in the innermost frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) block: Block,
    pub(super) node: usize,
}

impl At {
    pub(super) fn begin(block: Block) -> Self {
        At { block, node: 0 }
    }
}

/// See the module's documentation.
pub(super) struct Engine<'e, 'm, 'r> {
    pub(super) b: Builder<'m, 'r>,
    pub(super) env: &'e mut Env,
    pub(super) policy: &'e Policy,
    pub(super) context: &'e mut Context,
    pub(super) frames: Vec<Frame>,
    pub(super) stack: Vec<Construct>,
    pub(super) at: At,
    pub(super) state: State,
    pub(super) slots: Slots,
    /// Pointers whose memory was known, by their roots.
    pub(super) pointers: FxHashMap<Root, Vec<Value>>,
    /// Number of all of them.
    pub(super) pointer_count: usize,
    /// Contents of places of byte memories, by number.
    pub(super) contents: Contents,
    /// Variables of which nothing is to be known, since they are changed in too many places.
    pub(super) spread: FxHashSet<Var>,
    /// Number of nodes built, also of those rolled back, and of values carried by edges: a measure of the work done.
    rolled_back: u64,
    pub(super) carried: u64,
    blocks: u64,
    /// Per local value: 1 + the youngest bound value that it is made of; 0 for none.
    binders: Vec<u32>,
    declared: FxHashSet<Var>,
    declared_log: Vec<Var>,
    /// Promoted outputs, written when the function returns.
    pub(super) outputs: Vec<Var>,
    /// Findings about loops from their interpretations, by the path to them.
    pub(super) findings: FxHashMap<(u64, Block), Finding>,
    /// The constructs (by their ids) that edges lead to.
    pub(super) edge_targets: Vec<u32>,
    /// Blocks of the output in which another rewrite may find more.
    pub(super) leftovers: Vec<Block>,
    /// Whether a loop was unrolled.
    pub(super) unrolled: bool,
    /// Nodes of which one is enough, with their numbers.
    pub(super) made: FxHashMap<Made, u32>,
    next_made: u32,
    last_construct: u32,
    /// Loops without effects.
    pub(super) loops: Loops,
    /// Id of the current active set; equal ids mean the same fragments are active.
    pub(super) epoch: u32,
    last_epoch: u32,
    /// Number of points so far at which some of the fragments may have exited.
    pub(super) departures: u32,
    /// If the function is being flattened.
    pub(super) flat: Option<Flat>,
    /// Whether constructs are written as such, or flattened.
    pub(super) mode: &'static dyn Mode,
    done: bool,
}

impl<'e, 'm, 'r> Engine<'e, 'm, 'r> {
    pub(super) fn new(b: Builder<'m, 'r>, env: &'e mut Env, policy: &'e Policy, context: &'e mut Context) -> Self {
        Engine {
            b,
            env,
            policy,
            context,
            frames: Vec::new(),
            stack: Vec::new(),
            at: At::begin(Block::from_u32(0)),
            state: State::default(),
            slots: Slots::default(),
            pointers: FxHashMap::default(),
            pointer_count: 0,
            contents: Contents::default(),
            spread: FxHashSet::default(),
            rolled_back: 0,
            carried: 0,
            blocks: 0,
            binders: Vec::new(),
            declared: FxHashSet::default(),
            declared_log: Vec::new(),
            outputs: Vec::new(),
            findings: FxHashMap::default(),
            edge_targets: Vec::new(),
            leftovers: Vec::new(),
            unrolled: false,
            made: FxHashMap::default(),
            next_made: 0,
            last_construct: 0,
            loops: Loops::default(),
            epoch: 1,
            last_epoch: 1,
            departures: 0,
            flat: None,
            mode: &Structured,
            done: false,
        }
    }

    /// Interprets the function and finishes the new one.
    pub(super) fn run(mut self, func: Func, source: Arc<Source>) -> (Scratch, Report) {
        self.begin(func, &source);
        self.promote_globals(func, &source);
        self.spread.extend(source.spread.iter().filter_map(|root| match root {
            Root::Var(var) => Some(*var),
            Root::Param(_) => None,
        }));
        self.interpret();
        self.context.count("BlocksInterpreted", self.blocks);
        self.context.count("FunctionsRewritten", 1);
        self.context.count("NodesMade", self.b.body().node_count() as u64 + self.rolled_back);
        self.context.count("ValuesCarried", self.carried);
        let report = Report { is_same: false, leaves_more: !self.leftovers.is_empty(), unrolled: self.unrolled };
        (self.b.finish(), report)
    }

    /// Enters the function.
    pub(super) fn begin(&mut self, func: Func, source: &Arc<Source>) {
        let entry = source.body.entry;
        let inputs = source.body.blocks[entry].inputs.clone();
        self.frames.push(Frame::new(func, Arc::clone(source), 0));
        for (i, input) in inputs.into_iter().enumerate() {
            let value = self.b.param(i);
            self.b.keep_origin(&source.body, input, value);
            self.frame_mut().values[input] = Some(value);
        }
        self.push(Kind::Root);
        self.frame_mut().body = self.last_construct;
        self.at = At::begin(entry);
    }

    /// Interprets until the function ends.
    pub(super) fn interpret(&mut self) {
        while !self.done {
            let explained = self.context.options.explain.then(|| (self.b.body().node_count(), self.loops_around()));
            self.block();
            if let Some((first, loops)) = explained {
                // Those that were rolled back are made anew.
                for index in first..self.b.body().node_count() {
                    self.env.loops_around[Node::new(index)] = loops;
                }
            }
        }
    }

    /// The new loops around the current position.
    fn loops_around(&self) -> u32 {
        self.stack.last().map_or(0, |c| c.loops)
    }

    /// Private variables and outputs that only this entry point uses live in its values.
    fn promote_globals(&mut self, func: Func, source: &Source) {
        if !self.policy.promote || !self.env.is_sole_entry(func) {
            return;
        }
        for i in 0..self.b.module.globals.len() {
            let var = self.b.module.globals[i];
            let data = &self.b.module.vars[var];
            let wanted = match data.space {
                AddressSpace::Private => true,
                AddressSpace::Output => self.env.promotes_outputs(self.b.module, func, var),
                _ => false,
            };
            let limit = self.context.options.limits.split_components;
            if wanted
                && self.env.sole[var] == Some(func)
                && source.can_promote(Root::Var(var))
                && fits(self.b.module, var, limit)
            {
                if data.space == AddressSpace::Output {
                    self.outputs.push(var);
                }
                self.initialize(var);
            }
        }
    }

    /// Sets the slots of a promoted variable to its initial value.
    pub(super) fn initialize(&mut self, var: Var) {
        let shape = self.slots.promote(&mut self.b, var);
        let data = &self.b.module.vars[var];
        let (ty, initializer) = (data.ty, data.initializer);
        let module = &mut *self.b.module;
        let value = initializer.or_else(|| module.consts.zero(&mut module.types, ty)).map(Value::from);
        let value = value.unwrap_or_else(|| panic!("promoted types have a zero"));
        self.slots.write_shape(&mut self.b, &mut self.state, shape, value);
    }

    pub(super) fn frame(&self) -> &Frame {
        self.frames.last().expect("a function is interpreted")
    }

    pub(super) fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a function is interpreted")
    }

    pub(super) fn source(&self) -> Arc<Source> {
        Arc::clone(&self.frame().source)
    }

    /// Puts a construct on the stack, whose owner is the current block.
    pub(super) fn push(&mut self, kind: Kind) {
        self.last_construct += 1;
        let id = self.last_construct;
        if let Some((label, is_iteration)) = kind.label() {
            let frame = self.frame_mut();
            let table = if is_iteration { &mut frame.rounds } else { &mut frame.left };
            table[label] = id;
        }
        let (tried, loops, new, firm) = self.stack.last().map_or((0, 0, id, id), |c| (c.tried, c.loops, c.new, c.firm));
        self.stack.push(Construct {
            id,
            tried: tried + u32::from(kind.may_be_tried_again()),
            loops: loops + u32::from(matches!(kind, Kind::Loop(_))),
            new: if kind.is_new() { id } else { new },
            firm: if matches!(kind, Kind::Resolved { .. }) { firm } else { id },
            ways: self.edge_targets.len(),
            chain_leaves: SmallVec::new(),
            kind,
            frames: self.frames.len(),
            owner: self.b.block(),
            edges: Vec::new(),
            log: self.state.mark(),
            limit: self.b.body().local_count() as u32,
            epoch: self.epoch,
            departures: self.departures,
            loose_arms: SmallVec::new(),
            left: (0, None),
        });
    }

    /// The place of a construct on the stack, by its id.
    pub(super) fn find(&self, id: u32) -> Option<usize> {
        // Ids grow.
        self.stack.binary_search_by_key(&id, |c| c.id).ok()
    }

    /// A number for something that is made once.
    pub(super) fn next_made(&mut self) -> u32 {
        self.next_made += 1;
        self.next_made
    }

    /// From here on fewer fragments may be here.
    pub(super) fn begin_epoch(&mut self) {
        self.last_epoch += 1;
        self.epoch = self.last_epoch;
    }

    /// Ways meet again: the same fragments are here as where they parted, unless some left.
    pub(super) fn end_epoch(&mut self, epoch: u32, departures: u32) {
        if departures == self.departures {
            self.epoch = epoch;
        } else {
            self.begin_epoch();
        }
    }

    /// Ends the interpretation.
    pub(super) fn finish(&mut self) {
        self.done = true;
    }

    // Values.

    /// The new value of a source value here.
    pub(super) fn value(&mut self, value: Value) -> Value {
        let new = match value.kind() {
            ValueKind::Local(local) => {
                self.frame().values[local].unwrap_or_else(|| panic!("{local} is used before it is made"))
            }
            ValueKind::Var(var) => self.frame().vars.get(&var).copied().unwrap_or(var).into(),
            ValueKind::Const(_) | ValueKind::Func(_) => return value,
        };
        self.state.get(Key::Fact(new)).unwrap_or(new)
    }

    pub(super) fn values(&mut self, values: &[Value]) -> Args {
        values.iter().map(|&v| self.value(v)).collect()
    }

    /// Binds the inputs of a source block.
    pub(super) fn bind(&mut self, block: Block, values: &[Value]) {
        let source = self.source();
        for (&input, &value) in source.body.blocks[block].inputs.iter().zip(values) {
            self.b.keep_origin(&source.body, input, value);
            self.frame_mut().values[input] = Some(value);
        }
    }

    /// The place of a source pointer, if it is to promoted memory.
    pub(super) fn place(&self, pointer: Value) -> Option<Place> {
        match pointer.kind() {
            ValueKind::Var(var) => self.slots.place_of(var).filter(|_| !self.frame().vars.contains_key(&var)),
            ValueKind::Local(local) => self.frame().places[local].clone(),
            _ => None,
        }
    }

    /// 1 + the youngest bound value (an input, or the result of a node that a block lists) that a value is made of.
    pub(super) fn binder(&mut self, value: Value) -> u32 {
        let Some(local) = value.as_local() else { return 0 };
        let body = self.b.body();
        for index in self.binders.len()..body.local_count() {
            let binder = match body.local(Local::from_u32(index as u32)).def {
                LocalDef::Result(node, _) if self.b.module.floats(body, body.node(node).op, body.args(node)) => {
                    let of = |a: &Value| a.as_local().map_or(0, |l| self.binders[l.as_u32() as usize]);
                    body.args(node).iter().map(of).max().unwrap_or(0)
                }
                _ => index as u32 + 1,
            };
            self.binders.push(binder);
        }
        self.binders[local.as_u32() as usize]
    }

    /// Rolls back the output to the marks.
    pub(super) fn roll_back(&mut self, block: Block, mark: Mark, log: Since, noted: Noted) {
        self.b.switch_to(block);
        let nodes = self.b.body().node_count();
        self.b.roll_back(mark);
        self.rolled_back += (nodes - self.b.body().node_count()) as u64;
        self.state.revert(log);
        self.binders.truncate(self.b.body().local_count());
        let blocks = self.b.body().blocks.len();
        self.leftovers.retain(|block| block.index() < blocks);
        for var in self.declared_log.drain(noted.declared..) {
            self.declared.remove(&var);
        }
        self.loops.truncate(noted.loops);
    }

    /// For [`Engine::roll_back`].
    pub(super) fn noted(&self) -> Noted {
        Noted { declared: self.declared_log.len(), loops: self.loops.len() }
    }

    // Blocks and nodes.

    fn block(&mut self) {
        let source = self.source();
        let At { block, node } = self.at;
        self.blocks += 1;
        if let Some(around) = self.stack.last() {
            self.state.begin_block(around.log);
        }
        let data = &source.body.blocks[block];
        if node == 0 {
            for &var in &data.variables {
                self.declare(&source, var);
            }
        }
        for (i, &node) in data.nodes.iter().enumerate().skip(node) {
            self.b.at(source.body.node(node).span);
            if self.begins_inlining(&source, node, At { block, node: i + 1 }) {
                return;
            }
            if self.mode.is_exhausted(self, source.body.node(node).span) {
                return self.finish();
            }
            self.node(&source, node);
        }
        self.b.at(data.exit_span);
        self.exit(&source, block);
    }

    fn declare(&mut self, source: &Source, var: Var) {
        if self.mode.promotes(self, source, var) {
            self.initialize(var);
            return;
        }
        let new = if self.declared.contains(&var) || self.frames.len() > 1 {
            let data = self.b.module.vars[var].clone();
            let new = self.b.module.vars.push(data);
            self.frame_mut().vars.insert(var, new);
            new
        } else {
            // The loop around may have been interpreted before.
            self.frame_mut().vars.remove(&var);
            var
        };
        if source.spread.contains(&Root::Var(var)) {
            self.spread.insert(new);
        }
        self.declared.insert(new);
        self.declared_log.push(new);
        self.b.declare(new);
        self.forget_root(Root::Var(new));
    }

    fn node(&mut self, source: &Source, node: Node) {
        let data = *source.body.node(node);
        let args = source.body.args(node);
        if data.op.info().class == Class::Access
            && let Some(place) = self.place(args[0])
        {
            let index = args.get(1).map(|&i| self.value(i));
            let place = self.slots.access(&self.b, &place, data.op, data.imm, index);
            let result = source.body.result(node).expect("an access has a result");
            self.frame_mut().places[result] = Some(place);
            return;
        }
        if let (true, Some(pointer)) = (data.op.info().effect != Effect::Pure, args.first())
            && let Some(place) = self.place(*pointer)
        {
            self.promoted(source, node, &place);
            return;
        }
        let mut new_args: SmallVec<[Value; 8]> = SmallVec::new();
        for &arg in args {
            new_args.push(self.value(arg));
        }
        let results = self.mode.effect(self, source, node, &new_args);
        self.bind_results(source, node, &results);
    }

    pub(super) fn bind_results(&mut self, source: &Source, node: Node, results: &[Value]) {
        for (local, &value) in source.body.results(node).zip(results) {
            self.b.keep_origin(&source.body, local, value);
            self.frame_mut().values[local] = Some(value);
        }
    }

    /// A load, store or increment of promoted memory.
    fn promoted(&mut self, source: &Source, node: Node, place: &Place) {
        let data = *source.body.node(node);
        let before = match data.op {
            Op::Store => {
                let value = self.value(source.body.args(node)[1]);
                self.slots.write(&mut self.b, &mut self.state, place, value);
                return;
            }
            _ => self.slots.read(&mut self.b, &self.state, place),
        };
        let result = match data.op {
            Op::Load => self.state.get(Key::Fact(before)).unwrap_or(before),
            Op::PrefixIncrement | Op::PostfixIncrement | Op::PrefixDecrement | Op::PostfixDecrement => {
                let up = matches!(data.op, Op::PrefixIncrement | Op::PostfixIncrement);
                let after = self.step(before, up, data.precise);
                self.slots.write(&mut self.b, &mut self.state, place, after);
                let prefix = matches!(data.op, Op::PrefixIncrement | Op::PrefixDecrement);
                if prefix { after } else { before }
            }
            other => panic!("{} on promoted memory", other.name()),
        };
        self.bind_results(source, node, &[result]);
    }

    /// One more or one less.
    fn step(&mut self, value: Value, up: bool, precise: bool) -> Value {
        let ty = self.b.type_of(value);
        let scalar = self.b.module.types.scalar_of(ty).expect("numbers are counted");
        let one = if scalar.is_float() { float_bits(scalar, 1.0) } else { 1 };
        let module = &mut *self.b.module;
        let one = module.consts.unflatten(&mut module.types, ty, &mut std::iter::repeat(one));
        let one = one.expect("numbers have constants");
        self.b.set_precise(precise);
        self.b.op(if up { Op::Add } else { Op::Subtract }, &[value, one.into()])
    }

    fn exit(&mut self, source: &Source, block: Block) {
        match &source.body.blocks[block].exit {
            Exit::Open => panic!("{block} has no exit"),
            Exit::NextBlock { merge } => self.at = At::begin(*merge),
            Exit::If { condition, then, otherwise, .. } => {
                self.begin_if(source, block, *condition, [*then, *otherwise])
            }
            Exit::Labelled { body, .. } => self.begin_labelled(block, *body),
            Exit::Switch { selector, cases, args, .. } => self.begin_switch(source, block, *selector, cases, args),
            Exit::Loop { args, .. } | Exit::DoLoop { args, .. } => self.begin_loop(source, block, args),
            Exit::Merge(args) => self.merge(args),
            Exit::Break(label, args) => self.break_to(*label, args),
            Exit::Continue(label, args) => self.continue_to(*label, args),
            Exit::LoopIf { condition, body_args, merge_args } => self.loop_if(*condition, body_args, merge_args),
            Exit::Passthrough => self.passthrough(),
            Exit::Return(args) => {
                let values = self.values(args);
                let to = self.find(self.frame().body);
                self.leave(to.expect("a function is interpreted"), values);
            }
            Exit::Discard => self.mode.discard(self),
            Exit::Trap(kind) => self.mode.trap(self, *kind),
        }
    }
}

/// The step from one activation to another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deeper {
    /// A call that is inlined.
    Call(Node),
    /// The next iteration of an unrolled loop.
    Iteration(Block),
}

impl Frame {
    /// The path of an activation that begins here; different for everything that may.
    pub(super) fn path_into(&self, into: Deeper) -> u64 {
        let step = match into {
            Deeper::Call(node) => u64::from(node.as_u32()) << 1,
            Deeper::Iteration(owner) => u64::from(owner.as_u32()) << 1 | 1,
        };
        (self.path.rotate_left(29) ^ (step + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    pub(super) fn new(func: Func, source: Arc<Source>, path: u64) -> Self {
        let values = SideTable::with_capacity(source.body.local_count());
        Frame {
            func,
            source,
            values,
            places: SideTable::new(),
            vars: FxHashMap::default(),
            path,
            body: 0,
            left: SideTable::new(),
            rounds: SideTable::new(),
        }
    }
}
