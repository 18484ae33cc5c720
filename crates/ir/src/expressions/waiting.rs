//! The values that are put off.

use smallvec::SmallVec;

use super::{Effects, Uses};
use crate::arena::SideTable;
use crate::entity::{Local, Value};

/// Entries with an effect that may wait. Each is compared with each, so this bounds the time a node takes.
const MAX_WAITING: usize = 16;

/// A value that is put off.
#[derive(Clone, Copy, Debug, Default)]
pub struct Late {
    /// Of all that is evaluated with it.
    pub effects: Effects,
    /// How much its evaluation holds at once, in a measure of the back end.
    pub height: u32,
}

/// The values that are put off.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    late: SideTable<Local, Option<Late>>,
    /// What has an effect, in the order in which it must seem to happen.
    order: Vec<Local>,
}

impl Waiting {
    /// Nothing is put off.
    pub fn new() -> Self {
        Self::default()
    }

    /// A value, if it is put off.
    pub fn get(&self, local: Local) -> Option<Late> {
        self.late[local]
    }

    /// Of the values that something reads, those that are put off, in the order of reading.
    pub fn among(&self, uses: &Uses, read: &[Value]) -> SmallVec<[Local; 4]> {
        let locals = read.iter().filter_map(|&v| uses.resolve(v).as_local());
        locals.filter(|&l| self.late[l].is_some()).collect()
    }

    /// The effects of evaluating what something reads, and then itself.
    pub fn effects(&self, uses: &Uses, read: &[Value], own: Effects) -> Effects {
        self.among(uses, read).iter().fold(own, |all, &l| all.with(self.late_effects(l)))
    }

    fn late_effects(&self, local: Local) -> Effects {
        self.late[local].expect("it is put off").effects
    }

    /// Before something is evaluated that reads `read`: what must be evaluated first, in this order. Afterwards everything
    /// of `read` that is still put off may be evaluated here, in the order of reading, and (with `here`, the effects of the
    /// whole) ahead of all that still waits.
    pub fn before(&self, uses: &Uses, read: &[Value], here: Option<Effects>) -> Vec<Local> {
        let read = self.among(uses, read);
        let place = |local: Local| read.iter().position(|&r| r == local);
        let count = self.order.len();
        let mut first = vec![false; count];
        for i in (0..count).rev() {
            let local = self.order[i];
            let effects = self.late_effects(local);
            let mine = place(local);
            // What it would now come after, though it was before it.
            let passed = (i + 1..count).any(|j| {
                let other = place(self.order[j]);
                let passes = match (mine, other) {
                    (Some(mine), Some(other)) => mine > other,
                    (Some(_), None) => true,
                    (None, _) => false,
                };
                passes && effects.conflicts(self.late_effects(self.order[j]))
            });
            let overtaken = mine.is_none() && here.is_some_and(|here| here.conflicts(effects));
            let before_forced = (i + 1..count).any(|j| first[j] && effects.conflicts(self.late_effects(self.order[j])));
            first[i] = passed || overtaken || before_forced;
        }
        (0..count).filter(|&i| first[i]).map(|i| self.order[i]).collect()
    }

    /// Everything that has an effect and waits, in its order, but what is in `keep`.
    pub fn all_but(&self, uses: &Uses, keep: &[Value]) -> Vec<Local> {
        let keep = self.among(uses, keep);
        self.order.iter().copied().filter(|l| !keep.contains(l)).collect()
    }

    /// Puts a value off. What waited longest must now be evaluated, if too much waits.
    #[must_use]
    pub fn put_off(&mut self, local: Local, late: Late) -> Option<Local> {
        self.late[local] = Some(late);
        if !late.effects.is_pure() {
            self.order.push(local);
        }
        (self.order.len() > MAX_WAITING).then(|| self.order[0])
    }

    /// Says that values wait no longer: they are evaluated now.
    pub fn leave(&mut self, locals: &[Local]) {
        self.order.retain(|l| !locals.contains(l));
    }

    /// Says that a value is evaluated, here.
    pub fn evaluated(&mut self, local: Local) {
        self.late[local] = None;
    }
}
