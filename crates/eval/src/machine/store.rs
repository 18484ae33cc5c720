//! Objects shared by instances: functions, byte-addressed memories and tables, by index in the store.

use std::hint::black_box;

use planish_ir::entity::Func;
use planish_ir::module::MemoryData;

use super::host::HostFunction;
use crate::stop::Stop;
use crate::world::{FuncType, ValType};

pub(crate) const PAGE: usize = MemoryData::PAGE;
const MAX_PAGES: u32 = MemoryData::MAX_PAGES;

/// A byte-addressed memory.
pub(crate) struct ByteMemory {
    pub(crate) bytes: Vec<u8>,
    /// Declared maximum number of pages.
    pub(crate) max: Option<u32>,
}

impl ByteMemory {
    pub(crate) fn pages(&self) -> u32 {
        (self.bytes.len() / PAGE) as u32
    }
}

/// A table: references as words, zero is null.
pub(crate) struct RefTable {
    pub(crate) items: Vec<u64>,
    /// Declared maximum number of elements.
    pub(crate) max: Option<u32>,
    /// Element type.
    pub(crate) element: ValType,
}

/// Definition of a function.
pub(crate) enum StoreFunc {
    /// A function of an instance, with a body.
    Defined { instance: u32, func: Func },
    /// An unresolved import of an instance, which the host may still provide.
    Open { instance: u32, func: Func, host: Option<usize> },
    /// A function of the host, for any instance.
    Host { ty: FuncType, host: usize },
}

/// See the module documentation. A function reference is its index plus one.
#[derive(Default)]
pub(crate) struct Store<'m> {
    pub(crate) funcs: Vec<StoreFunc>,
    pub(crate) memories: Vec<ByteMemory>,
    pub(crate) tables: Vec<RefTable>,
    pub(crate) hosts: Vec<HostFunction<'m>>,
}

impl<'m> Store<'m> {
    pub(crate) fn add_func(&mut self, func: StoreFunc) -> u32 {
        self.funcs.push(func);
        self.funcs.len() as u32 - 1
    }

    pub(crate) fn add_host(&mut self, host: HostFunction<'m>) -> usize {
        self.hosts.push(host);
        self.hosts.len() - 1
    }

    /// Number of used words.
    fn words(&self) -> usize {
        self.memories.iter().map(|m| m.bytes.len() / 8).sum::<usize>()
            + self.tables.iter().map(|t| t.items.len()).sum::<usize>()
    }

    /// Whether `more` words are within the limit.
    fn has_room(&self, more: usize, limit: usize) -> bool {
        self.words().checked_add(more).is_some_and(|words| words <= limit)
    }

    /// A zeroed memory.
    pub(crate) fn add_memory(&mut self, pages: u32, max: Option<u32>, limit: usize) -> Result<u32, Stop> {
        if pages > MAX_PAGES || !self.has_room(pages as usize * PAGE / 8, limit) {
            return Err(Stop::MemoryLimit);
        }
        let size = pages as usize * PAGE;
        if !can_be_had::<u8>(size) {
            return Err(Stop::MemoryLimit);
        }
        self.memories.push(ByteMemory { bytes: vec![0; size], max });
        Ok(self.memories.len() as u32 - 1)
    }

    /// A table filled with one reference.
    pub(crate) fn add_table(
        &mut self,
        element: ValType,
        (min, max): (u32, Option<u32>),
        item: u64,
        limit: usize,
    ) -> Result<u32, Stop> {
        if !self.has_room(min as usize, limit) {
            return Err(Stop::MemoryLimit);
        }
        let mut items = Vec::new();
        items.try_reserve_exact(min as usize).map_err(|_| Stop::MemoryLimit)?;
        items.resize(min as usize, item);
        self.tables.push(RefTable { items, max, element });
        Ok(self.tables.len() as u32 - 1)
    }

    /// Grows a memory by pages. Returns the previous number; `None` if the limit is exceeded.
    pub(crate) fn grow_memory(&mut self, memory: u32, more: u32, limit: usize) -> Option<u32> {
        let old = self.memories[memory as usize].pages();
        let most = self.memories[memory as usize].max.unwrap_or(MAX_PAGES).min(MAX_PAGES);
        let new = old.checked_add(more).filter(|&new| new <= most)?;
        if !self.has_room(more as usize * PAGE / 8, limit) {
            return None;
        }
        let bytes = &mut self.memories[memory as usize].bytes;
        bytes.try_reserve_exact(more as usize * PAGE).ok()?;
        bytes.resize(new as usize * PAGE, 0);
        Some(old)
    }

    /// Grows a table by elements. Returns the previous number; `None` if the limit is exceeded.
    pub(crate) fn grow_table(&mut self, table: u32, more: u32, item: u64, limit: usize) -> Option<u32> {
        let old = self.tables[table as usize].items.len() as u32;
        let most = self.tables[table as usize].max.unwrap_or(u32::MAX);
        let new = old.checked_add(more).filter(|&new| new <= most)?;
        if !self.has_room(more as usize, limit) {
            return None;
        }
        let items = &mut self.tables[table as usize].items;
        items.try_reserve_exact(more as usize).ok()?;
        items.resize(new as usize, item);
        Some(old)
    }
}

/// Whether `count` items can be allocated: `vec!` aborts the process otherwise. Untouched zeroed memory costs nothing,
/// so the probe is cheap.
fn can_be_had<T>(count: usize) -> bool {
    let mut probe = Vec::<T>::new();
    let had = probe.try_reserve_exact(count).is_ok();
    // Keeps the compiler from removing the probe.
    black_box(&mut probe);
    had
}
