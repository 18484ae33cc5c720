//! Staged Rust: Rust that writes programs, and runs them ([`planish_front_stage`]).
//!
//! ```
//! use planish::stage::{Rep, fold, function};
//!
//! let harmonic = function("harmonic", |n: Rep<u32>| fold(1u32, n + 1, 0.0, |i, sum| sum + 1.0 / i.as_::<f64>()))
//!     .expect("the program is valid");
//! let compiled = harmonic.compile().expect("the host can run it");
//! assert_eq!(compiled.call(4).expect("it does not trap"), 1.0 + 1.0 / 2.0 + 1.0 / 3.0 + 1.0 / 4.0);
//! ```

#[cfg(all(feature = "objects", not(target_family = "wasm")))]
mod ahead;
#[cfg(all(feature = "gpu", not(target_family = "wasm")))]
mod kernel;

use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use planish_ir::decoration::{Name, NameSource};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Func;
use planish_ir::function::{self, ResultType};
use planish_ir::host::SliceParam;
use planish_ir::module::{Import, Module};
use planish_ir::source::{SourceMap, Span};
use planish_ir::types::{Scalar, TypeKind};
use planish_opt::Phase;
use planish_opt::cost::NATIVE;
use planish_vm::{Config, Engine, Error, FuncType, Lent, Linker, Memory, Store, Strategy, Val, ValType};
use smallvec::SmallVec;

pub use planish_front_stage::*;
pub use planish_stage_macros::{Staged, specialize, stage, staged};

#[cfg(all(feature = "objects", not(target_family = "wasm")))]
pub use ahead::Library;
#[cfg(all(feature = "gpu", not(target_family = "wasm")))]
pub use kernel::Kernel;

use crate::emit::{Artifact, EmitOptions, emit_slices};
use crate::kind::Target;
use crate::optimizer::Optimizer;

/// The guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/staging.md")]
struct Guide;

/// Errors of types.
#[cfg(doctest)]
#[doc = include_str!("stage/type_errors.md")]
struct TypeErrors;

/// A function that was made, from the parameters `A` to `R`.
#[derive(Clone, Debug)]
pub struct Function<A, R> {
    built: Built<A, R>,
}

/// Makes a function.
///
/// # Errors
/// The errors of the program, with places in the Rust that makes it.
#[track_caller]
pub fn function<A: Params, S: Staged, R: Stage<S>>(
    name: &str,
    body: impl Generator<A, R>,
) -> Result<Function<A, S>, Errors> {
    build(name, body).map(|built| Function { built })
}

impl<A: Params, R: Staged> Function<A, R> {
    /// The program.
    pub fn module(&self) -> &Module {
        &self.built.module
    }

    /// Places in the Rust that made it.
    pub fn map(&self) -> &SourceMap {
        &self.built.map
    }

    /// The program as text ([`planish_ir::text`]).
    pub fn ir(&self) -> String {
        planish_ir::text::print(&self.built.module)
    }

    /// The optimized program.
    pub fn optimized(&self) -> Module {
        self.optimized_by(&self.optimizer())
    }

    fn optimized_by(&self, optimizer: &Optimizer) -> Module {
        let mut module = self.built.module.clone();
        optimizer.run(&mut module, &mut |_, _| {});
        crate::floating::place_all(&mut module);
        module
    }

    /// The optimized program, its function, and the slices that it takes.
    fn with_slices(&self, optimizer: &Optimizer) -> (Module, Func, Vec<SliceParam>) {
        let module = self.optimized_by(optimizer);
        // Functions may have other numbers than before.
        let func = module.entry_points.first().expect("the function is one").func;
        let slices = self.built.slices.iter().map(|slice| SliceParam { func, ..*slice }).collect();
        (module, func, slices)
    }

    /// The optimized program for a target: JavaScript, WebAssembly, an object file, ….
    ///
    /// # Errors
    /// Operations that the target lacks, and slices as parameters for a target that has none.
    pub fn emit(&self, target: Target, options: &EmitOptions) -> Result<Artifact, Errors> {
        let optimizer = if target.is_object() { self.optimizer_for_objects(options) } else { self.optimizer() };
        let (module, _, slices) = self.with_slices(&optimizer);
        emit_slices(&module, &slices, target, options).map_err(|diagnostics| self.errors(diagnostics))
    }

    /// The text of the optimized program for a target with default options: `Target::Wgsl`, `Target::Js`, ….
    ///
    /// # Errors
    /// As of [`Function::emit`], and a target that is no text.
    pub fn source(&self, target: Target) -> Result<String, Errors> {
        let info = target.info();
        if info.binary {
            let error = Diagnostic::error(Code::E0604, Span::NONE, format!("`{}` is no text", info.name));
            return Err(self.errors(vec![error.help("call `emit`, which gives bytes")]));
        }
        let written = self.emit(target, &EmitOptions::default())?;
        Ok(String::from_utf8(written.bytes).expect("text is UTF-8"))
    }

    fn optimizer_for_objects(&self, options: &EmitOptions) -> Optimizer {
        let mut optimizer = self.optimizer();
        let has_vectors = !options.triple.as_ref().is_some_and(|triple| triple.starts_with("riscv"));
        if has_vectors {
            for_processors(&mut optimizer);
        }
        optimizer
    }

    /// Compiles the function for this host: to machine code, where it has an engine for that, else for the virtual machine.
    ///
    /// # Errors
    /// A function too large for the engine.
    pub fn compile(&self) -> Result<Compiled<A, R>, Errors> {
        self.compile_on(&Engine::new(Config::default().strategy(Strategy::Native)))
    }

    /// Compiles the function on a machine of the caller's: an engine, or a device (`planish::gpu::Gpu`).
    ///
    /// # Errors
    /// As [`Function::compile`], and what the device lacks.
    pub fn compile_on<M: Machine>(&self, machine: &M) -> Result<M::Compiled<A, R>, Errors> {
        machine.compile(self)
    }

    /// The optimizer, which turns calls of the host into calls of imports in the end.
    fn optimizer(&self) -> Optimizer {
        let mut optimizer = Optimizer::level("2").expect("there is a level 2");
        let lower = |phase: Phase, host: &HostFunction| {
            let name = host.name.clone();
            phase.lower(&host.name, move |site| {
                let func = import(site.b.module, &name);
                let args = site.args().to_vec();
                site.b.call(func.into(), &args).to_vec()
            })
        };
        optimizer.options.phases = vec![self.built.hosts.iter().fold(Phase::new(HOST_PHASE), lower)];
        optimizer
    }

    fn errors(&self, diagnostics: Vec<Diagnostic>) -> Errors {
        Errors { diagnostics, map: self.built.map.clone() }
    }
}

/// A machine that runs staged functions: an [`Engine`], or with the feature `gpu` a device (`planish::gpu::Gpu`).
pub trait Machine {
    /// A function that can be called with the values of its signature.
    type Compiled<A: Params, R: Staged>;

    /// As [`Function::compile_on`].
    #[doc(hidden)]
    fn compile<A: Params, R: Staged>(&self, function: &Function<A, R>) -> Result<Self::Compiled<A, R>, Errors>;
}

impl Machine for Engine {
    type Compiled<A: Params, R: Staged> = Compiled<A, R>;

    fn compile<A: Params, R: Staged>(&self, function: &Function<A, R>) -> Result<Compiled<A, R>, Errors> {
        let (mut optimizer, built) = (function.optimizer(), &function.built);
        if self.strategy() == Strategy::Native {
            for_processors(&mut optimizer);
        }
        let module = crate::load::load(self, built.module.clone(), Some(&optimizer));
        Ok(Compiled {
            engine: self.clone(),
            module: module.map_err(|diagnostics| function.errors(diagnostics))?,
            name: built.name.clone(),
            map: built.map.clone(),
            hosts: built.hosts.clone(),
            params: params_of::<A>(),
            slices: built.slices.len(),
            results: scalars_of::<R>(),
            idle: Mutex::new(Vec::new()),
            signature: PhantomData,
        })
    }
}

/// Has loops run on vectors, and counts what operations cost a processor.
fn for_processors(optimizer: &mut Optimizer) {
    optimizer.options.costs = Some((&NATIVE).into());
    optimizer.options.vectorize = true;
}

/// The imported function of the host with this name.
fn import(module: &mut Module, name: &Arc<str>) -> Func {
    let is_it = |import: &Import| *import.module == *HOST_PHASE && import.name == *name;
    if let Some((func, _)) = module.func_imports.iter().find(|(_, import)| is_it(import)) {
        return *func;
    }
    let op = module.custom_op(name).expect("the program has its op");
    let signature = module.custom_ops[op].signature.expect("it has one");
    let TypeKind::Function { params, results } = module.types[signature].clone() else {
        unreachable!("signatures are types of functions")
    };
    let params = params.iter().map(|&ty| function::Param::new(Name::temporary("x"), ty)).collect();
    let results = results.iter().map(|&ty| ResultType::new(ty)).collect();
    let func = module.add_func(Name::new(name.clone(), NameSource::Interface), params, results, Span::NONE);
    module.func_imports.push((func, Import { module: HOST_PHASE.into(), name: name.clone() }));
    func
}

/// A function on an engine. It may be called from several threads at once.
pub struct Compiled<A, R> {
    engine: Engine,
    module: planish_vm::Module,
    name: String,
    map: SourceMap,
    hosts: Vec<HostFunction>,
    params: Vec<Scalar>,
    /// Number of slices among the parameters; each has a memory.
    slices: usize,
    results: Vec<Scalar>,
    /// Instances that no call uses.
    idle: Mutex<Vec<Instance>>,
    signature: PhantomData<fn(A) -> R>,
}

/// An instance of the program, with memory for the arguments and results of a call.
struct Instance {
    store: Store<()>,
    func: planish_vm::Func,
    /// For the slices of the parameters, in order.
    memories: Vec<Memory>,
    bits: Vec<u64>,
    args: Vec<Val>,
    results: Vec<Val>,
}

impl<A: Params, R: Staged> Compiled<A, R> {
    /// Calls the function with its parameters as a tuple.
    ///
    /// # Errors
    /// A trap: an integer divided by zero, [`trap`], a recursion without end.
    pub fn call_with(&self, args: A::Host<'_>) -> Result<R::Host, Stopped> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut instance = match idle {
            Some(instance) => instance,
            None => self.instance().map_err(|error| self.stopped(error))?,
        };
        let called = instance.call::<A>(&self.params, args);
        let result = called.map(|()| R::from_host_bits(&mut instance.results.iter().map(bits_of)));
        // (A program that has stopped leaves its growable arrays behind.)
        if result.is_ok() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(instance);
        }
        result.map_err(|error| self.stopped(error))
    }

    fn stopped(&self, error: Error) -> Stopped {
        let place = error.as_trap().and_then(|trap| self.map.place(trap.span));
        Stopped { error, place }
    }

    fn instance(&self) -> Result<Instance, Error> {
        let mut store = Store::new(&self.engine, ());
        let mut linker = Linker::new();
        for host in &self.hosts {
            let types = |scalars: &[Scalar]| -> Vec<ValType> { scalars.iter().map(|&s| val(s, 0).ty()).collect() };
            let ty = FuncType::new(types(&host.params), types(&host.results));
            let function = host.clone();
            linker.func_new(HOST_PHASE, &host.name, ty, move |_, args, results| {
                let mut bits = Vec::with_capacity(results.len());
                function.call(&mut args.iter().map(bits_of), &mut bits);
                let scalars = function.results.iter().zip(bits);
                results.iter_mut().zip(scalars).for_each(|(result, (&scalar, bits))| *result = val(scalar, bits));
                Ok(())
            });
        }
        let instance = linker.instantiate(&mut store, &self.module)?;
        let func = instance.get_func(&store, &self.name).expect("the module exports it");
        let results = self.results.iter().map(|&scalar| val(scalar, 0)).collect();
        let names = self.module.shell().memories.values().take(self.slices).flat_map(|memory| &memory.exports);
        let memories = names.map(|name| instance.get_memory(&store, name).expect("the module exports it")).collect();
        Ok(Instance { store, func, memories, bits: Vec::new(), args: Vec::new(), results })
    }
}

impl Instance {
    fn call<'a, A: Params>(&mut self, params: &[Scalar], host: A::Host<'a>) -> Result<(), Error> {
        let Instance { store, func, memories, bits, args, results } = self;
        bits.clear();
        let (mut slices, mut is_large) = (SmallVec::<[Slice<'a>; 8]>::new(), false);
        A::pass(host, bits, &mut |slice| {
            let size = match &slice {
                Slice::In(bytes) => bytes.len(),
                Slice::Out(bytes) => bytes.len(),
            };
            is_large |= u32::try_from(size).is_err();
            slices.push(slice);
        });
        if is_large {
            return Err(Error::Type("a slice has less than 4 GiB".into()));
        }
        args.clear();
        args.extend(params.iter().zip(bits).map(|(&scalar, bits)| val(scalar, *bits)));
        if slices.is_empty() {
            return func.call(store, args, results);
        }
        let lent = memories.iter().zip(slices).map(|(&memory, slice)| match slice {
            Slice::In(bytes) => (memory, Lent::ToRead(bytes)),
            Slice::Out(bytes) => (memory, Lent::ToWrite(bytes)),
        });
        Memory::lend(lent, store, |store| func.call(store, args, results))?
    }
}

impl<A, R> fmt::Debug for Compiled<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The end of a call without a result.
#[derive(Debug)]
pub struct Stopped {
    /// The reason.
    pub error: Error,
    /// The file, line and column of the Rust that made the operation.
    pub place: Option<String>,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.error),
            None => self.error.fmt(f),
        }
    }
}

impl std::error::Error for Stopped {}

macro_rules! calls {
    ($($($name:ident $from:ident $arg:ident $index:tt)*;)*) => {$(
        calls!(Compiled $($name $arg)*);
        #[cfg(all(feature = "gpu", not(target_family = "wasm")))]
        calls!(Kernel $($name $arg)*);
    )*};
    ($compiled:ident $($name:ident $arg:ident)*) => {
        impl<Result: Staged, $($name: Param,)*> $compiled<($($name,)*), Result> {
            /// Calls the function.
            ///
            /// # Errors
            /// As [`Self::call_with`].
            #[allow(clippy::too_many_arguments, clippy::extra_unused_lifetimes, reason = "as many as the function has")]
            pub fn call<'a>(&self, $($arg: $name::Host<'a>),*) -> std::result::Result<Result::Host, Stopped> {
                self.call_with(($($arg,)*))
            }
        }
    };
}

planish_front_stage::for_each_arity!(calls);

fn val(scalar: Scalar, bits: u64) -> Val {
    match scalar {
        Scalar::Bool | Scalar::I32 | Scalar::U32 => Val::I32(bits as i32),
        Scalar::I64 | Scalar::U64 => Val::I64(bits as i64),
        Scalar::F32 => Val::F32(bits as u32),
        Scalar::F64 => Val::F64(bits),
    }
}

fn bits_of(val: &Val) -> u64 {
    match *val {
        Val::I32(x) => u64::from(x as u32),
        Val::I64(x) => x as u64,
        Val::F32(bits) => bits.into(),
        Val::F64(bits) => bits,
        _ => unreachable!("a function of scalars gives scalars"),
    }
}
