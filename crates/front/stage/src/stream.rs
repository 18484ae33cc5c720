//! Streams: elements one after the other, of which how many there are is seen at the end.

use std::panic::Location;

use crate::cell::{Var, var};
use crate::control::{Label, block, when};
use crate::ops::Number;
use crate::rep::Rep;
use crate::seq::Seq;
use crate::session::{Place, at_construct};
use crate::slices::{Item, Out};
use crate::staged::{Stage, Staged};

/// Code that consumes an element. It is written once for each place that yields one.
type Sink<'s, T> = &'s mut dyn FnMut(T);
/// Code that yields all elements.
type Run<'g, T> = Box<dyn FnOnce(Sink<'_, T>) + 'g>;

/// Elements that come one after the other: a description, of which nothing is in the program until something consumes it.
///
/// A chain of calls is one loop (or one nest of loops), without memory for what is between. What consumes the elements is written once for
/// each part of a [`chain`](Stream::chain).
///
/// ```
/// use planish_front_stage::{In, Rep, build};
/// let f = build("roots", |x: In<[f64]>| {
///     x.iter().filter(|x| x.gt(0.0)).map(|x| x.sqrt()).take(10).sum()
/// })
/// .expect("it is valid");
/// ```
pub struct Stream<'g, T> {
    run: Run<'g, T>,
}

impl<T> std::fmt::Debug for Stream<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").finish_non_exhaustive()
    }
}

/// The next number of a count.
fn next(count: &Var<Rep<u32>>) -> Rep<u32> {
    let now = count.get();
    count.set(now + 1);
    now
}

impl<'g, T: 'g> Stream<'g, T> {
    /// The stream of the elements that `run` passes on. It is called once, to write the loops.
    pub fn new(run: impl FnOnce(Sink<'_, T>) + 'g) -> Self {
        Stream { run: Box::new(run) }
    }

    /// Each element changed by a function.
    #[must_use]
    pub fn map<U: 'g>(self, change: impl Fn(T) -> U + 'g) -> Stream<'g, U> {
        Stream::new(move |sink| (self.run)(&mut |element| sink(change(element))))
    }

    /// All elements of the streams that a function makes of each element.
    #[must_use]
    pub fn flat_map<U: 'g>(self, inner: impl Fn(T) -> Stream<'g, U> + 'g) -> Stream<'g, U> {
        Stream::new(move |sink| (self.run)(&mut |element| (inner(element).run)(sink)))
    }

    /// The elements of this one, then those of another.
    #[must_use]
    pub fn chain(self, other: Stream<'g, T>) -> Self {
        Stream::new(move |sink| {
            (self.run)(sink);
            (other.run)(sink);
        })
    }

    /// Each element with its number.
    #[must_use]
    pub fn enumerate(self) -> Stream<'g, (Rep<u32>, T)> {
        Stream::new(move |sink| {
            let count = var(0u32);
            (self.run)(&mut |element| sink((next(&count), element)));
        })
    }

    /// Pairs with the elements of a sequence, until one of them ends.
    #[track_caller]
    #[must_use]
    pub fn zip<U: 'g>(self, other: Seq<'g, U>) -> Stream<'g, (T, U)> {
        let place = Location::caller();
        Stream::new(move |sink| {
            let count = var(0u32);
            until(place, |end| {
                (self.run)(&mut |element| {
                    let index = next(&count);
                    end.with_if(index.ge(other.len()), ());
                    sink((element, other.get(index)));
                });
            });
        })
    }

    /// The first `count` elements. What makes the next one is not done any more.
    #[track_caller]
    #[must_use]
    pub fn take(self, count: impl Stage<Rep<u32>>) -> Self {
        let (most, place) = (count.stage(), Location::caller());
        Stream::new(move |sink| {
            let count = var(0u32);
            until(place, |end| {
                end.with_if(most.eq(0), ());
                (self.run)(&mut |element| {
                    let number = next(&count);
                    sink(element);
                    end.with_if((number + 1).ge(most), ());
                });
            });
        })
    }

    /// All but the first `count` elements.
    #[track_caller]
    #[must_use]
    pub fn skip(self, count: impl Stage<Rep<u32>>) -> Self
    where
        T: Staged,
    {
        let (least, place) = (count.stage(), Location::caller());
        Stream::new(move |sink| {
            let count = var(0u32);
            (self.run)(&mut |element| {
                let number = next(&count);
                at_construct(place, || when(number.ge(least), || sink(element)));
            });
        })
    }

    /// The states that a function makes of the state before and each element, in order.
    #[track_caller]
    #[must_use]
    pub fn scan<S: Staged, N: Stage<S>>(
        self,
        initial: impl Stage<S>,
        change: impl Fn(S, T) -> N + 'g,
    ) -> Stream<'g, S> {
        let initial: S = initial.stage();
        Stream::new(move |sink| {
            let state = var::<S>(initial);
            (self.run)(&mut |element| {
                let new: S = change(state.get(), element).stage();
                state.set(new.clone());
                sink(new);
            });
        })
    }

    /// Does something with each element, in order.
    #[track_caller]
    pub fn for_each<R: Stage<()>>(self, mut work: impl FnMut(T) -> R) {
        at_construct(Location::caller(), || (self.run)(&mut |element| work(element).stage()));
    }

    /// A state that a function changes with each element, in order.
    #[track_caller]
    #[must_use]
    pub fn fold<S: Staged, N: Stage<S>>(self, initial: impl Stage<S>, mut next: impl FnMut(S, T) -> N) -> S {
        let place = Location::caller();
        at_construct(place, || {
            let state = var::<S>(initial.stage());
            (self.run)(&mut |element| {
                let new = next(state.get(), element).stage();
                state.set(new);
            });
            state.get()
        })
    }

    /// The number of elements.
    #[track_caller]
    #[must_use]
    pub fn count(self) -> Rep<u32> {
        self.fold(0u32, |count: Rep<u32>, _| count + 1)
    }

    /// Whether a condition holds for an element. The first one for which it does is the last that is made.
    #[track_caller]
    #[must_use]
    pub fn any<C: Stage<Rep<bool>>>(self, condition: impl Fn(T) -> C) -> Rep<bool> {
        at_construct(Location::caller(), || {
            block(|found: Label<Rep<bool>>| {
                (self.run)(&mut |element| found.with_if(condition(element).stage(), true));
                false
            })
        })
    }

    /// Whether a condition holds for all elements. The first one for which it does not is the last that is made.
    #[track_caller]
    #[must_use]
    pub fn all<C: Stage<Rep<bool>>>(self, condition: impl Fn(T) -> C) -> Rep<bool> {
        at_construct(Location::caller(), || !self.any(|element| !condition(element).stage()))
    }

    /// The number of the first element for which a condition holds, or how many there are.
    #[track_caller]
    #[must_use]
    pub fn position<C: Stage<Rep<bool>>>(self, condition: impl Fn(T) -> C) -> Rep<u32> {
        at_construct(Location::caller(), || {
            let count = var(0u32);
            until(Location::caller(), |found| {
                (self.run)(&mut |element| {
                    found.with_if(condition(element).stage(), ());
                    count.set(count.get() + 1);
                });
            });
            count.get()
        })
    }

    /// The first element, or `otherwise` if there is none.
    #[track_caller]
    #[must_use]
    pub fn first(self, otherwise: impl Stage<T>) -> T
    where
        T: Staged,
    {
        let otherwise = otherwise.stage();
        at_construct(Location::caller(), || {
            block(|found: Label<T>| {
                (self.run)(&mut |element| {
                    found.with_if(true, element);
                });
                otherwise
            })
        })
    }

    /// Writes all elements to a slice, from its beginning, and returns their number. Where the slice ends, the program stops with an error at
    /// this place.
    #[track_caller]
    pub fn write_to<I: Item>(self, out: Out<[I]>) -> Rep<u32>
    where
        T: Stage<I::Staged>,
    {
        let place = Location::caller();
        at_construct(place, || {
            let count = var(0u32);
            (self.run)(&mut |element| {
                let index = next(&count);
                crate::control::stop_unless(
                    index.lt(out.len()),
                    planish_ir::function::TrapKind::OutOfBoundsMemory,
                    place,
                );
                out.put(index, &element.stage(), place);
            });
            count.get()
        })
    }
}

/// A block that its label leaves.
fn until(place: Place, work: impl FnOnce(Label<()>)) {
    at_construct(place, || block(|end: Label<()>| work(end)));
}

impl<'g, T: Staged> Stream<'g, T> {
    /// The elements for which a condition holds.
    #[track_caller]
    #[must_use]
    pub fn filter<C: Stage<Rep<bool>>>(self, condition: impl Fn(T) -> C + 'g) -> Self {
        let place = Location::caller();
        Stream::new(move |sink| {
            (self.run)(&mut |element: T| {
                let condition = condition(element.clone()).stage();
                at_construct(place, || when(condition, || sink(element)));
            });
        })
    }

    /// The elements before the first for which a condition does not hold.
    #[track_caller]
    #[must_use]
    pub fn take_while<C: Stage<Rep<bool>>>(self, condition: impl Fn(T) -> C + 'g) -> Self {
        let place = Location::caller();
        Stream::new(move |sink| {
            until(place, |end| {
                (self.run)(&mut |element: T| {
                    end.with_if(!condition(element.clone()).stage(), ());
                    sink(element);
                });
            });
        })
    }

    /// The elements from the first on for which a condition does not hold.
    #[track_caller]
    #[must_use]
    pub fn skip_while<C: Stage<Rep<bool>>>(self, condition: impl Fn(T) -> C + 'g) -> Self {
        let place = Location::caller();
        Stream::new(move |sink| {
            let begun = var(false);
            (self.run)(&mut |element: T| {
                let begins = begun.get().or(|| !condition(element.clone()).stage());
                begun.set(begins);
                at_construct(place, || when(begins, || sink(element)));
            });
        })
    }
}

impl<'g, T: Number> Stream<'g, Rep<T>>
where
    Rep<T>: std::ops::Add<Output = Rep<T>> + std::ops::Mul<Output = Rep<T>>,
{
    /// The sum, in order: `((0 + a) + b) + …`.
    #[track_caller]
    #[must_use]
    pub fn sum(self) -> Rep<T> {
        let zero = T::ZERO;
        self.fold(zero, |sum: Rep<T>, element| sum + element)
    }

    /// The product, in order.
    #[track_caller]
    #[must_use]
    pub fn product(self) -> Rep<T> {
        self.fold(T::UNIT, |product: Rep<T>, element| product * element)
    }

    /// The least of `first` and all elements, by [`Rep::min`].
    #[track_caller]
    #[must_use]
    pub fn min(self, first: impl Stage<Rep<T>>) -> Rep<T> {
        self.fold(first.stage(), |least: Rep<T>, element| least.min(element))
    }

    /// The greatest of `first` and all elements, by [`Rep::max`].
    #[track_caller]
    #[must_use]
    pub fn max(self, first: impl Stage<Rep<T>>) -> Rep<T> {
        self.fold(first.stage(), |greatest: Rep<T>, element| greatest.max(element))
    }
}
