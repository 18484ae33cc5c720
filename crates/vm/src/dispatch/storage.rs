//! Storage of programs: memories, tables, globals.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use planish_ir::host::ValType;
use planish_ir::module::MemoryData as Declared;

use super::owned::zeros;
#[cfg(planish_native)]
use super::reservation::Reservation;

const PAGE: usize = Declared::PAGE;
const MAX_PAGES: u32 = Declared::MAX_PAGES;

/// The bytes of a memory, followed by zeros to grow into.
pub(super) enum Bytes {
    /// They move when more are needed.
    Allocated(Vec<u8>),
    /// They have guard pages.
    #[cfg(planish_native)]
    Reserved(Reservation),
    /// They are the host's, for a time in which nobody else uses them.
    Lent(NonNull<[u8]>),
}

// SAFETY: those that are lent are borrowed for as long; the others are owned.
unsafe impl Send for Bytes {}
// SAFETY: shared, they are only read.
unsafe impl Sync for Bytes {}

impl Bytes {
    fn new(size: usize, guard_pages: bool) -> Option<Self> {
        #[cfg(planish_native)]
        if guard_pages {
            return Reservation::new(size).map(Bytes::Reserved);
        }
        debug_assert!(!guard_pages, "machine code alone has them");
        zeros(size).map(Bytes::Allocated)
    }

    /// Has at least `new` bytes, of which the first `old` are kept; `None` if that exceeds memory.
    fn grow(&mut self, old: usize, new: usize) -> Option<()> {
        match self {
            Bytes::Allocated(bytes) if new > bytes.len() => {
                // Spare capacity, if the system has enough memory.
                let capacity = new.saturating_add(new / 2).min(MAX_PAGES as usize * PAGE);
                let mut more = zeros(capacity).or_else(|| zeros(new))?;
                more[..old].copy_from_slice(&bytes[..old]);
                *bytes = more;
            }
            Bytes::Allocated(_) => {}
            #[cfg(planish_native)]
            Bytes::Reserved(reservation) => return reservation.grow(new).then_some(()),
            Bytes::Lent(bytes) => return (new <= bytes.len()).then_some(()),
        }
        Some(())
    }

    /// The first one. (No reference is made to those that are lent: they may be for reading only.)
    pub(super) fn start(&mut self) -> *mut u8 {
        match self {
            Bytes::Lent(bytes) => bytes.as_ptr().cast(),
            owned => owned.as_mut_ptr(),
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Allocated(bytes) => bytes,
            #[cfg(planish_native)]
            Bytes::Reserved(reservation) => reservation,
            // SAFETY: they are borrowed, and nobody writes to them meanwhile.
            Bytes::Lent(bytes) => unsafe { bytes.as_ref() },
        }
    }
}

impl DerefMut for Bytes {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Bytes::Allocated(bytes) => bytes,
            #[cfg(planish_native)]
            Bytes::Reserved(reservation) => reservation,
            // SAFETY: they are lent for that: if not, neither code nor a function of the host gets here.
            Bytes::Lent(bytes) => unsafe { bytes.as_mut() },
        }
    }
}

/// Bytes of the host for a memory ([`Memory::lend`](crate::Memory::lend)).
#[derive(Debug)]
pub enum Lent<'a> {
    /// Code that may write to the memory does not get them.
    ToRead(&'a [u8]),
    /// Code may change them.
    ToWrite(&'a mut [u8]),
}

/// Uses of a memory that code may make.
#[derive(Clone, Copy, Default)]
pub(crate) struct Uses {
    /// Code may write to it.
    pub(crate) writes: bool,
    /// Code knows of it that its bytes do not move, or that pages follow which cannot be accessed.
    pub(crate) relies: bool,
}

/// A byte-addressed memory.
pub(crate) struct MemoryData {
    /// As machine code sees it.
    #[cfg(planish_native)]
    pub(super) view: planish_back_native::abi::Bytes,
    pub(super) bytes: Bytes,
    pub(super) size: usize,
    /// Pages that it declares as its most.
    pub(crate) max: Option<u32>,
    /// Pages that the store allows.
    limit: u32,
    /// By the code of all instances that have it.
    pub(crate) uses: Uses,
    /// Whether the bytes are the host's, which it may not have written to.
    pub(crate) is_read_only: bool,
}

impl MemoryData {
    /// Allocates `min` pages; `None` if that exceeds the limit or memory.
    pub(super) fn new(min: u32, max: Option<u32>, limit: u32, guard_pages: bool) -> Option<Self> {
        if min > limit.min(MAX_PAGES) {
            return None;
        }
        let size = min as usize * PAGE;
        let mut memory = MemoryData {
            #[cfg(planish_native)]
            view: planish_back_native::abi::Bytes { start: std::ptr::null_mut(), size: 0 },
            bytes: Bytes::new(size, guard_pages)?,
            size,
            max,
            limit,
            uses: Uses::default(),
            is_read_only: false,
        };
        memory.show();
        Some(memory)
    }

    /// Grows by pages; returns the old number of pages, or `None` if that exceeds the limit or memory.
    pub(crate) fn grow(&mut self, pages: u32) -> Option<u32> {
        let old = (self.size / PAGE) as u32;
        let new = old.checked_add(pages)?;
        if new > self.max.unwrap_or(MAX_PAGES).min(MAX_PAGES).min(self.limit) {
            return None;
        }
        if pages == 0 {
            return Some(old);
        }
        let size = new as usize * PAGE;
        self.bytes.grow(self.size, size)?;
        self.size = size;
        self.show();
        Some(old)
    }

    /// Tells machine code where the bytes are.
    fn show(&mut self) {
        #[cfg(planish_native)]
        {
            self.view = planish_back_native::abi::Bytes { start: self.bytes.start(), size: self.size };
        }
    }

    /// Has bytes of the host; returns its own, to be given back by [`MemoryData::take_back`] before those of the host are used again.
    ///
    /// # Safety
    /// They are used through this memory only until then, and written to only if they are lent for that.
    pub(super) unsafe fn lend(&mut self, lent: Lent<'_>) -> Bytes {
        let (bytes, is_read_only) = match lent {
            Lent::ToRead(bytes) => (NonNull::from(bytes), true),
            Lent::ToWrite(bytes) => (NonNull::from(bytes), false),
        };
        self.size = bytes.len();
        self.is_read_only = is_read_only;
        let own = std::mem::replace(&mut self.bytes, Bytes::Lent(bytes));
        self.show();
        own
    }

    pub(crate) fn is_lent(&self) -> bool {
        matches!(self.bytes, Bytes::Lent(_))
    }

    /// Has its own bytes again.
    pub(super) fn take_back(&mut self, own: Bytes) {
        self.bytes = own;
        self.size = 0;
        self.is_read_only = false;
        self.show();
    }

    /// Its bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.size]
    }

    /// Its bytes.
    ///
    /// # Panics
    /// If they are lent by the host for reading only.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        assert!(!self.is_read_only, "the bytes of this memory are lent for reading only");
        &mut self.bytes[..self.size]
    }

    /// Its size in pages.
    pub(crate) fn pages(&self) -> u32 {
        (self.size / PAGE) as u32
    }
}

/// A table of references.
pub(crate) struct TableData {
    /// As machine code sees it.
    #[cfg(planish_native)]
    pub(super) view: planish_back_native::abi::Items,
    /// References; 0 is null.
    pub(crate) items: Vec<u64>,
    /// Elements that it declares as its most.
    pub(crate) max: Option<u32>,
    /// Type of its elements.
    pub(crate) ty: ValType,
    /// Elements that the store allows.
    limit: u32,
}

impl TableData {
    /// Allocates `min` elements, all of them `value`; `None` if that exceeds the limit or memory.
    pub(super) fn new(ty: ValType, (min, max): (u32, Option<u32>), limit: u32, value: u64) -> Option<Self> {
        if min > limit {
            return None;
        }
        let mut items = zeros(min as usize)?;
        if value != 0 {
            items.fill(value);
        }
        let mut table = TableData {
            #[cfg(planish_native)]
            view: planish_back_native::abi::Items { start: std::ptr::null_mut(), len: 0 },
            items,
            max,
            ty,
            limit,
        };
        table.show();
        Some(table)
    }

    /// Grows; returns the old number of elements, or `None` if that exceeds the limit or memory.
    pub(crate) fn grow(&mut self, value: u64, count: u32) -> Option<u32> {
        let old = self.items.len() as u32;
        let new = old.checked_add(count)?;
        if new > self.max.unwrap_or(u32::MAX).min(self.limit) {
            return None;
        }
        let more = count as usize;
        self.items.try_reserve(more).or_else(|_| self.items.try_reserve_exact(more)).ok()?;
        self.items.resize(new as usize, value);
        self.show();
        Some(old)
    }

    /// Tells machine code where the elements are.
    fn show(&mut self) {
        #[cfg(planish_native)]
        {
            self.view = planish_back_native::abi::Items { start: self.items.as_mut_ptr(), len: self.items.len() };
        }
    }
}

/// The words of a global.
pub(crate) struct GlobalData {
    pub(crate) words: Vec<u64>,
    /// Type of its value in the host's view.
    pub(crate) ty: ValType,
    /// Whether it is mutable.
    pub(crate) mutable: bool,
}
