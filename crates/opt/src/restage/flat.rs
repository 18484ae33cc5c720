//! Flattening as a policy of the same interpreter: everything goes into one block. Both arms of an `If` are interpreted one
//! after the other, loops round by round, calls in place; what leaves a construct is a way with a *guard*, and where ways
//! meet, selects on the guards choose.
//!
//! ```text
//! if c { return 1 }  x = 2; return x        %r = select %c, 1, 2
//! ```
//!
//! A way's guard holds relative to the construct that it leaves to, given that no earlier way to it was taken: it is the
//! conditions of the arms around, and that no construct around was left before. So ways in order make a chain of selects,
//! the last of which is the rest, and straight-line code has no guard at all. What follows a way that was left is computed
//! all the same, on whatever values are there; nobody looks at them. Only what can trap needs to know whether it runs in
//! truth: it gets safe operands where it does not. All of this is linear in what is written.

use planish_ir::arena::SideTable;
use planish_ir::builder::Results;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Block, Const, Func, Node, Type, Value, Var};
use planish_ir::function::{Args, Exit, TrapKind};
use planish_ir::module::Module;
use planish_ir::ops::{Effect, Imm, Op};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, TypeKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::copy::copy_node;
use super::engine::{At, Engine, Kind};
use super::join::Edge;
use super::memory::Made;
use super::old::{Old, Root};
use super::slots::Shape;
use super::state::{Delta, Key};
use crate::call_graph::CallGraph;

/// What the interpreter keeps only while it flattens.
pub(super) struct Flat {
    /// Rounds that a loop may have.
    pub(super) max_rounds: u32,
    /// Nodes that the function may have.
    pub(super) max_nodes: u32,
    /// Functions whose calls stay.
    pub(super) leaves: Vec<Func>,
    /// Whether the fragment is discarded.
    discard: Option<Value>,
    /// Traps in order: whether they happen, and which.
    traps: Vec<(Value, TrapKind, Span)>,
    /// Whether the function has ended by one of both.
    ended: Option<Value>,
    /// Memory from outside that lives in values until the function returns, with the pointer to it.
    externals: Vec<(Shape, Value)>,
    /// Nodes of which one is enough.
    made: FxHashMap<Made, Value>,
    /// What cannot be flattened.
    pub(super) problems: Vec<Diagnostic>,
}

impl Flat {
    pub(super) fn new(max_rounds: u32, max_nodes: u32, leaves: Vec<Func>) -> Self {
        Flat {
            max_rounds,
            max_nodes,
            leaves,
            discard: None,
            traps: Vec::new(),
            ended: None,
            externals: Vec::new(),
            made: FxHashMap::default(),
            problems: Vec::new(),
        }
    }
}

/// An `If` that is being flattened.
pub(super) struct Choice {
    pub(super) old: Block,
    condition: Value,
    otherwise: Block,
    /// Once the second arm is interpreted: the ways that the first has brought to the merge block.
    first: Option<usize>,
}

impl Engine<'_, '_, '_> {
    pub(super) fn is_flat(&self) -> bool {
        self.flat.is_some()
    }

    pub(super) fn flat_mut(&mut self) -> &mut Flat {
        self.flat.as_mut().expect("the function is being flattened")
    }

    /// A block for what comes inside a construct: a new one, or the only one.
    pub(super) fn fresh_block(&mut self) -> Block {
        if self.is_flat() { self.b.block() } else { self.b.new_block() }
    }

    /// Notes that something cannot be flattened.
    pub(super) fn problem(&mut self, code: Code, span: Span, message: impl Into<String>, label: &str, help: &str) {
        let problem = Diagnostic::error(code, span, message).label(label).help(help);
        let problems = &mut self.flat_mut().problems;
        // A loop says it once.
        if !problems.iter().any(|p| p.span == span && p.code == code) {
            problems.push(problem);
        }
    }

    /// Whether the function has become too large to go on.
    pub(super) fn is_too_large(&mut self, span: Span) -> bool {
        let Some(flat) = &self.flat else { return false };
        let limit = flat.max_nodes;
        if (self.b.body().node_count() as u64) <= u64::from(limit) {
            return false;
        }
        let message = format!("the flat function has more than {limit} nodes");
        let help = "give its loops fewer rounds, or raise the limit (`--limit flat_nodes=N`)";
        self.problem(Code::E1106, span, message, "this far it came", help);
        true
    }

    // Memory from outside.

    /// What the function writes and others see lives in values until it returns.
    pub(super) fn promote_externals(&mut self, func: Func, old: &Old, globals: &[Var]) {
        let entry = self.env.is_sole_entry(func);
        for &var in globals {
            let data = &self.b.module.vars[var];
            let is_output = data.space == AddressSpace::Output;
            let keeps = entry && (!is_output || self.env.promotes_outputs(self.b.module, func, var));
            if !self.can_flatten(Root::Var(var), var.into()) {
                continue;
            }
            if keeps {
                self.initialize(var);
            }
            let shape = self.slots.promote(&mut self.b, var);
            if !keeps {
                self.load_external(shape, var.into());
            }
            if !keeps || is_output {
                self.flat_mut().externals.push((shape, var.into()));
            }
        }
        for (i, &input) in old.body.blocks[old.body.entry].inputs.iter().enumerate() {
            let pointer = self.b.param(i);
            let ty = self.b.type_of(pointer);
            let Some((pointee, _)) = self.b.module.types.pointee(ty) else { continue };
            if !self.can_flatten(Root::Param(i as u32), pointer) {
                continue;
            }
            let precision = self.b.precision_of(pointer);
            let shape = self.slots.split(&mut self.b, pointee, precision);
            self.load_external(shape, pointer);
            self.frame_mut().places[input] = Some(super::slots::Place::new(shape));
            self.flat_mut().externals.push((shape, pointer));
        }
    }

    fn load_external(&mut self, shape: Shape, pointer: Value) {
        for (slot, pointer) in self.slots.pointers(&mut self.b, shape, pointer) {
            let value = self.b.load(pointer);
            self.state.set(Key::Slot(slot), Some(value));
        }
    }

    /// Whether memory can become values; if not, that is a problem.
    pub(super) fn can_flatten(&mut self, root: Root, pointer: Value) -> bool {
        let fits = match root {
            Root::Var(var) => super::old::fits(self.b.module, var, super::old::FLAT_SLOTS),
            Root::Param(_) => {
                let pointee = self.b.module.types.pointee(self.b.type_of(pointer)).map(|p| p.0);
                pointee.is_some_and(|ty| super::old::type_fits(&self.b.module.types, ty, super::old::FLAT_SLOTS))
            }
        };
        if fits && self.frame().old.can_promote(root) {
            return true;
        }
        let (name, span) = match root {
            Root::Var(var) => {
                let data = &self.b.module.vars[var];
                (data.name.text.to_string(), data.span)
            }
            Root::Param(i) => {
                let param = &self.b.module.funcs[self.frame().func].params[i as usize];
                (param.name.text.to_string(), param.span)
            }
        };
        let message = format!("`{name}` cannot become values");
        let help = "use a variable of numbers, and choose between values instead of between places";
        self.problem(Code::E1107, span, message, "holds more than numbers, or too many", help);
        false
    }

    /// Writes back what lives in values, and ends the function.
    pub(super) fn close_flat_root(&mut self) {
        let types: SmallVec<[Type; 2]> = self.result_types(self.frames[0].func).iter().map(|t| t.0).collect();
        let root = self.stack.pop().expect("the function is on the stack");
        self.state.revert(root.log);
        let (args, delta) = if root.edges.is_empty() {
            let module = &mut *self.b.module;
            let zero = |&ty: &Type| module.consts.zero(&mut module.types, ty).map(Value::from);
            (types.iter().filter_map(zero).collect(), Delta::new())
        } else {
            self.flat_join(&root.edges)
        };
        self.state.apply(&delta);
        for (shape, pointer) in std::mem::take(&mut self.flat_mut().externals) {
            for (slot, pointer) in self.slots.pointers(&mut self.b, shape, pointer) {
                if self.slots.is_written(slot) {
                    let value = self.state.get(Key::Slot(slot)).expect("memory from outside is always in scope");
                    self.b.store(pointer, value);
                }
            }
        }
        let flat = self.flat_mut();
        let mut ends: Vec<(Value, Exit, Span)> = Vec::new();
        ends.extend(std::mem::take(&mut flat.traps).into_iter().map(|(c, kind, span)| (c, Exit::Trap(kind), span)));
        ends.extend(flat.discard.map(|c| (c, Exit::Discard, Span::NONE)));
        for (condition, exit, span) in ends {
            if condition == Const::FALSE.into() {
                continue;
            }
            let [then, otherwise, merge] = [self.b.new_block(), self.b.new_block(), self.b.new_block()];
            self.b.at(span);
            self.b.exit(Exit::If { condition, then, otherwise, merge });
            self.b.exit_block(then, exit);
            self.b.exit_block(otherwise, Exit::Merge(Args::new()));
            self.b.switch_to(merge);
        }
        self.b.exit(Exit::Return(args));
        self.finish();
    }

    // Guards.

    fn and(&mut self, guard: Option<Value>, value: Value) -> Option<Value> {
        let known = |v: Value| self.known_bool(v);
        match (guard, known(value)) {
            (_, Some(true)) => guard,
            (None, _) | (_, Some(false)) => Some(value),
            (Some(guard), None) if known(guard) == Some(false) => Some(guard),
            (Some(guard), None) => Some(self.b.op(Op::LogicalAnd, &[guard, value])),
        }
    }

    fn or(&mut self, guard: Option<Value>, value: Value) -> Value {
        match guard {
            None => value,
            Some(guard) if self.known_bool(value) == Some(false) => guard,
            Some(guard) => match self.known_bool(guard) {
                Some(false) => value,
                Some(true) => guard,
                None => self.b.op(Op::LogicalOr, &[guard, value]),
            },
        }
    }

    fn not(&mut self, value: Value) -> Value {
        self.b.op(Op::LogicalNot, &[value])
    }

    /// Whether a construct has been left by one of the ways so far, if that can be.
    pub(super) fn left(&mut self, at: usize) -> Option<Value> {
        let (from, mut left) = self.stack[at].left;
        let count = self.stack[at].edges.len();
        for i in from..count {
            let guard = self.stack[at].edges[i].guard.unwrap_or(Const::TRUE.into());
            left = Some(self.or(left, guard));
        }
        self.stack[at].left = (count, left);
        left
    }

    /// When control comes here from where it entered the constructs from number `from` on; always if `None`.
    fn guard_from(&mut self, from: usize) -> Option<Value> {
        let mut guard = None;
        for at in from..self.stack.len() {
            match &self.stack[at].kind {
                Kind::Choice(choice) => {
                    let (condition, second) = (choice.condition, choice.first.is_some());
                    let condition = if second { self.not(condition) } else { condition };
                    // The ways to its merge block end the arms: here none has ended.
                    guard = self.and(guard, condition);
                    continue;
                }
                Kind::Cases(cases) => {
                    if let Some(entered) = cases.entered {
                        guard = self.and(guard, entered);
                    }
                }
                _ => {}
            }
            if let Some(left) = self.left(at) {
                let stays = self.not(left);
                guard = self.and(guard, stays);
            }
        }
        guard
    }

    /// The guard of a way from here to a construct.
    pub(super) fn guard_of_way(&mut self, to: usize) -> Option<Value> {
        let entered = match &self.stack[to].kind {
            Kind::Cases(cases) => cases.entered,
            _ => None,
        };
        match (entered, self.guard_from(to + 1)) {
            (Some(entered), Some(guard)) => self.and(Some(entered), guard),
            (entered, guard) => entered.or(guard),
        }
    }

    /// When control comes here at all.
    fn here(&mut self) -> Option<Value> {
        let path = self.guard_from(0);
        match self.flat_mut().ended {
            None => path,
            Some(ended) => {
                let goes_on = self.not(ended);
                self.and(path, goes_on)
            }
        }
    }

    // Where ways meet.

    /// What ways that meet bring for the inputs of their target, and what changes in the state, which is that where the
    /// construct was entered.
    pub(super) fn flat_join(&mut self, edges: &[Edge]) -> (Args, Delta) {
        let always = |e: &Edge| e.guard.is_none_or(|g| self.known_bool(g) == Some(true));
        let never = |e: &Edge| e.guard.is_some_and(|g| self.known_bool(g) == Some(false));
        let last = edges.iter().position(always).unwrap_or(edges.len() - 1);
        let ways: Vec<&Edge> = edges[..last].iter().filter(|e| !never(e)).chain([&edges[last]]).collect();
        let guards: Vec<Value> = ways[..ways.len() - 1].iter().map(|e| e.guard.expect("has a guard")).collect();
        let mut args = Args::new();
        for i in 0..edges[last].args.len() {
            let values: Vec<Value> = ways.iter().map(|e| e.args[i]).collect();
            args.push(self.choose_way(&guards, &values));
        }
        let mut keys: Vec<Key> = ways.iter().flat_map(|e| e.delta.iter().map(|d| d.0)).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut delta = Delta::new();
        for key in keys {
            let first = self.state.get(key);
            if matches!(key, Key::Slot(_)) && first.is_none() {
                // Not in scope outside.
                continue;
            }
            let known = |e: &&Edge| match e.delta.binary_search_by_key(&key, |d| d.0) {
                Ok(at) => e.delta[at].1,
                Err(_) => first,
            };
            let values: Option<Vec<Value>> = ways.iter().map(known).collect();
            let value = match (key, values) {
                (Key::Slot(_), Some(values)) => Some(self.choose_way(&guards, &values)),
                (_, Some(values)) if values.iter().all(|&v| v == values[0]) => Some(values[0]),
                _ => None,
            };
            if value != first {
                delta.push((key, value));
            }
        }
        (args, delta)
    }

    /// The value of the first way whose guard holds; the last has none. Neighbours that bring the same are one way.
    fn choose_way(&mut self, guards: &[Value], values: &[Value]) -> Value {
        let mut runs: SmallVec<[(Value, Value); 4]> = SmallVec::new();
        let (&last, values) = values.split_last().expect("ways meet");
        for (&guard, &value) in guards.iter().zip(values) {
            match runs.last().copied() {
                Some((either, same)) if same == value => {
                    let either = self.or(Some(either), guard);
                    *runs.last_mut().expect("it is there") = (either, value);
                }
                _ => runs.push((guard, value)),
            }
        }
        runs.into_iter().rev().fold(last, |rest, (guard, value)| choose(&mut self.b, guard, value, rest))
    }

    // Conditionals.

    pub(super) fn begin_choice(&mut self, block: Block, condition: Value, arms: [Block; 2]) {
        self.push(Kind::Choice(Choice { old: block, condition, otherwise: arms[1], first: None }));
        self.assume(condition, true);
        self.at = At::begin(arms[0]);
    }

    /// An arm has ended. Whether the interpretation goes on.
    pub(super) fn end_choice(&mut self) -> bool {
        let top = self.stack.last_mut().expect("a choice is on top");
        let (log, ways) = (top.log, top.edges.len());
        let Kind::Choice(choice) = &mut top.kind else { unreachable!("a choice is on top") };
        let (condition, otherwise, old_owner) = (choice.condition, choice.otherwise, choice.old);
        let first = choice.first.replace(ways);
        self.state.revert(log);
        let Some(first) = first else {
            self.assume(condition, false);
            self.at = At::begin(otherwise);
            return true;
        };
        let mut edges = self.stack.pop().expect("a choice is on top").edges;
        let args = match (first > 0, edges.len() > first) {
            (false, false) => return false,
            (true, true) => {
                edges[0].guard = Some(condition);
                edges[1].guard = None;
                let (args, delta) = self.flat_join(&edges);
                self.state.apply(&delta);
                args
            }
            (truth, _) => {
                // The other arm left.
                self.state.apply(&edges[0].delta);
                self.assume(condition, truth);
                std::mem::take(&mut edges[0].args)
            }
        };
        let old = self.old();
        let merge = old.body.blocks[old_owner].exit.merge_block().expect("an if has a merge block");
        self.bind(merge, &args);
        self.at = At::begin(merge);
        true
    }

    /// Something that can be left has ended. Whether the interpretation goes on.
    pub(super) fn close_flat(&mut self) -> bool {
        let construct = self.stack.pop().expect("a construct is on top");
        self.state.revert(construct.log);
        if construct.edges.is_empty() {
            self.leave_frame(&construct.kind);
            return false;
        }
        let (args, delta) = self.flat_join(&construct.edges);
        self.state.apply(&delta);
        self.go_on_behind(construct.kind, &args);
        true
    }

    // Loops.

    /// Begins a round: nothing is left of the one before but what it brought.
    pub(super) fn forget_round(&mut self, owner: Block) {
        if let Some(construct) = self.stack.last() {
            self.state.compact(construct.log);
        }
        let old = self.old();
        for block in planish_ir::walk::inside(&old.body, owner) {
            for &var in &old.body.blocks[block].variables {
                self.slots.forget(&mut self.state, var);
            }
        }
    }

    /// The condition of a loop is not known: the loop may be left here.
    pub(super) fn flat_condition(&mut self, to: usize, condition: Value, args: Args, body_args: &[Value]) {
        let Kind::Unrolled(state) = &self.stack[to].kind else { unreachable!("it is unrolled") };
        let (owner, rounds) = (state.old, state.rounds);
        let mut edge = self.way(to, args);
        let ends = self.not(condition);
        let too_many = rounds == 0 || self.flat_mut().problems.iter().any(|p| p.code == Code::E1106);
        if too_many {
            self.say_unbounded(owner);
        } else {
            edge.guard = self.and(edge.guard, ends);
        }
        self.stack[to].edges.push(edge);
        if too_many {
            self.end_chain();
            return;
        }
        self.assume(condition, true);
        self.enter_round(owner, body_args);
    }

    pub(super) fn say_unbounded(&mut self, owner: Block) {
        let max = self.flat_mut().max_rounds;
        let span = self.old().body.blocks[owner].exit_span;
        let message = format!("after {max} rounds it is not known that this loop ends");
        let help = "give it a bound that is a constant, and leave it early with `if (…) break;`";
        self.problem(Code::E1101, span, message, "no constant bounds its rounds", help);
    }

    // Effects.

    /// The fragment is discarded, or the function traps, where control comes here.
    pub(super) fn end_here(&mut self, trap: Option<TrapKind>, stays: bool) {
        let here = self.here().unwrap_or(Const::TRUE.into());
        let span = self.b.span();
        match trap {
            Some(kind) => self.flat_mut().traps.push((here, kind, span)),
            None => {
                let before = self.flat_mut().discard;
                let either = self.or(before, here);
                self.flat_mut().discard = Some(either);
            }
        }
        if !stays {
            let before = self.flat_mut().ended;
            let either = self.or(before, here);
            self.flat_mut().ended = Some(either);
        }
    }

    /// Makes a node that is not pure on new operands.
    pub(super) fn flat_effect(&mut self, old: &Old, node: Node, args: &[Value]) -> Results {
        let data = *old.body.node(node);
        match data.op.info().effect {
            Effect::Pure => copy_node(&old.body, node, args, &mut self.b),
            Effect::Quad => self.flat_once(old, node, args),
            Effect::MayTrap => {
                let args = self.safe_operands(data.op, args);
                self.flat_once(old, node, &args)
            }
            Effect::Load if data.op != Op::Load || self.can_read(args[0]) => self.flat_once(old, node, args),
            Effect::ImageLoad => self.flat_once(old, node, args),
            Effect::Call if self.is_leaf(data.op, args) => self.flat_once(old, node, args),
            Effect::Call => {
                let help = "if the target has it itself, say so with `--leaf=NAME`";
                self.problem(
                    Code::E1104,
                    data.span,
                    "this call cannot be inlined",
                    "what it calls has no inside",
                    help,
                );
                copy_node(&old.body, node, args, &mut self.b)
            }
            Effect::World if data.op == Op::Demote => {
                self.end_here(None, true);
                Results::new()
            }
            // What cannot become values has been told already.
            Effect::Load | Effect::Store | Effect::Modify if self.is_own(args[0]) => {
                copy_node(&old.body, node, args, &mut self.b)
            }
            _ => {
                let message = format!("a flat function cannot have the effect of `{}`", data.op.name());
                let help =
                    "put what computes the value into a function of its own, and flatten that (`--flatten=FUNCTION`)";
                self.problem(Code::E1103, data.span, message, "reaches beyond the function", help);
                copy_node(&old.body, node, args, &mut self.b)
            }
        }
    }

    fn is_leaf(&self, op: Op, args: &[Value]) -> bool {
        let callee = args.first().filter(|_| op == Op::Call).and_then(|a| a.as_func());
        callee.is_some_and(|func| self.flat.as_ref().is_some_and(|flat| flat.leaves.contains(&func)))
    }

    /// Whether memory that stays memory may be read: nobody writes it while the function runs.
    fn can_read(&self, pointer: Value) -> bool {
        use AddressSpace::{Handle, Input, PushConstant, Storage, Uniform};
        match super::old::root(self.b.body(), pointer) {
            Some(Root::Var(var)) => {
                matches!(self.b.module.vars[var].space, Handle | Input | PushConstant | Storage | Uniform)
            }
            _ => false,
        }
    }

    /// Whether memory is the function's own, and so should have become values.
    fn is_own(&self, pointer: Value) -> bool {
        use AddressSpace::{Function, Output, Private};
        match super::old::root(self.b.body(), pointer) {
            Some(Root::Var(var)) => matches!(self.b.module.vars[var].space, Function | Output | Private),
            Some(Root::Param(_)) => true,
            None => false,
        }
    }

    /// Makes a node, unless the same has been made: in a flat function everybody runs everything.
    fn flat_once(&mut self, old: &Old, node: Node, args: &[Value]) -> Results {
        let data = *old.body.node(node);
        if data.result_count() != 1 {
            return copy_node(&old.body, node, args, &mut self.b);
        }
        let made = Made { op: data.op, imm: data.imm, region: 0, precise: data.precise, args: args.into() };
        if let Some(&known) = self.flat_mut().made.get(&made) {
            return std::iter::once(known).collect();
        }
        let results = copy_node(&old.body, node, args, &mut self.b);
        self.flat_mut().made.insert(made, results[0]);
        results
    }

    /// Operands on which an op does not trap where control does not come here in truth.
    fn safe_operands(&mut self, op: Op, args: &[Value]) -> SmallVec<[Value; 2]> {
        let mut args: SmallVec<[Value; 2]> = args.into();
        let Some(path) = self.here() else { return args };
        let (at, number) = match op {
            Op::DivideTrapping | Op::RemainderTrapping => (1, 1),
            _ => (0, 0),
        };
        let ty = self.b.type_of(args[at]);
        let module = &mut *self.b.module;
        let safe = module.consts.unflatten(&mut module.types, ty, &mut std::iter::repeat(number));
        let safe = safe.expect("numbers have constants");
        args[at] = self.b.op(Op::Select, &[path, args[at], safe.into()]);
        args
    }
}

/// The functions that flattening one inlines, itself included, callees first.
///
/// # Errors
/// If one of them calls itself.
pub(super) fn reach(
    module: &Module,
    func: Func,
    leaves: &[Func],
    graph: &CallGraph,
) -> Result<Vec<Func>, Vec<Diagnostic>> {
    let mut reached: Vec<Func> = Vec::new();
    let mut stack = vec![func];
    while let Some(next) = stack.pop() {
        let Some(body) = &module.funcs[next].body else { continue };
        if reached.contains(&next) {
            continue;
        }
        reached.push(next);
        if graph.is_recursive(next) {
            let cycle = graph.cycle(next);
            let names: Vec<&str> = cycle.iter().map(|&f| &*module.funcs[f].name.text).collect();
            let message = format!("`{}` calls itself: {}", names[0], names.join(" → "));
            let help = "write it with a loop that has a constant bound";
            return Err(vec![Diagnostic::error(Code::E1102, module.funcs[next].span, message).help(help)]);
        }
        let calls = body.nodes().filter(|(_, data)| data.op == Op::Call);
        let callees = calls.filter_map(|(node, _)| body.args(node)[0].as_func());
        stack.extend(callees.filter(|f| !leaves.contains(f)));
    }
    Ok(graph.callees_first().into_iter().filter(|f| reached.contains(f)).collect())
}

/// Private variables and outputs that functions use, in the order of the module.
pub(super) fn written_globals(module: &Module, funcs: &[Func]) -> Vec<Var> {
    let mut used: SideTable<Var, bool> = SideTable::new();
    for body in funcs.iter().filter_map(|&f| module.funcs[f].body.as_ref()) {
        let args = body.nodes().flat_map(|(node, _)| body.args(node));
        args.filter_map(|a| a.as_var()).for_each(|var| used[var] = true);
    }
    let own = |var: &Var| matches!(module.vars[*var].space, AddressSpace::Private | AddressSpace::Output);
    module.globals.iter().copied().filter(own).filter(|&var| used[var]).collect()
}

/// `a` where a condition holds, else `b`: of structs, arrays and matrices part by part.
pub(super) fn choose(b: &mut planish_ir::builder::Builder<'_, '_>, condition: Value, a: Value, other: Value) -> Value {
    if a == other {
        return a;
    }
    let ty = b.type_of(a);
    let kind = b.module.types[ty].clone();
    let (count, make) = match &kind {
        TypeKind::Struct(data) => (data.members.len() as u32, Op::ConstructStruct),
        TypeKind::Array { len, .. } => (*len, Op::ConstructArray),
        TypeKind::Matrix { .. } => {
            (b.module.types.part_count(ty).expect("has columns"), Op::ConstructMatrixFromMultiple)
        }
        _ => return b.op(Op::Select, &[condition, a, other]),
    };
    let parts: Vec<Value> = (0..count)
        .map(|i| {
            let [a, other] = [a, other].map(|v| part(b, v, &kind, i));
            choose(b, condition, a, other)
        })
        .collect();
    b.op_typed(make, &parts, ty)
}

/// Part number `index` of a struct, array or matrix.
pub(super) fn part(b: &mut planish_ir::builder::Builder<'_, '_>, value: Value, kind: &TypeKind, index: u32) -> Value {
    if let TypeKind::Struct(_) = kind {
        return b.op_imm(Op::ExtractStructField, Imm::index(index), &[value]);
    }
    let at = b.i32(index as i32);
    let op = if matches!(kind, TypeKind::Matrix { .. }) { Op::ExtractMatrixColumn } else { Op::ExtractArrayElement };
    b.op(op, &[value, at])
}
