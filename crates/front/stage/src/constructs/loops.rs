//! Loops.

use std::marker::PhantomData;
use std::ops::Range;
use std::panic::Location;

use planish_ir::entity::Block;
use planish_ir::function::{Args, Exit, TrapKind};

use super::labelled::Labelled;
use super::variables::{Before, Vars, assign, outputs};
use crate::ints::Integer;
use crate::rep::{Part, Rep};
use crate::session::{self, Place};
use crate::staged::{Stage, Staged};

/// A loop of the code that runs now, over `I`, or a `while`.
pub struct HostLoop<I> {
    iter: I,
    place: Place,
    /// The whole loop, if something inside leaves it.
    whole: Option<Labelled>,
    /// An iteration, if something inside leaves it.
    iteration: Option<Labelled>,
    continues: bool,
    depth: usize,
}

impl<I> HostLoop<I> {
    /// Begins it; whether something leaves it, and its iterations.
    #[track_caller]
    pub fn begin(iter: I, breaks: bool, continues: bool, vars: Vars<'_, '_>) -> Self {
        let place = Location::caller();
        let is_any = session::is_any();
        let whole = (breaks && is_any).then(|| Labelled::begin(place, vars));
        HostLoop { iter, place, whole, iteration: None, continues: continues && is_any, depth: 0 }
    }

    fn begin_iteration(&mut self, vars: Vars<'_, '_>) {
        self.iteration = self.continues.then(|| Labelled::begin(self.place, vars));
        self.depth = session::depth_if_any();
    }

    /// Ends an iteration.
    pub fn again(&mut self, vars: Vars<'_, '_>) {
        if let Some(iteration) = self.iteration.take() {
            let place = self.place;
            iteration.end(&(), vars, place);
        }
    }

    /// Whether a jump here is one of the code that runs now; it ends the iteration then.
    pub fn jumps_now(&mut self, vars: Vars<'_, '_>) -> bool {
        let is_static = session::depth_if_any() == self.depth;
        if is_static {
            self.again(vars);
        }
        is_static
    }

    /// Leaves the loop where the generated program decides.
    #[track_caller]
    pub fn leave(&mut self, value: (), vars: Vars<'_, '_>) {
        self.whole.as_ref().expect("a loop that is left has a block").jump(&value, vars, Location::caller());
    }

    /// Goes on with the next iteration where the generated program decides.
    #[track_caller]
    pub fn skip(&mut self, vars: Vars<'_, '_>) {
        self.iteration.as_ref().expect("an iteration that is left has a block").jump(&(), vars, Location::caller());
    }

    /// Whether a jump out of the body leaves more than the loop.
    pub fn passes_jumps(&self) -> bool {
        true
    }

    /// Ends the loop.
    pub fn finish(mut self, vars: Vars<'_, '_>) {
        if let Some(whole) = self.whole.take() {
            let place = self.place;
            whole.end(&(), vars, place)
        }
    }
}

impl HostLoop<()> {
    /// Whether the condition is asked again.
    pub fn asks(&mut self) -> bool {
        true
    }

    /// Whether there is another iteration.
    pub fn enters(&mut self, condition: bool, vars: Vars<'_, '_>) -> bool {
        if condition {
            self.begin_iteration(vars);
        }
        condition
    }
}

impl<I: Iterator> HostLoop<I> {
    /// The next item.
    pub fn next(&mut self, vars: Vars<'_, '_>) -> Option<I::Item> {
        let item = self.iter.next()?;
        self.begin_iteration(vars);
        Some(item)
    }
}

/// The code that would have ended it was left.
impl<I> Drop for HostLoop<I> {
    fn drop(&mut self) {
        for block in [self.iteration.take(), self.whole.take()].into_iter().flatten() {
            session::if_any(|session| {
                session.end_unreached(block.place);
                block.abandon(session);
            });
        }
    }
}

/// A loop of the generated program, which gives an `S`.
pub struct StagedLoop<S> {
    place: Place,
    before: Before,
    /// The loop and what is after it, if something inside leaves it.
    whole: Option<Labelled>,
    owner: Block,
    body: Block,
    merge: Block,
    state: State,
    result: PhantomData<fn() -> S>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// In the block of the condition.
    Asks,
    /// In the body.
    Runs,
    /// The body has ended.
    Ran,
    /// The loop has ended.
    Done,
}

impl<S: Staged> StagedLoop<S> {
    /// Begins it; whether something inside leaves it.
    #[track_caller]
    pub fn begin(breaks: bool, vars: Vars<'_, '_>) -> Self {
        Self::with_state(&[], breaks, vars).0
    }

    /// Begins it, with parts of its state beside the variables; these parts in the loop.
    #[track_caller]
    fn with_state(own: &[Part], breaks: bool, vars: Vars<'_, '_>) -> (Self, Vec<Part>) {
        let place = Location::caller();
        let before = Before::of(vars);
        let whole = breaks.then(|| Labelled::begin(place, vars));
        let initial: Vec<Part> = own.iter().chain(&before.parts).copied().collect();
        let (blocks, inputs) = session::with(|session| {
            let values = session.args(&initial, place);
            let blocks = session.build(place, |b| b.loop_(&values, false));
            session.enter(blocks.condition, place);
            (blocks, session.inputs_like(blocks.condition, &initial, place))
        });
        assign(vars, &inputs[own.len()..]);
        let (owner, body, merge) = (blocks.owner, blocks.body, blocks.merge);
        let loop_ = StagedLoop { place, before, whole, owner, body, merge, state: State::Asks, result: PhantomData };
        (loop_, inputs[..own.len()].to_vec())
    }

    /// Whether the condition is asked: once.
    pub fn asks(&mut self) -> bool {
        self.state == State::Asks
    }

    /// Enters the body if a condition holds.
    #[track_caller]
    pub fn enters(&mut self, condition: impl Stage<Rep<bool>>, vars: Vars<'_, '_>) -> bool {
        let place = Location::caller();
        let (condition, parts) = (condition.stage(), outputs(vars));
        session::with(|session| {
            let (condition, merge_args) = (session.used(condition.part, place), session.args(&parts, place));
            session.build(place, |b| b.exit(Exit::LoopIf { condition, body_args: Args::new(), merge_args }));
            session.enter(self.body, place);
        });
        self.state = State::Runs;
        true
    }

    fn again_with(&mut self, own: &[Part], vars: Vars<'_, '_>, place: Place) {
        let parts: Vec<Part> = own.iter().copied().chain(outputs(vars)).collect();
        session::with(|session| {
            let args = session.args(&parts, place);
            session.end_block(Exit::Continue(self.owner, args), place);
        });
        self.state = State::Ran;
    }

    /// Ends the body.
    pub fn again(&mut self, vars: Vars<'_, '_>) {
        self.again_with(&[], vars, self.place);
    }

    /// Whether a jump here is one of the code that runs now.
    pub fn jumps_now(&mut self, _: Vars<'_, '_>) -> bool {
        false
    }

    /// Leaves the loop with a value.
    #[track_caller]
    pub fn leave<A: Stage<S>>(&mut self, value: A, vars: Vars<'_, '_>) {
        let (value, place) = (value.stage(), Location::caller());
        self.whole.as_ref().expect("a loop that is left has a block").jump(&value, vars, place);
    }

    fn skip_with(&mut self, own: &[Part], vars: Vars<'_, '_>, place: Place) {
        let parts: Vec<Part> = own.iter().copied().chain(outputs(vars)).collect();
        session::with(|session| {
            let args = session.args(&parts, place);
            let _ = session.jump(Exit::Continue(self.owner, args), place);
        });
    }

    /// Goes on with the next iteration.
    #[track_caller]
    pub fn skip(&mut self, vars: Vars<'_, '_>) {
        self.skip_with(&[], vars, Location::caller());
    }

    /// Whether a jump out of the body leaves more than the loop.
    pub fn passes_jumps(&self) -> bool {
        false
    }

    /// Ends the body if a jump has left it.
    fn close(&mut self) {
        if self.state == State::Runs {
            session::with(|session| session.end_unreached(self.place));
            self.state = State::Ran;
        }
    }

    /// Ends a loop without a condition, which gives the value that it is left with.
    pub fn finish_with(mut self, vars: Vars<'_, '_>) -> S {
        self.close();
        self.before.check(vars, self.place);
        session::with(|session| {
            session::close_scope(session);
            session.build(self.place, |b| b.exit_block(self.merge, Exit::Trap(TrapKind::Unreachable)));
            session.inputs_like(self.merge, &self.before.parts, self.place);
            session::close_scope(session);
        });
        self.state = State::Done;
        self.whole.take().expect("nothing but a jump ends it").after(vars)
    }
}

impl StagedLoop<()> {
    /// Ends the loop.
    pub fn finish(mut self, vars: Vars<'_, '_>) {
        self.close();
        self.before.check(vars, self.place);
        let inputs = session::with(|session| {
            session::close_scope(session);
            session.build(self.place, |b| b.switch_to(self.merge));
            session.inputs_like(self.merge, &self.before.parts, self.place)
        });
        assign(vars, &inputs);
        self.state = State::Done;
        if let Some(whole) = self.whole.take() {
            let place = self.place;
            whole.end(&(), vars, place)
        }
    }
}

/// The code that would have ended it was left.
impl<S> Drop for StagedLoop<S> {
    fn drop(&mut self) {
        if self.state == State::Done {
            return;
        }
        session::if_any(|session| {
            match self.state {
                State::Asks => session.build(self.place, |b| {
                    b.exit(Exit::Trap(TrapKind::Unreachable));
                    b.exit_block(self.body, Exit::Trap(TrapKind::Unreachable));
                }),
                State::Runs => session.end_unreached(self.place),
                State::Ran | State::Done => {}
            }
            session::close_scope(session);
            session.build(self.place, |b| b.switch_to(self.merge));
            let inputs = session.inputs_like(self.merge, &self.before.parts, self.place);
            if let Some(whole) = self.whole.take() {
                let goes_on = self.state != State::Asks && whole.passes_as_many(&inputs);
                let exit = match goes_on {
                    true => Exit::Merge(session.args(&inputs, self.place)),
                    false => Exit::Trap(TrapKind::Unreachable),
                };
                session.end_block(exit, self.place);
                if goes_on {
                    whole.passed.replace(inputs);
                }
                whole.abandon(session);
            }
        });
    }
}

/// The integers from one to another in the generated program.
#[derive(Clone, Copy)]
pub struct StagedRange<T>(Rep<T>, Rep<T>);

/// The start of a range, to an end.
#[diagnostic::on_unimplemented(
    message = "`{Self}` to `{E}` is no range of the generated program",
    note = "the bounds of a range are integers of one type: `as_` converts others"
)]
pub trait To<E> {
    /// The range.
    type Range;
    /// The range to an end, which is left out.
    fn to(self, end: E) -> Self::Range;
}

macro_rules! host_ranges {
    ($($t:ident)*) => {$(
        impl To<$t> for $t {
            type Range = Range<$t>;

            fn to(self, end: $t) -> Range<$t> {
                self..end
            }
        }
    )*};
}

host_ranges! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize char }

impl<T: Integer> To<Rep<T>> for T {
    type Range = StagedRange<T>;

    #[track_caller]
    fn to(self, end: Rep<T>) -> StagedRange<T> {
        StagedRange(self.stage(), end)
    }
}

impl<T: Integer, E: Stage<Rep<T>>> To<E> for Rep<T> {
    type Range = StagedRange<T>;

    #[track_caller]
    fn to(self, end: E) -> StagedRange<T> {
        StagedRange(self, end.stage())
    }
}

/// The loops over a type.
pub trait Iterate {
    /// The loop.
    type Loop;
    /// Begins it.
    fn iterate(self, breaks: bool, continues: bool, vars: Vars<'_, '_>) -> Self::Loop;
}

impl<I: IntoIterator> Iterate for I {
    type Loop = HostLoop<I::IntoIter>;

    #[track_caller]
    fn iterate(self, breaks: bool, continues: bool, vars: Vars<'_, '_>) -> Self::Loop {
        HostLoop::begin(self.into_iter(), breaks, continues, vars)
    }
}

impl<T: Integer> Iterate for StagedRange<T> {
    type Loop = StagedFor<T>;

    #[track_caller]
    fn iterate(self, breaks: bool, _: bool, vars: Vars<'_, '_>) -> StagedFor<T> {
        let (of, inputs) = StagedLoop::with_state(&[self.0.part], breaks, vars);
        StagedFor { of, index: Rep::of(inputs[0]), end: self.1 }
    }
}

/// A loop over integers of the generated program.
pub struct StagedFor<T> {
    of: StagedLoop<()>,
    index: Rep<T>,
    end: Rep<T>,
}

impl<T: Integer> StagedFor<T> {
    /// The index: once.
    #[track_caller]
    pub fn next(&mut self, vars: Vars<'_, '_>) -> Option<Rep<T>> {
        if !self.of.asks() {
            return None;
        }
        self.of.enters(self.index.lt(self.end), vars);
        Some(self.index)
    }

    /// Ends the body.
    pub fn again(&mut self, vars: Vars<'_, '_>) {
        let next = self.index + T::ONE;
        self.of.again_with(&[next.part], vars, self.of.place);
    }

    /// Whether a jump here is one of the code that runs now.
    pub fn jumps_now(&mut self, _: Vars<'_, '_>) -> bool {
        false
    }

    /// Leaves the loop.
    #[track_caller]
    pub fn leave(&mut self, value: (), vars: Vars<'_, '_>) {
        self.of.leave(value, vars);
    }

    /// Goes on with the next iteration.
    #[track_caller]
    pub fn skip(&mut self, vars: Vars<'_, '_>) {
        let next = self.index + T::ONE;
        self.of.skip_with(&[next.part], vars, Location::caller());
    }

    /// Whether a jump out of the body leaves more than the loop.
    pub fn passes_jumps(&self) -> bool {
        false
    }

    /// Ends the loop.
    pub fn finish(self, vars: Vars<'_, '_>) {
        self.of.finish(vars);
    }
}
