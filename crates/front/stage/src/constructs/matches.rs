//! `match` on enums.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::panic::Location;

use planish_ir::entity::Block;
use planish_ir::function::Exit;

use super::ifs::StagedIf;
use super::variables::{Before, Vars, assign, with_vars};
use super::{Given, HostLoop, StagedLoop};
use crate::enums::{Enum, Variants};
use crate::rep::{Part, Rep};
use crate::session::{self, Place};
use crate::staged::{Stage, Staged};

/// A value that is matched. Its type chooses between a `match` of the generated program and one that is decided now.
#[derive(Debug)]
pub struct Matched<V>(pub Option<V>);

/// A place that is matched.
#[derive(Debug)]
pub struct MatchedPlace<'a, P: ?Sized>(pub &'a P);

/// Values that the generated program matches.
pub trait MatchStaged {
    /// The enum.
    type Of: Variants;
    /// Begins the `match`. The other value is passed to `take`.
    fn begin<S: Staged>(self) -> (StagedMatch<Self::Of, S>, ());
    /// The kind of a `while let` over it.
    fn kind(self) -> StagedWhileLet
    where
        Self: Sized,
    {
        StagedWhileLet
    }
}

/// Values that are matched now.
pub trait MatchNow {
    /// The value, if it is not a place.
    type Value;
    /// Begins the `match`. The other value is passed to `take`.
    fn begin<R>(self) -> (HostMatch<R>, Self::Value);
    /// The kind of a `while let` over it.
    fn kind(self) -> HostWhileLet
    where
        Self: Sized,
    {
        HostWhileLet
    }
}

/// An [`Enum`], or a reference to one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` was taken for an enum of the generated program",
    note = "its type was not known where it is matched: write it"
)]
pub trait StagedEnum {
    /// The enum.
    type Of: Variants;
    /// The value.
    fn value(&self) -> Enum<Self::Of>;
}

impl<T: Variants> StagedEnum for Enum<T> {
    type Of = T;

    fn value(&self) -> Enum<T> {
        self.clone()
    }
}

impl<E: StagedEnum> StagedEnum for &E {
    type Of = E::Of;

    fn value(&self) -> Enum<E::Of> {
        E::value(self)
    }
}

impl<E: StagedEnum> StagedEnum for &mut E {
    type Of = E::Of;

    fn value(&self) -> Enum<E::Of> {
        E::value(self)
    }
}

impl<E: StagedEnum> MatchStaged for &mut &mut Matched<E> {
    type Of = E::Of;

    #[track_caller]
    fn begin<S: Staged>(self) -> (StagedMatch<E::Of, S>, ()) {
        (StagedMatch::of_arms(self.0.take().expect("it is begun once").value()), ())
    }
}

impl<E: StagedEnum> MatchStaged for &mut &mut MatchedPlace<'_, E> {
    type Of = E::Of;

    #[track_caller]
    fn begin<S: Staged>(self) -> (StagedMatch<E::Of, S>, ()) {
        (StagedMatch::of_arms(self.0.value()), ())
    }
}

impl<V> MatchNow for &mut Matched<V> {
    type Value = V;

    fn begin<R>(self) -> (HostMatch<R>, V) {
        (HostMatch::new(), self.0.take().expect("it is begun once"))
    }
}

impl<P: ?Sized> MatchNow for &mut MatchedPlace<'_, P> {
    type Value = ();

    fn begin<R>(self) -> (HostMatch<R>, ()) {
        (HostMatch::new(), ())
    }
}

/// A `match` that is decided now, which gives an `R`.
///
/// `goes_on` has no result, so that Rust knows that the loop around the arms has one iteration: they may move what they use.
#[derive(Debug)]
pub struct HostMatch<R> {
    has_begun: bool,
    result: PhantomData<R>,
}

impl<R> HostMatch<R> {
    fn new() -> Self {
        HostMatch { has_begun: false, result: PhantomData }
    }

    /// Begins an iteration; whether it is of the generated program.
    pub fn iterates(&mut self) -> bool {
        // (A macro of the user's may hide one.)
        assert!(!self.has_begun, "a `continue` in a `match` of a staged function is written out");
        self.has_begun = true;
        false
    }

    /// Whether it is of the generated program.
    pub fn is_staged(&self) -> bool {
        false
    }

    /// Is called where only a `match` of the generated program goes on.
    pub fn goes_on(&self) -> Infallible {
        unreachable!("a `match` that is decided now has one iteration")
    }

    /// Begins an iteration.
    pub fn enter(&mut self, _: Vars<'_, '_>) {}

    /// The value that is matched.
    pub fn take<V>(&self, value: V) -> V {
        value
    }

    /// The place that is matched.
    pub fn look<'p, P: ?Sized>(&self, place: &'p P) -> &'p P {
        place
    }

    /// Whether an arm is reached.
    pub fn tries(&self, _: usize) -> bool {
        true
    }

    /// Whether the arms are only looked for.
    pub fn looks(&self) -> bool {
        false
    }

    /// Whether a guard lets its arm run.
    pub fn asks(&mut self, guard: bool) -> bool {
        guard
    }

    /// Whether an arm is passed over; it runs otherwise.
    pub fn skips(&mut self, _: usize, _: bool) -> bool {
        false
    }

    /// The value of an arm.
    pub fn value(&mut self, value: R) -> Given<R> {
        Given::Value(value)
    }

    /// Whether there is another iteration.
    pub fn again(&mut self, _: Given<R>, _: Vars<'_, '_>) -> bool {
        false
    }

    /// Ends it.
    pub fn finish(self, _: Vars<'_, '_>) -> Given<R> {
        Given::Nothing
    }
}

/// Guards of arms.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the condition of an arm",
    note = "a condition is a `bool`, which is known now, or a `Rep<bool>` of the generated program"
)]
pub trait Guard {
    /// Whether the arm never runs, or the condition that the generated program tests.
    fn ask(self) -> Result<bool, Rep<bool>>;
}

impl Guard for bool {
    fn ask(self) -> Result<bool, Rep<bool>> {
        Ok(self)
    }
}

impl Guard for Rep<bool> {
    fn ask(self) -> Result<bool, Rep<bool>> {
        Err(self)
    }
}

/// A `match` of the generated program on `T`, which gives an `S`.
///
/// The code that generates its arms runs for each variant twice: first to find the arm that it comes to, then to generate it. Variants that come to
/// the same arm are one block, if that arm has neither names nor a guard. If the guard of an arm is a condition of the program, the
/// code runs again, for the arms after that one.
pub struct StagedMatch<T: Variants, S> {
    place: Place,
    of: Enum<T>,
    /// Variables where an arm begins.
    before: Option<Before>,
    /// Variables where the present iteration begins.
    here: Option<Before>,
    /// The arm that each variant comes to, as far as it is known, and whether it may serve several.
    arms: Vec<(usize, bool)>,
    stage: Stages,
    /// The variant whose code is generated.
    variant: u32,
    /// The first arm that is not known to be left out.
    first: usize,
    /// The condition of the arm that begins.
    guard: Option<Rep<bool>>,
    /// Whether the arm that runs is under the innermost condition.
    is_guarded: bool,
    /// The conditions of arms whose other way is being generated, or that run.
    ifs: Vec<StagedIf>,
    /// Whether a block is open.
    is_open: bool,
    /// Values that an arm which has ended passes on, for the types.
    passed: Vec<Part>,
    result: PhantomData<fn() -> S>,
}

enum Stages {
    /// The arm of each variant is looked for.
    Looks,
    /// The blocks, with a variant of each, that have not begun; of a choice by an integer, its block.
    Runs {
        owner: Option<Block>,
        merge: Block,
        rest: std::vec::IntoIter<(u32, Block)>,
    },
    Done,
}

impl<T: Variants, S: Staged> StagedMatch<T, S> {
    /// A `match` with arms.
    #[track_caller]
    pub(super) fn of_arms(of: Enum<T>) -> Self {
        StagedMatch {
            place: Location::caller(),
            of,
            before: None,
            here: None,
            arms: Vec::new(),
            stage: Stages::Looks,
            variant: 0,
            first: 0,
            guard: None,
            is_guarded: false,
            ifs: Vec::new(),
            is_open: false,
            passed: Vec::new(),
            result: PhantomData,
        }
    }

    /// A `match` with a block for each variant.
    #[track_caller]
    pub(crate) fn of_variants(of: Enum<T>) -> Self {
        let mut made = Self::of_arms(of);
        made.before = Some(Before::of(&mut []));
        made.arms = (0..T::COUNT).map(|variant| (variant as usize, false)).collect();
        made.begin(&mut []);
        made
    }

    /// Begins an iteration; whether it is of the generated program.
    pub fn iterates(&mut self) -> bool {
        true
    }

    /// Whether it is of the generated program.
    pub fn is_staged(&self) -> bool {
        true
    }

    /// Is called where only a `match` of the generated program goes on.
    pub fn goes_on(&self) {}

    /// Begins an iteration.
    pub fn enter(&mut self, vars: Vars<'_, '_>) {
        if self.before.is_none() {
            self.before = Some(Before::of(vars));
        } else if !self.looks() {
            self.here = Some(Before::of(vars));
        }
    }

    /// The variant whose code is generated.
    pub(crate) fn variant(&self) -> T {
        self.of.as_variant(self.variant)
    }

    /// The variant whose code is generated.
    pub fn take(&self, (): ()) -> T {
        self.variant()
    }

    /// The variant whose code is generated.
    pub fn look<P: ?Sized>(&self, _: &P) -> Box<T> {
        Box::new(self.variant())
    }

    /// Whether an arm is reached.
    pub fn tries(&self, arm: usize) -> bool {
        arm >= self.first
    }

    /// Whether the arms are only looked for.
    pub fn looks(&self) -> bool {
        matches!(self.stage, Stages::Looks)
    }

    /// Whether a guard lets its arm run.
    pub fn asks(&mut self, guard: impl Guard) -> bool {
        match guard.ask() {
            Ok(holds) => holds,
            Err(condition) => {
                self.guard = Some(condition);
                true
            }
        }
    }

    /// Whether an arm is passed over; it runs otherwise. `serves`: it serves several variants.
    pub fn skips(&mut self, arm: usize, serves: bool) -> bool {
        if self.looks() {
            self.arms.push((arm, serves));
            return true;
        }
        if let Some(condition) = self.guard.take() {
            let before = self.here.take().expect("an iteration has begun");
            let mut guarded = StagedIf::begin(condition, before, self.place);
            guarded.then();
            self.ifs.push(guarded);
            (self.first, self.is_guarded) = (arm + 1, true);
        }
        false
    }

    /// The value of an arm.
    #[track_caller]
    pub fn value<A: Stage<S>>(&mut self, value: A) -> Given<S> {
        Given::Value(value.stage())
    }

    /// Whether there is another iteration.
    pub fn again(&mut self, given: Given<S>, vars: Vars<'_, '_>) -> bool {
        if self.looks() {
            self.variant += 1;
            if self.variant == T::COUNT {
                self.begin(vars);
            }
            return true;
        }
        let mut value = match given {
            Given::Value(value) => Some(value),
            Given::Nothing | Given::Jumped => None,
        };
        if std::mem::take(&mut self.is_guarded) {
            let guarded = self.ifs.last_mut().expect("the condition of the arm");
            if let Some(value) = value {
                guarded.end::<S, S>(value, vars);
            }
            guarded.otherwise(vars);
            return true;
        }
        while let Some(mut guarded) = self.ifs.pop() {
            if let Some(value) = value {
                guarded.end::<S, S>(value, vars);
            }
            value = Some(guarded.finish(Given::Nothing, Given::Nothing, vars).value());
        }
        self.end(value, vars)
    }

    /// Divides the program.
    fn begin(&mut self, vars: Vars<'_, '_>) {
        let mut groups: Vec<(usize, Vec<u64>)> = Vec::new();
        for (variant, &(arm, serves)) in (0u64..).zip(&self.arms) {
            match groups.iter_mut().find(|(other, _)| serves && *other == arm) {
                Some((_, variants)) => variants.push(variant),
                None => groups.push((arm, vec![variant])),
            }
        }
        // The largest is that of all others.
        let largest = (0..groups.len()).rev().max_by_key(|&group| groups[group].1.len()).expect("an enum has variants");
        let default = groups.remove(largest);
        groups.push(default);
        let firsts: Vec<u32> = groups.iter().map(|(_, variants)| variants[0] as u32).collect();
        let (owner, blocks, merge) = match &groups[..] {
            [_] => session::with(|session| {
                let (block, merge) = session.build(self.place, |b| b.labelled());
                (None, vec![block], merge)
            }),
            // (The optimizer knows more of conditions than of choices by integers.)
            [(_, one), _] if one.len() == 1 => {
                let is_one = self.of.variant().eq(firsts[0]);
                session::with(|session| {
                    let condition = session.used(is_one.part, self.place);
                    let blocks = session.build(self.place, |b| b.if_(condition));
                    (None, vec![blocks.then, blocks.otherwise], blocks.merge)
                })
            }
            [cases @ .., _] => session::with(|session| {
                let values = cases.iter().map(|(_, variants)| variants.as_slice());
                let (owner, blocks, merge) = session.switch(self.of.variant(), values, self.place);
                (Some(owner), blocks, merge)
            }),
            [] => unreachable!("an enum has variants"),
        };
        let rest: Vec<(u32, Block)> = firsts.into_iter().zip(blocks).collect();
        self.stage = Stages::Runs { owner, merge, rest: rest.into_iter() };
        self.next(vars);
    }

    /// Begins the next block.
    fn next(&mut self, vars: Vars<'_, '_>) -> bool {
        let Stages::Runs { rest, .. } = &mut self.stage else { return false };
        let Some((variant, block)) = rest.next() else { return false };
        assign(vars, &self.before.as_ref().expect("it has begun").parts);
        (self.variant, self.first, self.is_open) = (variant, 0, true);
        session::with(|session| session.enter(block, self.place));
        true
    }

    /// Ends a block, and begins the next.
    fn end(&mut self, value: Option<S>, vars: Vars<'_, '_>) -> bool {
        let Stages::Runs { owner, .. } = self.stage else { return false };
        match value {
            Some(value) => {
                let parts = with_vars(&value, vars);
                session::with(|session| {
                    let args = session.args(&parts, self.place);
                    let exit = match owner {
                        Some(owner) => Exit::Break(owner, args),
                        None => Exit::Merge(args),
                    };
                    session.end_block(exit, self.place);
                });
                self.passed = parts;
            }
            None => session::with(|session| session.end_unreached(self.place)),
        }
        self.is_open = false;
        self.before.as_ref().expect("it has begun").check(vars, self.place);
        self.next(vars)
    }

    /// Ends the `match`.
    pub fn finish(mut self, vars: Vars<'_, '_>) -> Given<S> {
        let Stages::Runs { merge, .. } = std::mem::replace(&mut self.stage, Stages::Done) else {
            unreachable!("its blocks have ended")
        };
        let before = self.before.take().expect("it has begun");
        let (value, inputs) = session::with(|session| {
            let value = session.leave(merge, self.place);
            (value, session.inputs_like(merge, &before.parts, self.place))
        });
        assign(vars, &inputs);
        Given::Value(value)
    }
}

/// The code that would have ended it was left.
impl<T: Variants, S> Drop for StagedMatch<T, S> {
    fn drop(&mut self) {
        let Stages::Runs { merge, rest, .. } = std::mem::replace(&mut self.stage, Stages::Done) else { return };
        // The innermost first.
        while let Some(guarded) = self.ifs.pop() {
            drop(guarded);
        }
        session::if_any(|session| {
            if self.is_open {
                session.end_unreached(self.place);
            }
            for (_, block) in rest {
                session.enter(block, self.place);
                session.end_unreached(self.place);
            }
            let _: () = session.leave(merge, self.place);
            session.inputs_like(merge, &self.passed, self.place);
        });
    }
}

/// Whether only the type of a value counts.
pub fn kind_only() -> bool {
    false
}

/// Is called where code is written for its type: Rust knows that it never runs.
pub fn unreached() -> Infallible {
    unreachable!("only the type of what follows counts")
}

/// Something of the type of a value.
pub fn kind_of<V>(_: &V) -> Matched<V> {
    Matched(None)
}

/// Whether the variant of an enum of the generated program is one of those that a closure tells of.
#[track_caller]
pub fn is<E: StagedEnum>(value: &E, test: impl Fn(&E::Of) -> bool) -> Rep<bool> {
    value.value().is(test)
}

/// The variant that a closure tells of, with the values that an enum of the generated program has if it is that one.
pub fn pick<E: StagedEnum>(value: &E, test: impl Fn(&E::Of) -> bool) -> E::Of {
    let value = value.value();
    let mut variants = (0..E::Of::COUNT).map(|variant| value.as_variant(variant));
    variants.find(|variant| test(variant)).expect("a pattern is a variant")
}

/// A `while let` that is decided now.
#[derive(Clone, Copy, Debug)]
pub struct HostWhileLet;

impl HostWhileLet {
    /// Begins it; whether something other than the pattern leaves it.
    #[track_caller]
    pub fn repeat(self, breaks: bool, continues: bool, vars: Vars<'_, '_>) -> HostLoop<()> {
        HostLoop::begin((), breaks, continues, vars)
    }
}

/// A `while let` of the generated program.
#[derive(Clone, Copy, Debug)]
pub struct StagedWhileLet;

impl StagedWhileLet {
    /// Begins it.
    #[track_caller]
    pub fn repeat(self, _: bool, _: bool, vars: Vars<'_, '_>) -> StagedLoop<()> {
        StagedLoop::begin(true, vars)
    }
}
