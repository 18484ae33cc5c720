//! Machine code of modules: compiled, mapped into memory, and looked up. It is called in `dispatch::native` only.
//!
//! Memory that holds code is writable until the code is complete, and executable only afterwards. It belongs to the
//! module (or, adapters, to the engine), which its instances keep.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use memmap2::{Mmap, MmapMut};
use planish_back_native::{Adapters, Cache, Compiler, Host, Operation, Options, Stop, Unit, Vectors};
use planish_ir::arena::SideTable;
use planish_ir::entity::{Func, Var};
use planish_ir::function::Form;
use planish_ir::host::{FuncType, ValType};
use planish_ir::module as ir;
use planish_ir::source::Span;
use planish_machine::Signature;
use planish_machine::isa::{Kind, Machine, operands_of};
use rustc_hash::FxHashMap;

use crate::code::{Rare, RareOperand};
use crate::dispatch::reservation::Reservation;
use crate::dispatch::{faults, generic};
use crate::engine::{Config, WideVectors};
use crate::error::Error;
use crate::module::{ModuleInner, Source};
use crate::tier::Jobs;

/// The code generator of an engine.
#[derive(Debug)]
pub(crate) struct Native {
    host: Host,
    /// Whether memories have guard pages.
    pub(crate) guard_pages: bool,
    /// Code of earlier processes, or why there is none.
    pub(crate) cache: Option<Result<Cache, String>>,
    adapters: Mutex<FxHashMap<FuncType, Arc<Mapped>>>,
    /// Code that is made while programs run.
    pub(crate) jobs: Jobs,
}

/// By whom, and how long.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    /// Number of threads.
    pub(crate) threads: usize,
    /// Set by another thread if the code is not wanted any more.
    pub(crate) cancelled: Option<&'a AtomicBool>,
}

/// Adapters of a function type.
#[derive(Debug)]
pub(crate) struct Mapped {
    enter: Mmap,
    leave: Mmap,
}

impl Mapped {
    /// Calls code with arguments and results in words.
    pub(crate) fn enter(&self) -> *const c_void {
        self.enter.as_ptr().cast()
    }

    /// Called by code in place of a function of the host.
    pub(crate) fn leave(&self) -> *const c_void {
        self.leave.as_ptr().cast()
    }
}

/// Bytes as code. The memory is never writable and executable at once.
fn map(bytes: &[u8]) -> Result<Mmap, Error> {
    let mapped = MmapMut::map_anon(bytes.len().max(1)).and_then(|mut memory| {
        memory[..bytes.len()].copy_from_slice(bytes);
        memory.make_exec()
    });
    mapped.map_err(|error| Error::Limit(format!("memory for {} bytes of code cannot be had: {error}", bytes.len())))
}

impl Native {
    /// For the processor that runs this program; with guard pages and a cache, if they are wanted and the system has them.
    ///
    /// # Errors
    /// If there is no code for it, or the system allows no memory for code: the reason.
    pub(crate) fn new(config: &Config) -> Result<Self, String> {
        if cfg!(miri) {
            return Err("Miri runs no machine code".into());
        }
        let host = planish_back_native::host()?;
        map(&[0]).map_err(|error| error.to_string())?;
        let guard_pages = config.signals_based_traps && Reservation::new(0).is_some() && faults::install();
        let cache = config.cache.as_deref().map(Cache::open);
        let native = Native { host, guard_pages, cache, adapters: Mutex::default(), jobs: Jobs::default() };
        Ok(native)
    }

    /// Whether the processor has vectors of 256 bits that code can use.
    pub(crate) fn has_wide_vectors(&self) -> bool {
        self.host.has_wide_vectors()
    }

    /// The adapters of a function type.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub(crate) fn adapters(&self, ty: &FuncType) -> Result<Arc<Mapped>, Error> {
        let mut adapters = self.adapters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = adapters.get(ty) {
            return Ok(Arc::clone(found));
        }
        let kinds = |types: &[ValType]| types.iter().map(|&ty| kind_of(ty)).collect();
        let signature = Signature { params: kinds(ty.params()), results: kinds(ty.results()) };
        let made = Adapters::new(&self.host, &signature)
            .map_err(|error| Error::Limit(format!("a function of type {ty} cannot be called: {error}")))?;
        let made = Arc::new(Mapped { enter: map(&made.enter)?, leave: map(&made.leave)? });
        adapters.insert(ty.clone(), Arc::clone(&made));
        Ok(made)
    }
}

impl Native {
    fn options(&self, config: &Config) -> Options {
        Options {
            fuel: config.fuel,
            interruptible: config.interruptible,
            wide_vectors: config.wide_vectors != WideVectors::Never,
            wide_everywhere: config.wide_vectors == WideVectors::Always,
            guard_pages: self.guard_pages,
        }
    }

    /// Compiles functions of a module, or finds their code in the cache; `None` if that is cancelled.
    ///
    /// # Errors
    /// If one cannot be compiled.
    pub(crate) fn unit(
        &self,
        config: &Config,
        module: &ir::Module,
        globals: &SideTable<Var, u32>,
        funcs: &[Func],
        work: Work<'_>,
    ) -> Result<Option<Unit>, Error> {
        let mut compiler = Compiler::new(&self.host, module, globals, self.options(config));
        for &func in funcs {
            if work.cancelled.is_some_and(|cancelled| cancelled.load(Ordering::Relaxed)) {
                return Ok(None);
            }
            check_is_placed(module, func)?;
            compiler.add(func)?;
        }
        let cache = self.cache.as_ref().and_then(|cache| cache.as_ref().ok());
        Ok(compiler.finish(cache, work.threads, work.cancelled)?)
    }

    /// Compiles a loop of a function, from its label in the list of nodes that `machine` gets, and the registers of the values
    /// that live there.
    ///
    /// # Errors
    /// If it cannot be compiled.
    pub(crate) fn unit_of_loop(
        &self,
        config: &Config,
        module: &ir::Module,
        globals: &SideTable<Var, u32>,
        machine: &impl Machine,
        func: Func,
        (label, values): (u32, &[(u32, u32)]),
    ) -> Result<Unit, Error> {
        let mut compiler = Compiler::new(&self.host, module, globals, self.options(config));
        compiler.add_loop(machine, func, label, values)?;
        Ok(compiler.finish(None, 1, None)?.expect("nobody cancels it"))
    }
}

fn check_is_placed(module: &ir::Module, func: Func) -> Result<(), Error> {
    let function = &module.funcs[func];
    match &function.body {
        Some(body) if body.form == Form::Floating => {
            let message = format!("`{}` floats: it must be placed before it can run", function.name.text);
            Err(Error::unsupported(function.span, message))
        }
        _ => Ok(()),
    }
}

/// The kind of the host's values of a type.
fn kind_of(ty: ValType) -> Kind {
    match ty {
        ValType::I32 => Kind::I32,
        ValType::I64 => Kind::I64,
        ValType::F32 => Kind::F32,
        ValType::F64 => Kind::F64,
        ValType::V128 => Kind::V128,
        ValType::FuncRef => Kind::Func,
        ValType::ExternRef => Kind::Extern,
    }
}

/// The code of a module.
pub(crate) struct NativeCode {
    map: Mmap,
    /// All about the code but its bytes.
    unit: Unit,
    size: usize,
    /// The table of operations that code reads: the address of a definition, or 0.
    definitions: Vec<usize>,
    /// The operations whose operands are in memory.
    rares: Vec<Option<Rare>>,
}

impl NativeCode {
    /// Compiles all functions of a module that do not come from outside.
    ///
    /// # Errors
    /// If one cannot be compiled.
    pub(crate) fn compile(inner: &ModuleInner, source: &mut dyn Source, native: &Native) -> Result<Self, Error> {
        let funcs: Vec<Func> = inner.defined().collect();
        funcs.iter().try_for_each(|&func| source.provide(func))?;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let work = Work { threads, cancelled: None };
        let unit = native.unit(inner.engine.config(), source.module(), &inner.globals, &funcs, work)?;
        let unit = unit.expect("nobody cancels it");
        for func in funcs {
            let body = source.module().funcs[func].body.take();
            body.into_iter().for_each(|body| source.reuse(body));
        }
        Self::new(inner, unit)
    }

    /// Puts code into memory.
    ///
    /// # Errors
    /// If there is none for it.
    pub(crate) fn new(inner: &ModuleInner, mut unit: Unit) -> Result<Self, Error> {
        let definitions = unit.operations.iter().map(|operation| definition(operation).unwrap_or(0)).collect();
        let rares = unit.operations.iter().map(|operation| rare(inner, operation)).collect();
        let bytes = std::mem::take(&mut unit.bytes);
        Ok(NativeCode { map: map(&bytes)?, unit, size: bytes.len(), definitions, rares })
    }

    /// The code of a function; `None` if it comes from outside.
    pub(crate) fn code_of(&self, func: Func) -> Option<*const c_void> {
        let start = self.unit.start_of(func)?;
        Some(self.map[start as usize..].as_ptr().cast())
    }

    /// Whether an address is one of its instructions.
    pub(crate) fn contains(&self, address: usize) -> bool {
        address.wrapping_sub(self.map.as_ptr().addr()) < self.size
    }

    /// The word of the stop at an instruction that faults; `None` if the address is none of those that may. Called in a signal
    /// handler.
    pub(crate) fn fault_at(&self, address: usize) -> Option<u64> {
        self.unit.fault_at(address.wrapping_sub(self.map.as_ptr().addr()).try_into().ok()?)
    }

    /// The table of operations for code.
    pub(crate) fn definitions(&self) -> *const usize {
        self.definitions.as_ptr()
    }

    /// An operation whose operands are in memory, and the words of its operands.
    pub(crate) fn rare(&self, number: u32) -> Option<(&Rare, usize)> {
        let rare = self.rares.get(number as usize)?.as_ref()?;
        Some((rare, rare.operands.iter().map(|operand| operand.words as usize).sum()))
    }

    /// Why and where code has stopped.
    pub(crate) fn stop_at(&self, word: u64) -> Option<(Func, Stop)> {
        self.unit.stop_at(word)
    }

    /// Bytes of the largest frame of a function.
    pub(crate) fn largest_frame(&self) -> usize {
        self.unit.largest_frame as usize
    }

    /// The vectors of the code.
    pub(crate) fn vectors(&self) -> &Vectors {
        &self.unit.vectors
    }

    /// Bytes of code.
    pub(crate) fn size(&self) -> usize {
        self.size
    }
}

/// The address of the definition of an operation on scalars.
fn definition(operation: &Operation) -> Option<usize> {
    operation.by_registers()?;
    Some(generic::definition(operation.op, operation.operand.scalar()?)? as usize)
}

/// An operation with operands in memory as the instances of a module do it.
fn rare(inner: &ModuleInner, operation: &Operation) -> Option<Rare> {
    if operation.by_registers().is_some() {
        return None;
    }
    let &Operation { op, imm, operand, result, args, results } = operation;
    let type_of = |kind: Kind| inner.kinds[kind as usize];
    Some(Rare {
        op,
        imm,
        places: Vec::new(),
        operands: RareOperand::of(&operands_of(&inner.types, (op, imm), operand, args as usize), type_of),
        result: type_of(result),
        outs: (0..results).map(|_| (0, result.words(64))).collect(),
    })
}

/// The error of a stop in a function.
pub(crate) fn error_of(inner: &ModuleInner, (func, stop): (Func, Stop), noted: Option<crate::dispatch::Stop>) -> Error {
    use planish_back_native::Reason;
    let trap = |kind| {
        let name = &inner.shell.funcs[func].name.text;
        let function = (!name.is_empty()).then(|| name.to_string());
        Error::Trap(crate::error::Trap { kind, span: stop.span, function })
    };
    match (stop.reason, noted) {
        (Reason::Trap(kind), _) | (Reason::Noted, Some(crate::dispatch::Stop::Trap(kind))) => trap(kind),
        (Reason::Noted, Some(crate::dispatch::Stop::Error(error))) => error,
        (Reason::Noted, None) => Error::unsupported(Span::NONE, "an operation failed without a reason"),
        (Reason::OutOfFuel, _) => Error::OutOfFuel,
        (Reason::Interrupted, _) => Error::Interrupted,
    }
}
