//! What is known at a point of the program that is being written: the values of promoted memory, of other memory, and
//! facts that hold because of the branch that was taken. Scoped: everything can be undone back to a mark.

use planish_ir::entity::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// Something that may have a known value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(super) enum Key {
    /// A part of promoted memory, by number. It has a value wherever its variable is in scope.
    Slot(u32),
    /// What is behind a pointer of the new function.
    Memory(Value),
    /// What a value of the new function equals here.
    Fact(Value),
    /// The result of a node that has been made here, by number.
    Made(u32),
}

/// What changed, and what it is now.
pub(super) type Delta = Vec<(Key, Option<Value>)>;

/// All that is known.
#[derive(Default)]
pub(super) struct State {
    known: FxHashMap<Key, Value>,
    /// Keys that were changed, with what they were before.
    log: Vec<(Key, Option<Value>)>,
}

impl State {
    /// What is known of a key.
    pub(super) fn get(&self, key: Key) -> Option<Value> {
        self.known.get(&key).copied()
    }

    /// Sets what is known, or that nothing is.
    pub(super) fn set(&mut self, key: Key, value: Option<Value>) {
        let old = match value {
            Some(value) => self.known.insert(key, value),
            None => self.known.remove(&key),
        };
        if old != value {
            self.log.push((key, old));
        }
    }

    /// Where the log stands.
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// What has been touched since the mark, each key once, in a fixed order, with what is known of it now: also where that is
    /// what it was, since on the way there it may have been something else.
    pub(super) fn changes(&self, mark: usize) -> Delta {
        self.changes_of(mark, |_| true)
    }

    /// As [`State::changes`], of some keys only.
    pub(super) fn changes_of(&self, mark: usize, wanted: impl Fn(Key) -> bool) -> Delta {
        let mut keys: Vec<Key> = self.log[mark..].iter().map(|&(key, _)| key).filter(|&key| wanted(key)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.into_iter().map(|key| (key, self.get(key))).collect()
    }

    /// Keeps of each key only the first change since the mark, and takes back what became of keys that `keep` does not want;
    /// nobody holds a later mark.
    pub(super) fn compact(&mut self, mark: usize, mut keep: impl FnMut(Key) -> bool) {
        let mut seen: FxHashSet<Key> = FxHashSet::default();
        let mut kept = mark;
        for i in mark..self.log.len() {
            let (key, old) = self.log[i];
            if !seen.insert(key) {
                continue;
            }
            if keep(key) {
                self.log[kept] = (key, old);
                kept += 1;
            } else {
                match old {
                    Some(value) => self.known.insert(key, value),
                    None => self.known.remove(&key),
                };
            }
        }
        self.log.truncate(kept);
    }

    /// Puts back what was known at the mark.
    pub(super) fn revert(&mut self, mark: usize) {
        while self.log.len() > mark {
            let (key, old) = self.log.pop().expect("the log is longer than the mark");
            match old {
                Some(value) => self.known.insert(key, value),
                None => self.known.remove(&key),
            };
        }
    }

    /// Applies changes.
    pub(super) fn apply(&mut self, delta: &Delta) {
        for &(key, value) in delta {
            self.set(key, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planish_ir::entity::Const;

    #[test]
    fn a_mark_brings_everything_back() {
        let value = |n| Value::from(Const::from_u32(n));
        let mut state = State::default();
        state.set(Key::Slot(0), Some(value(1)));
        let mark = state.mark();
        state.set(Key::Slot(0), Some(value(2)));
        state.set(Key::Slot(1), Some(value(3)));
        state.set(Key::Slot(0), Some(value(4)));
        assert_eq!(state.changes(mark), [(Key::Slot(0), Some(value(4))), (Key::Slot(1), Some(value(3)))]);
        state.revert(mark);
        assert_eq!((state.get(Key::Slot(0)), state.get(Key::Slot(1))), (Some(value(1)), None));
        assert_eq!(state.changes(mark), []);
    }
}
