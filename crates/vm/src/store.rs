//! Stores: the state of running programs, and the embedder's handles.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use planish_ir::host::{FuncType, ValType};
use smallvec::SmallVec;

use crate::calls::Calls;
use crate::dispatch::lend::{Loans, with_lent};
use crate::dispatch::storage::{GlobalData, Lent};
use crate::dispatch::world::World;
use crate::engine::Engine;
use crate::error::{Error, Trap};
use crate::func::{Func, HostFn};
use crate::instance::InstanceInfo;
use crate::module::ModuleInner;
use crate::types::Val;

/// An opaque reference to an object of the host, which programs can store and pass on: the host's own number for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ExternRef(pub u32);

/// The state of running programs, with data of the embedder's own.
pub struct Store<T> {
    pub(crate) inner: StoreInner,
    pub(crate) hosts: Vec<(Arc<HostFn<T>>, Arc<FuncType>)>,
    data: T,
}

pub(crate) struct StoreInner {
    pub(crate) engine: Engine,
    pub(crate) id: u64,
    pub(crate) world: World,
    pub(crate) instances: Vec<Arc<InstanceInfo>>,
    pub(crate) fuel: i64,
    pub(crate) calls: Calls,
}

impl<T> Store<T> {
    /// An empty store.
    pub fn new(engine: &Engine, data: T) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Store {
            inner: StoreInner {
                engine: engine.clone(),
                id: NEXT.fetch_add(1, Ordering::Relaxed),
                world: World::new(
                    engine.config().stack_words,
                    engine.strategy() != crate::Strategy::Vm,
                    engine.signals_based_traps(),
                ),
                instances: Vec::new(),
                fuel: 0,
                calls: Calls::default(),
            },
            hosts: Vec::new(),
            data,
        }
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// The embedder's data.
    pub fn data(&self) -> &T {
        &self.data
    }

    /// The embedder's data.
    pub fn data_mut(&mut self) -> &mut T {
        &mut self.data
    }

    /// The embedder's data, out of the store.
    pub fn into_data(self) -> T {
        self.data
    }

    /// Remaining fuel.
    pub fn fuel(&self) -> u64 {
        self.inner.fuel.max(0) as u64
    }

    /// Stops the program that this store runs, from any thread, if the engine's configuration is interruptible.
    pub fn interrupt_handle(&self) -> InterruptHandle {
        InterruptHandle { word: Arc::clone(self.inner.world.interrupt()) }
    }

    /// Sets the fuel, if the engine's configuration consumes fuel.
    pub fn set_fuel(&mut self, fuel: u64) {
        self.inner.fuel = i64::try_from(fuel).unwrap_or(i64::MAX);
    }
}

/// Stops the program that a store runs: [`Store::interrupt_handle`].
#[derive(Clone, Debug)]
pub struct InterruptHandle {
    word: Arc<AtomicU32>,
}

impl InterruptHandle {
    /// Has the program stop with [`Error::Interrupted`] at its next loop iteration or call, and later ones too, until
    /// [`InterruptHandle::clear`].
    pub fn interrupt(&self) {
        self.set(1);
    }

    /// Takes it back.
    pub fn clear(&self) {
        self.set(0);
    }

    fn set(&self, value: u32) {
        self.word.store(value, Ordering::Relaxed);
    }
}

/// A shared borrow of a store.
pub struct StoreContext<'a, T>(pub(crate) &'a Store<T>);

/// A mutable borrow of a store.
///
/// It does not expose the [`Store`]: code may be running in it, which must not be replaced.
pub struct StoreContextMut<'a, T>(pub(crate) &'a mut Store<T>);

impl<'a, T> StoreContext<'a, T> {
    /// The embedder's data.
    pub fn data(&self) -> &'a T {
        &self.0.data
    }
}

impl<T> StoreContextMut<'_, T> {
    /// The embedder's data.
    pub fn data(&self) -> &T {
        &self.0.data
    }

    /// The embedder's data.
    pub fn data_mut(&mut self) -> &mut T {
        &mut self.0.data
    }
}

/// Shared access to a store: the store itself, or the [`Caller`] of a function of the host.
pub trait AsContext {
    /// The embedder's data.
    type Data;
    /// The store.
    fn as_context(&self) -> StoreContext<'_, Self::Data>;
}

/// Mutable access to a store.
pub trait AsContextMut: AsContext {
    /// The store.
    fn as_context_mut(&mut self) -> StoreContextMut<'_, Self::Data>;
}

impl<T> AsContext for Store<T> {
    type Data = T;
    fn as_context(&self) -> StoreContext<'_, T> {
        StoreContext(self)
    }
}

impl<T> AsContextMut for Store<T> {
    fn as_context_mut(&mut self) -> StoreContextMut<'_, T> {
        StoreContextMut(self)
    }
}

impl<T> AsContext for StoreContext<'_, T> {
    type Data = T;
    fn as_context(&self) -> StoreContext<'_, T> {
        StoreContext(self.0)
    }
}

impl<T> AsContext for StoreContextMut<'_, T> {
    type Data = T;
    fn as_context(&self) -> StoreContext<'_, T> {
        StoreContext(self.0)
    }
}

impl<T> AsContextMut for StoreContextMut<'_, T> {
    fn as_context_mut(&mut self) -> StoreContextMut<'_, T> {
        StoreContextMut(self.0)
    }
}

impl<C: AsContext> AsContext for &C {
    type Data = C::Data;
    fn as_context(&self) -> StoreContext<'_, C::Data> {
        (**self).as_context()
    }
}

impl<C: AsContext> AsContext for &mut C {
    type Data = C::Data;
    fn as_context(&self) -> StoreContext<'_, C::Data> {
        (**self).as_context()
    }
}

impl<C: AsContextMut> AsContextMut for &mut C {
    fn as_context_mut(&mut self) -> StoreContextMut<'_, C::Data> {
        (**self).as_context_mut()
    }
}

/// The context of a call of a host function.
pub struct Caller<'a, T> {
    pub(crate) store: &'a mut Store<T>,
    pub(crate) instance: Option<crate::instance::Instance>,
}

impl<T> Caller<'_, T> {
    /// The embedder's data.
    pub fn data(&self) -> &T {
        self.store.data()
    }

    /// The embedder's data.
    pub fn data_mut(&mut self) -> &mut T {
        self.store.data_mut()
    }

    /// An export of the instance that calls.
    pub fn get_export(&self, name: &str) -> Option<crate::instance::Extern> {
        self.instance?.get_export(&*self.store, name)
    }
}

impl<T> AsContext for Caller<'_, T> {
    type Data = T;
    fn as_context(&self) -> StoreContext<'_, T> {
        StoreContext(self.store)
    }
}

impl<T> AsContextMut for Caller<'_, T> {
    fn as_context_mut(&mut self) -> StoreContextMut<'_, T> {
        StoreContextMut(self.store)
    }
}

impl StoreInner {
    /// Makes sure that a handle is of this store.
    ///
    /// # Panics
    /// If it is not: a mistake of the embedder.
    pub(crate) fn check(&self, store: u64) {
        assert_eq!(store, self.id, "a handle of another store");
    }

    /// Adds a memory of `min` pages.
    ///
    /// # Errors
    /// If that exceeds the engine's limit or memory.
    pub(crate) fn add_memory(&mut self, min: u32, max: Option<u32>) -> Result<u32, Error> {
        let limit = self.engine.config().memory_pages;
        let added = self.world.add_memory((min, max), limit);
        added.ok_or_else(|| {
            let guarded = self.engine.signals_based_traps() && min <= limit;
            let more = ": with guard pages it takes 4 GiB of addresses, without `Config::signals_based_traps` its size";
            Error::Limit(format!("a memory of {min} pages cannot be had{}", if guarded { more } else { "" }))
        })
    }

    /// Adds a table of `size.0` elements, all of them `value`.
    ///
    /// # Errors
    /// As for [`StoreInner::add_memory`].
    pub(crate) fn add_table(&mut self, ty: ValType, size: (u32, Option<u32>), value: u64) -> Result<u32, Error> {
        let limit = self.engine.config().table_elements;
        let added = self.world.add_table(ty, size, limit, value);
        added.ok_or_else(|| Error::Limit(format!("a table of {} elements cannot be had", size.0)))
    }

    /// A value out of words.
    pub(crate) fn value(&self, ty: ValType, words: &[u64]) -> Val {
        let word = words[0];
        match ty {
            ValType::I32 => Val::I32(word as i32),
            ValType::I64 => Val::I64(word as i64),
            ValType::F32 => Val::F32(word as u32),
            ValType::F64 => Val::F64(word),
            ValType::V128 => Val::V128(u128::from(word) | u128::from(words[1]) << 64),
            ValType::FuncRef => Val::FuncRef(self.world.reference(word).map(|entry| Func { store: self.id, entry })),
            ValType::ExternRef => Val::ExternRef((word != 0).then(|| ExternRef((word - 1) as u32))),
        }
    }

    /// Values out of the words of several.
    pub(crate) fn values<'a>(&'a self, types: &'a [ValType], words: &'a [u64]) -> impl Iterator<Item = Val> + use<'a> {
        let mut at = 0;
        types.iter().map(move |&ty| {
            let value = self.value(ty, &words[at..]);
            at += ty.words() as usize;
            value
        })
    }

    /// A trap at an instruction.
    pub(crate) fn trap(&self, kind: planish_ir::function::TrapKind, ip: *const u64) -> Error {
        let modules = self.instances.iter().map(|i| &i.module);
        let found = modules.flat_map(|m| m.codes.iter().map(move |code| (m, code)));
        let place = found.filter_map(|(m, code)| Some((m, code, code.span_at(ip)?))).next();
        Error::Trap(match place {
            Some((module, code, span)) => {
                let name = &module.shell.funcs[code.func].name.text;
                Trap { kind, span, function: (!name.is_empty()).then(|| name.to_string()) }
            }
            None => Trap { kind, span: planish_ir::source::Span::NONE, function: None },
        })
    }

    /// Words of the frame of the function that an instruction is of.
    pub(crate) fn frame_at(&self, ip: *const u64) -> usize {
        let modules = self.instances.iter().map(|i| &i.module);
        let mut codes = modules.flat_map(|m: &Arc<ModuleInner>| m.codes.iter());
        codes.find(|code| code.span_at(ip).is_some()).map_or(0, |code| code.start().1)
    }
}

/// A byte-addressed memory of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    pub(crate) store: u64,
    pub(crate) index: u32,
}

impl Memory {
    /// A new memory of `min` pages of 64 KiB.
    ///
    /// # Errors
    /// If that exceeds the engine's limit or memory, or `max` is below `min`.
    pub fn new<T>(mut store: impl AsContextMut<Data = T>, min: u32, max: Option<u32>) -> Result<Self, Error> {
        let inner = &mut store.as_context_mut().0.inner;
        if let Some(max) = max.filter(|&max| max < min) {
            return Err(Error::Type(format!("no memory has at least {min} and at most {max} pages")));
        }
        Ok(Memory { store: inner.id, index: inner.add_memory(min, max)? })
    }

    /// Its bytes.
    pub fn data<'a, T: 'a>(&self, store: &'a impl AsContext<Data = T>) -> &'a [u8] {
        let inner = &store.as_context().0.inner;
        inner.check(self.store);
        inner.world.memory(self.index).bytes()
    }

    /// Its bytes.
    pub fn data_mut<'a, T: 'a>(&self, store: &'a mut impl AsContextMut<Data = T>) -> &'a mut [u8] {
        let inner = &mut store.as_context_mut().0.inner;
        inner.check(self.store);
        inner.world.memory_mut(self.index).bytes_mut()
    }

    /// Its bytes, and the embedder's data.
    pub fn data_and_store_mut<'a, T: 'a>(
        &self,
        store: &'a mut impl AsContextMut<Data = T>,
    ) -> (&'a mut [u8], &'a mut T) {
        let store = store.as_context_mut().0;
        store.inner.check(self.store);
        (store.inner.world.memory_mut(self.index).bytes_mut(), &mut store.data)
    }

    /// Has memories that declare a maximum of 0 pages hold bytes of the host, which are not copied, while `work` runs: a program works on a
    /// slice in place. Their size is that of the slices, to the byte; afterwards it is 0 again.
    ///
    /// ```
    /// use planish_vm::{Engine, Lent, Linker, Memory, Module, Store, Val};
    /// # use planish_ir::source::SourceMap;
    /// # let text = r#"(module (memory (export "numbers") 0 0)
    /// #   (func (export "second") (result i32) (i32.load8_u (i32.const 1))))"#;
    /// # let file = SourceMap::new().add("f.wat", text).expect("it is small");
    /// # let (module, _) = planish_front_wasm::translate(&file, text.as_bytes(), &Default::default()).expect("valid");
    /// // (module (memory (export "numbers") 0 0)
    /// //   (func (export "second") (result i32) (i32.load8_u (i32.const 1))))
    /// let engine = Engine::default();
    /// let mut store = Store::new(&engine, ());
    /// let instance = Linker::new().instantiate(&mut store, &Module::new(&engine, module)?)?;
    /// let numbers = instance.get_memory(&store, "numbers").expect("it is exported");
    /// let second = instance.get_typed_func::<(), i32>(&store, "second")?;
    /// let result = Memory::lend([(numbers, Lent::ToRead(&[10, 20]))], &mut store, |mut store| second.call(&mut store, ()))?;
    /// assert_eq!(result?, 20);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If one of the memories may have pages, has bytes of the host already, or is written to by a program and gets bytes to read; and for
    /// more than 4 GiB.
    pub fn lend<'a, T, R>(
        lent: impl IntoIterator<Item = (Memory, Lent<'a>)>,
        mut store: impl AsContextMut<Data = T>,
        work: impl FnOnce(StoreContextMut<'_, T>) -> R,
    ) -> Result<R, Error> {
        let store = store.as_context_mut().0;
        let index = |(memory, bytes): (Memory, Lent<'a>)| {
            store.inner.check(memory.store);
            (memory.index, bytes)
        };
        let lent: Loans<'a> = lent.into_iter().map(index).collect();
        with_lent(store, |store| &mut store.inner.world, lent, |store| work(StoreContextMut(store)))
    }

    /// Its size in pages of 64 KiB.
    pub fn size(&self, store: impl AsContext) -> u32 {
        let inner = &store.as_context().0.inner;
        inner.check(self.store);
        inner.world.memory(self.index).pages()
    }

    /// Pages that it declares as its most.
    pub fn maximum(&self, store: impl AsContext) -> Option<u32> {
        let inner = &store.as_context().0.inner;
        inner.check(self.store);
        inner.world.memory(self.index).max
    }

    /// Grows it by `pages`; returns its old size in pages.
    ///
    /// # Errors
    /// If that exceeds a limit or memory.
    pub fn grow(&self, mut store: impl AsContextMut, pages: u32) -> Result<u32, Error> {
        let inner = &mut store.as_context_mut().0.inner;
        inner.check(self.store);
        let grown = inner.world.memory_mut(self.index).grow(pages);
        grown.ok_or_else(|| Error::Type(format!("the memory cannot grow by {pages} pages")))
    }

    /// Copies bytes from it.
    ///
    /// # Errors
    /// If they are out of bounds.
    pub fn read(&self, store: impl AsContext, offset: usize, buffer: &mut [u8]) -> Result<(), Error> {
        let inner = &store.as_context().0.inner;
        inner.check(self.store);
        let bytes =
            offset.checked_add(buffer.len()).and_then(|end| inner.world.memory(self.index).bytes().get(offset..end));
        buffer.copy_from_slice(bytes.ok_or_else(|| Error::Type("the place is not within the memory".into()))?);
        Ok(())
    }

    /// Copies bytes to it.
    ///
    /// # Errors
    /// If they are out of bounds.
    pub fn write(&self, mut store: impl AsContextMut, offset: usize, buffer: &[u8]) -> Result<(), Error> {
        let inner = &mut store.as_context_mut().0.inner;
        inner.check(self.store);
        let memory = inner.world.memory_mut(self.index).bytes_mut();
        let bytes = offset.checked_add(buffer.len()).and_then(|end| memory.get_mut(offset..end));
        bytes.ok_or_else(|| Error::Type("the place is not within the memory".into()))?.copy_from_slice(buffer);
        Ok(())
    }
}

/// A table of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Table {
    pub(crate) store: u64,
    pub(crate) index: u32,
}

impl Table {
    /// A new table whose elements are all `value`, which determines their type.
    ///
    /// # Errors
    /// If that exceeds the engine's limit or memory, `max` is below `min`, or `value` is no reference.
    pub fn new(mut store: impl AsContextMut, min: u32, max: Option<u32>, value: Val) -> Result<Self, Error> {
        let inner = &mut store.as_context_mut().0.inner;
        if max.is_some_and(|max| max < min) || !value.ty().is_reference() {
            return Err(Error::Type(format!("no table holds at least {min} elements of type {}", value.ty())));
        }
        let mut words = SmallVec::<[u64; 2]>::new();
        value.put(inner, &mut words);
        Ok(Table { store: inner.id, index: inner.add_table(value.ty(), (min, max), words[0])? })
    }

    /// Type of its elements.
    pub fn ty(&self, store: impl AsContext) -> ValType {
        let inner = &store.as_context().0.inner;
        inner.check(self.store);
        inner.world.table(self.index).ty
    }

    /// Number of elements.
    pub fn size(&self, store: impl AsContext) -> u32 {
        let inner = &store.as_context().0.inner;
        inner.check(self.store);
        inner.world.table(self.index).items.len() as u32
    }

    /// Elements that it declares as its most.
    pub fn maximum(&self, store: impl AsContext) -> Option<u32> {
        let inner = &store.as_context().0.inner;
        inner.check(self.store);
        inner.world.table(self.index).max
    }

    /// An element; `None` if the index is out of range.
    pub fn get(&self, store: impl AsContext, index: u32) -> Option<Val> {
        let inner = &store.as_context().0.inner;
        inner.check(self.store);
        let table = inner.world.table(self.index);
        table.items.get(index as usize).map(|&word| inner.value(table.ty, &[word]))
    }

    /// Sets an element.
    ///
    /// # Errors
    /// If the index is out of range, or the value is of another type.
    pub fn set(&self, mut store: impl AsContextMut, index: u32, value: Val) -> Result<(), Error> {
        let inner = &mut store.as_context_mut().0.inner;
        inner.check(self.store);
        let mut words = SmallVec::<[u64; 2]>::new();
        value.put(inner, &mut words);
        let table = inner.world.table_mut(self.index);
        let fits = table.ty == value.ty();
        match table.items.get_mut(index as usize) {
            Some(item) if fits => *item = words[0],
            _ => return Err(Error::Type("there is no such element, or it has another type".into())),
        }
        Ok(())
    }

    /// Grows it by `count` copies of a value; returns its old number of elements.
    ///
    /// # Errors
    /// If that exceeds a limit or memory, or the value is of another type.
    pub fn grow(&self, mut store: impl AsContextMut, count: u32, value: Val) -> Result<u32, Error> {
        let inner = &mut store.as_context_mut().0.inner;
        inner.check(self.store);
        let mut words = SmallVec::<[u64; 2]>::new();
        value.put(inner, &mut words);
        let table = inner.world.table_mut(self.index);
        if table.ty != value.ty() {
            return Err(Error::Type(format!("the table holds no {}", value.ty())));
        }
        let grown = table.grow(words[0], count);
        grown.ok_or_else(|| Error::Type(format!("the table cannot grow by {count} elements")))
    }
}

/// A global of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Global {
    pub(crate) store: u64,
    pub(crate) index: u32,
}

impl Global {
    /// A new global.
    pub fn new(mut store: impl AsContextMut, value: Val, mutable: bool) -> Self {
        let inner = &mut store.as_context_mut().0.inner;
        let mut words = SmallVec::<[u64; 2]>::new();
        value.put(inner, &mut words);
        let global = GlobalData { words: words.to_vec(), ty: value.ty(), mutable };
        Global { store: inner.id, index: inner.world.add_global(global) }
    }

    /// Type of its value.
    pub fn ty(&self, store: impl AsContext) -> ValType {
        let inner = &store.as_context().0.inner;
        inner.check(self.store);
        inner.world.global(self.index).ty
    }

    /// Whether it is mutable.
    pub fn is_mutable(&self, store: impl AsContext) -> bool {
        let inner = &store.as_context().0.inner;
        inner.check(self.store);
        inner.world.global(self.index).mutable
    }

    /// Its value.
    pub fn get(&self, store: impl AsContext) -> Val {
        let inner = &store.as_context().0.inner;
        inner.check(self.store);
        let global = inner.world.global(self.index);
        inner.value(global.ty, &global.words)
    }

    /// Sets it.
    ///
    /// # Errors
    /// If it is constant, or the value is of another type.
    pub fn set(&self, mut store: impl AsContextMut, value: Val) -> Result<(), Error> {
        let inner = &mut store.as_context_mut().0.inner;
        inner.check(self.store);
        let global = inner.world.global(self.index);
        if !global.mutable || global.ty != value.ty() {
            return Err(Error::Type("the global must not be set, or holds another type".into()));
        }
        let mut words = SmallVec::<[u64; 2]>::new();
        value.put(inner, &mut words);
        inner.world.set_global(self.index, &words);
        Ok(())
    }
}
