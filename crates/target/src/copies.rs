//! Parallel copies as a sequence: several registers are to hold what others hold now, all at once.
//!
//! ```text
//!  b ← a, c ← a, a ← c        c's old value is needed in a, and a's in both others
//!  b ← a                      b is written first: its old value is not needed. Now b is as good a source as a
//!  a ← c                      only a needs c; a itself is no longer needed
//!  c ← b                      c gets from b what it was to get from a: the cycle a, c needed no temporary
//! ```
//!
//! *Trees.* A register without further reads is written from its source at once. The source's other readers are then
//! served from the new copy (*source swapping*), so that the source, too, may be written if it is to be. Copies come
//! out in the order in which they are found: leaves come first, and copies that depend on their source come later.
//! *Cycles.* The rest are cycles in which every register is read once. Each costs one copy more, through a
//! temporary: a register that a tree has to write at the very end anyway, if there is one, else a fresh one.
//!
//! Time and memory are linear in the number of copies (sorted once).
//!
//! [`sequence_assignments`] does the same for targets with expressions, where an assignment reads any number of variables.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

/// Sequences parallel copies; its tables are reused.
///
/// # Example
/// ```
/// use planish_target::copies::ParallelCopies;
///
/// let mut copies = ParallelCopies::new();
/// copies.add(1, 0); // register 1 gets what register 0 holds
/// copies.add(0, 1);
/// let mut steps = vec![];
/// copies.sequence(|| 9, |to, from| steps.push((to, from)));
/// assert_eq!(steps, [(9, 0), (0, 1), (1, 9)]);
/// ```
#[derive(Clone, Debug)]
pub struct ParallelCopies<R> {
    /// Target and source of each copy, sorted by target when they are sequenced.
    copies: Vec<(R, R)>,
    /// For each copy: the index of the copy that writes its source, if one does.
    source_is: Vec<u32>,
    /// For each copy: how many copies still read its target.
    readers: Vec<u32>,
    /// For each copy: where its target's value is to be had, once it was taken elsewhere.
    taken_to: Vec<u32>,
    /// Copies whose target no copy reads.
    ready: Vec<u32>,
    /// Copies that need no temporary, in order.
    trees: Vec<(R, R)>,
}

const NO_COPY: u32 = u32::MAX;
/// In place of the number of readers: the copy has been made.
const DONE: u32 = u32::MAX;

impl<R> Default for ParallelCopies<R> {
    fn default() -> Self {
        ParallelCopies {
            copies: vec![],
            source_is: vec![],
            readers: vec![],
            taken_to: vec![],
            ready: vec![],
            trees: vec![],
        }
    }
}

impl<R: Copy + Ord> ParallelCopies<R> {
    /// No copies.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a copy. A register may be the target of one copy only; it may be the source of any number. A copy to itself is
    /// none.
    pub fn add(&mut self, to: R, from: R) {
        self.copies.push((to, from));
    }

    /// Whether no copy was added that moves anything.
    pub fn is_empty(&self) -> bool {
        self.copies.iter().all(|(to, from)| to == from)
    }

    /// The copy, if one was added and no other.
    #[inline]
    pub fn only(&self) -> Option<(R, R)> {
        if let [only] = *self.copies { Some(only) } else { None }
    }

    /// The registers that will be written.
    pub fn targets(&self) -> impl Iterator<Item = R> + '_ {
        self.copies.iter().map(|&(to, _)| to)
    }

    /// Forgets the copies.
    pub fn clear(&mut self) {
        self.copies.clear();
    }

    /// Whether [`ParallelCopies::sequence`] will ask for a temporary: there are cycles, and nothing else.
    pub fn needs_temporary(&mut self) -> bool {
        if let [(_, _)] | [] = *self.copies.as_slice() {
            return false;
        }
        self.prepare();
        !self.copies.is_empty() && self.ready.is_empty()
    }

    /// Calls `copy` with target and source of each step, in order, and forgets the copies. `temporary` is called at
    /// most once, and only if there are cycles and nothing else.
    ///
    /// # Panics
    /// In debug builds, if a register is the target of two copies.
    pub fn sequence(&mut self, temporary: impl FnOnce() -> R, mut copy: impl FnMut(R, R)) {
        match *self.copies.as_slice() {
            [] => return,
            [(to, from)] => {
                self.copies.clear();
                return if to != from {
                    copy(to, from)
                };
            }
            _ => {}
        }
        self.prepare();
        let leaf = self.ready.first().map(|&leaf| self.copies[leaf as usize].0);
        self.prune_trees();
        if self.trees.len() < self.copies.len() {
            // The value of a leaf is not read before it is written, so it may hold something else until then.
            self.break_cycles(leaf.unwrap_or_else(temporary), &mut copy);
        }
        for &(to, from) in &self.trees {
            copy(to, from);
        }
        self.copies.clear();
    }

    /// Sorts the copies, and counts the reads of each target.
    fn prepare(&mut self) {
        self.copies.retain(|(to, from)| to != from);
        self.copies.sort_unstable();
        debug_assert!(self.copies.windows(2).all(|pair| pair[0].0 != pair[1].0), "a register is written twice");
        let n = self.copies.len();
        for table in [&mut self.source_is, &mut self.readers, &mut self.taken_to] {
            table.clear();
        }
        self.trees.clear();
        self.ready.clear();
        self.readers.resize(n, 0);
        self.taken_to.resize(n, NO_COPY);
        for &(_, from) in &self.copies {
            let writer = self.copies.binary_search_by_key(&from, |copy| copy.0).ok();
            if let Some(writer) = writer {
                self.readers[writer] += 1;
            }
            self.source_is.push(writer.map_or(NO_COPY, |writer| writer as u32));
        }
        self.ready.extend((0..n as u32).filter(|&i| self.readers[i as usize] == 0));
    }

    /// Takes out every copy that can be made without a temporary.
    fn prune_trees(&mut self) {
        while let Some(i) = self.ready.pop() {
            let (to, mut from) = self.copies[i as usize];
            self.readers[i as usize] = DONE;
            let source = self.source_is[i as usize];
            if source != NO_COPY {
                let source = source as usize;
                if self.taken_to[source] == NO_COPY {
                    // From now on this copy serves the other readers of the source, which so becomes free.
                    self.taken_to[source] = i;
                    self.ready.push(source as u32);
                } else {
                    from = self.copies[self.taken_to[source] as usize].0;
                }
            }
            self.trees.push((to, from));
        }
    }

    /// Sequences the remaining cycles, in which each register is read once.
    fn break_cycles(&mut self, temporary: R, copy: &mut impl FnMut(R, R)) {
        for start in 0..self.copies.len() {
            if self.readers[start] == DONE {
                continue;
            }
            copy(temporary, self.copies[start].0);
            let mut i = start;
            loop {
                let (to, from) = self.copies[i];
                self.readers[i] = DONE;
                i = self.source_is[i] as usize;
                if i == start {
                    copy(to, temporary);
                    break;
                }
                copy(to, from);
            }
        }
    }
}

/// A step of [`sequence_assignments`]; assignments by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Evaluate it, and assign to its target.
    Assign(usize),
    /// Evaluate it into a temporary.
    Save(usize),
    /// Assign its temporary to its target.
    Restore(usize),
}

/// Orders assignments that seem to happen at once, so that none overwrites a variable that a later one reads: each is a target
/// (`None` if no assignment can read it) and the variables that its value reads. A cycle costs one temporary. What may come
/// first keeps the given order, after all temporaries. O(n log n) in the number of variables read.
///
/// ```
/// use planish_target::copies::{Step, sequence_assignments};
///
/// // a, b, i = b + i, cos(a), i + 1
/// let steps = sequence_assignments(&[(Some("a"), vec!["b", "i"]), (Some("b"), vec!["a"]), (Some("i"), vec!["i"])]);
/// assert_eq!(steps, [Step::Save(0), Step::Assign(1), Step::Restore(0), Step::Assign(2)]);
/// ```
pub fn sequence_assignments<T: Clone + Eq + std::hash::Hash>(assignments: &[(Option<T>, Vec<T>)]) -> Vec<Step> {
    if let [_] = assignments {
        return vec![Step::Assign(0)];
    }
    let mut writer: FxHashMap<&T, usize> = FxHashMap::default();
    for (at, (target, _)) in assignments.iter().enumerate() {
        writer.extend(target.iter().map(|target| (target, at)));
    }
    let mut graph = Readers { readers: vec![vec![]; assignments.len()], read: vec![vec![]; assignments.len()] };
    for (reader, (_, reads)) in assignments.iter().enumerate() {
        for &written in reads.iter().filter_map(|read| writer.get(read)) {
            if written != reader && !graph.read[reader].contains(&written) {
                graph.read[reader].push(written);
                graph.readers[written].push(reader);
            }
        }
    }
    graph.sequence()
}

/// The assignments that are left, as a graph.
struct Readers {
    /// By assignment: those that still read its target.
    readers: Vec<Vec<usize>>,
    /// By assignment: those whose targets it still reads.
    read: Vec<Vec<usize>>,
}

impl Readers {
    fn sequence(mut self) -> Vec<Step> {
        let count = self.readers.len();
        let mut left: BTreeSet<usize> = (0..count).collect();
        let mut free: BTreeSet<usize> = (0..count).filter(|&at| self.readers[at].is_empty()).collect();
        let mut saved = vec![false; count];
        let (mut saves, mut steps) = (vec![], Vec::with_capacity(count));
        while let Some(&first) = left.first() {
            let at = match free.pop_first() {
                Some(at) => at,
                None => {
                    let at = self.on_a_cycle(first);
                    saved[at] = true;
                    saves.push(Step::Save(at));
                    free.extend(self.evaluated(at));
                    continue;
                }
            };
            left.remove(&at);
            if saved[at] {
                steps.push(Step::Restore(at));
            } else {
                steps.push(Step::Assign(at));
                free.extend(self.evaluated(at));
            }
        }
        saves.extend(steps);
        saves
    }

    /// Notes that an assignment reads nothing any more; those that thereby become free.
    fn evaluated(&mut self, at: usize) -> Vec<usize> {
        let mut read = std::mem::take(&mut self.read[at]);
        read.retain(|&written| {
            self.readers[written].retain(|&reader| reader != at);
            self.readers[written].is_empty()
        });
        read
    }

    /// One on a cycle, where each has a reader. Those that only hang from a cycle, as `i` does in the example, stay blocked
    /// however often they are saved.
    fn on_a_cycle(&self, start: usize) -> usize {
        let mut met = vec![false; self.readers.len()];
        let mut at = start;
        while !std::mem::replace(&mut met[at], true) {
            at = self.readers[at][0];
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps for a set of copies, and whether a temporary was requested. It is register 99.
    fn sequence(copies: &[(u8, u8)]) -> (Vec<(u8, u8)>, bool) {
        let (mut parallel, mut steps, mut asked) = (ParallelCopies::new(), vec![], false);
        copies.iter().for_each(|&(to, from)| parallel.add(to, from));
        parallel.sequence(
            || {
                asked = true;
                99
            },
            |to, from| steps.push((to, from)),
        );
        (steps, asked)
    }

    /// The number of cycles that nothing hangs on, by following every register's source; and whether there is anything
    /// else to copy.
    fn pure_cycles(source: &[Option<u8>]) -> (usize, bool) {
        let moves = |r: usize| source[r].filter(|&from| from as usize != r);
        let readers = |r: usize| (0..source.len()).filter(|&to| moves(to) == Some(r as u8)).count();
        let (mut cycles, mut others) = (0, false);
        for start in 0..source.len() {
            let (mut at, mut least, mut closed) = (start, start, false);
            for _ in 0..source.len() {
                let Some(next) = moves(at) else { break };
                if readers(at) != 1 {
                    break;
                }
                at = next.into();
                least = least.min(at);
                if at == start {
                    closed = true;
                    break;
                }
            }
            cycles += usize::from(closed && least == start);
            others |= moves(start).is_some() && !closed;
        }
        (cycles, others)
    }

    /// Every set of copies over up to six registers: each is left alone or gets the value of any of them.
    #[test]
    fn every_set_over_six_registers_is_as_if_at_once_and_minimal() {
        for n in 1..=6usize {
            for code in 0..(n + 1).pow(n as u32) {
                let source: Vec<Option<u8>> = (0..n)
                    .map(|r| u8::try_from(code / (n + 1).pow(r as u32) % (n + 1)).ok().filter(|&s| usize::from(s) < n))
                    .collect();
                let copies: Vec<(u8, u8)> =
                    (0..n as u8).filter_map(|to| source[to as usize].map(|from| (to, from))).collect();
                let (steps, asked) = sequence(&copies);
                let mut registers: Vec<u8> = (0..100).collect();
                for &(to, from) in &steps {
                    registers[to as usize] = registers[from as usize];
                }
                for (to, from) in source.iter().enumerate() {
                    assert_eq!(registers[to], from.unwrap_or(to as u8), "{copies:?} became {steps:?}");
                }
                let (cycles, others) = pure_cycles(&source);
                let moving = copies.iter().filter(|(to, from)| to != from).count();
                assert_eq!(steps.len(), moving + cycles, "{copies:?} became {steps:?}");
                assert_eq!(asked, cycles > 0 && !others, "{copies:?} became {steps:?}");
            }
        }
    }

    /// The order matters: with `b ← a`, `c ← b` the old `b` goes to `c` before `b` gets the new value.
    #[test]
    fn a_chain_is_copied_from_its_end() {
        assert_eq!(sequence(&[(1, 0), (2, 1)]), (vec![(2, 1), (1, 0)], false));
    }

    #[test]
    fn whether_a_temporary_is_needed_is_known_before() {
        let needs = |copies: &[(u8, u8)]| {
            let mut parallel = ParallelCopies::new();
            copies.iter().for_each(|&(to, from)| parallel.add(to, from));
            parallel.needs_temporary()
        };
        assert!(needs(&[(0, 1), (1, 0)]));
        assert!(!needs(&[(0, 1), (1, 0), (2, 1)]));
        assert!(!needs(&[(0, 1), (1, 2)]));
        assert!(!needs(&[(0, 0), (1, 1)]));
    }

    #[test]
    fn a_register_that_is_written_later_serves_as_the_temporary() {
        let (steps, asked) = sequence(&[(0, 1), (1, 0), (5, 4)]);
        assert_eq!((steps, asked), (vec![(5, 0), (0, 1), (1, 5), (5, 4)], false));
    }

    /// Every set of assignments to four variables, each of which reads any of them.
    #[test]
    fn assignments_are_as_if_at_once() {
        for code in 0..1u32 << 16 {
            let reads = |at: usize| (0..4).filter(move |read| code >> (4 * at + read) & 1 == 1);
            let assignments: Vec<_> = (0..4).map(|at| (Some(at), reads(at).collect())).collect();
            let value =
                |variables: &[u64], at: usize| reads(at).map(|read| variables[read]).sum::<u64>() * 10 + at as u64;
            let before = [1, 100, 10_000, 1_000_000];
            let (mut variables, mut saved) = (before, [0; 4]);
            for step in sequence_assignments(&assignments) {
                match step {
                    Step::Assign(at) => variables[at] = value(&variables, at),
                    Step::Save(at) => saved[at] = value(&variables, at),
                    Step::Restore(at) => variables[at] = saved[at],
                }
            }
            assert_eq!(variables, [0, 1, 2, 3].map(|at| value(&before, at)), "{assignments:?}");
        }
    }
}
