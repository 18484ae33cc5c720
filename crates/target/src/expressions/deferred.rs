//! The list of deferred values.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Local, Value};
use smallvec::SmallVec;

use super::{Effects, Uses};

/// Maximum number of deferred values with an effect. Each is compared with each, so this bounds the time per node.
const MAX_DEFERRED: usize = 16;

/// A deferred value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pending {
    /// Effects of its whole expression.
    pub effects: Effects,
    /// Resources that its evaluation needs at once, in a unit of the back end (stack slots, operators).
    pub height: u32,
}

/// The deferred values.
#[derive(Clone, Debug, Default)]
pub struct Deferred {
    pending: SideTable<Local, Option<Pending>>,
    /// Those with an effect, in the order in which they must seem to be evaluated.
    order: Vec<Local>,
}

impl Deferred {
    /// No deferred values.
    pub fn new() -> Self {
        Self::default()
    }

    /// A value, if it is deferred.
    pub fn get(&self, local: Local) -> Option<Pending> {
        self.pending[local]
    }

    /// The deferred values of `read`, in the order of reading.
    pub fn among(&self, uses: &Uses, read: &[Value]) -> SmallVec<[Local; 4]> {
        let locals = read.iter().filter_map(|&v| uses.resolve(v).as_local());
        locals.filter(|&l| self.pending[l].is_some()).collect()
    }

    /// The effects of evaluating `read`, together with `own`.
    pub fn effects(&self, uses: &Uses, read: &[Value], own: Effects) -> Effects {
        self.among(uses, read).iter().fold(own, |all, &l| all.with(self.effects_of(l)))
    }

    fn effects_of(&self, local: Local) -> Effects {
        self.pending[local].expect("it is deferred").effects
    }

    /// Values to materialize, in this order, before something is evaluated that reads `read`. Afterwards every deferred
    /// value of `read` may be evaluated, in the order of reading, and (with `here`, the effects of the whole) ahead of
    /// all other deferred values.
    pub fn before(&self, uses: &Uses, read: &[Value], here: Option<Effects>) -> Vec<Local> {
        let read = self.among(uses, read);
        let place = |local: Local| read.iter().position(|&r| r == local);
        let count = self.order.len();
        let mut first = vec![false; count];
        for i in (0..count).rev() {
            let local = self.order[i];
            let effects = self.effects_of(local);
            let mine = place(local);
            // It would now come after an entry that it was before.
            let passed = (i + 1..count).any(|j| {
                let other = place(self.order[j]);
                let passes = match (mine, other) {
                    (Some(mine), Some(other)) => mine > other,
                    (Some(_), None) => true,
                    (None, _) => false,
                };
                passes && effects.conflicts(self.effects_of(self.order[j]))
            });
            let overtaken = mine.is_none() && here.is_some_and(|here| here.conflicts(effects));
            let before_forced = (i + 1..count).any(|j| first[j] && effects.conflicts(self.effects_of(self.order[j])));
            first[i] = passed || overtaken || before_forced;
        }
        (0..count).filter(|&i| first[i]).map(|i| self.order[i]).collect()
    }

    /// Every deferred value with an effect, in order, except those in `keep`.
    pub fn all_but(&self, uses: &Uses, keep: &[Value]) -> Vec<Local> {
        let keep = self.among(uses, keep);
        self.order.iter().copied().filter(|l| !keep.contains(l)).collect()
    }

    /// Defers a value. Returns the oldest deferred value if too many are deferred: it must be materialized.
    #[must_use]
    pub fn defer(&mut self, local: Local, pending: Pending) -> Option<Local> {
        self.pending[local] = Some(pending);
        if !pending.effects.is_pure() {
            self.order.push(local);
        }
        (self.order.len() > MAX_DEFERRED).then(|| self.order[0])
    }

    /// Takes values off the list: they are evaluated next.
    pub fn remove(&mut self, locals: &[Local]) {
        self.order.retain(|l| !locals.contains(l));
    }

    /// Marks a value as evaluated.
    pub fn evaluated(&mut self, local: Local) {
        self.pending[local] = None;
    }
}
