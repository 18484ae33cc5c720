//! Constructs of the generated program that are begun and ended by calls: `#[stage]` writes them for Rust's control flow.
//!
//! Each construct has two forms with the same methods, of which the type of a condition or of a range chooses: of the generated program
//! (`StagedIf`), and of the Rust that runs now (`HostIf`). Variables that the code inside may change are passed as [`Vars`] wherever
//! control flow divides or meets: in the generated program each gets an input of the block where it goes on.
//!
//! A jump out of a construct of the generated program is written into it, and then leaves the code that generates the rest of the innermost block; what
//! was begun there is ended when it is dropped.

mod compare;
mod ifs;
mod labelled;
mod loops;
mod matches;
mod variables;

use std::marker::PhantomData;

pub use compare::{Compare, CompareEqual, CompareOrder, CompareStaged, Logic};
pub use ifs::{HostIf, StagedIf};
pub use labelled::Function;
pub use loops::{HostLoop, Iterate, StagedFor, StagedLoop, StagedRange, To};
pub use matches::{
    Guard, HostMatch, HostWhileLet, MatchNow, MatchStaged, Matched, MatchedPlace, StagedEnum, StagedMatch,
    StagedWhileLet, is, kind_of, kind_only, pick, unreached,
};
pub(crate) use variables::joined;
pub use variables::{Join, JoinCompared, JoinOther, JoinStaged, Variable, Vars};

/// The end of an arm.
#[derive(Debug)]
pub enum Given<T> {
    /// It does not run.
    Nothing,
    /// A jump has left it.
    Jumped,
    /// It has this value.
    Value(T),
}

impl<T> Given<T> {
    /// The value of a construct that no jump leaves.
    pub(crate) fn value(self) -> T {
        match self {
            Given::Value(value) => value,
            Given::Nothing | Given::Jumped => unreachable!("closures reach their end"),
        }
    }

    /// Whether a jump has left it.
    pub fn is_jump(&self) -> bool {
        matches!(self, Given::Jumped)
    }
}

/// The types that `if` and `while` decide by.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a condition",
    note = "a condition is a `bool`, which is known now, or a `Rep<bool>` of the generated program"
)]
pub trait Condition {
    /// Its `if`.
    type If;
    /// Its `while`.
    type While;

    /// Begins an `if`.
    fn branch(self, vars: Vars<'_, '_>) -> Self::If;
    /// Begins a `while`.
    fn repeat(breaks: bool, continues: bool, vars: Vars<'_, '_>) -> Self::While;
}

/// The type of a condition.
#[derive(Debug)]
pub struct Kind<C>(PhantomData<C>);

impl<C: Condition> Kind<C> {
    /// The type of the condition that a closure would compute.
    pub fn of(_: impl FnOnce() -> C) -> Self {
        Kind(PhantomData)
    }

    /// Begins a `while`.
    #[track_caller]
    pub fn repeat(self, breaks: bool, continues: bool, vars: Vars<'_, '_>) -> C::While {
        C::repeat(breaks, continues, vars)
    }
}
