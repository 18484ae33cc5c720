//! What code works on: instances, memories, tables, globals. They are owned here at addresses that do not change, and code
//! reaches them by pointer; the rest of the crate by number.

use std::ptr::NonNull;
use std::sync::Arc;

use planish_ir::arena::Id;
use planish_ir::function::TrapKind;
use planish_ir::meaning::{self, Fault};
use planish_ir::ops::{Class, MemArg, Op, Width};
use planish_ir::source::Span;
use smallvec::SmallVec;

use super::{Cx, Fp, Ip, Signal, Stop, calls, run};
use crate::code::{FuncCode, Rare};
use crate::error::Error;
use crate::module::ModuleInner;

const PAGE: usize = planish_ir::module::MemoryData::PAGE;
const MAX_PAGES: u32 = planish_ir::module::MemoryData::MAX_PAGES;

/// Something at an address that does not change, which others may point to.
pub(crate) struct Owned<T>(NonNull<T>);

impl<T> Owned<T> {
    fn new(value: T) -> Self {
        Owned(NonNull::from(Box::leak(Box::new(value))))
    }

    fn pointer(&self) -> *mut T {
        self.0.as_ptr()
    }

    fn get(&self) -> &T {
        // SAFETY: code, which alone uses the pointer, runs only while the world that owns this is borrowed for itself.
        unsafe { self.0.as_ref() }
    }

    fn get_mut(&mut self) -> &mut T {
        // SAFETY: as for `get`.
        unsafe { self.0.as_mut() }
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer comes from a box, and is dropped once.
        unsafe { drop(Box::from_raw(self.0.as_ptr())) }
    }
}

// SAFETY: it owns what it points to.
unsafe impl<T: Send> Send for Owned<T> {}
// SAFETY: as above; it gives no access to others.
unsafe impl<T: Sync> Sync for Owned<T> {}

/// A byte-addressed memory.
pub(crate) struct MemoryData {
    /// Its bytes, and zeros behind them to grow into.
    bytes: Vec<u8>,
    size: usize,
    /// Pages that it declares as its most.
    pub(crate) max: Option<u32>,
    /// Pages that the store allows.
    limit: u32,
}

impl MemoryData {
    fn new(min: u32, max: Option<u32>, limit: u32) -> Self {
        let size = min as usize * PAGE;
        MemoryData { bytes: vec![0; size], size, max, limit }
    }

    /// Grows by pages; the old number of pages, or nothing if that is not to be.
    pub(crate) fn grow(&mut self, pages: u32) -> Option<u32> {
        let old = (self.size / PAGE) as u32;
        let new = old.checked_add(pages)?;
        if new > self.max.unwrap_or(MAX_PAGES).min(MAX_PAGES).min(self.limit) {
            return None;
        }
        let size = new as usize * PAGE;
        if size > self.bytes.len() {
            let mut bytes = Vec::new();
            // Room to grow into, if it can be had: zeros that nobody touches cost nothing.
            let room = size.saturating_add(size / 2).min(MAX_PAGES as usize * PAGE);
            let got = if bytes.try_reserve_exact(room).is_ok() { room } else { size };
            drop(bytes);
            bytes = vec![0; got];
            bytes[..self.size].copy_from_slice(&self.bytes[..self.size]);
            self.bytes = bytes;
        }
        self.size = size;
        Some(old)
    }

    /// Its bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.size]
    }

    /// Its bytes.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.size]
    }

    /// Its size in pages.
    pub(crate) fn pages(&self) -> u32 {
        (self.size / PAGE) as u32
    }
}

/// A table of references.
pub(crate) struct TableData {
    /// References; 0 is null.
    pub(crate) items: Vec<u64>,
    /// Elements that it declares as its most.
    pub(crate) max: Option<u32>,
    /// Whether it holds functions.
    pub(crate) functions: bool,
    limit: u32,
}

impl TableData {
    /// What it holds.
    pub(crate) fn ty(&self) -> crate::types::ValType {
        if self.functions { crate::types::ValType::FuncRef } else { crate::types::ValType::ExternRef }
    }

    /// Grows; the old number of elements, or nothing if that is not to be.
    pub(crate) fn grow(&mut self, value: u64, count: u32) -> Option<u32> {
        let old = self.items.len() as u32;
        let new = old.checked_add(count)?;
        if new > self.max.unwrap_or(u32::MAX).min(self.limit) {
            return None;
        }
        self.items.resize(new as usize, value);
        Some(old)
    }
}

/// The words of a global.
pub(crate) struct GlobalData {
    pub(crate) words: Vec<u64>,
    /// What it holds, for those who see it from outside.
    pub(crate) ty: crate::types::ValType,
    /// Whether it may be set.
    pub(crate) mutable: bool,
}

/// What a reference to a function points to.
pub(crate) struct Entry {
    /// Its code; the host's have none.
    pub(crate) code: *const FuncCode,
    /// The instance it belongs to; null for functions of the host.
    pub(crate) instance: *mut InstanceData,
    /// The number of its type in the engine.
    pub(crate) ty: u32,
    /// Which function of the host it is.
    pub(crate) host: u32,
    /// Words of its arguments and of its results.
    pub(crate) words: (u32, u32),
}

impl Entry {
    /// Whether it is a function of the host.
    #[inline(always)]
    pub(crate) fn is_host(&self) -> bool {
        self.code.is_null()
    }

    /// Words that a function of the host needs.
    pub(crate) fn host_words(&self) -> usize {
        self.words.0.max(self.words.1) as usize
    }
}

/// The encoder let an op pass that has no meaning on the words of registers: our own mistake, see `works_on_registers`.
#[cold]
fn no_meaning(op: Op) -> Stop {
    debug_assert!(false, "`{}` has no meaning on registers", op.text());
    Stop::Error(Error::unsupported(Span::NONE, format!("the machine has no `{}`", op.text())))
}

/// An instance of a module.
pub(crate) struct InstanceData {
    /// Its number in the world.
    pub(crate) index: u32,
    pub(crate) module: Arc<ModuleInner>,
    /// The words of its variables, imports too, in the order of the module's numbering.
    pub(crate) globals: Vec<*mut u64>,
    memories: Vec<*mut MemoryData>,
    tables: Vec<*mut TableData>,
    /// By function of the module.
    entries: Vec<*mut Entry>,
    data_dropped: Vec<bool>,
    elems: Vec<Vec<u64>>,
    /// The last token that was made.
    tokens: u64,
}

/// `start .. start + len`, if it lies within `size`.
fn range(start: u64, len: u64, size: usize) -> Option<std::ops::Range<usize>> {
    let end = start.checked_add(len)?;
    (end <= size as u64).then_some(start as usize..end as usize)
}

impl InstanceData {
    /// Bytes and size of memory 0.
    #[inline(always)]
    pub(crate) unsafe fn first_memory(&self) -> (*mut u8, usize) {
        match self.memories.first() {
            Some(&memory) => ((*memory).bytes.as_mut_ptr(), (*memory).size),
            None => (std::ptr::null_mut(), 0),
        }
    }

    /// An imported function.
    #[inline(always)]
    pub(crate) fn import(&self, func: u32) -> *mut Entry {
        self.entries[func as usize]
    }

    /// The function at an index of a table (low half of `which`) that must have a type (high half).
    #[inline(always)]
    pub(crate) unsafe fn callee(&self, which: u64, index: u32) -> Result<*mut Entry, TrapKind> {
        let table = &*self.tables[which as u32 as usize];
        let Some(&item) = table.items.get(index as usize) else { return Err(TrapKind::OutOfBoundsTable) };
        if item == 0 {
            return Err(TrapKind::UninitializedElement);
        }
        let entry: *mut Entry = std::ptr::with_exposed_provenance_mut(item as usize);
        if (*entry).ty != (which >> 32) as u32 {
            return Err(TrapKind::IndirectCallType);
        }
        Ok(entry)
    }

    /// Others have no access while code runs.
    #[allow(clippy::mut_from_ref)]
    unsafe fn memory(&self, index: u32) -> &mut MemoryData {
        let memory: *mut MemoryData = self.memories[index as usize];
        &mut *memory
    }

    #[allow(clippy::mut_from_ref)]
    unsafe fn table(&self, index: u32) -> &mut TableData {
        let table: *mut TableData = self.tables[index as usize];
        &mut *table
    }

    /// Does an op that has no handler of its own.
    pub(crate) unsafe fn rare(&mut self, rare: &Rare, args: &[u64], out: &mut SmallVec<[u64; 4]>) -> Result<(), Stop> {
        match rare.op {
            Op::MemoryLoad => self.load(rare.imm.as_mem_arg(), rare, args[0] as u32, out)?,
            Op::MemoryStore => self.store(rare.imm.as_mem_arg(), args)?,
            Op::Load | Op::Store => {
                let (var, component) = rare.imm.as_pair();
                let first = self.module.globals[planish_ir::entity::Var::from_u32(var)] + component;
                if rare.op == Op::Load {
                    let words = rare.outs[0].1;
                    out.extend((first..first + words).map(|i| *self.globals[i as usize]));
                } else {
                    args.iter().enumerate().for_each(|(i, &word)| *self.globals[first as usize + i] = word);
                }
            }
            Op::Select => {
                let words = (args.len() - 1) / 2;
                out.extend_from_slice(&args[1..][if args[0] != 0 { 0 } else { words }..][..words]);
            }
            Op::RefFunc => {
                let entry = self.entries[rare.imm.as_pair().0 as usize];
                out.push(args.first().copied().unwrap_or_else(|| entry.expose_provenance() as u64));
            }
            Op::NewToken => {
                self.tokens += 1;
                out.push(self.tokens);
            }
            Op::TokenEqual => out.push((args[0] == args[1]).into()),
            Op::TokenLess => out.push((args[0] < args[1]).into()),
            op if op.info().class == Class::Machine => {
                let result = self.bulk(op, rare.imm.as_pair(), args)?;
                if !rare.outs.is_empty() {
                    out.push(result);
                }
            }
            _ => return self.value(rare, args, out),
        }
        Ok(())
    }

    /// An op on values, by its definition.
    fn value(&self, rare: &Rare, words: &[u64], out: &mut SmallVec<[u64; 4]>) -> Result<(), Stop> {
        let mut args = SmallVec::<[meaning::Operand<'_>; 4]>::new();
        let mut left = words;
        for operand in &rare.operands {
            let (bits, rest) = left.split_at(operand.words as usize);
            args.push(meaning::Operand { ty: operand.ty, bits });
            left = rest;
        }
        let mut results = Vec::new();
        match meaning::evaluate(&self.module.types, rare.op, rare.imm, &args, rare.result, &mut results) {
            Ok(()) => {
                out.extend(results);
                Ok(())
            }
            Err(Fault::Trap(kind)) => Err(Stop::Trap(kind)),
            Err(Fault::NoMeaning) => Err(no_meaning(rare.op)),
        }
    }

    unsafe fn load(
        &self,
        arg: MemArg,
        rare: &Rare,
        address: u32,
        out: &mut SmallVec<[u64; 4]>,
    ) -> Result<(), TrapKind> {
        let memory = self.memory(arg.memory.index() as u32);
        let bytes = arg.width.bytes();
        let at = range(u64::from(address) + u64::from(arg.offset), bytes.into(), memory.size)
            .ok_or(TrapKind::OutOfBoundsMemory)?;
        let mut word = [0u8; 16];
        word[..at.len()].copy_from_slice(&memory.bytes[at]);
        let bits = u128::from_le_bytes(word);
        if arg.width == Width::B128 {
            out.extend([bits as u64, (bits >> 64) as u64]);
            return Ok(());
        }
        let unused = 64 - 8 * bytes;
        let low = bits as u64;
        let extended = if arg.signed { ((low << unused) as i64 >> unused) as u64 } else { low };
        let narrow = self.module.types.scalar_of(rare.result).is_some_and(|s| s.bits() == 32);
        out.push(if narrow { extended & 0xffff_ffff } else { extended });
        Ok(())
    }

    unsafe fn store(&self, arg: MemArg, args: &[u64]) -> Result<(), TrapKind> {
        let memory = self.memory(arg.memory.index() as u32);
        let at = range(u64::from(args[0] as u32) + u64::from(arg.offset), arg.width.bytes().into(), memory.size)
            .ok_or(TrapKind::OutOfBoundsMemory)?;
        let bits = u128::from(args[1]) | u128::from(args.get(2).copied().unwrap_or(0)) << 64;
        let len = at.len();
        memory.bytes[at].copy_from_slice(&bits.to_le_bytes()[..len]);
        Ok(())
    }

    /// Ops on whole memories, tables and segments; their result, or 0.
    unsafe fn bulk(&mut self, op: Op, (low, high): (u32, u32), args: &[u64]) -> Result<u64, Stop> {
        let arg = |i: usize| args.get(i).copied().unwrap_or(0);
        let (a, b, c) = (u64::from(arg(0) as u32), u64::from(arg(1) as u32), u64::from(arg(2) as u32));
        let (memory_trap, table_trap) = (TrapKind::OutOfBoundsMemory, TrapKind::OutOfBoundsTable);
        let minus_one = u64::from(u32::MAX);
        match op {
            Op::MemorySize => return Ok(self.memory(low).pages().into()),
            Op::MemoryGrow => return Ok(self.memory(low).grow(a as u32).map_or(minus_one, u64::from)),
            Op::MemoryFill => {
                let memory = self.memory(low);
                let at = range(a, c, memory.size).ok_or(memory_trap)?;
                memory.bytes[at].fill(b as u8);
            }
            Op::MemoryCopy if low == high || std::ptr::eq(self.memory(low), self.memory(high)) => {
                let memory = self.memory(low);
                let to = range(a, c, memory.size).ok_or(memory_trap)?;
                let from = range(b, c, memory.size).ok_or(memory_trap)?;
                memory.bytes.copy_within(from, to.start);
            }
            Op::MemoryCopy => {
                let (target, source) = (self.memory(low), self.memory(high));
                let to = range(a, c, target.size).ok_or(memory_trap)?;
                let from = range(b, c, source.size).ok_or(memory_trap)?;
                target.bytes[to].copy_from_slice(&source.bytes[from]);
            }
            Op::MemoryInit => {
                let dropped = self.data_dropped[high as usize];
                let bytes = if dropped { &[][..] } else { &self.module.data[high as usize][..] };
                let memory = self.memory(low);
                let from = range(b, c, bytes.len()).ok_or(memory_trap)?;
                let to = range(a, c, memory.size).ok_or(memory_trap)?;
                memory.bytes[to].copy_from_slice(&bytes[from]);
            }
            Op::DataDrop => self.data_dropped[low as usize] = true,
            Op::TableGet => return Ok(*self.table(low).items.get(a as usize).ok_or(table_trap)?),
            Op::TableSet => *self.table(low).items.get_mut(a as usize).ok_or(table_trap)? = arg(1),
            Op::TableSize => return Ok(self.table(low).items.len() as u64),
            Op::TableGrow => return Ok(self.table(low).grow(arg(0), b as u32).map_or(minus_one, u64::from)),
            Op::TableFill => {
                let items = &mut self.table(low).items;
                let at = range(a, c, items.len()).ok_or(table_trap)?;
                items[at].fill(arg(1));
            }
            Op::TableCopy if low == high || std::ptr::eq(self.table(low), self.table(high)) => {
                let items = &mut self.table(low).items;
                let to = range(a, c, items.len()).ok_or(table_trap)?;
                let from = range(b, c, items.len()).ok_or(table_trap)?;
                items.copy_within(from, to.start);
            }
            Op::TableCopy => {
                let (target, source) = (&mut self.table(low).items, &self.table(high).items);
                let to = range(a, c, target.len()).ok_or(table_trap)?;
                let from = range(b, c, source.len()).ok_or(table_trap)?;
                target[to].copy_from_slice(&source[from]);
            }
            Op::TableInit => {
                let items = &self.elems[high as usize];
                let table = &mut *self.tables[low as usize];
                let from = range(b, c, items.len()).ok_or(table_trap)?;
                let to = range(a, c, table.items.len()).ok_or(table_trap)?;
                table.items[to].copy_from_slice(&items[from]);
            }
            Op::ElemDrop => self.elems[low as usize] = Vec::new(),
            op => return Err(no_meaning(op)),
        }
        Ok(0)
    }
}

/// What an instance is made of, by the numbers of a [`World`].
pub(crate) struct Parts {
    pub(crate) module: Arc<ModuleInner>,
    /// By function: those that are imported.
    pub(crate) imports: Vec<Option<EntryRef>>,
    pub(crate) memories: Vec<u32>,
    pub(crate) tables: Vec<u32>,
    /// By variable of the module's scope, in order.
    pub(crate) globals: Vec<u32>,
}

/// A reference to a function, as code holds it; never null.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct EntryRef(u64);

impl EntryRef {
    /// As a word.
    pub(crate) fn word(self) -> u64 {
        self.0
    }
}

/// Everything that code works on.
#[derive(Default)]
pub(crate) struct World {
    instances: Vec<Owned<InstanceData>>,
    memories: Vec<Owned<MemoryData>>,
    tables: Vec<Owned<TableData>>,
    globals: Vec<Owned<GlobalData>>,
    entries: Vec<Owned<Entry>>,
    stack: Vec<u64>,
}

// SAFETY: the pointers inside lead to what the world itself owns, and code runs only while it is borrowed.
unsafe impl Send for World {}
// SAFETY: shared, it only reads numbers.
unsafe impl Sync for World {}

impl World {
    /// With a stack of so many words.
    pub(crate) fn new(stack: usize) -> Self {
        World { stack: vec![0; stack], ..World::default() }
    }

    pub(crate) fn add_memory(&mut self, min: u32, max: Option<u32>, limit: u32) -> u32 {
        self.memories.push(Owned::new(MemoryData::new(min, max, limit)));
        self.memories.len() as u32 - 1
    }

    pub(crate) fn add_table(&mut self, functions: bool, min: u32, max: Option<u32>, limit: u32, value: u64) -> u32 {
        let items = vec![value; min as usize];
        self.tables.push(Owned::new(TableData { items, max, functions, limit }));
        self.tables.len() as u32 - 1
    }

    pub(crate) fn add_global(&mut self, global: GlobalData) -> u32 {
        self.globals.push(Owned::new(global));
        self.globals.len() as u32 - 1
    }

    pub(crate) fn add_host(&mut self, host: u32, ty: u32, words: (u32, u32)) -> EntryRef {
        let entry = Entry { code: std::ptr::null(), instance: std::ptr::null_mut(), ty, host, words };
        self.add_entry(entry)
    }

    fn add_entry(&mut self, entry: Entry) -> EntryRef {
        let entry = Owned::new(entry);
        let word = entry.pointer().expose_provenance() as u64;
        self.entries.push(entry);
        EntryRef(word)
    }

    /// Makes an instance; its segments are still to be put in place.
    pub(crate) fn add_instance(&mut self, parts: Parts) -> u32 {
        let module = parts.module;
        let mut globals = Vec::new();
        for &global in &parts.globals {
            let words = &mut self.globals[global as usize].get_mut().words;
            let first = words.as_mut_ptr();
            globals.extend((0..words.len()).map(|i| first.wrapping_add(i)));
        }
        let data = InstanceData {
            index: self.instances.len() as u32,
            globals,
            memories: parts.memories.iter().map(|&m| self.memories[m as usize].pointer()).collect(),
            tables: parts.tables.iter().map(|&t| self.tables[t as usize].pointer()).collect(),
            entries: Vec::new(),
            data_dropped: vec![false; module.data.len()],
            elems: vec![Vec::new(); module.elem_count],
            tokens: 0,
            module: Arc::clone(&module),
        };
        let instance = Owned::new(data);
        let pointer = instance.pointer();
        self.instances.push(instance);
        let mut entries = Vec::with_capacity(module.codes.len());
        for (i, code) in module.codes.iter().enumerate() {
            let entry = match parts.imports[i] {
                Some(imported) => imported,
                None => {
                    let ty = module.type_id(code.func);
                    self.add_entry(Entry { code, instance: pointer, ty, host: 0, words: code.words })
                }
            };
            entries.push(std::ptr::with_exposed_provenance_mut(entry.0 as usize));
        }
        let index = self.instances.len() - 1;
        self.instances[index].get_mut().entries = entries;
        index as u32
    }

    pub(crate) fn memory(&self, memory: u32) -> &MemoryData {
        self.memories[memory as usize].get()
    }

    pub(crate) fn memory_mut(&mut self, memory: u32) -> &mut MemoryData {
        self.memories[memory as usize].get_mut()
    }

    pub(crate) fn table(&self, table: u32) -> &TableData {
        self.tables[table as usize].get()
    }

    pub(crate) fn table_mut(&mut self, table: u32) -> &mut TableData {
        self.tables[table as usize].get_mut()
    }

    pub(crate) fn global(&self, global: u32) -> &GlobalData {
        self.globals[global as usize].get()
    }

    /// Sets the words of a global, which are as many as before.
    pub(crate) fn set_global(&mut self, global: u32, words: &[u64]) {
        self.globals[global as usize].get_mut().words.copy_from_slice(words);
    }

    /// The number of a function's type in the engine. The reference is one of this world.
    pub(crate) fn type_of(&self, entry: EntryRef) -> u32 {
        let entry: *const Entry = std::ptr::with_exposed_provenance(entry.0 as usize);
        // SAFETY: a world's entries live as long as it does.
        unsafe { (*entry).ty }
    }

    /// The function of an instance.
    pub(crate) fn function(&self, instance: u32, func: usize) -> EntryRef {
        let entry = self.instances[instance as usize].get().entries[func];
        EntryRef(entry.expose_provenance() as u64)
    }

    /// The function that a word of code refers to, if it is not null. The word is one that this world's code or tables
    /// held.
    pub(crate) fn reference(&self, word: u64) -> Option<EntryRef> {
        (word != 0).then_some(EntryRef(word))
    }

    /// Sets what an element segment holds.
    pub(crate) fn set_elem(&mut self, instance: u32, elem: usize, items: Vec<u64>) {
        self.instances[instance as usize].get_mut().elems[elem] = items;
    }

    /// Drops a data segment.
    pub(crate) fn drop_data(&mut self, instance: u32, data: usize) {
        self.instances[instance as usize].get_mut().data_dropped[data] = true;
    }

    /// One past the last word of the stack, and its first word.
    pub(crate) fn stack(&mut self) -> (Fp, Fp) {
        let range = self.stack.as_mut_ptr_range();
        (range.start, range.end)
    }
}

/// What a call needs.
pub(crate) struct Call {
    /// Who.
    pub(crate) entry: EntryRef,
    /// Words of the arguments.
    pub(crate) args: SmallVec<[u64; 8]>,
    /// The first free word of the stack.
    pub(crate) base: Fp,
    /// One past the last one.
    pub(crate) limit: Fp,
    /// What may be burnt.
    pub(crate) fuel: i64,
    /// The store, for `host`.
    pub(crate) store: *mut (),
    /// As [`Cx::host`].
    pub(crate) host: unsafe fn(*mut Cx, *mut Entry, Fp) -> Result<(), Stop>,
}

/// A program that is running, or waits for fuel.
pub(crate) struct Activation {
    cx: Cx,
    base: Fp,
    results: u32,
}

/// How running ended, for the store.
pub(crate) enum Outcome {
    /// It is done; words of the results.
    Done(SmallVec<[u64; 8]>),
    /// It stopped, at an instruction.
    Stopped(Stop, Ip),
    /// It waits for fuel.
    OutOfFuel,
}

impl Activation {
    /// Begins a call.
    ///
    /// # Safety
    /// `call.entry` is of the world whose stack `base` and `limit` are in and that lives until the activation has ended; so do
    /// `store` and `host`.
    pub(crate) unsafe fn begin(call: Call) -> (Activation, Outcome) {
        let entry: *mut Entry = std::ptr::with_exposed_provenance_mut(call.entry.0 as usize);
        let cx = Cx {
            limit: call.limit,
            instance: (*entry).instance,
            globals: std::ptr::null(),
            fuel: call.fuel,
            resume: (std::ptr::null(), std::ptr::null_mut(), std::ptr::null_mut(), 0),
            accumulators: (0, 0.0, 0.0),
            stopped_at: std::ptr::null(),
            stop: None,
            crossings: Vec::new(),
            store: call.store,
            host: call.host,
        };
        let words = (*entry).words;
        let room = call.limit.offset_from_unsigned(call.base);
        let needed = words.0.max(words.1) as usize + 2;
        if room < needed {
            let activation = Activation { cx, base: call.base, results: 0 };
            return (activation, Outcome::Stopped(Stop::Trap(TrapKind::StackOverflow), std::ptr::null()));
        }
        for (i, &word) in call.args.iter().enumerate() {
            *call.base.add(i) = word;
        }
        let mut activation = Activation { cx, base: call.base, results: words.1 };
        let cx = &raw mut activation.cx;
        if (*entry).is_host() {
            let outcome = match ((*cx).host)(cx, entry, call.base) {
                Ok(()) => activation.results(),
                Err(stop) => Outcome::Stopped(stop, std::ptr::null()),
            };
            return (activation, outcome);
        }
        (*cx).enter((*entry).instance);
        let (start, frame) = (*(*entry).code).start();
        if room < frame {
            return (activation, Outcome::Stopped(Stop::Trap(TrapKind::StackOverflow), std::ptr::null()));
        }
        let prelude = words.0.max(words.1) as usize;
        *call.base.add(prelude) = calls::halt_code().expose_provenance() as u64;
        *call.base.add(prelude + 1) = call.base.expose_provenance() as u64;
        let signal = run(start, call.base, cx);
        let outcome = activation.outcome(signal);
        (activation, outcome)
    }

    /// Goes on with more fuel.
    ///
    /// # Safety
    /// It ran out of fuel, and what [`Activation::begin`] asks for still holds; `store` is where the store is now.
    pub(crate) unsafe fn resume(&mut self, fuel: i64, store: *mut ()) -> Outcome {
        self.cx.fuel = fuel;
        self.cx.store = store;
        let (ip, fp, ..) = self.cx.resume;
        let cx = &raw mut self.cx;
        let signal = run(ip, fp, cx);
        self.outcome(signal)
    }

    /// The instruction that waits for fuel, and words of the stack below its frame.
    pub(crate) fn suspended_at(&self, stack: Fp) -> (Ip, usize) {
        let (ip, fp, ..) = self.cx.resume;
        // SAFETY: frames lie in the stack.
        (ip, unsafe { fp.offset_from_unsigned(stack) })
    }

    /// What is left of the fuel.
    pub(crate) fn fuel(&self) -> i64 {
        self.cx.fuel
    }

    unsafe fn outcome(&mut self, signal: Signal) -> Outcome {
        match signal {
            Signal::Done => self.results(),
            Signal::OutOfFuel => Outcome::OutOfFuel,
            Signal::Stopped | Signal::Next => {
                let stop = self.cx.stop.take().unwrap_or(Stop::Trap(TrapKind::Unreachable));
                Outcome::Stopped(stop, self.cx.stopped_at)
            }
        }
    }

    unsafe fn results(&self) -> Outcome {
        Outcome::Done((0..self.results as usize).map(|i| *self.base.add(i)).collect())
    }
}
