//! Sequences with a length, of which each element can be had by its index.

use std::panic::Location;
use std::rc::Rc;

use planish_ir::function::TrapKind;

use crate::control::{fold, if_, select, stop_unless, while_};
use crate::enums::Enum;
use crate::ops::Number;
use crate::rep::Rep;
use crate::session::{Place, at_construct};
use crate::slices::{Item, Out};
use crate::staged::{Stage, Staged};
use crate::stream::Stream;

/// A sequence of a known length: a description, of which nothing is in the program until something consumes it.
///
/// The code of a call on the elements (`map`, `zip`, …) is written where they are consumed, so a chain of such calls is one loop, without
/// memory for the elements in between. A sequence that is consumed twice is computed twice.
///
/// A call that leaves out or adds elements (`filter`, `flat_map`, …) makes it a [`Stream`], and it is consumed as one is: every method of
/// a stream that is not here is reached by [`Seq::stream`].
pub struct Seq<'g, T> {
    len: Rep<u32>,
    at: Rc<dyn Fn(Rep<u32>) -> T + 'g>,
}

impl<T> Clone for Seq<'_, T> {
    fn clone(&self) -> Self {
        Seq { len: self.len, at: Rc::clone(&self.at) }
    }
}

impl<T> std::fmt::Debug for Seq<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seq").field("len", &self.len).finish_non_exhaustive()
    }
}

/// The integers from `first` to `end`, without `end`.
///
/// ```
/// use planish_front_stage::{Rep, build, range};
/// let f = build("squares", |n: Rep<u32>| range(0, n).map(|i| i * i).sum()).expect("it is valid");
/// ```
#[track_caller]
#[must_use]
pub fn range<'g>(first: impl Stage<Rep<u32>>, end: impl Stage<Rep<u32>>) -> Seq<'g, Rep<u32>> {
    let (first, end) = (first.stage(), end.stage());
    Seq::new(less(end, first), move |index| first + index)
}

/// `a - b`, or 0 if that is negative.
#[track_caller]
fn less(a: Rep<u32>, b: Rep<u32>) -> Rep<u32> {
    select(a.gt(b), a - b, 0)
}

impl<'g, T: 'g> Seq<'g, T> {
    /// The sequence of `at(0)`, `at(1)`, … `at(len - 1)`. The function is called once for each place in the program that consumes an element.
    pub fn new(len: impl Stage<Rep<u32>>, at: impl Fn(Rep<u32>) -> T + 'g) -> Self {
        Seq { len: len.stage(), at: Rc::new(at) }
    }

    /// The number of elements.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "`len().eq(0)` is a value of the program, too")]
    pub fn len(&self) -> Rep<u32> {
        self.len
    }

    /// The element at an index below the length; what it is beyond is not defined by the sequence.
    #[must_use]
    pub fn get(&self, index: impl Stage<Rep<u32>>) -> T {
        (self.at)(index.stage())
    }

    /// Each element changed by a function.
    #[must_use]
    pub fn map<U: 'g>(self, change: impl Fn(T) -> U + 'g) -> Seq<'g, U> {
        let at = self.at;
        Seq { len: self.len, at: Rc::new(move |index| change(at(index))) }
    }

    /// Pairs of the elements of two sequences, as many as the shorter one has.
    #[track_caller]
    #[must_use]
    pub fn zip<U: 'g>(self, other: Seq<'g, U>) -> Seq<'g, (T, U)> {
        let len = select(other.len.lt(self.len), other.len, self.len);
        Seq { len, at: Rc::new(move |index| ((self.at)(index), (other.at)(index))) }
    }

    /// Each element with its index.
    #[must_use]
    pub fn enumerate(self) -> Seq<'g, (Rep<u32>, T)> {
        let at = self.at;
        Seq { len: self.len, at: Rc::new(move |index| (index, at(index))) }
    }

    /// The first `count` elements, or all if there are fewer.
    #[track_caller]
    #[must_use]
    pub fn take(self, count: impl Stage<Rep<u32>>) -> Self {
        let count = count.stage();
        Seq { len: select(count.lt(self.len), count, self.len), at: self.at }
    }

    /// All but the first `count` elements.
    #[track_caller]
    #[must_use]
    pub fn skip(self, count: impl Stage<Rep<u32>>) -> Self {
        let (count, at) = (count.stage(), self.at);
        Seq { len: less(self.len, count), at: Rc::new(move |index| at(index + count)) }
    }

    /// The elements from the last to the first.
    #[must_use]
    pub fn rev(self) -> Self {
        let (len, at) = (self.len, self.at);
        Seq { len, at: Rc::new(move |index| at(len - 1 - index)) }
    }

    /// Every element whose index is a multiple of `step`, which is known now.
    ///
    /// # Panics
    /// If `step` is 0.
    #[track_caller]
    #[must_use]
    pub fn step_by(self, step: u32) -> Self {
        assert!(step > 0, "a sequence goes on by one element at least");
        let at = self.at;
        let len = self.len / step + select((self.len % step).ne(0), 1, 0);
        Seq { len, at: Rc::new(move |index| at(index * step)) }
    }

    /// Every `N` elements that follow each other: the first `N`, those from the second on, ….
    #[track_caller]
    #[must_use]
    pub fn windows<const N: usize>(self) -> Seq<'g, [T; N]> {
        let at = self.at;
        let len = less(self.len + 1, Rep::new(N as u32));
        Seq { len, at: Rc::new(move |index| std::array::from_fn(|i| at(index + i as u32))) }
    }

    /// Groups of `N` elements, without the rest of fewer than `N`.
    #[track_caller]
    #[must_use]
    pub fn chunks<const N: usize>(self) -> Seq<'g, [T; N]> {
        let at = self.at;
        Seq {
            len: self.len / N as u32,
            at: Rc::new(move |index| std::array::from_fn(|i| at(index * N as u32 + i as u32))),
        }
    }

    /// The elements from an index on to another. The program stops with an error at this place unless `first <= end <= len`.
    #[track_caller]
    #[must_use]
    pub fn slice(self, first: impl Stage<Rep<u32>>, end: impl Stage<Rep<u32>>) -> Self {
        let (first, end, place, at) = (first.stage(), end.stage(), Location::caller(), self.at);
        let fits = first.le(end) & end.le(self.len);
        at_construct(place, || stop_unless(fits, TrapKind::OutOfBoundsMemory, place));
        Seq { len: end - first, at: Rc::new(move |index| at(first + index)) }
    }

    /// Every so many elements that follow each other, each time as a sequence: [`windows`](Seq::windows) of a number that the program
    /// knows. None, if it is 0.
    #[track_caller]
    #[must_use]
    pub fn windows_of(self, count: impl Stage<Rep<u32>>) -> Seq<'g, Seq<'g, T>> {
        let (count, at) = (count.stage(), self.at);
        let len = select(count.eq(0), 0, less(self.len + 1, count));
        let window = move |first: Rep<u32>| {
            let at = Rc::clone(&at);
            Seq { len: count, at: Rc::new(move |index| at(first + index)) }
        };
        Seq { len, at: Rc::new(window) }
    }

    /// The number of elements at the beginning for which a condition holds, where it holds for none after the first for which it does not.
    #[track_caller]
    #[must_use]
    pub fn partition_point<C: Stage<Rep<bool>>>(self, condition: impl Fn(T) -> C) -> Rep<u32> {
        at_construct(Location::caller(), || {
            let (first, _) = while_(
                (0u32, self.len),
                |(low, high): (Rep<u32>, Rep<u32>)| low.lt(high),
                |(low, high)| {
                    let middle = low + (high - low) / 2;
                    let holds = condition(self.get(middle)).stage();
                    (select(holds, middle + 1, low), select(holds, high, middle))
                },
            );
            first
        })
    }

    /// The elements one after the other.
    #[track_caller]
    #[must_use]
    pub fn stream(self) -> Stream<'g, T> {
        let place = Location::caller();
        Stream::new(move |sink| self.walk(place, |_, element| sink(element)))
    }

    /// Writes a loop over all elements.
    fn walk(self, place: Place, body: impl FnOnce(Rep<u32>, T)) {
        at_construct(place, || {
            let () = fold(0u32, self.len, (), |index, ()| body(index, (self.at)(index)));
        });
    }

    /// Does something with each element, in order.
    #[track_caller]
    pub fn for_each<R: Stage<()>>(self, work: impl FnOnce(T) -> R) {
        self.walk(Location::caller(), |_, element| work(element).stage());
    }

    /// A state that a function changes with each element, in order.
    #[track_caller]
    #[must_use]
    pub fn fold<S: Staged, N: Stage<S>>(self, initial: impl Stage<S>, next: impl FnOnce(S, T) -> N) -> S {
        let initial = initial.stage();
        let place = Location::caller();
        at_construct(place, || fold(0u32, self.len, initial, |index, state| next(state, (self.at)(index))))
    }

    /// Writes all elements to a slice, from its beginning, and returns their number. The program stops with an error at this place, and
    /// has written nothing, if the slice has fewer.
    #[track_caller]
    pub fn write_to<I: Item>(self, out: Out<[I]>) -> Rep<u32>
    where
        T: Stage<I::Staged>,
    {
        let (len, place) = (self.len, Location::caller());
        stop_unless(len.le(out.len()), TrapKind::OutOfBoundsMemory, place);
        self.walk(place, |index, element| out.put(index, &element.stage(), place));
        len
    }
}

impl<'g, T: Staged> Seq<'g, T> {
    /// The elements for which a condition holds.
    #[track_caller]
    #[must_use]
    pub fn filter<C: Stage<Rep<bool>>>(self, condition: impl Fn(T) -> C + 'g) -> Stream<'g, T> {
        self.stream().filter(condition)
    }
}

impl<'g, T: Number> Seq<'g, Rep<T>>
where
    Rep<T>: std::ops::Add<Output = Rep<T>> + std::ops::Mul<Output = Rep<T>>,
{
    /// The sum, in order: `((0 + a) + b) + …`.
    #[track_caller]
    #[must_use]
    pub fn sum(self) -> Rep<T> {
        self.stream().sum()
    }

    /// The product, in order.
    #[track_caller]
    #[must_use]
    pub fn product(self) -> Rep<T> {
        self.stream().product()
    }
}

impl<'g, T: Number> Seq<'g, Rep<T>> {
    /// The place of a number in a sequence in ascending order: the first index of it, or `Err` with the index where it belongs. Floats are compared
    /// as by `total_cmp`.
    #[track_caller]
    #[must_use]
    pub fn binary_search(self, number: impl Stage<Rep<T>>) -> Enum<Result<Rep<u32>, Rep<u32>>> {
        let number = number.stage();
        at_construct(Location::caller(), || {
            let index = self.clone().partition_point(|element| T::is_before(element, number));
            let is_there = index.lt(self.len).and(|| !T::is_before(number, self.get(index)));
            if_(is_there, || Enum::new(Ok(index)), || Enum::new(Err(index)))
        })
    }
}
