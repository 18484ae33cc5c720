//! Things at addresses that do not change, and large blocks of zeros.

use std::alloc::Layout;
use std::ptr::NonNull;

/// An owned object at a stable address, to which others may point.
pub(super) struct Owned<T: ?Sized>(NonNull<T>);

impl<T: ?Sized> Owned<T> {
    pub(super) fn new(value: Box<T>) -> Self {
        Owned(NonNull::from(Box::leak(value)))
    }

    pub(super) fn pointer(&self) -> *mut T {
        self.0.as_ptr()
    }

    pub(super) fn get(&self) -> &T {
        // SAFETY: code, which alone uses the pointer, runs only while the world that owns this is borrowed for itself.
        unsafe { self.0.as_ref() }
    }

    pub(super) fn get_mut(&mut self) -> &mut T {
        // SAFETY: as for `get`.
        unsafe { self.0.as_mut() }
    }
}

impl<T: ?Sized> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer comes from a box, and is dropped once.
        unsafe { drop(Box::from_raw(self.0.as_ptr())) }
    }
}

// SAFETY: it owns what it points to.
unsafe impl<T: ?Sized + Send> Send for Owned<T> {}
// SAFETY: as above; it gives no access to others.
unsafe impl<T: ?Sized + Sync> Sync for Owned<T> {}

/// A number for which all bits zero is a valid value.
///
/// # Safety
/// All bits zero is a valid value, and its size is not zero.
pub(crate) unsafe trait Number: Copy {}
// SAFETY: any bits are an integer.
unsafe impl Number for u8 {}
// SAFETY: as above.
unsafe impl Number for u64 {}

/// `count` zeros, or `None` if out of memory (`vec!` would abort the process). Pages are allocated lazily by the
/// system.
pub(crate) fn zeros<T: Number>(count: usize) -> Option<Vec<T>> {
    let layout = Layout::array::<T>(count).ok()?;
    if count == 0 {
        return Some(Vec::new());
    }
    // SAFETY: the layout has a size.
    let start = unsafe { std::alloc::alloc_zeroed(layout) }.cast::<T>();
    // SAFETY: it comes from the allocator that vectors use, with the layout of `count` numbers, which are all zero.
    (!start.is_null()).then(|| unsafe { Vec::from_raw_parts(start, count, count) })
}
