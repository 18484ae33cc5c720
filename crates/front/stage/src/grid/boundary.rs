//! Elements near others, and beyond the borders.

use super::{At, Grid, Index, Inner, where_inside};
use crate::control::select;
use crate::rep::Rep;
use crate::staged::Staged;

use std::rc::Rc;

/// Rule for the elements beyond the borders of a grid.
#[derive(Clone, Copy, Debug)]
pub enum Boundary<T> {
    /// The nearest element of the grid.
    Clamp,
    /// The grid is repeated along each axis.
    Wrap,
    /// All of them are the same value.
    Constant(T),
}

impl<T> Boundary<T> {
    /// The rule with a function of its value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Boundary<U> {
        match self {
            Boundary::Clamp => Boundary::Clamp,
            Boundary::Wrap => Boundary::Wrap,
            Boundary::Constant(value) => Boundary::Constant(change(value)),
        }
    }
}

/// An element and those near it.
pub struct Neighbours<'a, T, const D: usize> {
    radius: [u32; D],
    /// The element at an offset within the radius.
    at: &'a dyn Fn([i32; D]) -> T,
}

impl<T, const D: usize> std::fmt::Debug for Neighbours<'_, T, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Neighbours").field("radius", &self.radius).finish_non_exhaustive()
    }
}

impl<T, const D: usize> Neighbours<'_, T, D> {
    /// The element at an offset, which is known now; `[0, 0]` is the one in the middle.
    ///
    /// # Panics
    /// If the offset is beyond the radius of the stencil.
    #[track_caller]
    #[must_use]
    pub fn at(&self, offset: [i32; D]) -> T {
        let fits = offset.iter().zip(self.radius).all(|(offset, radius)| offset.unsigned_abs() <= radius);
        assert!(fits, "the offset {offset:?} is beyond the radius {:?} of the stencil", self.radius);
        (self.at)(offset)
    }
}

/// An index with an offset that is known now; it may be beyond the borders, where it wraps around 2³².
fn moved<const D: usize>(index: Index<D>, offset: [i32; D]) -> Index<D> {
    std::array::from_fn(|axis| match offset[axis] {
        0 => index[axis],
        by if by < 0 => index[axis] - by.unsigned_abs(),
        by => index[axis] + by.unsigned_abs(),
    })
}

/// The nearest index of an axis.
fn clamped(index: Rep<u32>, by: i32, len: Rep<u32>) -> Rep<u32> {
    let distance = by.unsigned_abs();
    match by {
        0 => index,
        ..0 => select(index.lt(distance), 0, index - distance),
        _ => select((len - 1 - index).lt(distance), len - 1, index + distance),
    }
}

/// The index of an axis that is repeated.
fn wrapped(index: Rep<u32>, by: i32, len: Rep<u32>) -> Rep<u32> {
    let distance = Rep::new(by.unsigned_abs()).rem_or_zero(len);
    match by {
        0 => index,
        ..0 => select(index.lt(distance), index + (len - distance), index - distance),
        _ => select(index.ge(len - distance), index - (len - distance), index + distance),
    }
}

/// Whether the index with an offset is one of the axis.
fn is_inside(index: Rep<u32>, by: i32, len: Rep<u32>) -> Option<Rep<bool>> {
    let distance = by.unsigned_abs();
    match by {
        0 => None,
        ..0 => Some(index.ge(distance)),
        _ => Some((len - 1 - index).ge(distance)),
    }
}

impl<'g, T: Staged, const D: usize> Grid<'g, T, D> {
    /// The results of a function of each element and those near it, which are so far away at most along each axis. Beyond the borders the rule
    /// holds; the elements that are farther from them than the radius are made by loops of their own, without a test.
    #[must_use]
    pub fn stencil<U: 'g>(
        self,
        boundary: Boundary<T>,
        radius: [u32; D],
        make: impl Fn(Neighbours<'_, T, D>) -> U + 'g,
    ) -> Grid<'g, U, D> {
        let (shape, make) = (self.shape, Rc::new(make));
        let (at, inner_at) = (Rc::clone(&self.at), self.inner.as_ref().map_or(&self.at, |inner| &inner.at));
        let (inner_at, inner_make) = (Rc::clone(inner_at), Rc::clone(&make));
        let before = self.inner.as_ref().map_or([0; D], |inner| inner.margin);
        let margin = std::array::from_fn(|axis| radius[axis].saturating_add(before[axis]));
        let inner: At<'g, U, D> = Rc::new(move |index| {
            let near = |offset| inner_at(moved(index, offset));
            inner_make(Neighbours { radius, at: &near })
        });
        let outer: At<'g, U, D> = Rc::new(move |index| {
            let near = |offset: [i32; D]| {
                let each = |change: fn(Rep<u32>, i32, Rep<u32>) -> Rep<u32>| {
                    at(std::array::from_fn(|axis| change(index[axis], offset[axis], shape[axis])))
                };
                match &boundary {
                    Boundary::Clamp => each(clamped),
                    Boundary::Wrap => each(wrapped),
                    Boundary::Constant(value) => {
                        let tests = (0..D).filter_map(|axis| is_inside(index[axis], offset[axis], shape[axis]));
                        match tests.reduce(|a, b| a & b) {
                            None => at(index),
                            Some(inside) => where_inside(inside, || at(moved(index, offset)), || value.clone()),
                        }
                    }
                }
            };
            make(Neighbours { radius, at: &near })
        });
        Grid { shape, at: outer, inner: Some(Inner { margin, at: inner }) }
    }
}
