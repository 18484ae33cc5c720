//! Guards: when control comes to a point of a function that is being flattened.

use planish_ir::entity::{Const, Value};
use planish_ir::ops::Op;

use crate::restage::construct::Kind;
use crate::restage::engine::Engine;

impl Engine<'_, '_, '_> {
    pub(super) fn and(&mut self, guard: Option<Value>, value: Value) -> Option<Value> {
        let known = |v: Value| self.known_bool(v);
        match (guard, known(value)) {
            (_, Some(true)) => guard,
            (None, _) | (_, Some(false)) => Some(value),
            (Some(guard), None) if known(guard) == Some(false) => Some(guard),
            (Some(guard), None) => Some(self.b.op(Op::LogicalAnd, &[guard, value])),
        }
    }

    pub(super) fn or(&mut self, guard: Option<Value>, value: Value) -> Value {
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

    pub(super) fn not(&mut self, value: Value) -> Value {
        self.b.op(Op::LogicalNot, &[value])
    }

    /// Whether a construct has been left by one of the ways so far, if that can be.
    pub(in crate::restage) fn left(&mut self, at: usize) -> Option<Value> {
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
    pub(in crate::restage) fn guard_of_way(&mut self, to: usize) -> Option<Value> {
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
    pub(super) fn here(&mut self) -> Option<Value> {
        let path = self.guard_from(0);
        match self.flat_mut().ended {
            None => path,
            Some(ended) => {
                let goes_on = self.not(ended);
                self.and(path, goes_on)
            }
        }
    }
}
