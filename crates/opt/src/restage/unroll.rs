//! The loops to unroll: those with so few iterations, known at compile time, that these cost little more than the loop.

use planish_ir::entity::{Block, Const, Local, Value};
use planish_ir::function::{Args, Body, Exit, LocalDef};
use planish_ir::meaning;
use planish_ir::module::Module;
use planish_ir::tree::Tree;
use planish_ir::walk;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::arguments::{Arguments, Passed};
use super::construct::Kind;
use super::engine::{At, Deeper, Engine};
use super::flat::Forecast;
use super::loops::{Start, continue_target, header_of};
use super::source::Source;
use crate::context::{Goal, RemarkKind};

/// A loop that is unrolled.
pub(super) struct Unrolled {
    pub(super) source: Block,
    pub(super) body: Block,
    pub(super) rounds: u32,
    /// The path of the activation around it.
    pub(super) path: u64,
    /// Whether it is only thought not to repeat: where it was entered.
    pub(super) again: Option<Start>,
    /// Whether all iterations are the same activation, since there is one.
    is_once: bool,
    /// Forecast of its size, in flattening.
    pub(super) forecast: Option<Forecast>,
}

impl Engine<'_, '_, '_> {
    /// Begins to unroll a loop, if it pays.
    pub(super) fn begins_unrolling(&mut self, source: &Source, block: Block, entry: &[Value]) -> bool {
        if !self.policy.unroll {
            return false;
        }
        let limits = self.context.options.limits;
        let Some(rounds) =
            rounds(self.b.module, &source.body, source.arguments(), block, entry, limits.unroll_iterations)
        else {
            return false;
        };
        let costs = self.context.options.costs(self.b.module);
        let each = source.cost_inside(self.b.module, block, &costs);
        let growth = match self.context.options.goal {
            Goal::Speed if limits.unroll_array_growth > limits.unroll_growth && source.indexes_arrays_inside(block) => {
                limits.unroll_array_growth
            }
            Goal::Speed => limits.unroll_growth,
            Goal::Size => 0,
        };
        let growth = self.context.options.vary(u64::from(block.as_u32()), growth);
        let span = source.body.blocks[block].exit_span;
        let func = self.frame().func;
        if u64::from(rounds) * u64::from(each) > u64::from(each + costs.branch + growth) {
            let message = format!("{rounds} iterations of cost {each} are too much to unroll");
            self.context.remark(RemarkKind::Missed, "NotUnrolled", self.b.module, func, span, message);
            return false;
        }
        let message = format!("unrolled: {rounds} iterations");
        self.context.remark(RemarkKind::Passed, "Unrolled", self.b.module, func, span, message);
        self.unrolled = true;
        self.begin_unrolled(block, entry, rounds);
        true
    }

    /// Interprets a loop iteration by iteration. Its condition is known in every iteration but perhaps the last.
    pub(super) fn begin_unrolled(&mut self, block: Block, entry: &[Value], rounds: u32) {
        self.enter_unrolled(block, entry, rounds, None, false);
    }

    /// Interprets a loop that does not repeat; `again`: the point where it was entered, if this is only an assumption.
    pub(super) fn begin_once(&mut self, block: Block, entry: &[Value], again: Option<Start>) {
        self.enter_unrolled(block, entry, 1, again, true);
    }

    fn enter_unrolled(&mut self, block: Block, entry: &[Value], rounds: u32, again: Option<Start>, is_once: bool) {
        let source = self.source();
        let body = self.mode.body_block(self);
        let path = self.frame().path;
        self.push(Kind::Unrolled(Box::new(Unrolled {
            source: block,
            body,
            rounds,
            path,
            again,
            is_once,
            forecast: None,
        })));
        self.b.switch_to(body);
        let header = header_of(&source.body, block);
        self.bind(header, entry);
        if matches!(source.body.blocks[block].exit, Exit::DoLoop { .. }) {
            self.begin_iteration(block, header);
        } else {
            self.at = At::begin(header);
        }
    }

    /// Begins the body of an iteration.
    pub(super) fn begin_iteration(&mut self, owner: Block, source_body: Block) {
        self.mode.prepare_iteration(self, owner);
        let body = self.mode.body_block(self);
        let unrolled = self.unrolled(owner);
        let Kind::Unrolled(state) = &self.stack[unrolled].kind else { unreachable!("it is unrolled") };
        // Analyses of loops in it must be repeated when it is interpreted again.
        if !state.is_once {
            self.frame_mut().path = self.frame().path_into(Deeper::Iteration(owner));
        }
        self.push(Kind::Iteration { source: owner, body });
        self.b.switch_to(body);
        self.at = At::begin(source_body);
    }

    /// The body of an iteration has ended: continues with the next part of the loop.
    pub(super) fn end_iteration(&mut self, owner: Block, args: &[Value]) {
        let source = self.source();
        let target = continue_target(&source.body, owner);
        if matches!(source.body.blocks[owner].exit, Exit::Loop { next: None, .. }) {
            let to = self.unrolled(owner);
            self.next_iteration(to, args);
            return;
        }
        self.bind(target, args);
        self.at = At::begin(target);
    }

    pub(super) fn unrolled(&self, owner: Block) -> usize {
        self.target(owner)
    }

    /// The header again.
    pub(super) fn next_iteration(&mut self, unrolled: usize, args: &[Value]) {
        let Kind::Unrolled(state) = &mut self.stack[unrolled].kind else { unreachable!("it is unrolled") };
        let owner = state.source;
        if let Some(start) = state.again.take() {
            return self.repeat_after_all(unrolled, start);
        }
        debug_assert!(!state.is_once || self.flat.is_some(), "nothing leads back");
        let source = self.source();
        let header = header_of(&source.body, owner);
        self.bind(header, args);
        if matches!(source.body.blocks[owner].exit, Exit::DoLoop { .. }) {
            self.begin_iteration(owner, header);
        } else {
            self.at = At::begin(header);
        }
    }

    /// The end of the condition of an unrolled loop.
    pub(super) fn unrolled_condition(&mut self, to: usize, condition: Value, body_args: &Args, merge_args: Args) {
        let Kind::Unrolled(state) = &mut self.stack[to].kind else { unreachable!("it is unrolled") };
        let owner = state.source;
        state.rounds = state.rounds.saturating_sub(1);
        let rounds = state.rounds;
        self.mode.unrolled_condition(self, (to, owner, rounds), condition, body_args, merge_args);
    }

    /// Leaves an unrolled loop.
    pub(super) fn leave_unrolled(&mut self, to: usize, merge_args: Args) {
        let args = self.with_escapes(to, merge_args);
        self.leave(to, args);
    }

    pub(super) fn enter_iteration(&mut self, owner: Block, args: &[Value]) {
        let source = self.source();
        match source.body.blocks[owner].exit {
            Exit::Loop { body, .. } => {
                self.bind(body, args);
                self.begin_iteration(owner, body);
            }
            _ => {
                let to = self.unrolled(owner);
                self.next_iteration(to, args);
            }
        }
    }
}

/// Whether a block ends with a loop that may count its iterations: it is asked at the head or foot of each whether it continues.
/// Most loops that come from WebAssembly are left from within.
fn may_count(body: &Body, owner: Block) -> bool {
    test_of(body, owner).is_some()
}

/// Whether the iterations of one of a function's loops can be counted, in a function in which a rewrite finds nothing else
/// to do: only then may another rewrite unroll a loop of it.
pub(super) fn counts_rounds(module: &mut Module, body: &Body, limit: u32) -> bool {
    let mut loops = walk::blocks(body).filter(|&block| may_count(body, block)).peekable();
    if loops.peek().is_none() {
        return false;
    }
    let passed = Arguments::new(body, &Tree::new(body));
    loops.any(|block| {
        let (Exit::Loop { args, .. } | Exit::DoLoop { args, .. }) = &body.blocks[block].exit else { return false };
        rounds(module, body, &passed, block, args, limit).is_some()
    })
}

/// The condition of a loop in each iteration; `None` if it always continues.
fn test_of(body: &Body, owner: Block) -> Option<Value> {
    let (Exit::Loop { condition, .. } | Exit::DoLoop { condition, .. }) = body.blocks[owner].exit else { return None };
    let Exit::LoopIf { condition: test, .. } = body.blocks[condition].exit else { return None };
    (test.as_const() != Some(Const::TRUE)).then_some(test)
}

/// Number of iterations of a loop, if its condition depends only on values that can be counted from its entry values.
fn rounds(
    module: &mut Module,
    body: &Body,
    passed: &Arguments,
    owner: Block,
    entry: &[Value],
    limit: u32,
) -> Option<u32> {
    let (header, condition, is_do) = match body.blocks[owner].exit {
        Exit::Loop { condition, .. } => (condition, condition, false),
        Exit::DoLoop { body, condition, .. } => (body, condition, true),
        _ => return None,
    };
    let test = test_of(body, owner)?;
    let Exit::LoopIf { ref body_args, .. } = body.blocks[condition].exit else { return None };
    let inputs = &body.blocks[header].inputs;
    let mut state: Vec<Option<Const>> = entry.iter().map(|v| v.as_const()).collect();
    for count in 0..=limit {
        let started = inputs.iter().zip(&state).filter_map(|(&input, &value)| Some((input, value?)));
        let mut known: FxHashMap<Local, Const> = started.collect();
        let tracer = Tracer { body, passed, header };
        let goes_on = tracer.trace(module, &mut known, test)?;
        match goes_on {
            // A `do` loop has run once before it is asked.
            Const::FALSE => return Some(count + u32::from(is_do)),
            Const::TRUE => {}
            _ => return None,
        }
        state = inputs
            .iter()
            .enumerate()
            .map(|(i, &input)| {
                let next = if is_do {
                    body_args.get(i).copied()
                } else {
                    match passed.again(input) {
                        Passed::One(value) => Some(value),
                        _ => None,
                    }
                };
                tracer.trace(module, &mut known, next?)
            })
            .collect();
    }
    None
}

/// Finds constants of source values.
struct Tracer<'a> {
    body: &'a Body,
    passed: &'a Arguments,
    header: Block,
}

/// Values that one condition may be traced through.
const MAX_TRACE: usize = 64;

impl Tracer<'_> {
    /// The constant that a value is in this iteration.
    fn trace(&self, module: &mut Module, known: &mut FxHashMap<Local, Const>, value: Value) -> Option<Const> {
        let body = self.body;
        let mut stack: Vec<Local> = Vec::new();
        let root = match (value.as_const(), value.as_local()) {
            (Some(constant), _) => return Some(constant),
            (_, Some(local)) => local,
            _ => return None,
        };
        stack.push(root);
        let mut steps = 0;
        while let Some(&local) = stack.last() {
            steps += 1;
            if steps > MAX_TRACE {
                return None;
            }
            if known.contains_key(&local) {
                stack.pop();
                continue;
            }
            match body.local(local).def {
                LocalDef::Input(block, _) if block == self.header => return None,
                LocalDef::Input(..) => {
                    let Passed::One(from) = self.passed.of(local) else { return None };
                    let constant = match (from.as_const(), from.as_local()) {
                        (Some(constant), _) => Some(constant),
                        (_, Some(from)) => known.get(&from).copied().or_else(|| {
                            stack.push(from);
                            None
                        }),
                        _ => return None,
                    };
                    known.extend(constant.map(|constant| (local, constant)));
                }
                LocalDef::Result(node, _) => {
                    let data = body.node(node);
                    if !data.op.is_pure() || data.result_count() != 1 {
                        return None;
                    }
                    let mut constants: SmallVec<[Const; 4]> = SmallVec::new();
                    let mut waits = false;
                    for arg in body.args(node) {
                        match (arg.as_const(), arg.as_local()) {
                            (Some(constant), _) => constants.push(constant),
                            (_, Some(local)) => match known.get(&local) {
                                Some(&constant) => constants.push(constant),
                                None => {
                                    stack.push(local);
                                    waits = true;
                                }
                            },
                            _ => return None,
                        }
                    }
                    if !waits {
                        let ty = body.local_type(local);
                        known.insert(local, meaning::fold(module, data.op, data.imm, &constants, ty)?);
                    }
                }
            }
        }
        known.get(&root).copied()
    }
}
