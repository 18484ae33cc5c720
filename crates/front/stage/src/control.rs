//! Control flow of the generated program. A closure writes a block: it runs once, while the program is made.

use std::marker::PhantomData;
use std::panic::Location;

use planish_ir::decoration::Precision;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Block, Value};
use planish_ir::function::{Args, Case, Exit, TrapKind};
use rustc_hash::FxHashSet;

use crate::constructs::{Condition, StagedLoop, joined};
use crate::ints::Integer;
use crate::rep::{Element, Rep};
use crate::session::{self, Place, Session};
use crate::staged::{Stage, Staged, kinds_of, parts_of};

/// Code after a jump, which never runs.
#[derive(Clone, Copy, Debug)]
pub struct Never(());

/// A block that never ends has a result of any type.
impl<S: Staged> Stage<S> for Never {
    #[track_caller]
    fn stage(self) -> S {
        let place = Location::caller();
        session::with(|session| {
            let kinds = kinds_of::<S>(&mut session.module.types);
            let zeros: Vec<Value> = kinds.iter().map(|kind| session.zero(kind.ty)).collect();
            session.group(&kinds, &zeros, place)
        })
    }
}

impl Session {
    /// The values of a group that is used here.
    pub(crate) fn values<S: Staged>(&mut self, staged: &S, place: Place) -> Vec<Value> {
        parts_of(staged).into_iter().map(|part| self.used(part, place)).collect()
    }

    /// New inputs of a block, as a group. The block's scope is the innermost one.
    pub(crate) fn inputs<S: Staged>(&mut self, block: Block, place: Place) -> S {
        let kinds = kinds_of::<S>(&mut self.module.types);
        let mut parts = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let value = self.build(place, |b| b.add_input(block, kind.ty, Precision::None));
            parts.push(self.part(value, place, kind.make));
        }
        S::from_parts(&mut parts.into_iter())
    }

    /// Goes on in a block, in a scope of its own.
    pub(crate) fn enter(&mut self, block: Block, place: Place) {
        self.build(place, |b| b.switch_to(block));
        session::open_scope(self, place);
    }

    /// Goes on in the block after a construct; its inputs are the results.
    pub(crate) fn leave<S: Staged>(&mut self, merge: Block, place: Place) -> S {
        self.build(place, |b| b.switch_to(merge));
        self.inputs(merge, place)
    }

    /// Ends the block with a choice by an integer: that block, a block for the values of each case and one for all others, and the block after them.
    pub(crate) fn switch<'v, T: Integer>(
        &mut self,
        selector: Rep<T>,
        values: impl Iterator<Item = &'v [u64]>,
        place: Place,
    ) -> (Block, Vec<Block>, Block) {
        let selector = self.used(selector.part, place);
        let ty = T::ty(&mut self.module.types);
        let consts = &mut self.module.consts;
        let row = |values: &[u64]| (values.iter().map(|&bits| consts.bits(ty, bits)).collect(), false);
        let mut table: Vec<_> = values.map(row).collect();
        table.push((Default::default(), true));
        self.build(place, |b| {
            let case = |(values, is_default)| Case { values, is_default, block: b.new_block() };
            let cases: Vec<Case> = table.into_iter().map(case).collect();
            let blocks: Vec<Block> = cases.iter().map(|case| case.block).collect();
            let owner = b.block();
            (owner, blocks, b.switch(selector, cases, &[]))
        })
    }

    /// Ends the block with a jump. What follows never runs.
    pub(crate) fn jump(&mut self, exit: Exit, place: Place) -> Never {
        self.build(place, |b| {
            b.exit(exit);
            let rest = b.new_block();
            b.switch_to(rest);
        });
        Never(())
    }
}

/// Writes a block that ends with `exit` of its results.
#[track_caller]
fn block_of<S: Staged>(block: Block, place: Place, work: impl FnOnce() -> S, exit: impl FnOnce(Args) -> Exit) {
    session::with(|session| session.enter(block, place));
    let staged = work();
    session::with(|session| {
        let values = session.values(&staged, place);
        session.build(place, |b| b.exit(exit(values.into_iter().collect())));
        session::close_scope(session);
    });
}

/// One of two values, of which only one is computed.
///
/// ```
/// use planish_front_stage::{Rep, build, if_};
/// let f = build("magnitude", |x: Rep<f64>| if_(x.lt(0.0), || -x, || x)).expect("it is valid");
/// assert_eq!(f.module.entry_points.len(), 1);
/// ```
#[track_caller]
pub fn if_<S: Staged, A: Stage<S>, B: Stage<S>>(
    condition: impl Stage<Rep<bool>>,
    then: impl FnOnce() -> A,
    otherwise: impl FnOnce() -> B,
) -> S {
    let mut construct = condition.stage().branch(&mut []);
    construct.then();
    let then = construct.end(then(), &mut []);
    construct.otherwise(&mut []);
    let otherwise = construct.end(otherwise(), &mut []);
    construct.finish(then, otherwise, &mut []).value()
}

/// Code that runs if a condition holds.
#[track_caller]
pub fn when<A: Stage<()>>(condition: impl Stage<Rep<bool>>, then: impl FnOnce() -> A) {
    if_(condition, then, || ());
}

/// One of two values, both of which are computed.
#[track_caller]
pub fn select<T: Element>(
    condition: impl Stage<Rep<bool>>,
    then: impl Stage<Rep<T>>,
    otherwise: impl Stage<Rep<T>>,
) -> Rep<T> {
    let place = Location::caller();
    let (condition, then, otherwise) = (condition.stage(), then.stage(), otherwise.stage());
    crate::ops::apply(planish_ir::ops::Op::Select, &[condition.part, then.part, otherwise.part], place)
}

/// A loop with a state: as long as the condition of the state holds, the body makes the next. Gives the last state.
///
/// ```
/// use planish_front_stage::{Rep, build, while_};
/// // The number of steps to 1.
/// let f = build("collatz", |n: Rep<u64>| {
///     while_((n, 0u32), |(n, _)| n.gt(1), |(n, steps)| {
///         (planish_front_stage::if_((n & 1).eq(0), || n / 2, || n * 3 + 1), steps + 1)
///     })
///     .1
/// })
/// .expect("it is valid");
/// ```
#[track_caller]
pub fn while_<S: Staged, C: Stage<Rep<bool>>, N: Stage<S>>(
    initial: impl Stage<S>,
    condition: impl FnOnce(S) -> C,
    body: impl FnOnce(S) -> N,
) -> S {
    let mut state: S = initial.stage();
    let mut construct = StagedLoop::<()>::begin(false, &mut [joined(&mut state)]);
    let condition = condition(state.clone());
    construct.enters(condition, &mut [joined(&mut state)]);
    state = body(state.clone()).stage();
    construct.again(&mut [joined(&mut state)]);
    construct.finish(&mut [joined(&mut state)]);
    state
}

/// A loop over the integers from `first` to `end`, without `end`.
#[track_caller]
pub fn for_<T: Integer, B: Stage<()>>(
    first: impl Stage<Rep<T>>,
    end: impl Stage<Rep<T>>,
    body: impl FnOnce(Rep<T>) -> B,
) {
    let () = fold(first, end, (), |i, ()| body(i));
}

/// A loop over the integers from `first` to `end`, without `end`, with a state. Gives the last state.
///
/// ```
/// use planish_front_stage::{Rep, build, fold};
/// let f = build("factorial", |n: Rep<u64>| fold(1u64, n + 1, 1u64, |i, product| product * i)).expect("it is valid");
/// ```
#[track_caller]
pub fn fold<T: Integer, S: Staged, N: Stage<S>>(
    first: impl Stage<Rep<T>>,
    end: impl Stage<Rep<T>>,
    initial: impl Stage<S>,
    body: impl FnOnce(Rep<T>, S) -> N,
) -> S {
    let (first, end) = (first.stage(), end.stage());
    let (_, last): (Rep<T>, S) =
        while_((first, initial), |(i, _): (Rep<T>, S)| i.lt(end), |(i, state)| (i + T::ONE, body(i, state)));
    last
}

/// The end of a construct, for jumps out of it with its result.
pub struct Label<R> {
    target: Target,
    results: PhantomData<fn(R)>,
}

/// A loop, for jumps.
pub struct Loop<S, R> {
    /// The end of the loop.
    end: Label<R>,
    next: Target,
    state: PhantomData<fn(S)>,
}

/// The target of a jump, and the scope that it is possible in.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub(crate) owner: Block,
    scope: u64,
    place: Place,
}

impl<R> Clone for Label<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Label<R> {}

impl<S, R> Clone for Loop<S, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, R> Copy for Loop<S, R> {}

fn jump<S: Staged>(target: Target, staged: &S, exit: fn(Block, Args) -> Exit, place: Place) -> Never {
    session::with(|session| {
        let values = session.values(staged, place).into_iter().collect();
        if session.is_open(target.scope) {
            return session.jump(exit(target.owner, values), place);
        }
        let (here, there) = (session.span(place), session.span(target.place));
        let error = Diagnostic::error(Code::E1403, here, "this jump is outside of the block that it leaves");
        session.error(error.also(there, "the block is here").help("jump within the closure that gets the label"));
        session.jump(Exit::Trap(TrapKind::Unreachable), place)
    })
}

impl<R: Staged> Label<R> {
    /// Leaves the construct with its result.
    #[track_caller]
    pub fn with(self, value: impl Stage<R>) -> Never {
        let place = Location::caller();
        jump::<R>(self.target, &value.stage(), Exit::Break, place)
    }

    /// Leaves the construct with its result if a condition holds.
    #[track_caller]
    pub fn with_if(self, condition: impl Stage<Rep<bool>>, value: impl Stage<R>) {
        let (value, place): (R, _) = (value.stage(), Location::caller());
        when(condition, || jump(self.target, &value, Exit::Break, place));
    }
}

impl<S: Staged, R: Staged> Loop<S, R> {
    /// Leaves the loop with its result.
    #[track_caller]
    pub fn break_(self, value: impl Stage<R>) -> Never {
        self.end.with(value)
    }

    /// Leaves the loop with its result if a condition holds.
    #[track_caller]
    pub fn break_if(self, condition: impl Stage<Rep<bool>>, value: impl Stage<R>) {
        self.end.with_if(condition, value);
    }

    /// Goes on with the next iteration.
    #[track_caller]
    pub fn continue_(self, state: impl Stage<S>) -> Never {
        let place = Location::caller();
        jump::<S>(self.next, &state.stage(), Exit::Continue, place)
    }

    /// Goes on with the next iteration if a condition holds.
    #[track_caller]
    pub fn continue_if(self, condition: impl Stage<Rep<bool>>, state: impl Stage<S>) {
        let (state, place): (S, _) = (state.stage(), Location::caller());
        when(condition, || jump(self.next, &state, Exit::Continue, place));
    }
}

/// A block that can be left from inside with a result.
///
/// ```
/// use planish_front_stage::{Rep, block, build};
/// let f = build("clamped", |x: Rep<f64>| {
///     block(|leave| {
///         leave.with_if(x.lt(0.0), 0.0);
///         leave.with_if(x.gt(1.0), 1.0);
///         x
///     })
/// })
/// .expect("it is valid");
/// ```
#[track_caller]
pub fn block<S: Staged, R: Stage<S>>(body: impl FnOnce(Label<S>) -> R) -> S {
    let place = Location::caller();
    let (target, inside, merge) = session::with(|session| session.labelled(place));
    block_of(inside, place, || body(Label { target, results: PhantomData }).stage(), Exit::Merge);
    session::with(|session| {
        session::close_scope(session);
        session.leave(merge, place)
    })
}

/// A loop without an end of its own, with a state: the body makes the next, or leaves the loop with its result.
///
/// ```
/// use planish_front_stage::{Rep, build, loop_};
/// // The least power of two that is not less.
/// let f = build("power_of_two", |n: Rep<u32>| {
///     loop_(1u32, |power, l| {
///         l.break_if(power.ge(n), power);
///         power * 2
///     })
/// })
/// .expect("it is valid");
/// ```
#[track_caller]
pub fn loop_<S: Staged, R: Staged, N: Stage<S>>(initial: impl Stage<S>, body: impl FnOnce(S, Loop<S, R>) -> N) -> R {
    let place = Location::caller();
    let initial = initial.stage();
    let (end, merge, blocks, state, next) = session::with(|session| {
        let values = session.values(&initial, place);
        let (end, inside, merge) = session.labelled(place);
        session.build(place, |b| b.switch_to(inside));
        let blocks = session.build(place, |b| b.loop_(&values, false));
        session.enter(blocks.condition, place);
        let state = session.inputs::<S>(blocks.condition, place);
        session.build(place, |b| {
            let condition = b.bool(true);
            b.loop_if(condition);
            b.exit_block(blocks.merge, Exit::Trap(TrapKind::Unreachable));
        });
        let next = session.target(blocks.owner, place);
        (end, merge, blocks, state, next)
    });
    let label = Loop { end: Label { target: end, results: PhantomData }, next, state: PhantomData };
    block_of(blocks.body, place, || body(state, label).stage(), |args| Exit::Continue(blocks.owner, args));
    session::with(|session| {
        session::close_scope(session);
        session::close_scope(session);
        session.leave(merge, place)
    })
}

impl Session {
    /// Begins a labelled block, in a scope that jumps to its end are possible in: the jump's target, the block, and its end.
    pub(crate) fn labelled(&mut self, place: Place) -> (Target, Block, Block) {
        let owner = self.build(place, |b| b.block());
        let (inside, merge) = self.build(place, |b| b.labelled());
        session::open_scope(self, place);
        (self.target(owner, place), inside, merge)
    }

    /// A jump that is possible in the innermost scope.
    fn target(&self, owner: Block, place: Place) -> Target {
        Target { owner, scope: self.scope(), place }
    }
}

/// Leaves the function with its result.
#[track_caller]
pub fn return_<S: Staged>(value: impl Stage<S>) -> Never {
    let place = Location::caller();
    let staged: S = value.stage();
    session::with(|session| {
        let types = session::types_of::<S>(&mut session.module.types);
        if types != session.results() {
            let here = session.span(place);
            let error = Diagnostic::error(Code::E1404, here, "this is not of the type that the function gives");
            session.error(error.help("every `return_` gives the same type as the end of the function"));
            return session.jump(Exit::Trap(TrapKind::Unreachable), place);
        }
        let values = session.values(&staged, place).into_iter().collect();
        session.jump(Exit::Return(values), place)
    })
}

/// Stops the generated program with an error at this place.
#[track_caller]
pub fn trap() -> Never {
    let place = Location::caller();
    session::with(|session| session.jump(Exit::Trap(TrapKind::User), place))
}

/// Stops the generated program with an error at this place, unless a condition holds.
#[track_caller]
pub fn check(condition: impl Stage<Rep<bool>>) {
    stop_unless(condition.stage(), TrapKind::User, Location::caller());
}

/// Stops the generated program with an error at a place, unless a condition holds.
#[track_caller]
pub(crate) fn stop_unless(condition: Rep<bool>, kind: TrapKind, place: Place) {
    when(!condition, || session::with(|session| session.jump(Exit::Trap(kind), place)));
}

/// A choice by an integer: [`switch`].
#[must_use = "the switch ends with `otherwise`"]
pub struct Switch<'a, T, S> {
    selector: Rep<T>,
    place: Place,
    /// Bits of the values of each case.
    cases: Vec<(Vec<u64>, Arm<'a, S>)>,
    taken: FxHashSet<u64>,
}

type Arm<'a, S> = Box<dyn FnOnce() -> S + 'a>;

/// A choice by an integer: one of several blocks, and its result.
///
/// ```
/// use planish_front_stage::{Rep, build, switch};
/// let f = build("days", |month: Rep<i32>| {
///     switch(month).case(2, || 28u32).cases([4, 6, 9, 11], || 30).otherwise(|| 31)
/// })
/// .expect("it is valid");
/// ```
#[track_caller]
pub fn switch<'a, T: Integer, S: Staged>(selector: Rep<T>) -> Switch<'a, T, S> {
    Switch { selector, place: Location::caller(), cases: Vec::new(), taken: FxHashSet::default() }
}

impl<'a, T: Integer, S: Staged> Switch<'a, T, S> {
    /// The block for a value.
    pub fn case<R: Stage<S>>(self, value: T, work: impl FnOnce() -> R + 'a) -> Self {
        self.cases([value], work)
    }

    /// The block for several values. Of cases with the same value the first one counts; a case without values is left out.
    pub fn cases<R: Stage<S>>(mut self, values: impl IntoIterator<Item = T>, work: impl FnOnce() -> R + 'a) -> Self {
        let mut bits = Vec::new();
        values.into_iter().for_each(|value| value.bits(&mut bits));
        bits.retain(|&bits| self.taken.insert(bits));
        if !bits.is_empty() {
            self.cases.push((bits, Box::new(|| work().stage())));
        }
        self
    }

    /// The block for all other values, which ends the switch.
    #[track_caller]
    pub fn otherwise<R: Stage<S>>(self, work: impl FnOnce() -> R) -> S {
        let Switch { selector, place, cases, .. } = self;
        let values = cases.iter().map(|(values, _)| values.as_slice());
        let (owner, blocks, merge) = session::with(|session| session.switch(selector, values, place));
        let mut blocks = blocks.into_iter();
        for ((_, work), block) in cases.into_iter().zip(&mut blocks) {
            block_of(block, place, work, |args| Exit::Break(owner, args));
        }
        block_of(blocks.next().expect("the default"), place, || work().stage(), |args| Exit::Break(owner, args));
        session::with(|session| session.leave(merge, place))
    }
}
