//! Arrays of several dimensions, as functions of the index.

use std::panic::Location;
use std::rc::Rc;

use planish_ir::function::TrapKind;

use crate::control::{fold, if_, select, stop_unless};
use crate::list::List;
use crate::ops::Number;
use crate::rep::Rep;
use crate::seq::Seq;
use crate::session::{Place, at_construct};
use crate::slices::{Item, Out};
use crate::staged::{Stage, Staged};
use crate::stream::Stream;

mod axes;
mod boundary;

pub use axes::matmul;
pub use boundary::{Boundary, Neighbours};

type Index<const D: usize> = [Rep<u32>; D];
type At<'g, T, const D: usize> = Rc<dyn Fn(Index<D>) -> T + 'g>;

/// An array of `D` dimensions: a description, of which nothing is in the program until something consumes it.
///
/// It is a shape and the code that makes the element at an index, so views ([`transpose`](Grid::transpose), [`slice`](Grid::slice), …) copy
/// nothing, and a chain of calls is one nest of loops. A grid that is consumed twice is computed twice; [`collect`](Grid::collect) keeps
/// the elements in a list. The last axis is the innermost: elements lie row by row.
///
/// ```
/// use planish_front_stage::{Boundary, In, Out, Rep, build};
/// let f = build("blur", |image: In<[f32]>, rows: Rep<u32>, columns: Rep<u32>, out: Out<[f32]>| {
///     let image = image.iter().grid([rows, columns]);
///     image.stencil(Boundary::Clamp, [0, 1], |near| (near.at([0, -1]) + near.at([0, 0]) + near.at([0, 1])) / 3.0).write_to(out)
/// })
/// .expect("it is valid");
/// ```
pub struct Grid<'g, T, const D: usize> {
    shape: Index<D>,
    at: At<'g, T, D>,
    /// Code for the elements that are so far from all borders, if it is simpler.
    inner: Option<Inner<'g, T, D>>,
}

struct Inner<'g, T, const D: usize> {
    margin: [u32; D],
    at: At<'g, T, D>,
}

impl<T, const D: usize> Clone for Inner<'_, T, D> {
    fn clone(&self) -> Self {
        Inner { margin: self.margin, at: Rc::clone(&self.at) }
    }
}

impl<T, const D: usize> Clone for Grid<'_, T, D> {
    fn clone(&self) -> Self {
        Grid { shape: self.shape, at: Rc::clone(&self.at), inner: self.inner.clone() }
    }
}

impl<T, const D: usize> std::fmt::Debug for Grid<'_, T, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Grid").field("shape", &self.shape).finish_non_exhaustive()
    }
}

/// The product of a shape. The program stops with an error at a place if it does not fit 32 bits, on the way to it at least.
fn elements<const D: usize>(shape: Index<D>, place: Place) -> Rep<u32> {
    shape.into_iter().fold(Rep::new(1), |count, len| {
        let product = count.as_::<u64>() * len.as_::<u64>();
        stop_unless(product.le(u64::from(u32::MAX)), TrapKind::OutOfBoundsMemory, place);
        product.as_::<u32>()
    })
}

impl<'g, T: 'g> Seq<'g, T> {
    /// The elements row by row, as a grid of a shape. The program stops with an error at this place if they are not as many as the shape has.
    #[track_caller]
    #[must_use]
    pub fn grid<const D: usize>(self, shape: impl Stage<[Rep<u32>; D]>) -> Grid<'g, T, D> {
        let (shape, place) = (shape.stage(), Location::caller());
        at_construct(place, || {
            let count = elements(shape, place);
            stop_unless(count.eq(self.len()), TrapKind::OutOfBoundsMemory, place);
        });
        Grid::new(shape, move |index| {
            let row = index.into_iter().zip(shape).reduce(|(row, _), (index, len)| (row * len + index, len));
            self.get(row.map_or_else(|| Rep::new(0), |(row, _)| row))
        })
    }
}

impl<'g, T: 'g, const D: usize> Grid<'g, T, D> {
    /// The grid of what a function makes of each index. The function is called once for each place in the program that consumes an element.
    ///
    /// # Panics
    /// If `D` is 0.
    pub fn new(shape: impl Stage<[Rep<u32>; D]>, at: impl Fn([Rep<u32>; D]) -> T + 'g) -> Self {
        assert!(D > 0, "a grid has an axis");
        Grid { shape: shape.stage(), at: Rc::new(at), inner: None }
    }

    /// The number of elements along each axis.
    #[must_use]
    pub fn shape(&self) -> [Rep<u32>; D] {
        self.shape
    }

    /// The element at an index. Beyond the shape the program stops with an error at this place.
    #[track_caller]
    #[must_use]
    pub fn at(&self, index: impl Stage<[Rep<u32>; D]>) -> T {
        let (index, place) = (index.stage(), Location::caller());
        at_construct(place, || {
            for (index, len) in index.into_iter().zip(self.shape) {
                stop_unless(index.lt(len), TrapKind::OutOfBoundsMemory, place);
            }
        });
        (self.at)(index)
    }

    /// The element at an index below the shape; what it is beyond is not defined by the grid.
    #[must_use]
    pub fn get(&self, index: impl Stage<[Rep<u32>; D]>) -> T {
        (self.at)(index.stage())
    }

    /// The same grid with other functions of the index, made of those that there are.
    fn with<U: 'g>(self, change: impl Fn(At<'g, T, D>) -> At<'g, U, D>) -> Grid<'g, U, D> {
        let inner = self.inner.map(|Inner { margin, at }| Inner { margin, at: change(at) });
        Grid { shape: self.shape, at: change(self.at), inner }
    }

    /// Each element changed by a function.
    #[must_use]
    pub fn map<U: 'g>(self, change: impl Fn(T) -> U + 'g) -> Grid<'g, U, D> {
        let change = Rc::new(change);
        self.with(|at| {
            let change = Rc::clone(&change);
            Rc::new(move |index| change(at(index)))
        })
    }

    /// Each element with its index.
    #[must_use]
    pub fn enumerate(self) -> Grid<'g, ([Rep<u32>; D], T), D> {
        self.with(|at| Rc::new(move |index| (index, at(index))))
    }

    /// Pairs of the elements of two grids. The program stops with an error at this place if their shapes differ.
    #[track_caller]
    #[must_use]
    pub fn zip<U: 'g>(self, other: Grid<'g, U, D>) -> Grid<'g, (T, U), D> {
        let place = Location::caller();
        at_construct(place, || {
            for (len, other) in self.shape.into_iter().zip(other.shape) {
                stop_unless(len.eq(other), TrapKind::OutOfBoundsMemory, place);
            }
        });
        let inner = match (&self.inner, &other.inner) {
            (None, None) => None,
            (a, b) => {
                let margin = std::array::from_fn(|axis| {
                    let of = |margin: Option<[u32; D]>| margin.map_or(0, |margin| margin[axis]);
                    of(a.as_ref().map(|a| a.margin)).max(of(b.as_ref().map(|b| b.margin)))
                });
                let a = Rc::clone(a.as_ref().map_or(&self.at, |a| &a.at));
                let b = Rc::clone(b.as_ref().map_or(&other.at, |b| &b.at));
                Some(Inner { margin, at: Rc::new(move |index| (a(index), b(index))) as At<'g, (T, U), D> })
            }
        };
        let (a, b) = (self.at, other.at);
        Grid { shape: self.shape, at: Rc::new(move |index| (a(index), b(index))), inner }
    }

    /// The axes in another order: the first of the result is axis `axes[0]`.
    ///
    /// # Panics
    /// Unless each axis is there once.
    #[must_use]
    pub fn permute(self, axes: [usize; D]) -> Self {
        let mut sorted = axes;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..D), "each axis is there once: {axes:?}");
        let shape = self.shape;
        let (margins, grid) = (self.inner.as_ref().map(|inner| inner.margin), self);
        let mut grid = grid.with(|at| {
            Rc::new(move |index: Index<D>| {
                let mut old = index;
                axes.into_iter().zip(index).for_each(|(axis, index)| old[axis] = index);
                at(old)
            })
        });
        grid.shape = axes.map(|axis| shape[axis]);
        if let (Some(inner), Some(margins)) = (&mut grid.inner, margins) {
            inner.margin = axes.map(|axis| margins[axis]);
        }
        grid
    }

    /// The axes in reverse order: of a grid of two dimensions, rows as columns.
    #[must_use]
    pub fn transpose(self) -> Self {
        self.permute(std::array::from_fn(|axis| D - 1 - axis))
    }

    /// The elements along an axis in reverse order.
    ///
    /// # Panics
    /// If there is no such axis.
    #[must_use]
    pub fn flip(self, axis: usize) -> Self {
        let last = self.shape[axis];
        self.with(|at| {
            Rc::new(move |mut index: Index<D>| {
                index[axis] = last - 1 - index[axis];
                at(index)
            })
        })
    }

    /// The part of a shape that begins at an index. The program stops with an error at this place if it reaches beyond the grid.
    #[track_caller]
    #[must_use]
    pub fn slice(self, first: impl Stage<[Rep<u32>; D]>, shape: impl Stage<[Rep<u32>; D]>) -> Self {
        let (first, shape, place) = (first.stage(), shape.stage(), Location::caller());
        at_construct(place, || {
            for axis in 0..D {
                let fits = first[axis].le(self.shape[axis]) & shape[axis].le(self.shape[axis] - first[axis]);
                stop_unless(fits, TrapKind::OutOfBoundsMemory, place);
            }
        });
        let at = self.at;
        Grid::new(shape, move |index| at(std::array::from_fn(|axis| first[axis] + index[axis])))
    }

    /// Every element whose index is a multiple of the steps, which are known now.
    ///
    /// # Panics
    /// If a step is 0.
    #[track_caller]
    #[must_use]
    pub fn step_by(self, steps: [u32; D]) -> Self {
        assert!(steps.iter().all(|step| *step > 0), "a grid goes on by one element at least");
        let shape = std::array::from_fn(|axis| {
            let (len, step) = (self.shape[axis], steps[axis]);
            len / step + select((len % step).ne(0), 1, 0)
        });
        let at = self.at;
        Grid::new(shape, move |index| at(std::array::from_fn(|axis| index[axis] * steps[axis])))
    }

    /// Writes a nest of loops over all elements, row by row; the body gets the index, the number and the element.
    fn walk(&self, place: Place, body: &mut dyn FnMut(Index<D>, Rep<u32>, T)) {
        let zero = Rep::new(0);
        at_construct(place, || self.walk_axis(0, ([zero; D], zero), self.inner.is_some(), body));
    }

    /// The loops over the axes from one on. The parts at the borders are loops of their own if the elements in between are simpler.
    /// Recursion: as deep as there are axes.
    fn walk_axis(
        &self,
        axis: usize,
        (index, number): (Index<D>, Rep<u32>),
        is_inner: bool,
        body: &mut dyn FnMut(Index<D>, Rep<u32>, T),
    ) {
        if axis == D {
            let inner = self.inner.as_ref().filter(|_| is_inner);
            return body(index, number, inner.map_or(&self.at, |inner| &inner.at)(index));
        }
        let len = self.shape[axis];
        let mut part = |first: Rep<u32>, end: Rep<u32>, is_inner: bool| {
            let () = fold(first, end, (), |at, ()| {
                let mut index = index;
                index[axis] = at;
                let number = if axis == 0 { at } else { number * len + at };
                self.walk_axis(axis + 1, (index, number), is_inner, body);
            });
        };
        let zero = Rep::new(0);
        match self.inner.as_ref().filter(|_| is_inner).map_or(0, |inner| inner.margin[axis]) {
            0 => part(zero, len, is_inner),
            margin => {
                let first = select(len.lt(margin), len, margin);
                let last = select((len - first).lt(margin), first, len - margin);
                part(zero, first, false);
                part(first, last, true);
                part(last, len, false);
            }
        }
    }

    /// The elements row by row.
    #[track_caller]
    #[must_use]
    pub fn stream(self) -> Stream<'g, T> {
        let place = Location::caller();
        Stream::new(move |sink| self.walk(place, &mut |_, _, element| sink(element)))
    }

    /// Does something with each element, row by row.
    #[track_caller]
    pub fn for_each<R: Stage<()>>(self, mut work: impl FnMut(T) -> R) {
        self.walk(Location::caller(), &mut |_, _, element| work(element).stage());
    }

    /// A state that a function changes with each element, row by row.
    #[track_caller]
    #[must_use]
    pub fn fold<S: Staged, N: Stage<S>>(self, initial: impl Stage<S>, next: impl FnMut(S, T) -> N) -> S {
        self.stream().fold(initial, next)
    }

    /// Writes all elements to a slice, row by row from its beginning, and returns their number. The program stops with an error at this place,
    /// and has written nothing, if the slice has fewer.
    #[track_caller]
    pub fn write_to<I: Item>(self, out: Out<[I]>) -> Rep<u32>
    where
        T: Stage<I::Staged>,
    {
        let place = Location::caller();
        at_construct(place, || {
            let count = elements(self.shape, place);
            stop_unless(count.le(out.len()), TrapKind::OutOfBoundsMemory, place);
            self.walk(place, &mut |_, number, element| out.put(number, &element.stage(), place));
            count
        })
    }

    /// The same grid with its elements in a list, so that they are computed once.
    #[track_caller]
    #[must_use]
    pub fn collect(self) -> Grid<'g, T, D>
    where
        T: Staged,
    {
        let place = Location::caller();
        at_construct(place, || {
            let (shape, list) = (self.shape, List::new());
            self.for_each(|element| list.push(element));
            list.iter().grid(shape)
        })
    }
}

impl<'g, T: Number, const D: usize> Grid<'g, Rep<T>, D>
where
    Rep<T>: std::ops::Add<Output = Rep<T>> + std::ops::Mul<Output = Rep<T>>,
{
    /// The sum, in order, row by row.
    #[track_caller]
    #[must_use]
    pub fn sum(self) -> Rep<T> {
        self.stream().sum()
    }
}

/// The elements where a condition of the index holds, and others elsewhere.
fn where_inside<T: Staged>(inside: Rep<bool>, element: impl FnOnce() -> T, outside: impl FnOnce() -> T) -> T {
    if_(inside, element, outside)
}
