//! Predicates: when control comes to a point of a function that is being flattened.

use planish_ir::entity::{Const, Value};
use planish_ir::ops::Op;

use crate::restage::construct::Kind;
use crate::restage::engine::Engine;

impl Engine<'_, '_, '_> {
    pub(super) fn and(&mut self, predicate: Option<Value>, value: Value) -> Option<Value> {
        let known = |v: Value| self.known_bool(v);
        match (predicate, known(value)) {
            (_, Some(true)) => predicate,
            (None, _) | (_, Some(false)) => Some(value),
            (Some(predicate), None) if known(predicate) == Some(false) => Some(predicate),
            (Some(predicate), None) => Some(self.b.op(Op::LogicalAnd, &[predicate, value])),
        }
    }

    pub(super) fn or(&mut self, predicate: Option<Value>, value: Value) -> Value {
        match predicate {
            None => value,
            Some(predicate) if self.known_bool(value) == Some(false) => predicate,
            Some(predicate) => match self.known_bool(predicate) {
                Some(false) => value,
                Some(true) => predicate,
                None => self.b.op(Op::LogicalOr, &[predicate, value]),
            },
        }
    }

    pub(super) fn not(&mut self, value: Value) -> Value {
        self.b.op(Op::LogicalNot, &[value])
    }

    /// Whether a construct has been left by one of the edges so far, if that can be.
    pub(in crate::restage) fn left(&mut self, at: usize) -> Option<Value> {
        let (from, mut left) = self.stack[at].left;
        let count = self.stack[at].edges.len();
        for i in from..count {
            let predicate = self.stack[at].edges[i].predicate.unwrap_or(Const::TRUE.into());
            left = Some(self.or(left, predicate));
        }
        self.stack[at].left = (count, left);
        left
    }

    /// When control comes here from where it entered the constructs from number `from` on; always if `None`.
    fn predicate_from(&mut self, from: usize) -> Option<Value> {
        let mut predicate = None;
        for at in from..self.stack.len() {
            match &self.stack[at].kind {
                Kind::Choice(choice) => {
                    let (condition, second) = (choice.condition, choice.first.is_some());
                    let condition = if second { self.not(condition) } else { condition };
                    // The edges to its merge block end the arms: here none has ended.
                    predicate = self.and(predicate, condition);
                    continue;
                }
                Kind::Cases(cases) => {
                    if let Some(entered) = cases.entered {
                        predicate = self.and(predicate, entered);
                    }
                }
                _ => {}
            }
            if let Some(left) = self.left(at) {
                let stays = self.not(left);
                predicate = self.and(predicate, stays);
            }
        }
        predicate
    }

    /// The predicate of an edge from here to a construct.
    pub(in crate::restage) fn predicate_of_edge(&mut self, to: usize) -> Option<Value> {
        let entered = match &self.stack[to].kind {
            Kind::Cases(cases) => cases.entered,
            _ => None,
        };
        match (entered, self.predicate_from(to + 1)) {
            (Some(entered), Some(predicate)) => self.and(Some(entered), predicate),
            (entered, predicate) => entered.or(predicate),
        }
    }

    /// When control comes here at all.
    pub(super) fn here(&mut self) -> Option<Value> {
        let path = self.predicate_from(0);
        match self.flat_mut().ended {
            None => path,
            Some(ended) => {
                let goes_on = self.not(ended);
                self.and(path, goes_on)
            }
        }
    }
}
