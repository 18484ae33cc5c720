//! Sets of small numbers.

/// A set of numbers below a bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// The empty set of numbers below `bound`.
    pub(crate) fn new(bound: usize) -> Self {
        Bits(vec![0; bound.div_ceil(64)])
    }

    pub(crate) fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 != 0
    }

    pub(crate) fn insert(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    pub(crate) fn remove(&mut self, i: usize) {
        self.0[i / 64] &= !(1 << (i % 64));
    }

    pub(crate) fn add_all(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    pub(crate) fn keep_common(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }
}
