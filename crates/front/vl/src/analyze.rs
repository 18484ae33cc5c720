//! Flow analysis: an abstract interpretation that computes the abstract value of every procedure for every abstract
//! argument that it is applied to.
//!
//! A *binding* is a procedure with abstract captures, applied to an abstract argument, and its result: `iterate, ℝ,
//! closure1, (ℝ . ℝ) ↦ (ℝ . ℝ)`. There is one for every combination that occurs, so the analysis is fully polyvariant;
//! values are joined only at `real` and at conditions that are unknown. A binding's value begins at bottom and grows;
//! its users are evaluated again when it does, to a fixpoint.
//!
//! Tokens are numbered by age within a binding, those of captures and argument first. So a procedure that creates
//! tokens has one binding, independently of the number of older tokens.

mod apply;
mod faults;
mod page;
mod print;
pub(crate) mod record;
pub(crate) mod value;

use std::rc::Rc;

use planish_ir::diagnostic::Diagnostic;
use planish_ir::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Limits;
use crate::core::{Atom, Block, Core, LambdaId, Operation, Step};
use crate::expand::Shape;
use crate::terms::Pattern;
use record::{Definition, Nodes, Region};
use value::{EnvId, MAX_HEIGHT, MAX_WIDTH, Value, ValueId, Values};

pub(crate) use print::Printer;

/// Maximum depth of nested evaluation of bindings, beyond which they are queued.
const MAX_NESTING: u32 = 60;

/// Maximum number of times that the record of a recursive binding may grow.
const MAX_GROWTHS: u32 = 6;

/// The number of a binding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct BindingId(pub(crate) u32);

/// The binding of the top level.
pub(crate) const MAIN: BindingId = BindingId(0);

/// Effects of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Effects {
    /// Reads or writes.
    pub(crate) io: bool,
    /// May end the program with an error.
    pub(crate) error: bool,
}

impl Effects {
    fn add(&mut self, other: Effects) {
        self.io |= other.io;
        self.error |= other.error;
    }

    /// Whether there are any.
    pub(crate) fn any(self) -> bool {
        self.io || self.error
    }
}

/// A procedure applied to an argument.
#[derive(Debug)]
pub(crate) struct Binding {
    /// The procedure; `None`: the top level.
    pub(crate) procedure: Option<(LambdaId, EnvId)>,
    pub(crate) argument: ValueId,
    /// Its abstract result.
    pub(crate) value: ValueId,
    /// The result of the last evaluation, in the numbering of the binding.
    pub(crate) latest: ValueId,
    /// Definitions of the nodes in its result, in order after those in its captures and argument.
    pub(crate) definitions: Rc<[Definition]>,
    pub(crate) effects: Effects,
    /// Contents of each slot of its frame.
    pub(crate) slots: Vec<ValueId>,
    /// The applications of procedures, by slot.
    pub(crate) calls: Vec<Call>,
    /// The nodes of its frame.
    pub(crate) nodes: Nodes,
    /// The nodes of its frame that are part of its result.
    pub(crate) returned_nodes: Vec<u32>,
    /// Its unknown conditions.
    pub(crate) regions: Vec<Region>,
    /// Number of times that its record has grown.
    growths: u32,
    /// Bindings that depend on its result.
    users: FxHashSet<BindingId>,
    /// The first application that led to it.
    caller: Option<(BindingId, Span)>,
    is_queued: bool,
}

/// An application of a procedure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    /// The slot of the step.
    pub(crate) slot: u32,
    pub(crate) binding: BindingId,
    /// The number of the first returned node in this frame.
    pub(crate) first_node: u32,
}

/// An export, applied.
#[derive(Debug)]
pub(crate) struct Exposed {
    /// Index into the program's exports; `None`: its value.
    pub(crate) export: Option<usize>,
    /// Procedure, argument and, unless the procedure is a primitive, binding of each application in sequence; at least
    /// that of the export itself.
    pub(crate) applications: Vec<(ValueId, ValueId, Option<BindingId>)>,
    /// Result of the last application.
    pub(crate) result: ValueId,
}

/// The inferred shape of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    Pair,
    Nil,
}

/// The result of the analysis.
pub(crate) struct Analysis<'c> {
    pub(crate) core: &'c Core,
    pub(crate) values: Values,
    pub(crate) bindings: Vec<Binding>,
    ids: FxHashMap<(ValueId, ValueId), BindingId>,
    worklist: Vec<BindingId>,
    pub(crate) exposed: Vec<Exposed>,
    faults: Vec<Diagnostic>,
    /// By binding of the library, the call in the user's text that leads there; see [`faults::UserCall`].
    user_calls: FxHashMap<BindingId, faults::UserCall>,
    /// Warnings about a program without faults.
    pub(crate) warnings: Vec<Diagnostic>,
    /// Results of bindings, in the order in which they were found.
    events: Vec<(BindingId, ValueId)>,
    steps: u64,
    nesting: u32,
    /// Inferred parameter whose shape has to be refined, and its new shape.
    asked: Option<(u32, Wanted)>,
    questions: u32,
    /// Span of the standard library's text.
    library: Span,
    limits: Limits,
}

/// Analyses a program.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn analyze(core: &Core, library: Span, limits: Limits) -> Result<Analysis<'_>, Vec<Diagnostic>> {
    let mut analysis = Analysis {
        core,
        values: Values::new(),
        bindings: Vec::new(),
        ids: FxHashMap::default(),
        worklist: Vec::new(),
        exposed: Vec::new(),
        faults: Vec::new(),
        user_calls: FxHashMap::default(),
        warnings: Vec::new(),
        events: Vec::new(),
        steps: 0,
        nesting: 0,
        asked: None,
        questions: 0,
        library,
        limits,
    };
    analysis.add_binding(Binding::new(None, Values::NIL, None));
    analysis.evaluate(MAIN);
    analysis.run_to_fixpoint();
    analysis.expose();
    analysis.check();
    if !analysis.faults.is_empty() {
        return Err(analysis.faults);
    }
    analysis.warn_of_many();
    analysis.warnings = std::mem::take(&mut analysis.faults);
    Ok(analysis)
}

impl Binding {
    fn new(procedure: Option<(LambdaId, EnvId)>, argument: ValueId, caller: Option<(BindingId, Span)>) -> Self {
        Binding {
            procedure,
            argument,
            value: Values::BOTTOM,
            latest: Values::BOTTOM,
            definitions: [].into(),
            effects: Effects::default(),
            slots: Vec::new(),
            calls: Vec::new(),
            nodes: Nodes::default(),
            returned_nodes: Vec::new(),
            regions: Vec::new(),
            growths: 0,
            users: FxHashSet::default(),
            caller,
            is_queued: false,
        }
    }

    /// The applications of a step, in order.
    pub(crate) fn calls(&self, slot: u32) -> impl Iterator<Item = Call> {
        let first = self.calls.partition_point(|call| call.slot < slot);
        self.calls[first..].iter().copied().take_while(move |call| call.slot == slot)
    }

    pub(crate) fn region(&self, slot: u32) -> Option<&Region> {
        self.regions.iter().find(|region| region.slot == slot)
    }
}

/// A binding while it is being evaluated.
struct Frame {
    id: BindingId,
    slots: Vec<ValueId>,
    captures: Option<EnvId>,
    group: Rc<[LambdaId]>,
    /// Tokens seen so far.
    tokens: u32,
    nodes: Nodes,
    regions: Vec<Region>,
    effects: Effects,
    calls: Vec<Call>,
}

impl Analysis<'_> {
    pub(crate) fn binding(&self, id: BindingId) -> &Binding {
        &self.bindings[id.0 as usize]
    }

    fn binding_mut(&mut self, id: BindingId) -> &mut Binding {
        &mut self.bindings[id.0 as usize]
    }

    fn add_binding(&mut self, binding: Binding) -> BindingId {
        let id = BindingId(self.bindings.len() as u32);
        self.bindings.push(binding);
        self.events.push((id, Values::BOTTOM));
        id
    }

    fn is_over(&self) -> bool {
        self.steps > self.limits.steps || self.bindings.len() > self.limits.bindings
    }

    /// Evaluates queued bindings to a fixpoint.
    fn run_to_fixpoint(&mut self) {
        while let Some(id) = self.worklist.pop() {
            if self.is_over() {
                break;
            }
            self.binding_mut(id).is_queued = false;
            self.evaluate(id);
        }
        if self.is_over() {
            self.worklist.clear();
            self.endless();
        }
    }

    /// Evaluates a binding once, and queues its users if its value has changed.
    fn evaluate(&mut self, id: BindingId) {
        let core = self.core;
        let binding = self.binding(id);
        let (procedure, argument) = (binding.procedure, binding.argument);
        let lambda = procedure.map(|(lambda, _)| core.lambda(lambda));
        let (given, given_nodes) = procedure.map_or((0, 0), |(lambda, env)| {
            let closure = self.values.intern(Value::Closure(lambda, env));
            let values = &self.values;
            (
                values.next_token(closure).max(values.next_token(argument)),
                values.next_node(closure).max(values.next_node(argument)),
            )
        });
        let mut frame = Frame {
            id,
            slots: vec![Values::BOTTOM; lambda.map_or(core.slots, |l| l.slots) as usize],
            captures: procedure.map(|(_, env)| env),
            group: lambda.map_or_else(|| [].into(), |l| l.group.clone()),
            tokens: given,
            nodes: Nodes { given: given_nodes, definitions: Vec::new() },
            regions: Vec::new(),
            effects: Effects::default(),
            calls: Vec::new(),
        };
        if let Some(lambda) = lambda {
            self.fill(&lambda.pattern, argument, &mut frame.slots);
        }
        let value = self.block(lambda.map_or(&core.main, |l| &l.body), &mut frame);
        let (value, definitions, returned_nodes) = self.result(value, given, &frame);
        frame.calls.sort_by_key(|call| call.slot);
        let binding = self.binding(id);
        let (old, old_effects) = (binding.value, binding.effects);
        let records_more = *definitions != *binding.definitions;
        let latest = value;
        let value = if value == Values::BOTTOM {
            old
        } else if definitions.is_empty() {
            self.joined(old, value, id)
        } else {
            // The record is a function of other records, and only grows with them.
            value
        };
        if records_more && !self.may_record(id, &definitions, &frame) {
            return;
        }
        let binding = self.binding_mut(id);
        binding.growths += u32::from(records_more);
        binding.effects.add(frame.effects);
        let changed = value != old || records_more || binding.effects != old_effects;
        (binding.value, binding.latest) = (value, latest);
        binding.definitions = definitions;
        (binding.slots, binding.calls) = (frame.slots, frame.calls);
        (binding.nodes, binding.returned_nodes, binding.regions) = (frame.nodes, returned_nodes, frame.regions);
        if !changed {
            return;
        }
        self.events.push((id, value));
        let users: Vec<BindingId> = self.binding(id).users.iter().copied().collect();
        for user in users {
            let user_binding = self.binding_mut(user);
            if !user_binding.is_queued {
                user_binding.is_queued = true;
                self.worklist.push(user);
            }
        }
    }

    /// The join of a binding's previous and current value.
    fn joined(&mut self, old: ValueId, new: ValueId, id: BindingId) -> ValueId {
        self.values.join(old, new).unwrap_or_else(|mismatch| {
            let core = self.core;
            let span = self.binding(id).procedure.map_or(core.span, |(lambda, _)| core.lambda(lambda).span);
            self.no_union(mismatch, span, id, None);
            old
        })
    }

    /// Whether a binding may have this record: that of a recursion that depends on itself grows without end, and its
    /// width is limited.
    fn may_record(&mut self, id: BindingId, definitions: &[Definition], frame: &Frame) -> bool {
        let binding = self.binding(id);
        let span = binding.procedure.map_or(self.core.span, |(lambda, _)| self.core.lambda(lambda).span);
        if self.recorded_width(definitions) > MAX_WIDTH {
            self.too_wide(span, id);
            return false;
        }
        if binding.growths >= MAX_GROWTHS && self.leads_back(id, &frame.calls) {
            self.unknown_record(span, id);
            return false;
        }
        true
    }

    /// Unknown scalars in what is recorded.
    pub(crate) fn recorded_width(&self, definitions: &[Definition]) -> usize {
        let width = |definition: &Definition| match *definition {
            Definition::Operation(list) => self.values.width(list),
            Definition::Either(..) => 1,
        };
        definitions.iter().map(width).sum()
    }

    /// Whether a binding is reachable from calls.
    fn leads_back(&self, id: BindingId, calls: &[Call]) -> bool {
        let mut seen = FxHashSet::default();
        let mut open: Vec<BindingId> = calls.iter().map(|call| call.binding).collect();
        while let Some(next) = open.pop() {
            if next == id {
                return true;
            }
            if seen.insert(next) {
                open.extend(self.binding(next).calls.iter().map(|call| call.binding));
            }
        }
        false
    }

    /// Puts the parts of a value that fits a pattern into its slots.
    /// Recursion: over the pattern, as in `fits`.
    fn fill(&self, pattern: &Pattern<u32>, value: ValueId, slots: &mut [ValueId]) {
        match (pattern, self.values.get(value)) {
            (&Pattern::Var(slot), _) => slots[slot as usize] = value,
            (Pattern::Pair(parts), Value::Pair(a, b)) => {
                self.fill(&parts.0, a, slots);
                self.fill(&parts.1, b, slots);
            }
            _ => {}
        }
    }

    /// Whether a value matches a pattern; if not, possibly a parameter whose shape would have to be refined.
    /// Recursion: over the pattern, at most `reader::MAX_DEPTH` lists of `MAX_PARAMETERS` each.
    fn fits(&self, pattern: &Pattern<u32>, value: ValueId) -> Result<(), Option<(u32, Wanted)>> {
        match (pattern, self.values.get(value)) {
            (Pattern::Ignore | Pattern::Var(_), _) | (Pattern::Nil, Value::Nil) => Ok(()),
            (Pattern::Pair(parts), Value::Pair(a, b)) => {
                self.fits(&parts.0, a)?;
                self.fits(&parts.1, b)
            }
            (Pattern::Pair(_), Value::Asked(number)) => Err(Some((number, Wanted::Pair))),
            (Pattern::Nil, Value::Asked(number)) => Err(Some((number, Wanted::Nil))),
            _ => Err(None),
        }
    }

    fn atom(&mut self, atom: Atom, frame: &Frame) -> ValueId {
        match (atom, frame.captures) {
            (Atom::Slot(slot), _) => frame.slots[slot as usize],
            (Atom::Const(constant), _) => self.values.constant(constant),
            (Atom::Captured(index), Some(env)) => self.values.env(env)[index as usize],
            (Atom::Member(index), Some(env)) => self.values.intern(Value::Closure(frame.group[index as usize], env)),
            (Atom::Captured(_) | Atom::Member(_), None) => unreachable!("the top level captures nothing"),
        }
    }

    /// The value of a block; bottom if a step has none.
    /// Recursion: as deep as terms nest (`expand::MAX_DEPTH`), and for calls [`MAX_NESTING`] bindings.
    fn block(&mut self, block: &Block, frame: &mut Frame) -> ValueId {
        for step in &block.steps {
            self.steps += 1;
            if self.is_over() {
                return Values::BOTTOM;
            }
            let value = match &step.operation {
                Operation::Pair(a, b) => {
                    let (a, b) = (self.atom(*a, frame), self.atom(*b, frame));
                    let pair = self.values.pair(a, b);
                    self.bounded(pair, step.span, frame.id)
                }
                Operation::Apply(procedure, argument) => {
                    let (procedure, argument) = (self.atom(*procedure, frame), self.atom(*argument, frame));
                    self.apply(procedure, argument, step, frame)
                }
                Operation::If(test, blocks) => {
                    let test = self.atom(*test, frame);
                    match self.values.get(test) {
                        Value::AnyBool => self.either(blocks, step, frame),
                        Value::Bool(false) => self.block(&blocks.1, frame),
                        _ => self.block(&blocks.0, frame),
                    }
                }
                Operation::Close(group, captures) => {
                    let captures: Vec<ValueId> = captures.iter().map(|&atom| self.atom(atom, frame)).collect();
                    let env = self.values.intern_env(captures);
                    for (index, &member) in group.iter().enumerate() {
                        let closure = self.values.intern(Value::Closure(member, env));
                        frame.slots[step.slot as usize + index] = closure;
                    }
                    let first = frame.slots[step.slot as usize];
                    self.bounded(first, step.span, frame.id)
                }
                Operation::Match(pattern, atom) => {
                    let value = self.atom(*atom, frame);
                    if let Err(asked) = self.fits(pattern, value) {
                        self.asked = asked;
                        if asked.is_some() {
                            return Values::BOTTOM;
                        }
                        self.no_match(pattern, value, step.span, frame.id);
                        return Values::BOTTOM;
                    }
                    self.fill(pattern, value, &mut frame.slots);
                    continue;
                }
                Operation::Error(_) => {
                    frame.effects.error = true;
                    return Values::BOTTOM;
                }
            };
            frame.slots[step.slot as usize] = value;
            if value == Values::BOTTOM {
                return Values::BOTTOM;
            }
        }
        self.atom(block.value, frame)
    }

    /// The join of the values of two blocks, only one of which runs, so both number their tokens alike.
    fn either(&mut self, blocks: &(Block, Block), step: &Step, frame: &mut Frame) -> ValueId {
        let (tokens, first) = (frame.tokens, frame.nodes.next());
        let a = self.block(&blocks.0, frame);
        let (after, middle) = (std::mem::replace(&mut frame.tokens, tokens), frame.nodes.next());
        let b = self.block(&blocks.1, frame);
        frame.tokens = frame.tokens.max(after);
        let end = frame.nodes.next();
        if end > first && self.recorded_width(&frame.nodes.definitions) > MAX_WIDTH {
            self.too_wide(step.span, frame.id);
            return Values::BOTTOM;
        }
        match self.join_results(a, b, first, frame) {
            Ok((value, alike)) => {
                let after = frame.nodes.next();
                frame.regions.push(Region { slot: step.slot, first, middle, end, after, alike });
                value
            }
            Err(mismatch) => {
                self.no_union(mismatch, step.span, frame.id, Some((a, b)));
                Values::BOTTOM
            }
        }
    }

    /// The value, or bottom if it is nested too deep, as in an analysis that does not terminate.
    fn bounded(&mut self, value: ValueId, span: Span, id: BindingId) -> ValueId {
        if self.values.width(value) > MAX_WIDTH {
            self.too_wide(span, id);
            return Values::BOTTOM;
        }
        if self.values.height(value) <= MAX_HEIGHT {
            return value;
        }
        self.too_deep(span, id);
        Values::BOTTOM
    }

    /// The shape of an argument from the world.
    /// Recursion: over the declared shape, at most `reader::MAX_DEPTH` lists of 256 items each.
    fn shape(&mut self, shape: &Shape) -> ValueId {
        match shape {
            Shape::Real => Values::REAL,
            Shape::Boolean => Values::BOOL,
            Shape::Nil => Values::NIL,
            Shape::Pair(parts) => {
                let (a, b) = (self.shape(&parts.0), self.shape(&parts.1));
                self.values.pair(a, b)
            }
            Shape::Record(_, fields) => fields.iter().rev().fold(Values::NIL, |rest, (_, shape)| {
                let part = self.shape(shape);
                self.values.pair(part, rest)
            }),
        }
    }

    /// Whether a value has a declared shape.
    /// Recursion: see [`Analysis::shape`].
    fn has_shape(&self, value: ValueId, shape: &Shape) -> bool {
        match (shape, self.values.get(value)) {
            (Shape::Real, found) => matches!(found, Value::Real(_) | Value::AnyReal | Value::Asked(_)),
            (Shape::Boolean, found) => matches!(found, Value::Bool(_) | Value::AnyBool),
            (Shape::Nil, _) => value == Values::NIL,
            (Shape::Pair(parts), Value::Pair(a, b)) => self.has_shape(a, &parts.0) && self.has_shape(b, &parts.1),
            (Shape::Pair(_), _) => false,
            (Shape::Record(_, fields), _) => {
                let mut rest = value;
                let mut next = |shape| match self.values.get(rest) {
                    Value::Pair(part, tail) => {
                        rest = tail;
                        self.has_shape(part, shape)
                    }
                    _ => false,
                };
                fields.iter().all(|(_, shape)| next(shape)) && rest == Values::NIL
            }
        }
    }

    /// The argument of an exported procedure, inferred from its parameters.
    /// Recursion: over the pattern, as in `fits`.
    fn parameters(&mut self, pattern: &Pattern<u32>) -> ValueId {
        match pattern {
            Pattern::Var(_) => self.ask(),
            Pattern::Ignore | Pattern::Nil => Values::NIL,
            Pattern::Pair(parts) => {
                let (a, b) = (self.parameters(&parts.0), self.parameters(&parts.1));
                self.values.pair(a, b)
            }
        }
    }
}
