//! Sets of lanes.

/// Maximum number of lanes: the largest compute work group of common devices.
pub const MAX_LANES: usize = 1024;

const WORDS: usize = MAX_LANES / 64;

/// A set of lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mask([u64; WORDS]);

impl Mask {
    pub(crate) const NONE: Mask = Mask([0; WORDS]);

    /// Lanes 0 to `n - 1`.
    pub(crate) fn first(n: usize) -> Self {
        let mut mask = Mask::NONE;
        for (i, word) in mask.0.iter_mut().enumerate() {
            let below = n.saturating_sub(64 * i).min(64);
            *word = if below == 0 { 0 } else { u64::MAX >> (64 - below) };
        }
        mask
    }

    /// The lanes of `self` with a nonzero word in `column`; a column of length one applies to all.
    pub(crate) fn select(&self, column: &[u64]) -> Self {
        if let [one] = *column {
            return if one != 0 { *self } else { Mask::NONE };
        }
        let mut mask = Mask::NONE;
        for (word, lanes) in mask.0.iter_mut().zip(column.chunks(64)) {
            *word = lanes.iter().enumerate().fold(0, |bits, (i, &x)| bits | u64::from(x != 0) << i);
        }
        mask.and(self)
    }

    pub(crate) fn insert(&mut self, lane: usize) {
        self.0[lane / 64] |= 1 << (lane % 64);
    }

    pub(crate) fn has(&self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 != 0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|&w| w == 0)
    }

    pub(crate) fn count(&self) -> usize {
        self.0.iter().filter(|&&w| w != 0).map(|w| w.count_ones() as usize).sum()
    }

    pub(crate) fn and(&self, other: &Mask) -> Self {
        Mask(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    pub(crate) fn or(&self, other: &Mask) -> Self {
        Mask(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    pub(crate) fn without(&self, other: &Mask) -> Self {
        Mask(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }

    /// The set as words of 64 lanes, the lowest first.
    pub(crate) fn words(&self) -> &[u64] {
        &self.0
    }

    /// The lowest lane.
    pub(crate) fn first_lane(&self) -> Option<usize> {
        self.lanes().next()
    }

    /// The lanes in order.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        let words = self.0;
        words.into_iter().enumerate().flat_map(|(i, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(64 * i + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets() {
        let mask = Mask::first(70);
        assert_eq!((mask.count(), mask.has(69), mask.has(70)), (70, true, false));
        assert_eq!(Mask::first(0), Mask::NONE);
        assert_eq!(Mask::first(MAX_LANES).count(), MAX_LANES);
        let mut column = [0; 70];
        column[3] = 9;
        column[65] = 1;
        assert_eq!(mask.select(&column).lanes().collect::<Vec<_>>(), [3, 65]);
        assert_eq!(mask.select(&[0]), Mask::NONE);
    }
}
