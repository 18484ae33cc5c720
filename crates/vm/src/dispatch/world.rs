//! State that code works on: instances, memories, tables, globals. They are owned here at stable addresses; code
//! reaches them by pointer, the rest of the crate by number.

use std::sync::Arc;

use planish_ir::host::ValType;

use super::Fp;
#[cfg(planish_native)]
use super::faults::Faults;
use super::instance::{Entry, InstanceData};
#[cfg(planish_native)]
use super::native::NativeInstance;
use super::owned::{Owned, zeros};
use super::storage::{GlobalData, MemoryData, TableData};
use crate::code::FuncCode;
use crate::module::ModuleInner;

/// The parts of an instance, by the numbers of a [`World`].
pub(crate) struct Parts {
    pub(crate) module: Arc<ModuleInner>,
    /// By function: those that are imported.
    pub(crate) imports: Vec<Option<EntryRef>>,
    pub(crate) memories: Vec<u32>,
    pub(crate) tables: Vec<u32>,
    /// By variable of the module's scope, in order.
    pub(crate) globals: Vec<u32>,
}

/// A function reference in the representation of code; never null.
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
    /// The functions of the host.
    hosts: Vec<Owned<Entry>>,
    stack: Vec<u64>,
    /// For machine code.
    #[cfg(planish_native)]
    runtime: Option<Owned<planish_back_native::abi::Runtime>>,
    /// Not zero if machine code is to stop.
    #[cfg(planish_native)]
    interrupt: Arc<std::sync::atomic::AtomicU32>,
    /// If memories have guard pages.
    #[cfg(planish_native)]
    faults: Option<Owned<Faults>>,
}

// SAFETY: the pointers lead to objects owned by the world itself, and code runs only while it is borrowed.
unsafe impl Send for World {}
// SAFETY: shared, it only reads numbers.
unsafe impl Sync for World {}

impl World {
    /// With a stack of `stack` words; with none if memory is short, so that every call overflows. `native`: for
    /// machine code; `guard_pages`: for code that relies on them.
    pub(crate) fn new(stack: usize, native: bool, guard_pages: bool) -> Self {
        let mut world = World { stack: zeros(stack).unwrap_or_default(), ..World::default() };
        #[cfg(planish_native)]
        if native {
            world.faults = guard_pages.then(|| Owned::new(Box::default()));
            let faults = world.faults.as_ref().map_or(std::ptr::null_mut(), Owned::pointer);
            let runtime = super::native::runtime(world.interrupt.as_ptr(), faults);
            world.runtime = Some(Owned::new(Box::new(runtime)));
        }
        let _ = (native, guard_pages, &mut world);
        world
    }

    /// A memory of `min` pages; `None` if that exceeds the limit or memory.
    pub(crate) fn add_memory(&mut self, (min, max): (u32, Option<u32>), limit: u32) -> Option<u32> {
        #[cfg(planish_native)]
        let guard_pages = self.faults.is_some();
        #[cfg(not(planish_native))]
        let guard_pages = false;
        let memory = MemoryData::new(min, max, limit, guard_pages)?;
        #[cfg(planish_native)]
        if let Some(faults) = &mut self.faults {
            faults.get_mut().add_memory(memory.bytes.as_ptr());
        }
        self.memories.push(Owned::new(Box::new(memory)));
        Some(self.memories.len() as u32 - 1)
    }

    /// A table of `size.0` elements, as [`World::add_memory`].
    pub(crate) fn add_table(&mut self, ty: ValType, size: (u32, Option<u32>), limit: u32, value: u64) -> Option<u32> {
        self.tables.push(Owned::new(Box::new(TableData::new(ty, size, limit, value)?)));
        Some(self.tables.len() as u32 - 1)
    }

    pub(crate) fn add_global(&mut self, global: GlobalData) -> u32 {
        self.globals.push(Owned::new(Box::new(global)));
        self.globals.len() as u32 - 1
    }

    /// Adds a function of the host; `leave` is what machine code calls for it.
    pub(crate) fn add_host(
        &mut self,
        host: u32,
        ty: u32,
        words: (u32, u32),
        #[cfg(planish_native)] leave: *const std::ffi::c_void,
    ) -> EntryRef {
        let entry = Entry {
            #[cfg(planish_native)]
            callee: self.callee(leave, std::ptr::null_mut(), ty),
            #[cfg(planish_native)]
            enter: std::ptr::null(),
            code: std::ptr::null(),
            instance: std::ptr::null_mut(),
            ty,
            host,
            words,
        };
        let entry = Owned::new(Box::new(entry));
        #[cfg(planish_native)]
        {
            let pointer = entry.pointer();
            // SAFETY: it is owned, and nobody else knows it yet.
            unsafe { (*pointer).callee.context = pointer.cast() };
        }
        let word = entry.pointer().expose_provenance() as u64;
        self.hosts.push(entry);
        EntryRef(word)
    }

    /// Creates an instance, without its segments.
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
            own: Owned::new(Box::new([])),
            data_dropped: vec![false; module.data.len()],
            elems: vec![Vec::new(); module.elem_count],
            tokens: 0,
            module: Arc::clone(&module),
            #[cfg(planish_native)]
            native: None,
        };
        let mut instance = Owned::new(Box::new(data));
        let pointer = instance.pointer();
        #[cfg(planish_native)]
        if let (Some(runtime), Some(_)) = (&self.runtime, &module.native) {
            let native = NativeInstance::new(runtime.pointer(), pointer, instance.get(), &module.type_ids);
            let frame = module.native.as_ref().map_or(0, |code| code.largest_frame());
            // SAFETY: the runtime is owned by the world. Code may wait for a function of the host, which has called this;
            // it reads the size when that has returned.
            let largest = unsafe { &mut (*runtime.pointer()).largest_frame };
            *largest = frame.max(*largest);
            if let (Some(faults), Some(code)) = (&mut self.faults, &module.native) {
                faults.get_mut().add_code(code, native.context.pointer());
            }
            instance.get_mut().native = Some(Box::new(native));
        }
        #[cfg(planish_native)]
        let context =
            instance.get().native.as_ref().map_or(std::ptr::null_mut(), |native| native.context.pointer().cast());
        let functions = || module.codes.iter().zip(&parts.imports);
        let entry = |code: &FuncCode| {
            let (ty, words) = (module.type_id(code.func), code.words);
            #[cfg(planish_native)]
            let native = module.native.as_ref().and_then(|native| native.code_of(code.func));
            Entry {
                #[cfg(planish_native)]
                callee: self.callee(native.unwrap_or(std::ptr::null()), context, ty),
                #[cfg(planish_native)]
                enter: std::ptr::null(),
                code,
                instance: pointer,
                ty,
                host: 0,
                words,
            }
        };
        let own: Box<[Entry]> = functions().filter(|f| f.1.is_none()).map(|f| entry(f.0)).collect();
        let own = Owned::new(own);
        let mut next = own.pointer().cast::<Entry>();
        let place = |(_, import): (_, &Option<EntryRef>)| match import {
            Some(entry) => std::ptr::with_exposed_provenance_mut(entry.0 as usize),
            None => {
                let entry = next;
                next = entry.wrapping_add(1);
                entry
            }
        };
        instance.get_mut().entries = functions().map(place).collect();
        instance.get_mut().own = own;
        #[cfg(planish_native)]
        {
            let data = instance.get_mut();
            let functions = data.entries.as_ptr().cast();
            data.native.iter_mut().for_each(|native| native.context.get_mut().functions = functions);
        }
        self.instances.push(instance);
        self.instances.len() as u32 - 1
    }

    /// A function as machine code sees it.
    #[cfg(planish_native)]
    fn callee(
        &self,
        code: *const std::ffi::c_void,
        context: *mut std::ffi::c_void,
        ty: u32,
    ) -> planish_back_native::abi::Callee {
        let runtime = self.runtime.as_ref().map_or(std::ptr::null_mut(), Owned::pointer);
        planish_back_native::abi::Callee { runtime, code, context, ty }
    }

    /// A number that stops machine code when it is not zero.
    #[cfg(planish_native)]
    pub(crate) fn interrupt(&self) -> &Arc<std::sync::atomic::AtomicU32> {
        &self.interrupt
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

    /// Sets the words of a global, whose number is fixed.
    pub(crate) fn set_global(&mut self, global: u32, words: &[u64]) {
        self.globals[global as usize].get_mut().words.copy_from_slice(words);
    }

    /// The number of a function's type in the engine. The reference belongs to this world.
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

    /// The function that a word of code refers to; `None` if it is null. The word comes from this world's code or
    /// tables.
    pub(crate) fn reference(&self, word: u64) -> Option<EntryRef> {
        (word != 0).then_some(EntryRef(word))
    }

    /// Sets the items of an element segment.
    pub(crate) fn set_elem(&mut self, instance: u32, elem: usize, items: Vec<u64>) {
        self.instances[instance as usize].get_mut().elems[elem] = items;
    }

    /// Drops a data segment.
    pub(crate) fn drop_data(&mut self, instance: u32, data: usize) {
        self.instances[instance as usize].get_mut().data_dropped[data] = true;
    }

    /// The first word of the stack, and one past its last.
    pub(crate) fn stack(&mut self) -> (Fp, Fp) {
        let first = self.stack.as_mut_ptr();
        (first, first.wrapping_add(self.stack.len()))
    }
}
