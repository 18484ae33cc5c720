//! The facts at a point of the program that is being built: the values of promoted memory, of other memory, and
//! facts that hold because of the branch that was taken. Scoped: everything can be undone back to a mark.

use std::collections::BTreeMap;

use planish_ir::entity::{Const, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Something that may have a known value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(super) enum Key {
    /// A part of promoted memory, by number. It has a value wherever its variable is in scope.
    Slot(u32),
    /// The content of memory at a pointer of the new function.
    Memory(Value),
    /// The value that a value of the new function equals here.
    Fact(Value),
    /// The result of a node that has been made here, by number.
    Made(u32),
    /// The content of a place of a byte memory: one of [`MOST_BYTES`] keys, which hold a [`number`] of place and value.
    Bytes(u32),
    /// The offset from an address in a byte memory, by number, up to which accesses are in bounds, as a [`number`]: it only
    /// grows.
    End(u32),
}

/// Places of byte memories whose content is known at one point.
pub(super) const MOST_BYTES: u32 = 128;

/// The value of a key that holds no value of the function, but a number below 2³⁰.
pub(super) fn number(number: u32) -> Value {
    Const::from_u32(number).into()
}

/// The number that a key holds.
pub(super) fn numbered(held: Value) -> u32 {
    held.as_const().expect("it is a number").as_u32()
}

/// The changed keys, each with its present value.
pub(super) type Delta = Vec<(Key, Option<Value>)>;

/// A point that can be gone back to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Since {
    changes: usize,
    facts: usize,
}

/// The known value of a key.
#[derive(Clone, Copy, Default)]
struct Known {
    value: Option<Value>,
    /// 1 + position in the log of its earlier value; 0 if none.
    logged: usize,
}

/// A key that was changed, with its earlier value.
type Change = (Key, Known);

/// Facts that edges may carry beyond those of [`FACTS_EACH`].
const FACTS: usize = 1 << 16;

/// Facts that edges may carry for each block. Where many edges lead out of a long or deep construct, each would carry most
/// of the facts found in it.
const FACTS_EACH: usize = 16;

/// All that is known.
#[derive(Default)]
pub(super) struct State {
    known: FxHashMap<Key, Known>,
    /// Changes of memory.
    log: Vec<Change>,
    /// Keys of memory by their last change, so that the exit of a deep construct need not visit all changes in it again.
    recent: BTreeMap<usize, Key>,
    /// The pointers whose memory is known.
    pointers: FxHashSet<Value>,
    /// The keys of bytes that are known, one bit each.
    bytes: u128,
    /// Changes of all else. What holds where a construct is entered holds as long as its values are there, so these may be
    /// forgotten.
    facts: Vec<Change>,
    /// The last point that may be rolled back to: each key changed since is logged once.
    last: Since,
    /// Number of blocks that were begun.
    blocks: usize,
    /// Facts that edges carry.
    carried: usize,
}

fn is_memory(key: Key) -> bool {
    matches!(key, Key::Slot(_) | Key::Memory(_) | Key::Bytes(_))
}

impl State {
    /// The known value of a key.
    pub(super) fn get(&self, key: Key) -> Option<Value> {
        self.known.get(&key).and_then(|known| known.value)
    }

    /// Sets the known value of a key, or none.
    pub(super) fn set(&mut self, key: Key, value: Option<Value>) {
        let known = self.known.get(&key).copied().unwrap_or_default();
        if known.value == value {
            return;
        }
        let (log, last) =
            if is_memory(key) { (&mut self.log, self.last.changes) } else { (&mut self.facts, self.last.facts) };
        let mut logged = known.logged;
        if logged <= last {
            log.push((key, known));
            logged = log.len();
        }
        self.put(key, Known { value, logged });
    }

    fn put(&mut self, key: Key, now: Known) {
        let before =
            if now.value.is_none() && now.logged == 0 { self.known.remove(&key) } else { self.known.insert(key, now) };
        if is_memory(key) {
            let before = before.unwrap_or_default();
            if before.logged != now.logged {
                self.recent.remove(&before.logged);
                if now.logged > 0 {
                    self.recent.insert(now.logged, key);
                }
            }
        }
        if let Key::Memory(pointer) = key {
            if now.value.is_some() {
                self.pointers.insert(pointer)
            } else {
                self.pointers.remove(&pointer)
            };
        }
        if let Key::Bytes(key) = key {
            self.bytes = self.bytes & !(1 << key) | u128::from(now.value.is_some()) << key;
        }
    }

    /// The keys of bytes that are known now, in order.
    pub(super) fn known_bytes(&self) -> impl Iterator<Item = u32> + use<> {
        let mut left = self.bytes;
        std::iter::from_fn(move || {
            let key = (left != 0).then(|| left.trailing_zeros())?;
            left &= left - 1;
            Some(key)
        })
    }

    /// The pointers whose memory is known, in a fixed order.
    pub(super) fn known_memory(&self) -> Vec<Value> {
        let mut pointers: Vec<Value> = self.pointers.iter().copied().collect();
        pointers.sort_unstable();
        pointers
    }

    /// The present position of the log.
    pub(super) fn mark(&mut self) -> Since {
        self.last = Since { changes: self.log.len(), facts: self.facts.len() };
        self.last
    }

    /// A block begins, and no later mark than this one will be rolled back to.
    pub(super) fn begin_block(&mut self, last: Since) {
        self.last = last;
        self.blocks += 1;
    }

    /// The keys touched since the mark, each once, in a fixed order, with their present values: also if that is
    /// the old one, since it may have been another in between. Facts may be left out.
    pub(super) fn changes(&mut self, since: Since) -> Delta {
        let facts = &self.facts[since.facts..];
        let allowed = FACTS + self.blocks * FACTS_EACH;
        let facts = if self.carried + facts.len() <= allowed { facts } else { &[] };
        self.carried += facts.len();
        self.sorted(self.recent_since(since).chain(facts.iter().map(|&(key, _)| key)).collect())
    }

    /// The promoted keys that have been touched since the mark.
    pub(super) fn changed_slots(&self, since: Since) -> Delta {
        self.sorted(self.recent_since(since).filter(|key| matches!(key, Key::Slot(_))).collect())
    }

    /// Keys of memory that were changed since.
    fn recent_since(&self, since: Since) -> impl Iterator<Item = Key> {
        self.recent.range(since.changes + 1..).map(|(_, &key)| key)
    }

    fn sorted(&self, mut keys: Vec<Key>) -> Delta {
        keys.sort_unstable();
        keys.dedup();
        keys.into_iter().map(|key| (key, self.get(key))).collect()
    }

    /// Keeps of each key only the first change since the mark, and takes back what became of keys that `keep` does not want;
    /// no later mark is in use.
    pub(super) fn compact(&mut self, since: Since, mut keep: impl FnMut(Key) -> bool) {
        let (memory, facts) = (self.log.split_off(since.changes), self.facts.split_off(since.facts));
        let mut seen: FxHashSet<Key> = FxHashSet::default();
        for (key, before) in memory.into_iter().chain(facts).filter(|&(key, _)| seen.insert(key)).collect::<Vec<_>>() {
            let value = self.get(key);
            self.put(key, before);
            if keep(key) {
                let log = if is_memory(key) { &mut self.log } else { &mut self.facts };
                log.push((key, before));
                let logged = log.len();
                self.put(key, Known { value, logged });
            }
        }
        self.last = since;
    }

    /// Restores the state at the mark.
    pub(super) fn revert(&mut self, since: Since) {
        let (memory, facts) = (self.log.split_off(since.changes), self.facts.split_off(since.facts));
        memory.into_iter().rev().chain(facts.into_iter().rev()).for_each(|(key, before)| self.put(key, before));
        self.last = since;
    }

    /// Applies changes.
    pub(super) fn apply(&mut self, delta: &Delta) {
        for &(key, value) in delta {
            self.set(key, value);
        }
    }
}
