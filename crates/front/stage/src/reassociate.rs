//! Reductions of floats in another order, where the program's author allows it.

use std::panic::Location;

use crate::ops::Number;
use crate::rep::Rep;
use crate::seq::Seq;
use crate::session::{self, at_construct};
use crate::staged::{Stage, Staged};
use crate::stream::Stream;

/// Runs code whose sums of floats may be computed in another order: `+ - *`, `min` and `max` that it writes are marked, and a loop in which such an op
/// makes a value of the one before may run several iterations at once. Without vectors the order is that of the program.
///
/// Code in functions of the program (`func`, `specialized`) that it calls is not meant.
///
/// ```
/// use planish_front_stage::{In, Rep, build, for_, reassociate, var};
/// let f = build("norm", |x: In<[f64]>| {
///     let sum = var(Rep::new(0.0));
///     for_(0, x.len(), |i| {
///         let x = x.at(i);
///         let square = x * x;
///         reassociate(|| sum.set(sum.get() + square));
///     });
///     sum.get().sqrt()
/// })
/// .expect("it is valid");
/// let text = planish_ir::text::print(&f.module);
/// assert_eq!(text.matches("add[reassociable]").count(), 1, "{text}");
/// ```
pub fn reassociate<R>(work: impl FnOnce() -> R) -> R {
    session::reassociating(true, work)
}

/// Elements whose reductions may be computed in another order ([`Seq::reassociate`], [`Stream::reassociate`]). That is not true of what makes the elements.
pub struct Reassociated<'g, T> {
    elements: Stream<'g, T>,
}

impl<T> std::fmt::Debug for Reassociated<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reassociated").finish_non_exhaustive()
    }
}

impl<'g, T: 'g> Seq<'g, T> {
    /// The elements, with leave to reduce them in another order: [`reassociate`].
    ///
    /// ```
    /// use planish_front_stage::{In, build};
    /// let f = build("sum", |x: In<[f64]>| x.iter().reassociate().sum()).expect("it is valid");
    /// ```
    #[track_caller]
    #[must_use]
    pub fn reassociate(self) -> Reassociated<'g, T> {
        self.stream().reassociate()
    }
}

impl<'g, T: 'g> Stream<'g, T> {
    /// The elements, with leave to reduce them in another order: [`reassociate`].
    #[must_use]
    pub fn reassociate(self) -> Reassociated<'g, T> {
        Reassociated { elements: self }
    }
}

impl<'g, T: 'g> Reassociated<'g, T> {
    /// A state that a function changes with each element; sums of floats that the function writes may be computed in another order.
    #[track_caller]
    #[must_use]
    pub fn fold<S: Staged, N: Stage<S>>(self, initial: impl Stage<S>, mut next: impl FnMut(S, T) -> N) -> S {
        let place = Location::caller();
        at_construct(place, || {
            self.elements.fold(initial, |state, element| reassociate(|| next(state, element).stage()))
        })
    }
}

impl<'g, T: Number> Reassociated<'g, Rep<T>>
where
    Rep<T>: std::ops::Add<Output = Rep<T>> + std::ops::Mul<Output = Rep<T>>,
{
    /// The sum.
    #[track_caller]
    #[must_use]
    pub fn sum(self) -> Rep<T> {
        self.fold(T::ZERO, |sum: Rep<T>, element| sum + element)
    }

    /// The product.
    #[track_caller]
    #[must_use]
    pub fn product(self) -> Rep<T> {
        self.fold(T::UNIT, |product: Rep<T>, element| product * element)
    }
}
