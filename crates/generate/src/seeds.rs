//! Reproducible random bytes for tests.

use crate::Choices;

/// Calls `check` with `size` random bytes for each seed. If it panics, the seed is printed.
///
/// ```
/// let mut all = Vec::new();
/// planish_generate::for_each_seed(0..3, 5, |bytes| all.push(bytes.to_vec()));
/// assert!(all.len() == 3 && all[0].len() == 5 && all[0] != all[1]);
/// ```
pub fn for_each_seed(seeds: impl IntoIterator<Item = u64>, size: usize, mut check: impl FnMut(&[u8])) {
    struct Told(u64);
    impl Drop for Told {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("with seed {}", self.0);
            }
        }
    }
    for seed in seeds {
        let told = Told(seed);
        check(&Choices::from_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)).bytes(size));
        drop(told);
    }
}
