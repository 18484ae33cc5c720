//! Random cases that are the same ones every time.

/// Runs a check on bytes of its own for each number: the same ones every time. The number of one that fails is told.
pub(crate) fn seeded(
    count: u64,
    size: usize,
    mut check: impl FnMut(&mut arbtest::arbitrary::Unstructured<'_>) -> arbtest::arbitrary::Result<()>,
) {
    struct Seed(u64);
    impl Drop for Seed {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("with seed {}", self.0);
            }
        }
    }
    for seed in 0..count {
        let told = Seed(seed);
        // splitmix64
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut word = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        };
        let bytes: Vec<u8> = std::iter::repeat_with(|| word().to_le_bytes()).take(size.div_ceil(8)).flatten().collect();
        // Where the bytes do not suffice, there is no case.
        let _ = check(&mut arbtest::arbitrary::Unstructured::new(&bytes));
        drop(told);
    }
}
