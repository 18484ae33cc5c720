//! Memories with guard pages: addresses for the largest size, of which a part can be accessed.
//!
//! ```text
//! start        start + size                       start + 4 GiB    + GUARD
//!  | accessible | grows into this part: no access  | no access      |
//! ```
//!
//! An index of 32 bits and an offset that fits the guard end within the reservation: an access beyond the size is a fault
//! of the processor, which [`super::faults`] turns into a trap. The bytes never move.

use std::ops::{Deref, DerefMut};
use std::ptr::{NonNull, null_mut};

use planish_back_native::abi;
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

/// Reserved addresses. It dereferences to the accessible bytes, zeros at first.
pub(crate) struct Reservation {
    start: NonNull<u8>,
    accessible: usize,
}

// SAFETY: it owns its pages.
unsafe impl Send for Reservation {}
// SAFETY: shared, they are only read.
unsafe impl Sync for Reservation {}

impl Reservation {
    /// Bytes of addresses.
    pub(super) const SIZE: usize = abi::RESERVATION;

    /// Reserves addresses, of which the first `accessible` bytes can be accessed, a multiple of 64 KiB up to 4 GiB; `None`
    /// if the system does not give them.
    pub(crate) fn new(accessible: usize) -> Option<Self> {
        // SAFETY: the mapping is new, at addresses that the system chooses.
        let start = unsafe { mmap_anonymous(null_mut(), Self::SIZE, ProtFlags::empty(), MapFlags::PRIVATE) };
        let mut reservation = Reservation { start: NonNull::new(start.ok()?.cast())?, accessible: 0 };
        reservation.grow(accessible).then_some(reservation)
    }

    /// Makes the first `size` bytes accessible, a multiple of 64 KiB up to 4 GiB that is not below the present size;
    /// `false` if the system has no memory for them.
    pub(super) fn grow(&mut self, size: usize) -> bool {
        assert!(self.accessible <= size && size <= 1 << 32, "a memory grows to 4 GiB at most");
        if size == self.accessible {
            return true;
        }
        // SAFETY: the part lies within the mapping, and nothing refers to it yet.
        let made = unsafe {
            let part = self.start.as_ptr().add(self.accessible);
            mprotect(part.cast(), size - self.accessible, MprotectFlags::READ | MprotectFlags::WRITE)
        };
        if made.is_ok() {
            self.accessible = size;
        }
        made.is_ok()
    }
}

impl Deref for Reservation {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: so many bytes are accessible, and they are owned.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.accessible) }
    }
}

impl DerefMut for Reservation {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `deref`.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.accessible) }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // SAFETY: the mapping is owned, and nothing refers to it any more.
        let freed = unsafe { munmap(self.start.as_ptr().cast(), Self::SIZE) };
        debug_assert!(freed.is_ok(), "the mapping has the size that it was made with");
    }
}
