//! Instances of several modules that import from each other and from the host: a store of WebAssembly.
//!
//! # Example
//! ```
//! use planish_eval::Limits;
//! use planish_eval::world::{FuncType, Val, ValType, World};
//! use planish_ir::text::parse_str;
//!
//! let module = parse_str(
//!     "module wasm
//! fn @ask() -> (i32)
//! fn @next() -> (i32) {
//! b0:
//!   %0 = call @ask
//!   %1 = add %0, 1
//!   return %1
//! }
//! import @ask \"host\" \"ask\"
//! export @next \"next\"
//! ",
//! )
//! .unwrap();
//! let mut world = World::new(Limits::default());
//! let ask = world.host_func(FuncType::new([], [ValType::I32]), |_, _| Ok(vec![Val::I32(41)]));
//! let instance = world.instantiate(&module, |_, name| (name == "ask").then_some(ask)).unwrap();
//! assert_eq!(world.invoke(instance, "next", &[]), Ok(vec![Val::I32(42)]));
//! ```

mod link;
mod value;

use std::collections::HashMap;
use std::sync::Arc;

use planish_ir::arena::Id;
use planish_ir::entity::Var;
use planish_ir::module::Module;
use planish_ir::source::Span;
use planish_ir::types::AddressSpace;

use crate::machine::Machine;
use crate::machine::host::CallerMemories;
use crate::machine::store::StoreFunc;
use crate::pointer::Pointer;
use crate::program::Program;
use crate::stop::{Limits, Stop};

pub use link::{InstantiateError, LinkError};
pub use planish_ir::host::{FuncType, ValType};
pub use value::Val;

/// A function of a [`World`]; invalid in other ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FuncAddr(pub(crate) u32);

/// A byte-addressed memory of a [`World`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemoryAddr(u32);

/// A table of a [`World`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TableAddr(u32);

/// A global of a [`World`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GlobalAddr {
    object: u32,
    ty: ValType,
    mutable: bool,
}

/// An item that can be imported and exported.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extern {
    /// A function.
    Func(FuncAddr),
    /// A memory.
    Memory(MemoryAddr),
    /// A table.
    Table(TableAddr),
    /// A global.
    Global(GlobalAddr),
}

impl Extern {
    /// Kind of the item, as a word.
    pub fn kind(self) -> &'static str {
        match self {
            Extern::Func(_) => "a function",
            Extern::Memory(_) => "a memory",
            Extern::Table(_) => "a table",
            Extern::Global(_) => "a global",
        }
    }
}

/// An instance of a module, in a [`World`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Instance(u32);

/// Exports of an instance.
#[derive(Default)]
struct Exports {
    list: Vec<(Arc<str>, Extern)>,
    by_name: HashMap<Arc<str>, usize>,
}

/// The calling instance, as seen by a host function.
#[derive(Debug)]
pub struct Caller<'a> {
    memories: CallerMemories<'a>,
}

impl Caller<'_> {
    /// The bytes of the instance's memory with this index; `None` if it has none, or if the caller is not an instance.
    pub fn memory(&mut self, index: usize) -> Option<&mut [u8]> {
        self.memories.get(index).map(|bytes| &mut bytes[..])
    }
}

/// See the module documentation. [`Limits::steps`] applies to each call from outside separately.
pub struct World<'m> {
    machine: Machine<'m>,
    exports: Vec<Exports>,
}

impl<'m> World<'m> {
    /// A world without instances.
    pub fn new(limits: Limits) -> Self {
        World { machine: Machine::empty(limits, 1), exports: Vec::new() }
    }

    /// A host function. It gets arguments of its type, and must return results of it.
    pub fn host_func(
        &mut self,
        ty: FuncType,
        mut function: impl FnMut(Caller<'_>, &[Val]) -> Result<Vec<Val>, Stop> + 'm,
    ) -> Extern {
        let of = ty.clone();
        let host = self.machine.store.add_host(Box::new(move |call| {
            let args = of.params().iter().zip(&call.args).map(|(&ty, words)| Val::from_words(ty, words));
            let args: Vec<Val> = args.collect();
            let results = function(Caller { memories: call.memories }, &args)?;
            if !results.iter().map(|v| v.ty()).eq(of.results().iter().copied()) {
                return Err(Stop::unsupported("the host's results are not those of the function's type", Span::NONE));
            }
            Ok(results.into_iter().flat_map(Val::words).collect())
        }));
        Extern::Func(FuncAddr(self.machine.store.add_func(StoreFunc::Host { ty, host })))
    }

    /// A memory of the host with `pages` pages of 64 KiB.
    ///
    /// # Errors
    /// If it exceeds the limit.
    pub fn host_memory(&mut self, pages: u32, max: Option<u32>) -> Result<Extern, Stop> {
        let limit = self.machine.limits.words;
        Ok(Extern::Memory(MemoryAddr(self.machine.store.add_memory(pages, max, limit)?)))
    }

    /// A table of the host with `size` nulls.
    ///
    /// # Errors
    /// If it exceeds the limit, or `element` is not a reference type.
    pub fn host_table(&mut self, element: ValType, size: u32, max: Option<u32>) -> Result<Extern, Stop> {
        if !element.is_reference() {
            return Err(Stop::unsupported("a table holds references", Span::NONE));
        }
        let limit = self.machine.limits.words;
        Ok(Extern::Table(TableAddr(self.machine.store.add_table(element, (size, max), 0, limit)?)))
    }

    /// A global of the host.
    ///
    /// # Errors
    /// If it exceeds the limit.
    pub fn host_global(&mut self, value: Val, mutable: bool) -> Result<Extern, Stop> {
        let pointer = self.machine.add_lane_object(&value.words())?;
        Ok(Extern::Global(GlobalAddr { object: Pointer(pointer).object() as u32, ty: value.ty(), mutable }))
    }

    /// Instantiates a module: resolves and checks its imports, initializes its variables, copies its segments, and runs
    /// its start function.
    ///
    /// # Errors
    /// If an import is missing or does not match, no state has changed. If a segment does not fit or the start function
    /// traps, the instance is not accessible, but its writes persist, including references to its functions in tables
    /// of others.
    pub fn instantiate(
        &mut self,
        module: &'m Module,
        mut find: impl FnMut(&str, &str) -> Option<Extern>,
    ) -> Result<Instance, InstantiateError> {
        let links = self.link(module, &mut find)?;
        let program = Arc::new(Program::new(module)?);
        let number = self.machine.add_instance(program, &links)?;
        let exports = self.list_exports(module, number);
        self.exports.push(exports);
        self.machine.steps = 0;
        self.machine.initialize(number)?;
        if let Some(start) = module.start {
            let start = self.machine.instances[number].funcs[start.index()];
            self.machine.call_function(start, &[], 1)?;
        }
        Ok(Instance(number as u32))
    }

    fn list_exports(&self, module: &Module, number: usize) -> Exports {
        let mut exports = Exports::default();
        let mut add = |names: &[Arc<str>], what: Extern| {
            for name in names {
                exports.by_name.insert(Arc::clone(name), exports.list.len());
                exports.list.push((Arc::clone(name), what));
            }
        };
        let instance = &self.machine.instances[number];
        for entry in module.entry_points.iter().filter(|e| e.stage.is_none()) {
            add(&entry.names, Extern::Func(FuncAddr(instance.funcs[entry.func.index()])));
        }
        for (table, &number) in module.tables.values().zip(&instance.tables) {
            add(&table.exports, Extern::Table(TableAddr(number)));
        }
        for (memory, &number) in module.memories.values().zip(&instance.memories) {
            add(&memory.exports, Extern::Memory(MemoryAddr(number)));
        }
        for &var in &module.globals {
            if let Some(global) = self.global(module, number, var) {
                let linkage = module.vars[var].linkage.as_ref();
                add(linkage.map_or(&[], |l| &l.exports), Extern::Global(global));
            }
        }
        exports
    }

    fn global(&self, module: &Module, instance: usize, var: Var) -> Option<GlobalAddr> {
        let data = &module.vars[var];
        if data.space != AddressSpace::Private {
            return None;
        }
        let object = self.machine.address(instance, var).object() as u32;
        Some(GlobalAddr { object, ty: ValType::of(&module.types, data.ty)?, mutable: !data.is_const })
    }

    /// The export of an instance with a name.
    pub fn export(&self, instance: Instance, name: &str) -> Option<Extern> {
        let exports = &self.exports[instance.0 as usize];
        exports.by_name.get(name).map(|&at| exports.list[at].1)
    }

    /// All exports of an instance: functions, tables, memories, globals.
    pub fn exports(&self, instance: Instance) -> impl Iterator<Item = (&str, Extern)> {
        self.exports[instance.0 as usize].list.iter().map(|(name, what)| (&**name, *what))
    }

    /// Calls an exported function of an instance.
    ///
    /// # Errors
    /// See [`World::call`]; also if it has no such export.
    pub fn invoke(&mut self, instance: Instance, name: &str, args: &[Val]) -> Result<Vec<Val>, Stop> {
        match self.export(instance, name) {
            Some(Extern::Func(func)) => self.call(func, args),
            _ => Err(Stop::unsupported(format!("no function is exported as '{name}'"), Span::NONE)),
        }
    }

    /// Calls a function.
    ///
    /// # Errors
    /// If the program traps, exceeds a limit, or the arguments do not have the function's type.
    pub fn call(&mut self, func: FuncAddr, args: &[Val]) -> Result<Vec<Val>, Stop> {
        let Some(ty) = self.machine.func_type(func.0) else {
            return Err(Stop::unsupported("a function of types that only its module knows", Span::NONE));
        };
        if !args.iter().map(|a| a.ty()).eq(ty.params().iter().copied()) {
            return Err(Stop::unsupported(format!("the arguments do not fit a function {ty}"), Span::NONE));
        }
        self.machine.steps = 0;
        let args: Vec<Vec<u64>> = args.iter().map(|a| a.words()).collect();
        let words: Vec<u64> = self.machine.call_function(func.0, &args, 1)?.into_iter().map(|c| c[0]).collect();
        let mut at = 0;
        let result = |&ty: &ValType| {
            let from = at;
            at += ty.words() as usize;
            Val::from_words(ty, &words[from..at])
        };
        Ok(ty.results().iter().map(result).collect())
    }

    /// Steps of the last call from outside.
    pub fn steps(&self) -> u64 {
        self.machine.steps
    }

    /// The type of a function; `None` if it has no host type.
    pub fn func_type(&self, func: FuncAddr) -> Option<FuncType> {
        self.machine.func_type(func.0)
    }

    /// The value of a global.
    pub fn get_global(&self, global: GlobalAddr) -> Val {
        let words: Vec<u64> =
            (0..global.ty.words() as usize).map(|c| self.machine.object_word(global.object as usize, c)).collect();
        Val::from_words(global.ty, &words)
    }

    /// Sets a global; returns false if it is constant or of another type.
    pub fn set_global(&mut self, global: GlobalAddr, value: Val) -> bool {
        if !global.mutable || value.ty() != global.ty {
            return false;
        }
        for (c, word) in value.words().into_iter().enumerate() {
            self.machine.set_object_word(global.object as usize, c, word);
        }
        true
    }

    /// The bytes of a memory.
    pub fn memory(&self, memory: MemoryAddr) -> &[u8] {
        &self.machine.store.memories[memory.0 as usize].bytes
    }

    /// The bytes of a memory, mutable.
    pub fn memory_mut(&mut self, memory: MemoryAddr) -> &mut [u8] {
        &mut self.machine.store.memories[memory.0 as usize].bytes
    }

    /// Number of elements of a table.
    pub fn table_size(&self, table: TableAddr) -> u32 {
        self.machine.store.tables[table.0 as usize].items.len() as u32
    }

    /// An element of a table; `None` if out of bounds.
    pub fn table_get(&self, table: TableAddr, index: u32) -> Option<Val> {
        let table = &self.machine.store.tables[table.0 as usize];
        table.items.get(index as usize).map(|&word| Val::from_words(table.element, &[word]))
    }

    /// Sets an element of a table; returns false if out of bounds or of another type.
    pub fn table_set(&mut self, table: TableAddr, index: u32, value: Val) -> bool {
        let table = &mut self.machine.store.tables[table.0 as usize];
        match table.items.get_mut(index as usize) {
            Some(item) if value.ty() == table.element => {
                *item = value.words()[0];
                true
            }
            _ => false,
        }
    }
}
