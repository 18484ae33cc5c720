//! Instances and their exports, and the linker that resolves imports.

use std::collections::HashMap;
use std::sync::Arc;

use planish_ir::arena::Id;
use planish_ir::constant::ConstValue;
use planish_ir::entity::{Const, Func as IrFunc, Var};
use planish_ir::function::TrapKind;
use planish_ir::host::{FuncType, ValType};
use planish_ir::module::{ElemItem, Import, Offset};
use planish_ir::types::TypeKind;
use smallvec::SmallVec;

use crate::dispatch::activate::{self, Ended};
use crate::dispatch::owned::zeros;
use crate::dispatch::storage::GlobalData;
use crate::dispatch::world::{EntryRef, Parts};
use crate::engine::Engine;
use crate::error::Error;
use crate::func::{Func, HostFn, Values};
use crate::module::{Module, ModuleInner};
use crate::store::{AsContext, AsContextMut, Caller, Global, Memory, Store, Table};
use crate::types::Val;

/// Something that instances import and export.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extern {
    /// A function.
    Func(Func),
    /// A memory.
    Memory(Memory),
    /// A table.
    Table(Table),
    /// A global.
    Global(Global),
}

impl Extern {
    /// The function, if it is one.
    pub fn into_func(self) -> Option<Func> {
        if let Extern::Func(f) = self { Some(f) } else { None }
    }

    /// The memory, if it is one.
    pub fn into_memory(self) -> Option<Memory> {
        if let Extern::Memory(m) = self { Some(m) } else { None }
    }

    /// The table, if it is one.
    pub fn into_table(self) -> Option<Table> {
        if let Extern::Table(t) = self { Some(t) } else { None }
    }

    /// The global, if it is one.
    pub fn into_global(self) -> Option<Global> {
        if let Extern::Global(g) = self { Some(g) } else { None }
    }

    fn what(self) -> &'static str {
        match self {
            Extern::Func(_) => "a function",
            Extern::Memory(_) => "a memory",
            Extern::Table(_) => "a table",
            Extern::Global(_) => "a global",
        }
    }
}

/// An instance of a module in a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instance {
    pub(crate) store: u64,
    pub(crate) index: u32,
}

/// Names and handles of an instance.
pub(crate) struct InstanceInfo {
    pub(crate) module: Arc<ModuleInner>,
    memories: Vec<u32>,
    tables: Vec<u32>,
    /// By variable of the module's scope, in order.
    globals: Vec<u32>,
}

impl Instance {
    /// An export.
    pub fn get_export(&self, store: impl AsContext, name: &str) -> Option<Extern> {
        let inner = &store.as_context().0.inner;
        inner.check(self.store);
        let info = &inner.instances[self.index as usize];
        let shell = &info.module.shell;
        let has = |names: &[Arc<str>]| names.iter().any(|n| **n == *name);
        let id = self.store;
        if let Some(entry) = shell.entry_points.iter().find(|e| has(&e.names)) {
            let entry = inner.world.function(self.index, entry.func.index());
            return Some(Extern::Func(Func { store: id, entry }));
        }
        if let Some(at) = shell.memories.values().position(|m| has(&m.exports)) {
            return Some(Extern::Memory(Memory { store: id, index: info.memories[at] }));
        }
        if let Some(at) = shell.tables.values().position(|t| has(&t.exports)) {
            return Some(Extern::Table(Table { store: id, index: info.tables[at] }));
        }
        let exported = |var: &Var| shell.vars[*var].linkage.as_ref().is_some_and(|l| has(&l.exports));
        let at = info.module.vars.iter().position(exported)?;
        // The host cannot access variables of several values, or of types local to the module.
        info.module.var_type(info.module.vars[at])?;
        Some(Extern::Global(Global { store: id, index: info.globals[at] }))
    }

    /// An exported function.
    pub fn get_func(&self, store: impl AsContext, name: &str) -> Option<Func> {
        self.get_export(store, name)?.into_func()
    }

    /// An exported memory.
    pub fn get_memory(&self, store: impl AsContext, name: &str) -> Option<Memory> {
        self.get_export(store, name)?.into_memory()
    }

    /// An exported table.
    pub fn get_table(&self, store: impl AsContext, name: &str) -> Option<Table> {
        self.get_export(store, name)?.into_table()
    }

    /// An exported global.
    pub fn get_global(&self, store: impl AsContext, name: &str) -> Option<Global> {
        self.get_export(store, name)?.into_global()
    }

    /// An exported function with a static type.
    ///
    /// # Errors
    /// If there is none of this name, or of this type.
    pub fn get_typed_func<P: Values, R: Values>(
        &self,
        store: impl AsContext,
        name: &str,
    ) -> Result<crate::func::TypedFunc<P, R>, Error> {
        let func = self.get_func(&store, name);
        func.ok_or_else(|| Error::Type(format!("there is no exported function `{name}`")))?.typed(store)
    }

    /// Names of all exports, with what they are.
    pub fn exports(&self, store: impl AsContext) -> Vec<(Arc<str>, Extern)> {
        let inner = &store.as_context().0.inner;
        inner.check(self.store);
        let module = Arc::clone(&inner.instances[self.index as usize].module);
        let shell = &module.shell;
        let id = self.store;
        let function = |func: IrFunc| Func { store: id, entry: inner.world.function(self.index, func.index()) };
        let entries = shell.entry_points.iter().flat_map(|e| e.names.iter().map(move |n| (n, e.func)));
        let funcs = entries.map(|(n, func)| (Arc::clone(n), Extern::Func(function(func))));
        // Of these there are few.
        let names = shell.memories.values().flat_map(|m| &m.exports);
        let names = names.chain(shell.tables.values().flat_map(|t| &t.exports));
        let vars = module.vars.iter().filter_map(|&v| shell.vars[v].linkage.as_ref()).flat_map(|l| &l.exports);
        let others = names.chain(vars).filter_map(|n| Some((Arc::clone(n), self.get_export(&store, n)?)));
        funcs.chain(others).collect()
    }
}

/// A definition for an import.
enum Definition<T> {
    Extern(Extern),
    Host(FuncType, Arc<HostFn<T>>),
}

/// Names of what modules may import.
pub struct Linker<T> {
    definitions: HashMap<(String, String), Definition<T>>,
}

impl<T> Default for Linker<T> {
    fn default() -> Self {
        Linker { definitions: HashMap::new() }
    }
}

impl<T> Linker<T> {
    /// Without definitions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names something of a store. An older definition of the name is replaced.
    pub fn define(&mut self, module: &str, name: &str, item: impl Into<Extern>) -> &mut Self {
        self.definitions.insert((module.into(), name.into()), Definition::Extern(item.into()));
        self
    }

    /// Names a function of the host.
    pub fn func_new(
        &mut self,
        module: &str,
        name: &str,
        ty: FuncType,
        function: impl Fn(Caller<'_, T>, &[Val], &mut [Val]) -> Result<(), Error> + Send + Sync + 'static,
    ) -> &mut Self {
        self.definitions.insert((module.into(), name.into()), Definition::Host(ty, Arc::new(function)));
        self
    }

    /// Names all exports of an instance.
    pub fn instance(&mut self, store: impl AsContext<Data = T>, module: &str, instance: Instance) -> &mut Self {
        for (name, item) in instance.exports(store) {
            self.define(module, &name, item);
        }
        self
    }

    /// Instantiates a module: finds its imports, puts its segments in place, and runs its start function.
    ///
    /// # Errors
    /// If an import is missing or does not fit, or if the instantiation traps.
    pub fn instantiate(&self, mut store: impl AsContextMut<Data = T>, module: &Module) -> Result<Instance, Error> {
        let store = store.as_context_mut().0;
        let mut find = |store: &mut Store<T>, import: &Import| match self
            .definitions
            .get(&(import.module.to_string(), import.name.to_string()))
        {
            Some(Definition::Extern(item)) => Some(*item),
            Some(Definition::Host(ty, function)) => {
                Some(Extern::Func(Func::from_shared(store, ty.clone(), Arc::clone(function))))
            }
            None => None,
        };
        instantiate(store, module, &mut find)
    }
}

impl From<Func> for Extern {
    fn from(f: Func) -> Extern {
        Extern::Func(f)
    }
}

impl From<Memory> for Extern {
    fn from(m: Memory) -> Extern {
        Extern::Memory(m)
    }
}

impl From<Table> for Extern {
    fn from(t: Table) -> Extern {
        Extern::Table(t)
    }
}

impl From<Global> for Extern {
    fn from(g: Global) -> Extern {
        Extern::Global(g)
    }
}

/// Finds what an import is given.
type Find<'f, T> = &'f mut dyn FnMut(&mut Store<T>, &Import) -> Option<Extern>;

struct Linking<'a, 'f, T> {
    store: &'a mut Store<T>,
    module: &'a ModuleInner,
    find: Find<'f, T>,
}

fn link_error(import: &Import, what: impl Into<String>) -> Error {
    Error::Link { module: import.module.to_string(), name: import.name.to_string(), what: what.into() }
}

impl<T> Linking<'_, '_, T> {
    fn get(&mut self, import: &Import, wanted: &str) -> Result<Extern, Error> {
        match (self.find)(self.store, import) {
            Some(item) => Ok(item),
            None => Err(link_error(import, format!("unknown import: {wanted} is asked for"))),
        }
    }

    fn functions(&mut self) -> Result<Vec<Option<EntryRef>>, Error> {
        let mut entries = vec![None; self.module.codes.len()];
        let imports: Vec<_> = self.module.imports().map(|(f, i)| (f, i.clone())).collect();
        for (func, import) in imports {
            let item = self.get(&import, "a function")?;
            let Extern::Func(found) = item else {
                return Err(link_error(
                    &import,
                    format!("incompatible import type: a function is asked for, {} given", item.what()),
                ));
            };
            self.store.inner.check(found.store);
            let Some(wanted) = self.module.signature(func) else {
                return Err(link_error(&import, "it has parameters or results of types local to its module"));
            };
            let ty = found.shared_type(&self.store.inner);
            if ty.as_ref() != Some(wanted) {
                let ty = ty.map_or_else(|| "a type that only its module knows".into(), |ty| ty.to_string());
                return Err(link_error(
                    &import,
                    format!("incompatible import type: {wanted} is asked for, {ty} given"),
                ));
            }
            entries[func.index()] = Some(found.entry);
        }
        Ok(entries)
    }

    fn memories(&mut self) -> Result<Vec<u32>, Error> {
        let mut memories = Vec::new();
        for memory in self.module.shell.memories.values() {
            let Some(import) = &memory.import else {
                memories.push(self.store.inner.add_memory(memory.min_pages, memory.max_pages)?);
                continue;
            };
            let item = self.get(import, "a memory")?;
            let Extern::Memory(found) = item else {
                return Err(link_error(
                    import,
                    format!("incompatible import type: a memory is asked for, {} given", item.what()),
                ));
            };
            self.store.inner.check(found.store);
            let data = self.store.inner.world.memory(found.index);
            if data.is_lent() {
                return Err(link_error(import, "the memory has bytes of the host, which are lent to it for a while"));
            }
            check_limits(import, (memory.min_pages, memory.max_pages), (data.pages(), data.max))?;
            memories.push(found.index);
        }
        Ok(memories)
    }

    fn tables(&mut self) -> Result<Vec<u32>, Error> {
        let mut tables = Vec::new();
        for table in self.module.shell.tables.values() {
            let functions = self.module.shell.types[table.element] == TypeKind::FuncRef;
            let ty = if functions { ValType::FuncRef } else { ValType::ExternRef };
            let Some(import) = &table.import else {
                tables.push(self.store.inner.add_table(ty, (table.min, table.max), 0)?);
                continue;
            };
            let item = self.get(import, "a table")?;
            let Extern::Table(found) = item else {
                return Err(link_error(
                    import,
                    format!("incompatible import type: a table is asked for, {} given", item.what()),
                ));
            };
            self.store.inner.check(found.store);
            let data = self.store.inner.world.table(found.index);
            if data.ty != ty {
                return Err(link_error(import, "incompatible import type: the table holds other references"));
            }
            check_limits(import, (table.min, table.max), (data.items.len() as u32, data.max))?;
            tables.push(found.index);
        }
        Ok(tables)
    }

    fn globals(&mut self) -> Result<Vec<u32>, Error> {
        let mut globals = Vec::new();
        for &var in &self.module.vars {
            let data = &self.module.shell.vars[var];
            let Some(import) = data.linkage.as_ref().and_then(|l| l.import.as_ref()) else {
                let words = self.first_words(var)?;
                let ty = self.module.var_type(var).unwrap_or(ValType::I32);
                globals.push(self.store.inner.world.add_global(GlobalData { words, ty, mutable: !data.is_const }));
                continue;
            };
            let item = self.get(import, "a global")?;
            let Extern::Global(found) = item else {
                return Err(link_error(
                    import,
                    format!("incompatible import type: a global is asked for, {} given", item.what()),
                ));
            };
            self.store.inner.check(found.store);
            let global = self.store.inner.world.global(found.index);
            if Some(global.ty) != self.module.var_type(var) || global.mutable == data.is_const {
                return Err(link_error(
                    import,
                    "incompatible import type: the global has another type, or may be set where it must not",
                ));
            }
            globals.push(found.index);
        }
        Ok(globals)
    }

    /// The initial value of a variable, as far as it is constant.
    fn first_words(&self, var: Var) -> Result<Vec<u64>, Error> {
        let count = self.module.var_words(var);
        let mut words =
            zeros(count as usize).ok_or_else(|| Error::Limit(format!("a variable of {count} words cannot be had")))?;
        if let Some(c) = self.module.shell.vars[var].initializer {
            let mut first = Vec::new();
            constant_words(self.module, c, &mut first);
            words[..first.len()].copy_from_slice(&first);
        }
        Ok(words)
    }
}

fn constant_words(module: &ModuleInner, c: Const, words: &mut Vec<u64>) {
    let mut stack = vec![c];
    while let Some(c) = stack.pop() {
        match &module.shell.consts[c].value {
            ConstValue::Bits(bits) => words.push(*bits),
            ConstValue::Wide(bits) => words.extend([*bits as u64, (*bits >> 64) as u64]),
            ConstValue::Composite(parts) => stack.extend(parts.iter().rev()),
            ConstValue::Null => words.push(0),
        }
    }
}

/// The given limits must be within those wanted: at least as large, with a maximum that is no larger.
fn check_limits(import: &Import, wanted: (u32, Option<u32>), given: (u32, Option<u32>)) -> Result<(), Error> {
    let fits = given.0 >= wanted.0
        && match (wanted.1, given.1) {
            (None, _) => true,
            (Some(wanted), Some(given)) => given <= wanted,
            (Some(_), None) => false,
        };
    let text = |(min, max): (u32, Option<u32>)| match max {
        Some(max) => format!("{min} to {max}"),
        None => format!("at least {min}"),
    };
    match fits {
        true => Ok(()),
        false => Err(link_error(
            import,
            format!("incompatible import type: the size {} is asked for, {} given", text(wanted), text(given)),
        )),
    }
}

fn instantiate<T>(store: &mut Store<T>, module: &Module, find: Find<'_, T>) -> Result<Instance, Error> {
    assert!(Engine::same(&store.inner.engine, &module.0.engine), "a module of another engine");
    let mut linking = Linking { store, module: &module.0, find };
    let imports = linking.functions()?;
    let tables = linking.tables()?;
    let memories = linking.memories()?;
    let globals = linking.globals()?;
    let inner = &mut store.inner;
    let index = inner.world.add_instance(Parts {
        module: Arc::clone(&module.0),
        imports,
        memories: memories.clone(),
        tables: tables.clone(),
        globals: globals.clone(),
    });
    let info = Arc::new(InstanceInfo { module: Arc::clone(&module.0), memories, tables, globals });
    inner.instances.push(Arc::clone(&info));
    let instance = Instance { store: inner.id, index };
    let mut starting = Starting { store, info: &info, index };
    starting.compute_globals()?;
    starting.elements()?;
    starting.data()?;
    if let Some(start) = module.0.shell.start {
        starting.call(start.index())?;
    }
    Ok(instance)
}

struct Starting<'a, T> {
    store: &'a mut Store<T>,
    info: &'a InstanceInfo,
    index: u32,
}

impl<T> Starting<'_, T> {
    fn call(&mut self, func: usize) -> Result<SmallVec<[u64; 8]>, Error> {
        let entry = self.store.inner.world.function(self.index, func);
        match activate::begin(self.store, entry, SmallVec::new()) {
            Ended::Done(words) => Ok(words),
            Ended::Stopped(error) => Err(error),
            Ended::OutOfFuel(suspended) => {
                activate::end(self.store, suspended);
                Err(Error::OutOfFuel)
            }
        }
    }

    fn compute_globals(&mut self) -> Result<(), Error> {
        let info = self.info;
        for (at, &var) in info.module.vars.iter().enumerate() {
            let linkage = info.module.shell.vars[var].linkage.as_ref();
            if let Some(func) = linkage.and_then(|l| l.computed) {
                let words = self.call(func.index())?;
                self.store.inner.world.set_global(info.globals[at], &words);
            }
        }
        Ok(())
    }

    fn variable(&self, var: Var) -> u64 {
        let at = self.info.module.vars.iter().position(|&v| v == var).expect("the module was verified");
        self.store.inner.world.global(self.info.globals[at]).words[0]
    }

    fn offset(&self, offset: Offset) -> usize {
        match offset {
            Offset::Const(at) => at as usize,
            Offset::Var(var) => self.variable(var) as u32 as usize,
        }
    }

    fn elements(&mut self) -> Result<(), Error> {
        let info = self.info;
        for (id, elem) in info.module.shell.elems.iter() {
            let world = &self.store.inner.world;
            let word = |item: &ElemItem| match *item {
                ElemItem::Null => 0,
                ElemItem::Func(func) => world.function(self.index, func.index()).word(),
                ElemItem::Var(var) => self.variable(var),
            };
            let items: Vec<u64> = elem.items.iter().map(word).collect();
            let Some((table, offset)) = elem.active else {
                self.store.inner.world.set_elem(self.index, id.index(), items);
                continue;
            };
            let start = self.offset(offset);
            let table = self.store.inner.world.table_mut(info.tables[table.index()]);
            match table.items.get_mut(start..start + items.len()) {
                Some(slots) => slots.copy_from_slice(&items),
                None => return Err(self.store.inner.trap(TrapKind::OutOfBoundsTable, std::ptr::null())),
            }
        }
        Ok(())
    }

    fn data(&mut self) -> Result<(), Error> {
        let info = self.info;
        for (id, data) in info.module.shell.data.iter() {
            let Some((memory, offset)) = data.active else { continue };
            let start = self.offset(offset);
            let bytes = self.store.inner.world.memory_mut(info.memories[memory.index()]).bytes_mut();
            match bytes.get_mut(start..start + data.bytes.len()) {
                Some(place) => place.copy_from_slice(&data.bytes),
                None => return Err(self.store.inner.trap(TrapKind::OutOfBoundsMemory, std::ptr::null())),
            }
            self.store.inner.world.drop_data(self.index, id.index());
        }
        Ok(())
    }
}
