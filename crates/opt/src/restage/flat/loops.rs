//! Loops that are flattened: round by round, until it is known that no more come.

use planish_ir::diagnostic::Code;
use planish_ir::entity::{Block, Value};
use planish_ir::function::Args;
use planish_ir::walk;

use crate::restage::engine::{Engine, Kind};
use crate::restage::state::Key;

impl Engine<'_, '_, '_> {
    /// Begins a round: nothing is left of the one before but what it brought.
    pub(in crate::restage) fn forget_round(&mut self, owner: Block) {
        if let Some(construct) = self.stack.last() {
            let (log, limit) = (construct.log, construct.limit);
            // What was learnt of the values of a round says nothing of the next.
            let old = |value: Value| value.as_local().is_none_or(|local| local.as_u32() < limit);
            self.state.compact(log, |key| match key {
                Key::Slot(_) => true,
                Key::Fact(value) | Key::Memory(value) => old(value),
                Key::Made(_) => false,
            });
        }
        let old = self.old();
        for block in walk::inside(&old.body, owner) {
            for &var in &old.body.blocks[block].variables {
                self.slots.forget(&mut self.state, var);
            }
        }
    }

    /// The condition of a loop is not known: the loop may be left here.
    pub(in crate::restage) fn flat_condition(&mut self, to: usize, condition: Value, args: Args, body_args: &[Value]) {
        let Kind::Unrolled(state) = &self.stack[to].kind else { unreachable!("it is unrolled") };
        let (owner, rounds) = (state.old, state.rounds);
        let mut edge = self.way(to, args);
        let ends = self.not(condition);
        // A loop inside of another is only tried once.
        let span = self.old().body.blocks[owner].exit_span;
        let too_many = rounds == 0 || self.flat_mut().problems.iter().any(|p| p.code == Code::E1101 && p.span == span);
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

    pub(in crate::restage) fn say_unbounded(&mut self, owner: Block) {
        let max = self.context.options.limits.flat_rounds;
        let span = self.old().body.blocks[owner].exit_span;
        let message = format!("after {max} rounds it is not known that this loop ends");
        let help = "give it a bound that is a constant, and leave it early with `if (…) break;`";
        self.problem(Code::E1101, span, message, "no constant bounds its rounds", help);
    }
}
