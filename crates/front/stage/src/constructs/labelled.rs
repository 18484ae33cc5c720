//! Blocks and functions that jumps leave.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::panic::Location;

use planish_ir::entity::Block;
use planish_ir::function::Exit;

use super::variables::{Vars, assign, outputs, with_vars};
use crate::control::Target;
use crate::rep::Part;
use crate::session::{self, Place, Session};
use crate::staged::{Stage, Staged};

/// A block of the generated program that jumps leave, with variables.
pub(super) struct Labelled {
    pub(super) place: Place,
    target: Target,
    merge: Block,
    /// Variables, for their types.
    parts: Vec<Part>,
    /// Values that the last jump passes, for the types.
    pub(super) passed: RefCell<Vec<Part>>,
}

impl Labelled {
    pub(super) fn begin(place: Place, vars: Vars<'_, '_>) -> Self {
        let parts = outputs(vars);
        let (target, merge) = session::with(|session| {
            let (target, inside, merge) = session.labelled(place);
            session.build(place, |b| b.switch_to(inside));
            (target, merge)
        });
        Labelled { place, target, merge, parts, passed: RefCell::default() }
    }

    pub(super) fn jump<S: Staged>(&self, value: &S, vars: Vars<'_, '_>, place: Place) {
        let parts = with_vars(value, vars);
        session::with(|session| {
            let args = session.args(&parts, place);
            let _ = session.jump(Exit::Break(self.target.owner, args), place);
        });
        self.passed.replace(parts);
    }

    /// Whether jumps pass as much as this.
    pub(super) fn passes_as_many(&self, parts: &[Part]) -> bool {
        let passed = self.passed.borrow();
        passed.is_empty() || passed.len() == parts.len()
    }

    /// Goes on after a block that will not be ended, because the code that would have done it was left.
    pub(super) fn abandon(&self, session: &mut Session) {
        let _: () = session.leave(self.merge, self.place);
        session.inputs_like(self.merge, &self.passed.take(), self.place);
    }

    /// Ends a block that a jump has left, and goes on after it.
    pub(super) fn end_unreached<S: Staged>(self, vars: Vars<'_, '_>) -> S {
        session::with(|session| session.end_unreached(self.place));
        self.after(vars)
    }

    /// Ends the block with a value, and goes on after it.
    pub(super) fn end<S: Staged>(self, value: &S, vars: Vars<'_, '_>, place: Place) -> S {
        let parts = with_vars(value, vars);
        session::with(|session| {
            let args = session.args(&parts, place);
            session.end_block(Exit::Merge(args), place);
        });
        self.after(vars)
    }

    /// Goes on after the block, which has been ended.
    pub(super) fn after<S: Staged>(self, vars: Vars<'_, '_>) -> S {
        let (value, inputs) = session::with(|session| {
            let value = session.leave(self.merge, self.place);
            (value, session.inputs_like(self.merge, &self.parts, self.place))
        });
        assign(vars, &inputs);
        value
    }
}

/// A function that a `return` may leave, or a block that a `break` may.
pub struct Function<S> {
    block: Option<Labelled>,
    result: PhantomData<fn() -> S>,
}

impl<S: Staged> Function<S> {
    /// Begins it.
    #[track_caller]
    pub fn begin(vars: Vars<'_, '_>) -> Self {
        let block = Labelled::begin(Location::caller(), vars);
        Function { block: Some(block), result: PhantomData }
    }

    /// Ends the function.
    #[track_caller]
    pub fn end<A: Stage<S>>(&mut self, value: A, vars: Vars<'_, '_>) -> S {
        let place = Location::caller();
        let value = value.stage();
        self.block.take().expect("it ends once").end(&value, vars, place)
    }

    /// Ends it where a jump has left it.
    pub fn end_unreached(&mut self, vars: Vars<'_, '_>) -> S {
        self.block.take().expect("it ends once").end_unreached(vars)
    }

    /// Leaves it.
    #[track_caller]
    pub fn leave<A: Stage<S>>(&mut self, value: A, vars: Vars<'_, '_>) {
        let (value, place) = (value.stage(), Location::caller());
        self.block.as_ref().expect("it has not ended").jump(&value, vars, place);
    }
}

/// The code that would have ended it was left.
impl<S> Drop for Function<S> {
    fn drop(&mut self) {
        let Some(block) = self.block.take() else { return };
        session::if_any(|session| {
            session.end_unreached(block.place);
            block.abandon(session);
        });
    }
}
