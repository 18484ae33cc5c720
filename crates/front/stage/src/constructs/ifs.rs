//! `if`.

use std::panic::Location;

use planish_ir::entity::Block;
use planish_ir::function::Exit;

use super::variables::{Before, Vars, assign, with_vars};
use super::{Condition, Given, HostLoop, StagedLoop};
use crate::rep::{Part, Rep};
use crate::session::{self, Place};
use crate::staged::{Stage, Staged};

impl Condition for bool {
    type If = HostIf;
    type While = HostLoop<()>;

    fn branch(self, _: Vars<'_, '_>) -> HostIf {
        HostIf { condition: self }
    }

    #[track_caller]
    fn repeat(breaks: bool, continues: bool, vars: Vars<'_, '_>) -> HostLoop<()> {
        HostLoop::begin((), breaks, continues, vars)
    }
}

impl Condition for Rep<bool> {
    type If = StagedIf;
    type While = StagedLoop<()>;

    #[track_caller]
    fn branch(self, vars: Vars<'_, '_>) -> StagedIf {
        StagedIf::begin(self, Before::of(vars), Location::caller())
    }

    #[track_caller]
    fn repeat(breaks: bool, _: bool, vars: Vars<'_, '_>) -> StagedLoop<()> {
        StagedLoop::begin(breaks, vars)
    }
}

/// An `if` by what is known now.
#[derive(Debug)]
pub struct HostIf {
    condition: bool,
}

impl HostIf {
    /// Whether the first arm runs.
    pub fn then(&mut self) -> bool {
        self.condition
    }

    /// Whether the second arm runs.
    pub fn otherwise(&mut self, _: Vars<'_, '_>) -> bool {
        !self.condition
    }

    /// Ends an arm.
    pub fn end<T>(&mut self, value: T, _: Vars<'_, '_>) -> Given<T> {
        Given::Value(value)
    }

    /// Ends the `if`.
    pub fn finish<T>(self, then: Given<T>, otherwise: Given<T>, _: Vars<'_, '_>) -> Given<T> {
        if self.condition { then } else { otherwise }
    }
}

/// An `if` of the generated program.
pub struct StagedIf {
    place: Place,
    before: Before,
    /// The arms that have not begun.
    arms: [Option<Block>; 2],
    /// Values that an arm which has ended passes on, for the types.
    passed: Vec<Part>,
    merge: Block,
    is_open: bool,
    is_done: bool,
}

impl StagedIf {
    /// Divides the program by a condition; `before`: the variables that it may change.
    pub(super) fn begin(condition: Rep<bool>, before: Before, place: Place) -> Self {
        let blocks = session::with(|session| {
            let condition = session.used(condition.part, place);
            session.build(place, |b| b.if_(condition))
        });
        let (arms, merge) = ([Some(blocks.then), Some(blocks.otherwise)], blocks.merge);
        StagedIf { place, before, arms, passed: Vec::new(), merge, is_open: false, is_done: false }
    }

    fn close(&mut self) {
        if std::mem::take(&mut self.is_open) {
            session::with(|session| session.end_unreached(self.place));
        }
    }

    fn enter(&mut self, arm: usize) -> bool {
        let block = self.arms[arm].take().expect("each arm begins once");
        session::with(|session| session.enter(block, self.place));
        self.is_open = true;
        true
    }

    /// Begins the first arm.
    pub fn then(&mut self) -> bool {
        self.enter(0)
    }

    /// Begins the second arm.
    pub fn otherwise(&mut self, vars: Vars<'_, '_>) -> bool {
        self.close();
        self.before.check(vars, self.place);
        assign(vars, &self.before.parts);
        self.enter(1)
    }

    /// Ends an arm.
    #[track_caller]
    pub fn end<S: Staged, A: Stage<S>>(&mut self, value: A, vars: Vars<'_, '_>) -> Given<S> {
        let place = Location::caller();
        let value: S = value.stage();
        let parts = with_vars(&value, vars);
        session::with(|session| {
            let args = session.args(&parts, place);
            session.end_block(Exit::Merge(args), place);
        });
        (self.is_open, self.passed) = (false, parts);
        Given::Value(value)
    }

    /// Ends the `if`.
    pub fn finish<S: Staged>(mut self, _: Given<S>, _: Given<S>, vars: Vars<'_, '_>) -> Given<S> {
        self.close();
        self.before.check(vars, self.place);
        self.is_done = true;
        let (value, inputs) = session::with(|session| {
            let value = session.leave(self.merge, self.place);
            (value, session.inputs_like(self.merge, &self.before.parts, self.place))
        });
        assign(vars, &inputs);
        Given::Value(value)
    }
}

/// The code that would have ended it was left.
impl Drop for StagedIf {
    fn drop(&mut self) {
        if self.is_done {
            return;
        }
        session::if_any(|session| {
            if self.is_open {
                session.end_unreached(self.place);
            }
            for block in self.arms.into_iter().flatten() {
                session.enter(block, self.place);
                session.end_unreached(self.place);
            }
            let _: () = session.leave(self.merge, self.place);
            session.inputs_like(self.merge, &self.passed, self.place);
        });
    }
}
