//! Dense arenas and side tables, keyed by the ids of [`crate::entity`].
//!
//! Written here because a rollback must shorten an arena, which the entity maps of other compilers cannot do.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense 32-bit id.
pub trait Id: Copy + Eq {
    /// The id with this index.
    fn new(index: usize) -> Self;
    /// Its index.
    fn index(self) -> usize;
}

/// Values with ids, in the order they were made. Append-only, but for [`Arena::truncate`].
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
    /// Empty.
    pub const fn new() -> Self {
        Arena { values: Vec::new(), key: PhantomData }
    }

    /// Empty, with room for so many.
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

    /// Adds a value that is made where it stays, which is cheaper for a large one.
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

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A value, if the id is in range.
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

    /// All values, in order, to change.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.values.iter_mut()
    }

    /// All ids with their values, in order.
    #[inline]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.values.iter().enumerate().map(|(i, v)| (K::new(i), v))
    }

    /// Forgets the values from number `len` on.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
    }

    /// All values in an arena of just their size; this one is empty, but keeps its room.
    pub fn take(&mut self) -> Self {
        self.values.drain(..).collect()
    }

    /// All ids with their values, in order, taken out.
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

/// A value for each id of somebody else's arena; `V::default()` for those never set.
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
    /// Default everywhere.
    pub fn new() -> Self {
        SideTable { values: Vec::new(), default: V::default(), key: PhantomData }
    }

    /// Default everywhere, with room for so many.
    pub fn with_capacity(capacity: usize) -> Self {
        SideTable { values: Vec::with_capacity(capacity), default: V::default(), key: PhantomData }
    }

    /// Forgets what was set from index `len` on.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.values.truncate(len);
    }

    /// Default everywhere again.
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
