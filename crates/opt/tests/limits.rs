//! The table of limits.

use planish_opt::{LIMITS, Limits};

#[test]
fn every_row_is_its_field() {
    let mut limits = Limits::default();
    for (i, row) in LIMITS.iter().enumerate() {
        assert!(row.about.ends_with('.') && !row.about.contains("  "), "{row:?}");
        row.set(&mut limits, 1000 + i as u32);
    }
    assert_eq!((limits.unroll_iterations, limits.flat_components), (1000, 1000 + LIMITS.len() as u32 - 1));
    assert!(LIMITS.iter().enumerate().all(|(i, row)| row.get(&limits) == 1000 + i as u32));
}
