//! Random cases that are the same ones every time.

use arbtest::arbitrary::{Result, Unstructured};

/// Runs a check on bytes of its own for each number. Where the bytes do not suffice, there is no case.
pub(crate) fn seeded(count: u64, size: usize, mut check: impl FnMut(&mut Unstructured<'_>) -> Result<()>) {
    planish_generate::for_each_seed(0..count, size, |bytes| {
        let _ = check(&mut Unstructured::new(bytes));
    });
}
