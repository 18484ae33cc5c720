//! Loops that are flattened: iteration by iteration, until it is known that no more come.

use planish_ir::diagnostic::Code;
use planish_ir::entity::{Block, Value};
use planish_ir::function::{Args, Exit};
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
    /// Iterations and nodes of the function when it was forecast the last time.
    last: (u32, u64),
}

impl Engine<'_, '_, '_> {
    /// Begins to forecast how large a loop becomes that is in no other.
    pub(in crate::restage) fn begin_forecast(&self) -> Option<Forecast> {
        let is_inside = self.stack.iter().any(|c| matches!(c.kind, Kind::Unrolled(_)));
        (!is_inside).then(|| Forecast { done: 0, counter: None, last: (0, self.b.body().node_count() as u64) })
    }

    /// Whether a loop will become larger than it may, as its counter shows when its condition ends: a refusal
    /// should not take as long as what is refused. The iterations that are left may be smaller than those before; by half all in
    /// all, as in `for (j = i; …)`, is allowed for.
    pub(in crate::restage) fn will_be_too_large(&mut self, unrolled: usize) -> bool {
        let Kind::Unrolled(state) = &self.stack[unrolled].kind else { unreachable!("it is unrolled") };
        if state.forecast.is_none() {
            return false;
        }
        let (nodes, limit) = (self.b.body().node_count() as u64, u64::from(self.context.options.limits.flat_nodes));
        let counts = self.compared();
        let Kind::Unrolled(state) = &mut self.stack[unrolled].kind else { unreachable!("it is unrolled") };
        let owner = state.source;
        let Some(forecast) = &mut state.forecast else { return false };
        forecast.done += 1;
        let before = std::mem::replace(&mut forecast.counter, counts.map(|(counter, _)| counter));
        if forecast.done < FORECAST || !forecast.done.is_power_of_two() {
            return false;
        }
        let done = u64::from(forecast.done);
        let (rounds_before, nodes_before) = std::mem::replace(&mut forecast.last, (forecast.done, nodes));
        let left = counts.zip(before).and_then(|((now, end), before)| end.checked_sub(now)?.checked_div(now - before));
        let left = left.and_then(|left| u64::try_from(left).ok()).unwrap_or(0).min(1 << 20);
        let each = nodes.saturating_sub(nodes_before) / (done - u64::from(rounds_before));
        let (all, whole) = (done + left, nodes + each * left);
        if whole * all <= limit * (2 * all - done) {
            return false;
        }
        let span = self.source().body.blocks[owner].exit_span;
        self.say_too_large(span, format!("the flat function would have more than {limit} nodes"));
        true
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
            self.say_unbounded(owner);
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
        let done = self.context.options.limits.flat_rounds.saturating_sub(rounds);
        if done == 0 || !done.is_multiple_of(PATIENCE) {
            return false;
        }
        let compares = |(op, _, args): (Op, Imm, &[Value])| {
            op.info().class == Class::Compare && args.iter().all(|&a| a.as_const().is_some() || self.is_given(a))
        };
        let source = self.source();
        let is_above = |value: &Value| {
            let Some(constant) = value.as_const() else { return false };
            let is_integer = self.b.module.types.scalar_of(self.b.type_of(*value)).is_some_and(Scalar::is_integer);
            let bits = self.b.module.consts.as_bits(constant).filter(|_| is_integer);
            bits.is_some_and(|bits| (u64::from(done)..u64::from(u32::MAX / 2)).contains(&bits))
        };
        self.b.definition(condition).is_some_and(compares)
            && !walk::inside(&source.body, owner)
                .any(|block| source.body.blocks[block].nodes.iter().any(|&n| source.body.args(n).iter().any(is_above)))
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
    pub(in crate::restage) fn say_too_many_rounds(&mut self, owner: Block) {
        let span = self.source().body.blocks[owner].exit_span;
        let rounds = self.context.options.limits.flat_rounds;
        let message = format!("this loop has more than {rounds} iterations, or does not end");
        let help = "give it fewer, or raise the limit (`--limit flat_rounds=N`)";
        self.problem(Code::E1101, span, message, "the limit was reached here", help);
    }

    pub(in crate::restage) fn say_unbounded(&mut self, owner: Block) {
        let span = self.source().body.blocks[owner].exit_span;
        let message = "it is not known at compile time that this loop ends";
        let help = "give it a bound that is a constant, and leave it early with `if (…) break;`";
        self.problem(Code::E1101, span, message, "no constant bounds its iterations", help);
    }
}
