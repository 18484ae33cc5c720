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
use super::storage::{GlobalData, MemoryData, TableData, Uses};
use crate::code::FuncCode;
use crate::engine::Engine;
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
    /// Not zero if the program is to stop.
    interrupt: Arc<std::sync::atomic::AtomicU32>,
    /// If memories have guard pages.
    #[cfg(planish_native)]
    faults: Option<Owned<Faults>>,
    /// Whether an instance has machine code, which may call any other function.
    #[cfg(planish_native)]
    has_code: bool,
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

    /// Adds a function of the host.
    pub(crate) fn add_host(&mut self, engine: &Engine, host: u32, ty: u32, words: (u32, u32)) -> EntryRef {
        let entry = Entry {
            #[cfg(planish_native)]
            callee: self.callee(super::native::refusal(), std::ptr::null_mut(), ty),
            #[cfg(planish_native)]
            enter: std::ptr::null(),
            code: std::ptr::null(),
            instance: std::ptr::null_mut(),
            ty,
            host,
            words,
        };
        let entry = Owned::new(Box::new(entry));
        let word = entry.pointer().expose_provenance() as u64;
        self.hosts.push(entry);
        #[cfg(planish_native)]
        if self.has_code || engine.strategy() == crate::Strategy::Native {
            let_leave(self.hosts[self.hosts.len() - 1].pointer(), engine);
        }
        let _ = engine;
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
            #[cfg(planish_native)]
            loops: Vec::new(),
        };
        let mut instance = Owned::new(Box::new(data));
        let pointer = instance.pointer();
        let functions = || module.codes.iter().zip(&parts.imports);
        let entry = |code: &FuncCode| {
            let (ty, words) = (module.type_id(code.func), code.words);
            Entry {
                #[cfg(planish_native)]
                callee: self.callee(super::native::refusal(), std::ptr::null_mut(), ty),
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
        self.instances.push(instance);
        for (&memory, uses) in parts.memories.iter().zip(&module.memory_uses) {
            let all = &mut self.memory_mut(memory).uses;
            *all = Uses { writes: all.writes | uses.writes, relies: all.relies | uses.relies };
        }
        #[cfg(planish_native)]
        if module.native.get().is_some() || self.has_code {
            self.adopt(&module.engine);
        }
        self.instances.len() as u32 - 1
    }

    /// Has the instances run as machine code whose modules have it by now, and all other functions be callable from there.
    #[cfg(planish_native)]
    pub(crate) fn adopt(&mut self, engine: &Engine) {
        let Some(runtime) = self.runtime.as_ref().map(Owned::pointer) else { return };
        for instance in &mut self.instances {
            let data = instance.get();
            let module = Arc::clone(&data.module);
            let (None, Some(code)) = (&data.native, module.native.get()) else { continue };
            let native = NativeInstance::new(runtime, code, instance.pointer(), data);
            // SAFETY: the runtime is owned by the world. Code may wait for a function of the host, or for the virtual machine,
            // which has called this; it reads the size when that has returned.
            unsafe { native.make_known(runtime) };
            let context = native.context().cast();
            let data = instance.get_mut();
            data.native = Some(Box::new(native));
            let own = data.own.get_mut().iter_mut();
            for entry in own {
                // SAFETY: a module's functions live as long as the module, which the instance keeps.
                let func = unsafe { (*entry.code).func };
                if let Some(start) = code.code_of(func) {
                    (entry.callee.code, entry.callee.context) = (start, context);
                }
            }
            self.has_code = true;
        }
        if self.has_code {
            self.let_code_leave(engine);
        }
    }

    /// Lets machine code call functions that have none.
    #[cfg(planish_native)]
    fn let_code_leave(&self, engine: &Engine) {
        let of_instances = self.instances.iter().map(Owned::get).filter(|instance| instance.native.is_none());
        let own = of_instances.flat_map(|instance| {
            let first = instance.own.pointer().cast::<Entry>();
            (0..instance.own.get().len()).map(move |i| first.wrapping_add(i))
        });
        own.chain(self.hosts.iter().map(Owned::pointer)).for_each(|entry| let_leave(entry, engine));
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

    /// A number that stops the program when it is not zero.
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

/// Gives a function that has no machine code the adapter by which machine code calls it. If there is no memory for one, such
/// calls fail.
#[cfg(planish_native)]
fn let_leave(entry: *mut Entry, engine: &Engine) {
    // SAFETY: it is owned by a world, which is borrowed for this.
    let callee = unsafe { &mut (*entry).callee };
    callee.context = entry.cast();
    if callee.code == super::native::refusal()
        && let Some(ty) = engine.func_type(callee.ty)
        && let Some(Ok(adapters)) = engine.native().map(|native| native.adapters(&ty))
    {
        callee.code = adapters.leave();
    }
}
