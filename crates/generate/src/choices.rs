//! Sources of decisions: a seeded generator, or the bytes of a fuzzer.

/// A stream of decisions.
#[derive(Clone, Debug)]
pub struct Choices<'a> {
    bytes: Option<&'a [u8]>,
    state: u64,
}

impl Choices<'static> {
    /// An endless stream from a seed (SplitMix64).
    pub fn from_seed(seed: u64) -> Self {
        Choices { bytes: None, state: seed }
    }

    /// `count` random bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let words = std::iter::repeat_with(|| self.word().to_le_bytes()).take(count.div_ceil(8));
        let mut bytes: Vec<u8> = words.flatten().collect();
        bytes.truncate(count);
        bytes
    }
}

impl<'a> Choices<'a> {
    /// A stream from bytes; once they are used up, every decision is the first alternative.
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        Choices { bytes: Some(bytes), state: 0 }
    }

    /// A number in `0..n`.
    /// Recursion: none: `word` calls `bits` for given bytes only, with which this does not call `word`.
    pub fn below(&mut self, n: usize) -> usize {
        debug_assert!(n > 0);
        if let Some(bytes) = &mut self.bytes {
            let Some((first, rest)) = bytes.split_first() else { return 0 };
            *bytes = rest;
            return *first as usize % n;
        }
        (self.word() % n as u64) as usize
    }

    /// A random item.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// True with a probability of `percent` percent; false once the bytes are used up.
    pub fn chance(&mut self, percent: usize) -> bool {
        99 - self.below(100) < percent
    }

    /// 32 bits.
    pub fn bits(&mut self) -> u32 {
        (0..4).fold(0, |bits, _| bits << 8 | self.below(256) as u32)
    }

    /// 64 bits.
    pub fn word(&mut self) -> u64 {
        if self.bytes.is_some() {
            return u64::from(self.bits()) << 32 | u64::from(self.bits());
        }
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
