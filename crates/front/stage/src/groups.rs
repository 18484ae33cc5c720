//! Groups of elements with equal keys, and orders of elements: programs over lists, written in staged Rust.

use std::panic::Location;

use planish_ir::function::TrapKind;

use crate::cell::var;
use crate::control::{for_, if_, loop_, select, stop_unless, when, while_};
use crate::list::List;
use crate::ops::Number;
use crate::rep::Rep;
use crate::seq::{Seq, range};
use crate::session::at_construct;
use crate::staged::{Stage, Staged};
use crate::stream::Stream;

/// Values that are compared for equality, as keys of groups: integers, booleans, and groups of such.
pub trait Key: Staged {
    /// A number that equal keys have in common.
    fn hash(&self) -> Rep<u32>;

    /// Whether both are equal.
    fn same(&self, other: &Self) -> Rep<bool>;
}

/// Mixes the bits of a number.
fn mix(x: Rep<u32>) -> Rep<u32> {
    let x = (x ^ (x >> 16)) * 0x7feb_352d_u32;
    let x = (x ^ (x >> 15)) * 0x846c_a68b_u32;
    x ^ (x >> 16)
}

macro_rules! keys {
    ($($key:ty, $x:ident => $bits:expr;)*) => {$(
        impl Key for Rep<$key> {
            fn hash(&self) -> Rep<u32> {
                let $x = *self;
                mix($bits)
            }

            fn same(&self, other: &Self) -> Rep<bool> {
                self.eq(*other)
            }
        }
    )*};
}

keys! {
    bool, x => select(x, 1u32, 0u32);
    i32, x => x.bitcast::<u32>();
    u32, x => x;
    i64, x => (x ^ (x >> 32)).as_::<u32>();
    u64, x => (x ^ (x >> 32)).as_::<u32>();
}

macro_rules! tuples {
    ($($name:ident $index:tt)*) => {
        impl<$($name: Key),*> Key for ($($name,)*) {
            fn hash(&self) -> Rep<u32> {
                let hash = Rep::new(0u32);
                $(let hash = mix(hash + 0x9e37_79b9_u32) ^ self.$index.hash();)*
                hash
            }

            fn same(&self, other: &Self) -> Rep<bool> {
                let same = Rep::new(true);
                $(let same = same & self.$index.same(&other.$index);)*
                same
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0 B 1);
tuples!(A 0 B 1 C 2);
tuples!(A 0 B 1 C 2 D 3);

impl<K: Key, const N: usize> Key for [K; N] {
    fn hash(&self) -> Rep<u32> {
        self.iter().fold(Rep::new(0u32), |hash, key| mix(hash + 0x9e37_79b9_u32) ^ key.hash())
    }

    fn same(&self, other: &Self) -> Rep<bool> {
        self.iter().zip(other).fold(Rep::new(true), |same, (a, b)| same & a.same(b))
    }
}

/// Slots of a table that is empty.
const FIRST_SLOTS: u32 = 16;

/// The different keys that there have been, each with its number.
struct Table<K> {
    keys: List<K>,
    /// Numbers of keys plus one, by hash; 0: free. A power of two, and at least half of them are free.
    slots: List<Rep<u32>>,
}

impl<K: Key> Table<K> {
    fn new() -> Self {
        let slots = List::new();
        for_(0u32, FIRST_SLOTS, |_| slots.push(0u32));
        Table { keys: List::new(), slots }
    }

    fn slot(&self, at: Rep<u32>) -> Rep<u32> {
        self.slots.load(at, Location::caller())
    }

    /// The slot of a key: the one that has its number, or the free one where it belongs.
    fn place(&self, key: &K) -> Rep<u32> {
        let place = Location::caller();
        let last = self.slots.len() - 1;
        while_(
            key.hash() & last,
            |at| {
                let number = self.slot(at);
                number.ne(0).and(|| !self.keys.load(number - 1, place).same(key))
            },
            |at| (at + 1) & last,
        )
    }

    /// The number of a key, which is added if it is new: the first has 0.
    fn number(&self, key: &K) -> Rep<u32> {
        let place = Location::caller();
        let at = self.place(key);
        let number = self.slot(at);
        if_(
            number.ne(0),
            || number - 1,
            || {
                let new = self.keys.len();
                self.keys.push(key.clone());
                self.slots.store(at, &(new + 1), place);
                when(((new + 1) * 2).gt(self.slots.len()), || self.grow());
                new
            },
        )
    }

    /// The number of a key, or that of keys if there is none like it.
    fn find(&self, key: &K) -> Rep<u32> {
        let number = self.slot(self.place(key));
        select(number.ne(0), number - 1, self.keys.len())
    }

    /// Doubles the number of slots.
    fn grow(&self) {
        let place = Location::caller();
        let count = self.slots.len();
        for_(0u32, count, |at| {
            self.slots.store(at, &Rep::new(0u32), place);
            self.slots.push(0u32);
        });
        for_(0u32, self.keys.len(), |number| {
            let at = self.place(&self.keys.load(number, place));
            self.slots.store(at, &(number + 1), place);
        });
    }
}

/// Groups of elements: the keys in the order in which each came first, and for each what became of its elements.
#[derive(Clone, Debug)]
pub struct Groups<K, S> {
    /// The keys.
    pub keys: List<K>,
    /// By the number of the key.
    pub values: List<S>,
}

impl<K: Staged, S: Staged> Groups<K, S> {
    /// Keys and values, in pairs.
    #[track_caller]
    #[must_use]
    pub fn iter<'g>(&self) -> Seq<'g, (K, S)> {
        at_construct(Location::caller(), || self.keys.iter().zip(self.values.iter()))
    }
}

impl<'g, T: Staged> Stream<'g, T> {
    /// For each key, a state that a function changes with each element of that key, in order.
    ///
    /// ```
    /// use planish_front_stage::{In, Out, Rep, build};
    /// let f = build("sums", |key: In<[u32]>, x: In<[f64]>, keys: Out<[u32]>, sums: Out<[f64]>| {
    ///     let groups = key.iter().zip(x.iter()).stream().fold_by(|(key, _)| key, 0.0, |sum: Rep<f64>, (_, x)| sum + x);
    ///     groups.keys.iter().write_to(keys);
    ///     groups.values.iter().write_to(sums)
    /// })
    /// .expect("it is valid");
    /// ```
    #[track_caller]
    #[must_use]
    pub fn fold_by<K: Key, S: Staged, N: Stage<S>>(
        self,
        key: impl Fn(T) -> K,
        initial: impl Stage<S>,
        next: impl Fn(S, T) -> N,
    ) -> Groups<K, S> {
        let place = Location::caller();
        at_construct(place, || {
            let (table, values, initial) = (Table::new(), List::new(), initial.stage());
            self.for_each(|element| {
                let number = table.number(&key(element.clone()));
                when(number.ge(values.len()), || values.push(initial.clone()));
                let state = next(values.load(number, place), element).stage();
                values.store(number, &state, place);
            });
            Groups { keys: table.keys, values }
        })
    }

    /// The different elements, in the order in which each came first.
    #[track_caller]
    #[must_use]
    pub fn distinct(self) -> List<T>
    where
        T: Key,
    {
        at_construct(Location::caller(), || {
            let table = Table::new();
            self.for_each(|element| {
                let _ = table.number(&element);
            });
            table.keys
        })
    }

    /// The elements for which a condition holds, and the others.
    #[track_caller]
    #[must_use]
    pub fn partition<C: Stage<Rep<bool>>>(self, condition: impl Fn(T) -> C) -> (List<T>, List<T>) {
        at_construct(Location::caller(), || {
            let (yes, no) = (List::new(), List::new());
            self.for_each(|element| {
                if_(condition(element.clone()).stage(), || yes.push(element.clone()), || no.push(element.clone()));
            });
            (yes, no)
        })
    }

    /// A list of `len` states, of which a function changes the one at the index of each element, in order. The program stops with an error at
    /// this place at an index that is not below `len`.
    #[track_caller]
    #[must_use]
    pub fn scatter<S: Staged, I: Stage<Rep<u32>>, N: Stage<S>>(
        self,
        len: impl Stage<Rep<u32>>,
        initial: impl Stage<S>,
        index: impl Fn(T) -> I,
        next: impl Fn(S, T) -> N,
    ) -> List<S> {
        let place = Location::caller();
        at_construct(place, || {
            let (states, initial, len) = (List::new(), initial.stage(), len.stage());
            for_(0u32, len, |_| states.push(initial.clone()));
            self.for_each(|element| {
                let index = index(element.clone()).stage();
                stop_unless(index.lt(len), TrapKind::OutOfBoundsMemory, place);
                let state = next(states.load(index, place), element).stage();
                states.store(index, &state, place);
            });
            states
        })
    }

    /// Pairs with all elements of another stream that have the same key: those of each element in the order of the other stream.
    #[track_caller]
    #[must_use]
    pub fn join<U: Staged, K: Key>(
        self,
        other: Stream<'g, U>,
        key: impl Fn(T) -> K + 'g,
        other_key: impl Fn(U) -> K + 'g,
    ) -> Stream<'g, (T, U)> {
        let place = Location::caller();
        Stream::new(move |sink| {
            at_construct(place, || {
                let none = u32::MAX;
                // Of each key the first and the last element, of each element the next one of its key.
                let (table, ends, all, next) =
                    (Table::new(), List::<(Rep<u32>, Rep<u32>)>::new(), List::new(), List::new());
                other.for_each(|element| {
                    let (number, index) = (table.number(&other_key(element.clone())), all.len());
                    all.push(element);
                    next.push(none);
                    if_(
                        number.ge(ends.len()),
                        || ends.push((index, index)),
                        || {
                            let (first, last) = ends.load(number, place);
                            next.store(last, &index, place);
                            ends.store(number, &(first, index), place);
                        },
                    );
                });
                self.for_each(|element| {
                    let number = table.find(&key(element.clone()));
                    let at = var(Rep::new(none));
                    when(number.lt(ends.len()), || at.set(ends.load(number, place).0));
                    loop_((), |(), turn| {
                        let index = at.get();
                        turn.break_if(index.eq(none), ());
                        sink((element.clone(), all.load(index, place)));
                        at.set(next.load(index, place));
                    });
                });
            });
        })
    }
}

impl<T: Staged> List<T> {
    /// A list of the same elements, so ordered that `before(b, a)` holds for no `a` that stands before `b`. Elements of which neither comes
    /// before the other keep their order.
    #[track_caller]
    #[must_use]
    pub fn sorted_by<C: Stage<Rep<bool>>>(&self, before: impl Fn(T, T) -> C) -> List<T> {
        at_construct(Location::caller(), || {
            let (sorted, other) = (self.iter().collect(), self.iter().collect());
            let count = sorted.len();
            while_(
                Rep::new(1u32),
                |width| width.lt(count),
                |width| {
                    merge_runs(&sorted, &other, width, count, &before);
                    merge_runs(&other, &sorted, twice(width), count, &before);
                    twice(twice(width))
                },
            );
            sorted
        })
    }

    /// The number of elements at the beginning for which a condition holds, where it holds for none after the first for which it does not.
    #[track_caller]
    #[must_use]
    pub fn partition_point<C: Stage<Rep<bool>>>(&self, condition: impl Fn(T) -> C) -> Rep<u32> {
        let place = Location::caller();
        at_construct(place, || {
            let (first, _) = while_(
                (0u32, self.len()),
                |(low, high): (Rep<u32>, Rep<u32>)| low.lt(high),
                |(low, high)| {
                    let middle = low + (high - low) / 2;
                    let holds = condition(self.load(middle, place)).stage();
                    (select(holds, middle + 1, low), select(holds, high, middle))
                },
            );
            first
        })
    }
}

/// Twice a number, or the greatest.
fn twice(width: Rep<u32>) -> Rep<u32> {
    select(width.gt(u32::MAX / 2), u32::MAX, width * 2)
}

/// Merges every two neighbouring runs of a length.
fn merge_runs<T: Staged, C: Stage<Rep<bool>>>(
    from: &List<T>,
    to: &List<T>,
    width: Rep<u32>,
    count: Rep<u32>,
    before: &impl Fn(T, T) -> C,
) {
    let place = Location::caller();
    // (Sums of two numbers up to the count, which is below 2³¹.)
    let end_after = |start: Rep<u32>| select((count - start).lt(width), count, start + width);
    while_(
        Rep::new(0u32),
        |start| start.lt(count),
        |start| {
            let middle = end_after(start);
            let end = end_after(middle);
            for_merged(start, middle, end, |a, b, at| {
                let takes_right =
                    a.ge(middle).or(|| b.lt(end).and(|| before(from.load(b, place), from.load(a, place)).stage()));
                let chosen = select(takes_right, b, a);
                to.store(at, &from.load(chosen, place), place);
                takes_right
            });
            end
        },
    );
}

/// Goes through two neighbouring runs: `step` says of the first elements that are left, and the place of the next one, whether it takes
/// that of the right run.
fn for_merged(
    start: Rep<u32>,
    middle: Rep<u32>,
    end: Rep<u32>,
    step: impl FnOnce(Rep<u32>, Rep<u32>, Rep<u32>) -> Rep<bool>,
) {
    while_(
        (start, middle),
        |(a, b): (Rep<u32>, Rep<u32>)| a.lt(middle) | b.lt(end),
        |(a, b)| {
            let right = step(a, b, a + b - middle);
            (select(right, a, a + 1), select(right, b + 1, b))
        },
    );
}

impl<T: Number> List<Rep<T>> {
    /// A list of the same numbers in ascending order; floats in the order of their bits, -NaN before -∞, -0 before 0, and NaN last, as
    /// `total_cmp` of Rust.
    #[track_caller]
    #[must_use]
    pub fn sorted(&self) -> List<Rep<T>> {
        at_construct(Location::caller(), || self.sorted_by(T::is_before))
    }
}

impl<'g> Seq<'g, Rep<u32>> {
    /// Number of occurrences of each number below `bins`. The program stops with an error at this place at a number that is not.
    #[track_caller]
    #[must_use]
    pub fn histogram(self, bins: impl Stage<Rep<u32>>) -> List<Rep<u32>> {
        let place = Location::caller();
        at_construct(place, || self.stream().scatter(bins, 0u32, |x| x, |count: Rep<u32>, _| count + 1))
    }
}

/// A list of `len` elements that a function makes of their index.
#[track_caller]
#[must_use]
pub fn list<'g, T: Staged>(len: impl Stage<Rep<u32>>, element: impl Fn(Rep<u32>) -> T + 'g) -> List<T> {
    at_construct(Location::caller(), || range(0u32, len).map(element).collect())
}
