//! Loops that are flattened: iteration by iteration, until it is known that no more come.

use planish_ir::diagnostic::Code;
use planish_ir::entity::{Block, Value};
use planish_ir::function::{Args, Exit};
use planish_ir::meaning::float_value;
use planish_ir::ops::{Class, Imm, Op};
use planish_ir::types::Scalar;
use planish_ir::walk;

use crate::restage::construct::Kind;
use crate::restage::engine::Engine;
use crate::restage::state::Key;

/// Iterations after which, and after each multiple of which, a loop is asked whether it will end.
const PATIENCE: u32 = 256;

/// Iterations after which, and after each power of two from which on, the size of a loop is forecast.
const FORECAST: u32 = 8;

/// The size forecast of a loop that is being unrolled.
pub(in crate::restage) struct Forecast {
    /// Number of iterations that are written.
    done: u32,
    /// The value of its counter in the iteration before.
    counter: Option<i64>,
    /// When it was forecast the last time.
    last: Size,
    is_nested: bool,
}

/// Iterations of a loop, and the nodes and steps of the function so far.
#[derive(Clone, Copy)]
struct Size {
    rounds: u64,
    nodes: u64,
    steps: u64,
}

impl Engine<'_, '_, '_> {
    /// Begins to forecast how large a loop becomes.
    pub(in crate::restage) fn begin_forecast(&self) -> Forecast {
        let is_nested = self.stack.iter().any(|c| matches!(c.kind, Kind::Unrolled(_)));
        Forecast { done: 0, counter: None, last: self.size(0), is_nested }
    }

    fn size(&self, rounds: u32) -> Size {
        let steps = self.flat.as_ref().map_or(0, |flat| flat.work.steps());
        Size { rounds: rounds.into(), nodes: self.b.body().node_count() as u64, steps }
    }

    /// Whether a loop will become larger or take longer than it may, as its counter shows when its condition ends: a refusal
    /// should not take as long as what is refused. The iterations that are left may be smaller than those before; by half all in
    /// all, as in `for (j = i; …)`, is allowed for.
    pub(in crate::restage) fn will_be_too_large(&mut self, unrolled: usize) -> bool {
        let Kind::Unrolled(state) = &mut self.stack[unrolled].kind else { unreachable!("it is unrolled") };
        let owner = state.source;
        let Some(forecast) = &mut state.forecast else { return false };
        forecast.done += 1;
        let done = forecast.done;
        // The counter is compared with that of the iteration before.
        if done + 1 < FORECAST || !done.is_power_of_two() && !(done + 1).is_power_of_two() {
            return false;
        }
        let (counts, size) = (self.compared(), self.size(done));
        let Kind::Unrolled(state) = &mut self.stack[unrolled].kind else { unreachable!("it is unrolled") };
        let Some(forecast) = &mut state.forecast else { return false };
        let before = std::mem::replace(&mut forecast.counter, counts.map(|(counter, _)| counter));
        if done < FORECAST || !done.is_power_of_two() {
            return false;
        }
        let (last, is_nested) = (std::mem::replace(&mut forecast.last, size), forecast.is_nested);
        let left = counts.zip(before).and_then(|((now, end), before)| end.checked_sub(now)?.checked_div(now - before));
        let left = left.and_then(|left| u64::try_from(left).ok()).unwrap_or(0).min(1 << 20);
        let all = size.rounds + left;
        let exceeds = |count: u64, last_count: u64, limit: u64| {
            let each = count.saturating_sub(last_count) / (size.rounds - last.rounds);
            (count + each * left) * all > limit * (2 * all - size.rounds)
        };
        let (nodes, steps) = (u64::from(self.context.options.limits.flat_nodes), self.most_steps());
        let message = if !is_nested && exceeds(size.nodes, last.nodes, nodes) {
            format!("the flat function would have more than {nodes} nodes")
        } else if exceeds(size.steps, last.steps, steps) && self.ends_by_its_condition(owner) {
            format!("writing the flat function out would take more than {steps} steps")
        } else {
            return false;
        };
        let span = self.source().body.blocks[owner].exit_span;
        self.report_too_large(span, message);
        true
    }

    /// Whether nothing but its condition ends a loop.
    fn ends_by_its_condition(&self, owner: Block) -> bool {
        let source = self.source();
        walk::inside(&source.body, owner).all(|block| match source.body.blocks[block].exit {
            Exit::Return(_) | Exit::Discard | Exit::Trap(_) => false,
            Exit::Break(label, _) => label != owner && source.tree.is_inside(label, owner),
            Exit::Continue(label, _) => label == owner || source.tree.is_inside(label, owner),
            _ => true,
        })
    }

    /// The two operands of the condition that has just ended, if both are known integers.
    fn compared(&mut self) -> Option<(i64, i64)> {
        let source = self.source();
        let Exit::LoopIf { condition, .. } = source.body.blocks[self.at.block].exit else { return None };
        let node = source.body.node_of(condition).filter(|&n| source.body.node(n).op.info().class == Class::Compare)?;
        let mut number = |value: Value| {
            let new = self.value(value);
            let bits = self.b.module.consts.as_bits(new.as_const()?)?;
            match self.b.module.types.scalar_of(self.b.type_of(new))? {
                Scalar::I32 => Some(i64::from(bits as u32 as i32)),
                Scalar::U32 => Some(i64::from(bits as u32)),
                _ => None,
            }
        };
        let args = source.body.args(node);
        Some((number(args[0])?, number(args[1])?))
    }

    /// Begins an iteration: nothing is left of the one before but the values it passes.
    pub(in crate::restage) fn forget_iteration(&mut self, owner: Block) {
        if let Some(construct) = self.stack.last() {
            let (log, limit) = (construct.log, construct.limit);
            // Facts about the values of an iteration do not hold in the next.
            let source = |value: Value| value.as_local().is_none_or(|local| local.as_u32() < limit);
            self.state.compact(log, |key| match key {
                Key::Slot(_) => true,
                Key::Fact(value) | Key::Memory(value) => source(value),
                Key::Made(_) | Key::Bytes(_) | Key::End(_) => false,
            });
        }
        let source = self.source();
        for block in walk::inside(&source.body, owner) {
            for &var in &source.body.blocks[block].variables {
                self.slots.forget(&mut self.state, var);
            }
        }
    }

    /// The condition of a loop is not known: the loop may be left here.
    pub(in crate::restage) fn flat_condition(&mut self, to: usize, condition: Value, args: Args, body_args: &[Value]) {
        let Kind::Unrolled(state) = &self.stack[to].kind else { unreachable!("it is unrolled") };
        let (owner, rounds) = (state.source, state.rounds);
        let mut edge = self.edge(to, args);
        let ends = self.not(condition);
        // A nested loop is only tried once.
        let span = self.source().body.blocks[owner].exit_span;
        let known = self.flat_mut().problems.iter().any(|p| p.code == Code::E1101 && p.span == span);
        let too_many = rounds == 0 || known || self.is_hopeless(owner, condition, rounds);
        if too_many {
            self.report_unbounded(owner);
        } else {
            edge.predicate = self.and(edge.predicate, ends);
        }
        self.stack[to].edges.push(edge);
        if too_many {
            self.end_chain();
            return;
        }
        self.assume(condition, true);
        self.enter_iteration(owner, body_args);
    }

    /// Whether nothing will bound a loop that has run many iterations: its condition compares a number with one that
    /// only the host or the fragment knows, and no constant in it is as great as the iterations so far.
    fn is_hopeless(&self, owner: Block, condition: Value, rounds: u32) -> bool {
        self.has_lost_patience(owner, rounds) && self.depends_on_given(condition)
    }

    /// Whether that holds of all ways out of a loop whose own condition always holds.
    pub(in crate::restage) fn is_hopeless_within(&mut self, owner: Block, rounds: u32) -> bool {
        if !self.has_lost_patience(owner, rounds) {
            return false;
        }
        let source = self.source();
        let leaves = |block: &Block| match source.body.blocks[*block].exit {
            Exit::Return(_) | Exit::Discard | Exit::Trap(_) => true,
            Exit::Break(label, _) => label == owner || !source.tree.is_inside(label, owner),
            Exit::Continue(label, _) => label != owner && !source.tree.is_inside(label, owner),
            _ => false,
        };
        let exits: Vec<Block> = walk::inside(&source.body, owner).filter(leaves).collect();
        !exits.is_empty()
            && exits.into_iter().all(|block| {
                let branch = source.tree.place(block).and_then(|place| place.owner);
                let Some(Exit::If { condition, .. }) = branch.map(|b| &source.body.blocks[b].exit) else {
                    return false;
                };
                // The arm's condition in the iteration before.
                let condition = self.value(*condition);
                self.depends_on_given(condition)
            })
    }

    /// Whether a loop has run many iterations, and no constant in it is as great as their number.
    fn has_lost_patience(&self, owner: Block, rounds: u32) -> bool {
        let done = self.context.options.limits.flat_iterations.saturating_sub(rounds);
        if done == 0 || !done.is_multiple_of(PATIENCE) {
            return false;
        }
        let source = self.source();
        let is_above = |value: &Value| {
            let Some(bits) = value.as_const().and_then(|constant| self.b.module.consts.as_bits(constant)) else {
                return false;
            };
            match self.b.module.types.scalar_of(self.b.type_of(*value)) {
                Some(scalar) if scalar.is_float() => float_value(scalar, bits) >= f64::from(done),
                Some(scalar) if scalar.is_integer() => (u64::from(done)..u64::from(u32::MAX / 2)).contains(&bits),
                _ => false,
            }
        };
        !walk::inside(&source.body, owner)
            .any(|block| source.body.blocks[block].nodes.iter().any(|&n| source.body.args(n).iter().any(is_above)))
    }

    /// Whether a condition compares what only the host or the fragment knows with such a value or a constant.
    fn depends_on_given(&self, condition: Value) -> bool {
        let compares = |(op, _, args): (Op, Imm, &[Value])| {
            op.info().class == Class::Compare && args.iter().all(|&a| a.as_const().is_some() || self.is_given(a))
        };
        self.b.definition(condition).is_some_and(compares)
    }

    /// Whether a value comes from outside as it is, or converted.
    fn is_given(&self, mut value: Value) -> bool {
        loop {
            value = match self.b.definition(value) {
                None => return value.as_local().is_some(),
                Some((Op::Load, ..)) => return true,
                Some((
                    Op::ConstructScalarFromScalar | Op::Bitcast | Op::ExtractVectorComponent | Op::ExtractStructField,
                    _,
                    args,
                )) => args[0],
                Some(_) => return false,
            }
        }
    }

    /// The limit is reached, and another iteration is known to follow.
    pub(in crate::restage) fn report_too_many_iterations(&mut self, owner: Block) {
        let span = self.source().body.blocks[owner].exit_span;
        let rounds = self.context.options.limits.flat_iterations;
        let message = format!("this loop has more than {rounds} iterations, or does not end");
        let help = "give it fewer, or raise the limit (`--limit flat_iterations=N`)";
        self.problem(Code::E1101, span, message, "the limit was reached here", help);
    }

    pub(in crate::restage) fn report_unbounded(&mut self, owner: Block) {
        let span = self.source().body.blocks[owner].exit_span;
        let message = "it is not known at compile time that this loop ends";
        let help = "give it a bound that is a constant, and leave it early with `if (…) break;`";
        self.problem(Code::E1101, span, message, "no constant bounds its iterations", help);
    }
}
