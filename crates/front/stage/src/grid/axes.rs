//! Grids by their axes: rows and columns, reductions, products.

use std::panic::Location;

use planish_ir::function::TrapKind;

use super::Grid;
use crate::control::{fold, stop_unless};
use crate::ops::Number;
use crate::rep::Rep;
use crate::seq::Seq;
use crate::session::at_construct;
use crate::staged::{Stage, Staged};

impl<'g, T: 'g> Grid<'g, T, 2> {
    /// The elements of a row, by its number below that of rows.
    #[must_use]
    pub fn row(&self, row: impl Stage<Rep<u32>>) -> Seq<'g, T> {
        let (row, at) = (row.stage(), self.at.clone());
        Seq::new(self.shape[1], move |column| at([row, column]))
    }

    /// The elements of a column, by its number below that of columns.
    #[must_use]
    pub fn column(&self, column: impl Stage<Rep<u32>>) -> Seq<'g, T> {
        let (column, at) = (column.stage(), self.at.clone());
        Seq::new(self.shape[0], move |row| at([row, column]))
    }

    /// The rows, each a sequence.
    #[must_use]
    pub fn rows(self) -> Seq<'g, Seq<'g, T>> {
        Seq::new(self.shape[0], move |row| self.row(row))
    }

    /// The columns, each a sequence.
    #[must_use]
    pub fn columns(self) -> Seq<'g, Seq<'g, T>> {
        Seq::new(self.shape[1], move |column| self.column(column))
    }

    /// Every `H` rows and `W` columns that follow each other.
    #[must_use]
    pub fn windows<const H: usize, const W: usize>(self) -> Grid<'g, [[T; W]; H], 2> {
        let less = |len: Rep<u32>, by: usize| {
            let by = by as u32;
            crate::control::select(len.lt(by), 0, len - by + 1)
        };
        let (shape, at) = ([less(self.shape[0], H), less(self.shape[1], W)], self.at);
        Grid::new(shape, move |[row, column]| {
            std::array::from_fn(|y| std::array::from_fn(|x| at([row + y as u32, column + x as u32])))
        })
    }

    /// Along an axis, a state that a function changes with each element, in order: for each column with axis 0, for each row with axis 1.
    ///
    /// # Panics
    /// If there is no such axis.
    #[track_caller]
    #[must_use]
    pub fn fold_axis<S: Staged, N: Stage<S>>(
        self,
        axis: usize,
        initial: impl Stage<S>,
        next: impl Fn(S, T) -> N + 'g,
    ) -> Seq<'g, S> {
        assert!(axis < 2, "there is no axis {axis}");
        let (initial, place) = (initial.stage(), Location::caller());
        let (len, along) = (self.shape[1 - axis], self.shape[axis]);
        Seq::new(len, move |other| {
            at_construct(place, || {
                fold(0u32, along, initial.clone(), |at, state| {
                    next(state, (self.at)(if axis == 0 { [at, other] } else { [other, at] })).stage()
                })
            })
        })
    }
}

impl<'g, T: 'g> Grid<'g, T, 3> {
    /// The grids of two dimensions at each index of an axis.
    ///
    /// # Panics
    /// If there is no such axis.
    #[must_use]
    pub fn layers(self, axis: usize) -> Seq<'g, Grid<'g, T, 2>> {
        assert!(axis < 3, "there is no axis {axis}");
        let shape = without(self.shape, axis);
        Seq::new(self.shape[axis], move |at| {
            let of = self.at.clone();
            Grid::new(shape, move |[a, b]| of(within([a, b], axis, at)))
        })
    }

    /// Along an axis, a state that a function changes with each element, in order.
    ///
    /// # Panics
    /// If there is no such axis.
    #[track_caller]
    #[must_use]
    pub fn fold_axis<S: Staged, N: Stage<S>>(
        self,
        axis: usize,
        initial: impl Stage<S>,
        next: impl Fn(S, T) -> N + 'g,
    ) -> Grid<'g, S, 2> {
        assert!(axis < 3, "there is no axis {axis}");
        let (initial, place) = (initial.stage(), Location::caller());
        Grid::new(without(self.shape, axis), move |index| {
            at_construct(place, || {
                fold(0u32, self.shape[axis], initial.clone(), |at, state| {
                    next(state, (self.at)(within(index, axis, at))).stage()
                })
            })
        })
    }
}

/// The others of three.
fn without(all: [Rep<u32>; 3], axis: usize) -> [Rep<u32>; 2] {
    match axis {
        0 => [all[1], all[2]],
        1 => [all[0], all[2]],
        _ => [all[0], all[1]],
    }
}

/// Two with a third one at an axis.
fn within([a, b]: [Rep<u32>; 2], axis: usize, at: Rep<u32>) -> [Rep<u32>; 3] {
    match axis {
        0 => [at, a, b],
        1 => [a, at, b],
        _ => [a, b, at],
    }
}

macro_rules! sums {
    ($($rank:literal $result:ty;)*) => {$(
        impl<'g, T: Number> Grid<'g, Rep<T>, $rank>
        where
            Rep<T>: std::ops::Add<Output = Rep<T>> + std::ops::Mul<Output = Rep<T>>,
        {
            /// Sums along an axis, each in order.
            ///
            /// # Panics
            /// If there is no such axis.
            #[track_caller]
            #[must_use]
            pub fn sum_axis(self, axis: usize) -> $result {
                self.fold_axis(axis, T::ZERO, |sum: Rep<T>, element| sum + element)
            }
        }
    )*};
}

sums! {
    2 Seq<'g, Rep<T>>;
    3 Grid<'g, Rep<T>, 2>;
}

/// The product of two matrices: each element is the sum, in order, of the products of a row and a column. The program stops with an error at
/// this place if the columns of `a` are not as many as the rows of `b`.
///
/// ```
/// use planish_front_stage::{In, Out, Rep, build, matmul};
/// let f = build("product", |n: Rep<u32>, a: In<[f64]>, b: In<[f64]>, out: Out<[f64]>| {
///     matmul(a.iter().grid([n, n]), b.iter().grid([n, n])).write_to(out)
/// })
/// .expect("it is valid");
/// ```
#[track_caller]
#[must_use]
pub fn matmul<'g, T: Number>(a: Grid<'g, Rep<T>, 2>, b: Grid<'g, Rep<T>, 2>) -> Grid<'g, Rep<T>, 2>
where
    Rep<T>: std::ops::Add<Output = Rep<T>> + std::ops::Mul<Output = Rep<T>>,
{
    let place = Location::caller();
    let ([rows, along], [same, columns]) = (a.shape, b.shape);
    at_construct(place, || stop_unless(along.eq(same), TrapKind::OutOfBoundsMemory, place));
    Grid::new([rows, columns], move |[row, column]| {
        at_construct(place, || {
            fold(0u32, along, T::ZERO, |at, sum: Rep<T>| sum + (a.at)([row, at]) * (b.at)([at, column]))
        })
    })
}
