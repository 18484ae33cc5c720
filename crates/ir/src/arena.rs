//! Dense arenas and side tables, keyed by the ids of [`crate::entity`].
//!
//! Not a library, because a rollback truncates arenas, which entity maps of other compilers do not support.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense 32-bit id.
pub trait Id: Copy + Eq {
    /// The id with this index.
    fn new(index: usize) -> Self;
    /// Its index.
    fn index(self) -> usize;
}

/// Values with ids, in creation order. Append-only, except for [`Arena::truncate`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arena<K, V> {
    values: Vec<V>,
    key: PhantomData<K>,
}

impl<K: Id, V> Default for Arena<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Id, V> Arena<K, V> {
    /// An empty arena.
    pub const fn new() -> Self {
        Arena { values: Vec::new(), key: PhantomData }
    }

    /// An empty arena with the given capacity.
    pub fn with_capacity(capacity: usize) -> Self {
        Arena { values: Vec::with_capacity(capacity), key: PhantomData }
    }

    /// Adds a value.
    #[inline]
    pub fn push(&mut self, value: V) -> K {
        let key = self.next_key();
        self.values.push(value);
        key
    }

    /// Appends a default value in place, cheaper than a move for large values.
    #[inline]
    pub fn push_default(&mut self) -> K
    where
        V: Default,
    {
        let key = self.next_key();
        self.values.resize_with(key.index() + 1, V::default);
        key
    }

    /// The id that the next value gets.
    #[inline]
    pub fn next_key(&self) -> K {
        K::new(self.values.len())
    }

    /// Number of values.
    #[inline]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether it has no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value, or `None` if the id is out of range.
    #[inline]
    pub fn get(&self, key: K) -> Option<&V> {
        self.values.get(key.index())
    }

    /// All ids, in order.
    #[inline]
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.values.len()).map(K::new)
    }

    /// All values, in order.
    #[inline]
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.values.iter()
    }

    /// All values, in order, mutably.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.values.iter_mut()
    }

    /// All ids with their values, in order.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.values.iter().enumerate().map(|(i, v)| (K::new(i), v))
    }

    /// Removes the values from index `len` on.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
    }

    /// Removes the values from index `len` on; returns them in order.
    pub fn split_off(&mut self, len: usize) -> Vec<V> {
        if len < self.values.len() { self.values.split_off(len) } else { Vec::new() }
    }

    /// Moves all values to an arena of exact size; this one is empty, but keeps its memory.
    pub fn take(&mut self) -> Self {
        self.values.drain(..).collect()
    }

    /// Consumes the arena into its ids and values, in order.
    pub fn into_entries(self) -> impl Iterator<Item = (K, V)> {
        self.values.into_iter().enumerate().map(|(i, v)| (K::new(i), v))
    }
}

impl<K: Id, V> FromIterator<V> for Arena<K, V> {
    fn from_iter<I: IntoIterator<Item = V>>(iter: I) -> Self {
        Arena { values: iter.into_iter().collect(), key: PhantomData }
    }
}

impl<K: Id, V> Index<K> for Arena<K, V> {
    type Output = V;
    #[inline]
    fn index(&self, key: K) -> &V {
        &self.values[key.index()]
    }
}

impl<K: Id, V> IndexMut<K> for Arena<K, V> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.values[key.index()]
    }
}

/// A value for each id of an arena; `V::default()` where unset.
#[derive(Clone, Debug)]
pub struct SideTable<K, V> {
    values: Vec<V>,
    default: V,
    key: PhantomData<K>,
}

impl<K: Id, V: Clone + Default> Default for SideTable<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Id, V: Clone + Default> SideTable<K, V> {
    /// A table of default values.
    pub fn new() -> Self {
        SideTable { values: Vec::new(), default: V::default(), key: PhantomData }
    }

    /// A table of default values with the given capacity.
    pub fn with_capacity(capacity: usize) -> Self {
        SideTable { values: Vec::with_capacity(capacity), default: V::default(), key: PhantomData }
    }

    /// Resets values from index `len` on to the default.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
    }

    /// Resets all values to the default.
    pub fn clear(&mut self) {
        self.values.clear();
    }
}

impl<K: Id, V: Clone + Default> Index<K> for SideTable<K, V> {
    type Output = V;
    #[inline]
    fn index(&self, key: K) -> &V {
        self.values.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: Id, V: Clone + Default> IndexMut<K> for SideTable<K, V> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut V {
        let index = key.index();
        if index >= self.values.len() {
            self.values.resize(index + 1, self.default.clone());
        }
        &mut self.values[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Node;

    #[test]
    fn side_tables_grow_on_write_only() {
        let mut table: SideTable<Node, u32> = SideTable::new();
        assert_eq!(table[Node::new(7)], 0);
        table[Node::new(3)] = 5;
        assert_eq!((table[Node::new(3)], table[Node::new(2)], table[Node::new(9)]), (5, 0, 0));
        table.truncate(3);
        assert_eq!(table[Node::new(3)], 0);
    }
}
