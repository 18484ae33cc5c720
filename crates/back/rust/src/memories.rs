//! The types of memories and tables, with the methods that a program needs.

use rustc_hash::FxHashSet;

/// A method of a memory or table.
pub(crate) struct Method {
    /// `Memory::load_u8`.
    pub(crate) name: &'static str,
    /// Others that it needs.
    needs: &'static [&'static str],
    /// Kinds of traps that it may give, by their variant.
    pub(crate) traps: &'static [&'static str],
    text: &'static str,
}

/// The declarations of memories.
pub(crate) const MEMORY: &str = "\
/// A memory of bytes, in pages of 64 KiB.
#[derive(Clone, Default, Debug)]
pub struct Memory {
    bytes: alloc::vec::Vec<u8>,
    max_pages: u32,
}
";

/// The declarations of tables.
pub(crate) const TABLE: &str = "\
/// A table of references: numbers of functions, or of the host's.
#[derive(Clone, Debug)]
struct Table {
    items: alloc::vec::Vec<Option<u32>>,
    max: u32,
}
";

/// Items or bytes from one on.
const RANGE: &str = "\
#[inline]
fn range(at: u32, count: u32) -> core::ops::Range<usize> {
    at as usize..(at as usize).saturating_add(count as usize)
}
";

const MEMORY_TRAP: &[&str] = &["OutOfBoundsMemory"];
const TABLE_TRAP: &[&str] = &["OutOfBoundsTable"];

macro_rules! loads {
    ($($load:literal $ty:literal)*) => {
        [$(Method {
            name: concat!("Memory::", $load),
            needs: &["Memory::read"],
            traps: MEMORY_TRAP,
            text: concat!(
                "#[inline]\nfn ", $load, "(&self, at: u32, offset: u32) -> Result<", $ty, ", Trap> {\n    \
                 Ok(", $ty, "::from_le_bytes(self.read(at, offset)?))\n}\n"
            ),
        }),*]
    };
}

macro_rules! stores {
    ($($store:literal $ty:literal $value:literal)*) => {
        [$(Method {
            name: concat!("Memory::", $store),
            needs: &["Memory::write"],
            traps: MEMORY_TRAP,
            text: concat!(
                "#[inline]\nfn ", $store, "(&mut self, at: u32, offset: u32, value: ", $ty, ") -> Result<(), Trap> {\n    \
                 self.write(at, offset, ", $value, ".to_le_bytes())\n}\n"
            ),
        }),*]
    };
}

static LOADS: [Method; 10] = loads! {
    "load_i8" "i8" "load_u8" "u8" "load_i16" "i16" "load_u16" "u16" "load_i32" "i32"
    "load_u32" "u32" "load_i64" "i64" "load_u64" "u64" "load_f32" "f32" "load_f64" "f64"
};

static STORES: [Method; 8] = stores! {
    "store_u8" "u32" "(value as u8)" "store_u16" "u32" "(value as u16)"
    "store_i32" "i32" "value" "store_u32" "u32" "value" "store_i64" "i64" "value" "store_u64" "u64" "value"
    "store_f32" "f32" "value" "store_f64" "f64" "value"
};

static OTHERS: &[Method] = &[
    Method {
        name: "Memory::new",
        needs: &["Memory::grow"],
        traps: &["OutOfMemory"],
        text: "\
/// A memory of zeros, which grows to `max_pages` at most.
///
/// # Errors
/// [`Trap::OutOfMemory`].
pub fn new(pages: u32, max_pages: u32) -> Result<Self, Trap> {
    let mut memory = Memory { bytes: alloc::vec::Vec::new(), max_pages };
    if memory.grow(pages) < 0 { Err(Trap::OutOfMemory) } else { Ok(memory) }
}
",
    },
    Method {
        name: "Memory::bytes",
        needs: &[],
        traps: &[],
        text: "\
/// All bytes.
#[inline]
pub fn bytes(&self) -> &[u8] {
    &self.bytes
}

/// All bytes.
#[inline]
pub fn bytes_mut(&mut self) -> &mut [u8] {
    &mut self.bytes
}
",
    },
    Method {
        name: "Memory::pages",
        needs: &[],
        traps: &[],
        text: "\
/// The number of pages.
#[inline]
pub fn pages(&self) -> u32 {
    (self.bytes.len() >> 16) as u32
}
",
    },
    Method {
        name: "Memory::grow",
        needs: &["Memory::pages"],
        traps: &[],
        text: "\
/// Grows by pages of zeros. Returns the number of pages before, or -1 if there is no room for them.
pub fn grow(&mut self, pages: u32) -> i32 {
    let old = self.pages();
    let new = old.saturating_add(pages);
    let Ok(size) = usize::try_from(u64::from(new) << 16) else { return -1 };
    if new > self.max_pages || self.bytes.try_reserve(size - self.bytes.len()).is_err() {
        return -1;
    }
    self.bytes.resize(size, 0);
    old as i32
}
",
    },
    Method {
        name: "Memory::read",
        needs: &[],
        traps: MEMORY_TRAP,
        text: "\
#[inline]
fn read<const N: usize>(&self, at: u32, offset: u32) -> Result<[u8; N], Trap> {
    let start = usize::try_from(u64::from(at) + u64::from(offset)).unwrap_or(usize::MAX);
    let bytes = self.bytes.get(start..).and_then(|rest| rest.first_chunk());
    bytes.copied().ok_or(Trap::OutOfBoundsMemory)
}
",
    },
    Method {
        name: "Memory::write",
        needs: &[],
        traps: MEMORY_TRAP,
        text: "\
#[inline]
fn write<const N: usize>(&mut self, at: u32, offset: u32, value: [u8; N]) -> Result<(), Trap> {
    let start = usize::try_from(u64::from(at) + u64::from(offset)).unwrap_or(usize::MAX);
    let bytes = self.bytes.get_mut(start..).and_then(|rest| rest.first_chunk_mut());
    *bytes.ok_or(Trap::OutOfBoundsMemory)? = value;
    Ok(())
}
",
    },
    Method { name: "Memory::range", needs: &[], traps: &[], text: RANGE },
    Method {
        name: "Memory::fill",
        needs: &["Memory::range"],
        traps: MEMORY_TRAP,
        text: "\
fn fill(&mut self, at: u32, byte: u32, count: u32) -> Result<(), Trap> {
    self.bytes.get_mut(Self::range(at, count)).ok_or(Trap::OutOfBoundsMemory)?.fill(byte as u8);
    Ok(())
}
",
    },
    Method {
        name: "Memory::copy",
        needs: &["Memory::range"],
        traps: MEMORY_TRAP,
        text: "\
fn copy(&mut self, at: u32, from: u32, count: u32) -> Result<(), Trap> {
    let (to, from) = (Self::range(at, count), Self::range(from, count));
    if to.end > self.bytes.len() || from.end > self.bytes.len() {
        return Err(Trap::OutOfBoundsMemory);
    }
    self.bytes.copy_within(from, to.start);
    Ok(())
}
",
    },
    Method {
        name: "Memory::init",
        needs: &["Memory::range"],
        traps: MEMORY_TRAP,
        text: "\
/// Copies bytes of others.
fn init(&mut self, source: &[u8], at: u32, from: u32, count: u32) -> Result<(), Trap> {
    let source = source.get(Self::range(from, count)).ok_or(Trap::OutOfBoundsMemory)?;
    self.bytes.get_mut(Self::range(at, count)).ok_or(Trap::OutOfBoundsMemory)?.copy_from_slice(source);
    Ok(())
}
",
    },
    Method {
        name: "Table::new",
        needs: &["Table::grow"],
        traps: &["OutOfMemory"],
        text: "\
fn new(count: u32, max: u32) -> Result<Self, Trap> {
    let mut table = Table { items: alloc::vec::Vec::new(), max };
    if table.grow(None, count) < 0 { Err(Trap::OutOfMemory) } else { Ok(table) }
}
",
    },
    Method {
        name: "Table::size",
        needs: &[],
        traps: &[],
        text: "\
#[inline]
fn size(&self) -> i32 {
    self.items.len() as i32
}
",
    },
    Method {
        name: "Table::grow",
        needs: &[],
        traps: &[],
        text: "\
/// Grows by copies of an item: the number of items before, or -1.
fn grow(&mut self, item: Option<u32>, count: u32) -> i32 {
    let old = self.items.len();
    let new = old.saturating_add(count as usize);
    if new > self.max as usize || self.items.try_reserve(count as usize).is_err() {
        return -1;
    }
    self.items.resize(new, item);
    old as i32
}
",
    },
    Method {
        name: "Table::get",
        needs: &[],
        traps: TABLE_TRAP,
        text: "\
#[inline]
fn get(&self, index: u32) -> Result<Option<u32>, Trap> {
    self.items.get(index as usize).copied().ok_or(Trap::OutOfBoundsTable)
}
",
    },
    Method {
        name: "Table::set",
        needs: &[],
        traps: TABLE_TRAP,
        text: "\
#[inline]
fn set(&mut self, index: u32, item: Option<u32>) -> Result<(), Trap> {
    *self.items.get_mut(index as usize).ok_or(Trap::OutOfBoundsTable)? = item;
    Ok(())
}
",
    },
    Method {
        name: "Table::callee",
        needs: &["Table::get"],
        traps: &["OutOfBoundsTable", "UninitializedElement"],
        text: "\
/// The number of the function at an index.
#[inline]
fn callee(&self, index: u32) -> Result<u32, Trap> {
    self.get(index)?.ok_or(Trap::UninitializedElement)
}
",
    },
    Method {
        name: "Table::fill",
        needs: &["Table::range"],
        traps: TABLE_TRAP,
        text: "\
fn fill(&mut self, at: u32, item: Option<u32>, count: u32) -> Result<(), Trap> {
    self.items.get_mut(Self::range(at, count)).ok_or(Trap::OutOfBoundsTable)?.fill(item);
    Ok(())
}
",
    },
    Method {
        name: "Table::copy",
        needs: &["Table::range"],
        traps: TABLE_TRAP,
        text: "\
fn copy(&mut self, at: u32, from: u32, count: u32) -> Result<(), Trap> {
    let (to, from) = (Self::range(at, count), Self::range(from, count));
    if to.end > self.items.len() || from.end > self.items.len() {
        return Err(Trap::OutOfBoundsTable);
    }
    self.items.copy_within(from, to.start);
    Ok(())
}
",
    },
    Method {
        name: "Table::init",
        needs: &["Table::range"],
        traps: TABLE_TRAP,
        text: "\
/// Copies items of others.
fn init(&mut self, source: &[Option<u32>], at: u32, from: u32, count: u32) -> Result<(), Trap> {
    let source = source.get(Self::range(from, count)).ok_or(Trap::OutOfBoundsTable)?;
    self.items.get_mut(Self::range(at, count)).ok_or(Trap::OutOfBoundsTable)?.copy_from_slice(source);
    Ok(())
}
",
    },
    Method { name: "Table::range", needs: &[], traps: &[], text: RANGE },
];

fn all() -> impl Iterator<Item = &'static Method> {
    let (first, rest) = OTHERS.split_at(4);
    first.iter().chain(&LOADS).chain(&STORES).chain(rest)
}

/// Adds what the methods need themselves.
pub(crate) fn close(needs: &mut FxHashSet<&'static str>) {
    let mut stack: Vec<&'static str> = needs.iter().copied().collect();
    while let Some(name) = stack.pop() {
        let Some(method) = all().find(|method| method.name == name) else { continue };
        stack.extend(method.needs.iter().copied().filter(|name| needs.insert(name)));
    }
}

/// The methods that are needed.
pub(crate) fn used(needs: &FxHashSet<&'static str>) -> impl Iterator<Item = &'static Method> {
    all().filter(|method| needs.contains(method.name))
}

/// The lines of the methods of a type that are needed, an empty line between two.
pub(crate) fn methods(ty: &str, needs: &FxHashSet<&'static str>) -> Vec<String> {
    let own = used(needs).filter(|method| method.name.split("::").next() == Some(ty));
    let texts: Vec<&str> = own.map(|method| method.text).collect();
    texts.join("\n").lines().map(str::to_owned).collect()
}

/// The name of a method with that of its type.
pub(crate) fn name_of(ty: &str, method: &str) -> &'static str {
    let is_it = |name: &str| name.strip_prefix(ty) == Some(method);
    all().map(|method| method.name).find(|name| is_it(name)).unwrap_or_default()
}
