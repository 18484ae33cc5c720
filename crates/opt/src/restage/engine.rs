//! The interpreter: goes through an old function in the order it runs, and writes a new, floating one.
//!
//! It keeps its own stack of constructs, so nesting costs memory, not stack frames. A chain of blocks is interpreted until it
//! leaves; what is left to do is then on top of the stack.

use std::rc::Rc;

use planish_ir::arena::{Id, SideTable};
use planish_ir::builder::{Builder, Room};
use planish_ir::entity::{Block, Func, Local, Node, Value, ValueKind, Var};
use planish_ir::function::{Args, Exit, LocalDef, Mark};
use planish_ir::ops::{Class, Effect, Op};
use planish_ir::types::AddressSpace;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::flat::{Cases, Choice, Flat};
use super::join::Edge;
use super::loops::{LoopState, Varying};
use super::memory::Made;
use super::old::{Old, Root, fits};
use super::share::Known;
use super::slots::{Place, Slots};
use super::state::{Key, State};
use super::unroll::Unrolled;
use super::{Env, Policy};
use crate::context::Context;

/// A function that is being interpreted: the one being rewritten, or one that is inlined into it.
pub(super) struct Frame {
    pub(super) func: Func,
    pub(super) old: Rc<Old>,
    /// What stands for its values.
    pub(super) values: SideTable<Local, Option<Value>>,
    /// The places of those that are pointers to promoted memory.
    pub(super) places: SideTable<Local, Option<Place>>,
    /// Its variables that stay in memory and had to be made anew.
    pub(super) vars: FxHashMap<Var, Var>,
    /// Tells this activation from others, also when it is interpreted again.
    pub(super) path: u64,
}

/// Where the interpreter stands in the innermost frame.
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

/// What a construct on the stack is.
pub(super) enum Kind {
    /// The function: `Return` goes here.
    Root,
    /// A call that is inlined: its callee's `Return` goes here.
    Inline { node: Node, resume: At, body: Block },
    /// An `If`, one arm of which is being interpreted.
    If(IfState),
    /// An old construct (named by the block that it ended) that is gone, since it was known which way it goes: what went
    /// to its merge block goes on there.
    Known { old: Block },
    /// A `Labelled`.
    Labelled { old: Block, body: Block },
    /// A `Switch`.
    Switch(super::switches::SwitchState),
    /// An `If` that is being flattened.
    Choice(Choice),
    /// A `Switch` that is being flattened.
    Cases(Cases),
    /// A `Loop` or `DoLoop`.
    Loop(Box<LoopState>),
    /// A loop that is unrolled: `Break` goes here.
    Unrolled(Box<Unrolled>),
    /// A round of the unrolled loop below: `Continue` goes here.
    Round { old: Block, body: Block },
}

/// An `If` that is being interpreted.
pub(super) struct IfState {
    pub(super) old: Block,
    /// The old owner whose merge block ends it: of the last of several `If`s in a row on the same condition.
    pub(super) end: Block,
    pub(super) condition: Value,
    /// The new arms: for true, for false.
    pub(super) arms: [Block; 2],
    /// Which one was interpreted first.
    pub(super) first: usize,
    /// Whether the second is being interpreted.
    pub(super) second: bool,
    /// If the first arm left to the construct around, and what follows the `If` is interpreted in the second arm: the block
    /// with which the first arm ended.
    pub(super) nested: Option<Block>,
}

/// A construct that is being interpreted.
pub(super) struct Construct {
    /// Unlike its place on the stack, nobody else's ever; 0 is nobody's.
    pub(super) id: u32,
    pub(super) kind: Kind,
    /// Number of frames where it was entered.
    pub(super) frames: usize,
    /// The new block that it ends.
    pub(super) owner: Block,
    /// What has gone to its merge block.
    pub(super) edges: Vec<Edge>,
    /// The state's log where it was entered.
    pub(super) log: usize,
    /// Local values made before it was entered: what is bound later is not visible after it.
    pub(super) limit: u32,
    /// Who was here where it was entered, and how often some had left.
    pub(super) region: u32,
    pub(super) departures: u32,
    /// While flattening: whether it has been left, as far as this many ways say.
    pub(super) left: (usize, Option<Value>),
}

impl Construct {
    /// Forgets ways from blocks that are no more.
    pub(super) fn forget_ways_from(&mut self, blocks: usize) {
        self.edges.retain(|e| e.block.index() < blocks);
        if let Kind::Loop(state) = &mut self.kind {
            state.forget_ways_from(blocks);
        }
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
    /// Pointers that memory was known of, by what they point into.
    pub(super) pointers: FxHashMap<Root, Vec<Value>>,
    /// Per local value: 1 + the youngest bound value that it is made of; 0 for none.
    binders: Vec<u32>,
    declared: FxHashSet<Var>,
    declared_log: Vec<Var>,
    /// Promoted outputs, written when the function returns.
    pub(super) outputs: Vec<Var>,
    pub(super) varying: FxHashMap<(u64, Block), Varying>,
    /// Nodes of which one is enough, with their numbers.
    pub(super) made: FxHashMap<Made, u32>,
    next_made: u32,
    last_construct: u32,
    /// Loops without effects, by what they compute.
    pub(super) loops: FxHashMap<Vec<u64>, Known>,
    /// Names the fragments that are here: where it is the same, the same ones are.
    pub(super) region: u32,
    last_region: u32,
    /// How often some of the fragments may have left.
    pub(super) departures: u32,
    /// If the function is being flattened.
    pub(super) flat: Option<Flat>,
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
            binders: Vec::new(),
            declared: FxHashSet::default(),
            declared_log: Vec::new(),
            outputs: Vec::new(),
            varying: FxHashMap::default(),
            made: FxHashMap::default(),
            next_made: 0,
            last_construct: 0,
            loops: FxHashMap::default(),
            region: 1,
            last_region: 1,
            departures: 0,
            flat: None,
            done: false,
        }
    }

    /// Interprets the function and finishes the new one.
    pub(super) fn run(mut self, func: Func, old: Rc<Old>) -> Room {
        self.begin(func, &old);
        self.promote_globals(func, &old);
        self.interpret();
        self.b.finish()
    }

    /// Enters the function.
    pub(super) fn begin(&mut self, func: Func, old: &Rc<Old>) {
        let entry = old.body.entry;
        let inputs = old.body.blocks[entry].inputs.clone();
        self.frames.push(Frame::new(func, Rc::clone(old), 0));
        for (i, input) in inputs.into_iter().enumerate() {
            let value = self.b.param(i);
            self.b.keep_origin(&old.body, input, value);
            self.frame_mut().values[input] = Some(value);
        }
        self.push(Kind::Root);
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

    /// The new loops around what is being interpreted.
    fn loops_around(&self) -> u32 {
        self.stack.iter().filter(|c| matches!(c.kind, Kind::Loop(_))).count() as u32
    }

    /// Private variables and outputs that only this entry point uses live in its values.
    fn promote_globals(&mut self, func: Func, old: &Old) {
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
                && old.can_promote(Root::Var(var))
                && fits(self.b.module, var, limit)
            {
                if data.space == AddressSpace::Output {
                    self.outputs.push(var);
                }
                self.initialize(var);
            }
        }
    }

    /// Sets the slots of a promoted variable to what it holds at first.
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

    pub(super) fn old(&self) -> Rc<Old> {
        Rc::clone(&self.frame().old)
    }

    /// Puts a construct on the stack, whose owner is the current block.
    pub(super) fn push(&mut self, kind: Kind) {
        self.last_construct += 1;
        self.stack.push(Construct {
            id: self.last_construct,
            kind,
            frames: self.frames.len(),
            owner: self.b.block(),
            edges: Vec::new(),
            log: self.state.mark(),
            limit: self.b.body().local_count() as u32,
            region: self.region,
            departures: self.departures,
            left: (0, None),
        });
    }

    /// A number for something that is made once.
    pub(super) fn next_made(&mut self) -> u32 {
        self.next_made += 1;
        self.next_made
    }

    /// From here on fewer fragments may be here.
    pub(super) fn begin_region(&mut self) {
        self.last_region += 1;
        self.region = self.last_region;
    }

    /// Ways meet again: the same fragments are here as where they parted, unless some left.
    pub(super) fn end_region(&mut self, region: u32, departures: u32) {
        if departures == self.departures {
            self.region = region;
        } else {
            self.begin_region();
        }
    }

    /// Ends the interpretation.
    pub(super) fn finish(&mut self) {
        self.done = true;
    }

    // Values.

    /// What stands for an old value here.
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

    /// Binds the inputs of an old block.
    pub(super) fn bind(&mut self, block: Block, values: &[Value]) {
        let old = self.old();
        for (&input, &value) in old.body.blocks[block].inputs.iter().zip(values) {
            self.b.keep_origin(&old.body, input, value);
            self.frame_mut().values[input] = Some(value);
        }
    }

    /// The place of an old pointer, if it is to promoted memory.
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

    /// Forgets what was written since the marks.
    pub(super) fn roll_back(&mut self, block: Block, mark: Mark, log: usize, declared: usize) {
        self.b.switch_to(block);
        self.b.roll_back(mark);
        self.state.revert(log);
        self.binders.truncate(self.b.body().local_count());
        for var in self.declared_log.drain(declared..) {
            self.declared.remove(&var);
        }
    }

    /// For [`Engine::roll_back`].
    pub(super) fn declared_mark(&self) -> usize {
        self.declared_log.len()
    }

    // Blocks and nodes.

    fn block(&mut self) {
        let old = self.old();
        let At { block, node } = self.at;
        let data = &old.body.blocks[block];
        if node == 0 {
            for &var in &data.variables {
                self.declare(&old, var);
            }
        }
        for (i, &node) in data.nodes.iter().enumerate().skip(node) {
            self.b.at(old.body.node(node).span);
            if self.begins_inlining(&old, node, At { block, node: i + 1 }) {
                return;
            }
            if self.is_flat() && self.is_too_much(old.body.node(node).span) {
                return self.finish();
            }
            self.node(&old, node);
        }
        self.b.at(data.exit_span);
        self.exit(&old, block);
    }

    fn declare(&mut self, old: &Old, var: Var) {
        let becomes_values = if self.is_flat() {
            // One that cannot is told, and what is being written is dropped at the end.
            self.can_flatten(Root::Var(var), var.into())
        } else {
            self.policy.promote && old.can_promote(Root::Var(var))
        };
        if becomes_values {
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
        self.declared.insert(new);
        self.declared_log.push(new);
        self.b.declare(new);
        self.forget_root(Root::Var(new));
    }

    fn node(&mut self, old: &Old, node: Node) {
        let data = *old.body.node(node);
        let args = old.body.args(node);
        if data.op.info().class == Class::Access
            && let Some(place) = self.place(args[0])
        {
            let index = args.get(1).map(|&i| self.value(i));
            let place = self.slots.access(&self.b, &place, data.op, data.imm, index);
            let result = old.body.result(node).expect("an access has a result");
            self.frame_mut().places[result] = Some(place);
            return;
        }
        if let (true, Some(pointer)) = (data.op.info().effect != Effect::Pure, args.first())
            && let Some(place) = self.place(*pointer)
        {
            self.promoted(old, node, &place);
            return;
        }
        let mut new_args: SmallVec<[Value; 8]> = SmallVec::new();
        for &arg in args {
            new_args.push(self.value(arg));
        }
        let results = self.effect(old, node, &new_args);
        self.bind_results(old, node, &results);
    }

    pub(super) fn bind_results(&mut self, old: &Old, node: Node, results: &[Value]) {
        for (local, &value) in old.body.results(node).zip(results) {
            self.b.keep_origin(&old.body, local, value);
            self.frame_mut().values[local] = Some(value);
        }
    }

    /// A load, store or increment of promoted memory.
    fn promoted(&mut self, old: &Old, node: Node, place: &Place) {
        let data = *old.body.node(node);
        let before = match data.op {
            Op::Store => {
                let value = self.value(old.body.args(node)[1]);
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
        self.bind_results(old, node, &[result]);
    }

    /// One more or one less.
    fn step(&mut self, value: Value, up: bool, precise: bool) -> Value {
        let ty = self.b.type_of(value);
        let scalar = self.b.module.types.scalar_of(ty).expect("numbers are counted");
        let one = match scalar {
            planish_ir::types::Scalar::F32 => u64::from(1.0f32.to_bits()),
            planish_ir::types::Scalar::F64 => 1.0f64.to_bits(),
            _ => 1,
        };
        let module = &mut *self.b.module;
        let one = module.consts.unflatten(&mut module.types, ty, &mut std::iter::repeat(one));
        let one = one.expect("numbers have constants");
        self.b.set_precise(precise);
        self.b.op(if up { Op::Add } else { Op::Subtract }, &[value, one.into()])
    }

    fn exit(&mut self, old: &Old, block: Block) {
        match &old.body.blocks[block].exit {
            Exit::Open => panic!("{block} has no exit"),
            Exit::NextBlock { merge } => self.at = At::begin(*merge),
            Exit::If { condition, then, otherwise, .. } => self.begin_if(old, block, *condition, [*then, *otherwise]),
            Exit::Labelled { body, .. } => self.begin_labelled(block, *body),
            Exit::Switch { selector, cases, args, .. } => self.begin_switch(old, block, *selector, cases, args),
            Exit::Loop { args, .. } | Exit::DoLoop { args, .. } => self.begin_loop(old, block, args),
            Exit::Merge(args) => self.merge(args),
            Exit::Break(label, args) => self.break_to(*label, args),
            Exit::Continue(label, args) => self.continue_to(*label, args),
            Exit::LoopIf { condition, body_args, merge_args } => self.loop_if(*condition, body_args, merge_args),
            Exit::Passthrough => self.passthrough(),
            Exit::Return(args) => {
                let values = self.values(args);
                let is_call = |c: &Construct| matches!(c.kind, Kind::Root | Kind::Inline { .. });
                let to = self.stack.iter().rposition(is_call);
                self.leave(to.expect("a function is interpreted"), values);
            }
            Exit::Discard if self.is_flat() => {
                self.end_here(None, false);
                self.end_chain();
            }
            Exit::Trap(kind) if self.is_flat() => {
                self.end_here(Some(*kind), false);
                self.end_chain();
            }
            Exit::Discard => {
                self.departures += 1;
                self.b.exit(Exit::Discard);
                self.end_chain();
            }
            Exit::Trap(kind) => {
                self.departures += 1;
                self.b.exit(Exit::Trap(*kind));
                self.end_chain();
            }
        }
    }
}

/// What leads from one activation to another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deeper {
    /// A call that is inlined.
    Call(Node),
    /// The next round of an unrolled loop.
    Round(Block),
}

impl Frame {
    /// The path of an activation that begins here; different for everything that may.
    pub(super) fn path_into(&self, into: Deeper) -> u64 {
        let step = match into {
            Deeper::Call(node) => u64::from(node.as_u32()) << 1,
            Deeper::Round(owner) => u64::from(owner.as_u32()) << 1 | 1,
        };
        (self.path.rotate_left(29) ^ (step + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    pub(super) fn new(func: Func, old: Rc<Old>, path: u64) -> Self {
        let values = SideTable::with_capacity(old.body.local_count());
        Frame { func, old, values, places: SideTable::new(), vars: FxHashMap::default(), path }
    }
}
