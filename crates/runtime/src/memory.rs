//! Operations on the bytes of memories and the items of tables, with checks.

use std::ops::Range;

/// `start .. start + len`, if it lies within `size`. Numbers are those of the program, of 32 bits.
fn range(start: u64, len: u64, size: usize) -> Option<Range<usize>> {
    let end = start.checked_add(len)?;
    (end <= size as u64).then_some(start as usize..end as usize)
}

/// Fills `len` items from `at` on; `None` if that is out of bounds.
pub(crate) fn fill<T: Copy>(items: &mut [T], at: u64, item: T, len: u64) -> Option<()> {
    let place = range(at, len, items.len())?;
    items[place].fill(item);
    Some(())
}

/// Copies `len` items to `at`; `None` if that is out of bounds on either side.
pub(crate) fn copy<T: Copy>(to: &mut [T], from: &[T], at: u64, start: u64, len: u64) -> Option<()> {
    let source = range(start, len, from.len())?;
    let place = range(at, len, to.len())?;
    to[place].copy_from_slice(&from[source]);
    Some(())
}

/// As [`copy`], within one run of items.
pub(crate) fn copy_within<T: Copy>(items: &mut [T], at: u64, start: u64, len: u64) -> Option<()> {
    let source = range(start, len, items.len())?;
    let place = range(at, len, items.len())?;
    items.copy_within(source, place.start);
    Some(())
}

/// Zeros, if there is memory for them.
pub(crate) fn zeros<T: Copy + Default>(len: usize) -> Option<Box<[T]>> {
    let mut items = Vec::new();
    items.try_reserve_exact(len).ok()?;
    items.resize(len, T::default());
    Some(items.into_boxed_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_out_of_bounds_is_touched() {
        let mut items = [1u8, 2, 3, 4];
        assert_eq!(fill(&mut items, 2, 9, 3), None);
        assert_eq!(copy_within(&mut items, 3, 0, 2), None);
        assert_eq!(copy(&mut items, &[7], 0, u64::from(u32::MAX), 1), None);
        assert_eq!(items, [1, 2, 3, 4]);
        assert_eq!(copy_within(&mut items, 1, 0, 3), Some(()));
        assert_eq!(items, [1, 1, 2, 3]);
        assert_eq!(fill(&mut items, 4, 9, 0), Some(()));
    }
}
