//! Instances: a module with its variables, and the store indices of its functions, memories and tables.

use std::sync::Arc;

use planish_ir::arena::Id;
use planish_ir::entity::{Func, Var};
use planish_ir::function::TrapKind;
use planish_ir::module::{ElemItem, Offset, VarData};
use planish_ir::source::Span;
use planish_ir::types::AddressSpace;
use rustc_hash::FxHashMap;

use super::bytes::range;
use super::store::StoreFunc;
use super::{Machine, Object, Place};
use crate::pointer::{MAX_OBJECTS, Pointer};
use crate::program::{Program, fixed_size, flatten, is_per_lane};
use crate::stop::Stop;
use crate::world::ValType;

/// See the module documentation.
pub(crate) struct Instance<'m> {
    pub(crate) program: Arc<Program<'m>>,
    /// Addresses of the module's variables.
    pub(super) globals: Vec<u64>,
    /// Functions, by index in the store.
    pub(crate) funcs: Vec<u32>,
    /// Memories, by index in the store.
    pub(crate) memories: Vec<u32>,
    /// Tables, by index in the store.
    pub(crate) tables: Vec<u32>,
    pub(super) data_dropped: Vec<bool>,
    /// Contents of element segments; empty once dropped.
    pub(super) elems: Vec<Vec<u64>>,
}

/// Resolved imports, by their index in the module: indices in the store, and objects of variables. A missing variable,
/// memory or table is created as if declared in the module; a missing function stays unresolved.
#[derive(Default)]
pub(crate) struct Links {
    pub(crate) funcs: FxHashMap<usize, u32>,
    pub(crate) memories: FxHashMap<usize, u32>,
    pub(crate) tables: FxHashMap<usize, u32>,
    pub(crate) globals: FxHashMap<usize, u32>,
}

impl<'m> Machine<'m> {
    /// A new instance with constant initial values. [`Machine::initialize`] does the rest.
    pub(crate) fn add_instance(&mut self, program: Arc<Program<'m>>, links: &Links) -> Result<usize, Stop> {
        let module = program.module;
        let number = self.instances.len();
        let limit = self.limits.words;
        let mut funcs = Vec::with_capacity(module.funcs.len());
        for (func, data) in module.funcs.iter() {
            let instance = number as u32;
            funcs.push(match links.funcs.get(&func.index()) {
                Some(&linked) => linked,
                None if data.body.is_some() => self.store.add_func(StoreFunc::Defined { instance, func }),
                None => self.store.add_func(StoreFunc::Open { instance, func, host: None }),
            });
        }
        let mut memories = Vec::with_capacity(module.memories.len());
        for (id, memory) in module.memories.iter() {
            memories.push(match links.memories.get(&id.index()) {
                Some(&linked) => linked,
                None => self.store.add_memory(memory.min_pages, memory.max_pages, limit)?,
            });
        }
        let mut tables = Vec::with_capacity(module.tables.len());
        for (id, table) in module.tables.iter() {
            let element = ValType::of(&module.types, table.element).unwrap_or(ValType::FuncRef);
            tables.push(match links.tables.get(&id.index()) {
                Some(&linked) => linked,
                None => self.store.add_table(element, (table.min, table.max), 0, limit)?,
            });
        }
        let mut globals = Vec::with_capacity(module.vars.len());
        for (id, var) in module.vars.iter() {
            globals.push(match links.globals.get(&id.index()) {
                Some(&object) => Pointer::to(object).0,
                None => self.make_global(program.as_ref(), var)?,
            });
        }
        self.at_rest = (self.objects.len(), self.lane_top);
        let data_dropped = vec![false; module.data.len()];
        let elems = vec![Vec::new(); module.elems.len()];
        self.instances.push(Instance { program, globals, funcs, memories, tables, data_dropped, elems });
        Ok(number)
    }

    /// An object for a variable of a module, with its constant; local variables get an empty one.
    fn make_global(&mut self, program: &Program<'m>, var: &VarData) -> Result<u64, Stop> {
        let module = program.module;
        let size = if var.space == AddressSpace::Function { 0 } else { fixed_size(&module.types, var.ty) };
        let mut initial = Vec::new();
        if let Some(c) = var.initializer
            && size > 0
        {
            flatten(module, c, &mut initial);
        }
        initial.resize(size, 0);
        if is_per_lane(var) {
            return self.add_lane_object(&initial);
        }
        if self.objects.len() >= MAX_OBJECTS || size > self.limits.words {
            return Err(Stop::MemoryLimit);
        }
        self.objects.push(Object { at: self.shared.len(), size, place: Place::Shared });
        self.shared.push(initial);
        Ok(Pointer::to(self.objects.len() as u32 - 1).0)
    }

    /// A permanent object with separate words per lane, initially equal.
    pub(crate) fn add_lane_object(&mut self, words: &[u64]) -> Result<u64, Stop> {
        if self.objects.len() >= MAX_OBJECTS {
            return Err(Stop::MemoryLimit);
        }
        let at = self.lane_top;
        self.lane_top += words.len().checked_mul(self.n).ok_or(Stop::MemoryLimit)?;
        self.check_memory(0)?;
        self.lane_words.resize(self.lane_top, 0);
        for (column, &word) in self.lane_words[at..].chunks_mut(self.n).zip(words) {
            column.fill(word);
        }
        self.objects.push(Object { at, size: words.len(), place: Place::Lanes });
        self.at_rest = (self.objects.len(), self.lane_top);
        Ok(Pointer::to(self.objects.len() as u32 - 1).0)
    }

    /// Resets private variables, inputs and outputs for a new invocation, except those that belong to the instance:
    /// imported, exported and computed ones.
    pub(crate) fn reset_invocation(&mut self) {
        let module = self.program().module;
        let mut initial = Vec::new();
        for (id, var) in module.vars.iter() {
            let object = self.object(id);
            if object.place == Place::Shared || object.size == 0 || var.linkage.is_some() {
                continue;
            }
            let words = &mut self.lane_words[object.at..][..object.size * self.n];
            words.fill(0);
            if let Some(c) = var.initializer {
                initial.clear();
                flatten(module, c, &mut initial);
                for (column, &value) in words.chunks_mut(self.n).zip(&initial) {
                    column.fill(value);
                }
            }
        }
    }

    /// Initializes computed variables, then copies active segments: elements first, as in WebAssembly. Writes before a
    /// segment that does not fit persist.
    pub(crate) fn initialize(&mut self, instance: usize) -> Result<(), Stop> {
        let module = self.instances[instance].program.module;
        for &var in &module.globals {
            let Some(computed) = module.vars[var].linkage.as_ref().and_then(|l| l.computed) else { continue };
            let number = self.instances[instance].funcs[computed.index()];
            let columns = self.call_function(number, &[], self.n)?;
            let object = self.objects[Pointer(self.instances[instance].globals[var.index()]).object()];
            for (c, column) in columns.iter().enumerate().take(object.size) {
                self.lane_words[object.at + c * self.n..][..self.n].copy_from_slice(column);
            }
        }
        self.at = instance;
        self.place_elements(instance)?;
        self.place_data(instance)
    }

    fn place_elements(&mut self, instance: usize) -> Result<(), Stop> {
        let module = self.instances[instance].program.module;
        for (id, elem) in module.elems.iter() {
            let items: Vec<u64> = elem.items.iter().map(|&item| self.reference(instance, item)).collect();
            let Some((table, offset)) = elem.active else {
                self.instances[instance].elems[id.index()] = items;
                continue;
            };
            let start = self.offset(offset);
            let table = &mut self.store.tables[self.instances[instance].tables[table.index()] as usize].items;
            let to = range(start, items.len() as u64, table.len()).ok_or(misplaced(TrapKind::OutOfBoundsTable))?;
            table[to].copy_from_slice(&items);
        }
        Ok(())
    }

    fn place_data(&mut self, instance: usize) -> Result<(), Stop> {
        let module = self.instances[instance].program.module;
        for (id, data) in module.data.iter() {
            let Some((memory, offset)) = data.active else { continue };
            let start = self.offset(offset);
            let memory = &mut self.store.memories[self.instances[instance].memories[memory.index()] as usize].bytes;
            let end = data.bytes.len() as u64;
            let to = range(start, end, memory.len()).ok_or(misplaced(TrapKind::OutOfBoundsMemory))?;
            memory[to].copy_from_slice(&data.bytes);
            self.instances[instance].data_dropped[id.index()] = true;
        }
        Ok(())
    }

    fn reference(&self, instance: usize, item: ElemItem) -> u64 {
        match item {
            ElemItem::Null => 0,
            ElemItem::Func(func) => u64::from(self.instances[instance].funcs[func.index()]) + 1,
            ElemItem::Var(var) => self.first_word(var),
        }
    }

    fn offset(&self, offset: Offset) -> u64 {
        match offset {
            Offset::Const(n) => n.into(),
            Offset::Var(var) => self.first_word(var) as u32 as u64,
        }
    }

    /// The first word of a variable of the running instance.
    fn first_word(&self, var: Var) -> u64 {
        match self.lane_column(var, 0) {
            Some(column) => column.first().copied().unwrap_or(0),
            None => self.shared_ref(var).and_then(|w| w.first().copied()).unwrap_or(0),
        }
    }

    /// Sets a host function for unresolved imports of the first instance.
    pub(crate) fn provide(&mut self, imports: &[Func], function: super::host::HostFunction<'m>) {
        let number = self.store.add_host(function);
        for func in imports {
            let at = self.instances[0].funcs[func.index()] as usize;
            if let StoreFunc::Open { host, .. } = &mut self.store.funcs[at] {
                *host = Some(number);
            }
        }
    }
}

fn misplaced(kind: TrapKind) -> Stop {
    Stop::Trap { kind, span: Span::NONE }
}
