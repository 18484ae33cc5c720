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
mod bytes;
mod columns;
mod derive;
#[cfg_attr(target_family = "wasm", expect(dead_code, reason = "functions on threads need the rest of it"))]
mod instances;
#[cfg(all(feature = "gpu", not(target_family = "wasm")))]
mod kernel;
#[cfg(not(target_family = "wasm"))]
mod parallel;
mod program;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use planish_ir::decoration::{Name, NameSource};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Func;
use planish_ir::function::{self, ResultType};
use planish_ir::host::SliceParam;
use planish_ir::module::{Import, Module};
use planish_ir::source::{SourceMap, Span};
use planish_ir::types::TypeKind;
use planish_opt::Phase;
use planish_opt::cost::NATIVE;
use planish_vm::{Config, Engine, Error, Strategy};

pub use planish_front_stage::*;
pub use planish_stage_macros::{Staged, specialize, stage, staged};

#[cfg(all(feature = "objects", not(target_family = "wasm")))]
pub use ahead::Library;
#[cfg(all(feature = "gpu", not(target_family = "wasm")))]
pub use kernel::Kernel;

use crate::emit::{Artifact, EmitOptions, emit_slices};
use crate::kind::Target;
use crate::optimizer::Optimizer;
use instances::{Instances, Outline};

pub use columns::{Batch, Column, Input, Nulls};
pub use program::{Argument, CompiledProgram, ParamType, Program, Signature, Value};

#[cfg(not(target_family = "wasm"))]
pub use parallel::Parallel;

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
    let mut built = build(name, body)?;
    if let Err(diagnostics) = planish_opt::differentiate::run(&mut built.module, &built.derivatives) {
        return Err(Errors { diagnostics, map: built.map });
    }
    debug_assert_eq!(planish_ir::verify::verify(&built.module), [], "{}", planish_ir::text::print(&built.module));
    Ok(Function { built })
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

    fn outline(&self) -> Outline<'_> {
        Outline {
            name: &self.built.name,
            map: &self.built.map,
            hosts: &self.built.hosts,
            slices: &self.built.slices,
            params: params_of::<A>(),
            results: scalars_of::<R>(),
        }
    }

    /// The function as a program that knows its types when it runs, and that can be written as bytes.
    pub fn program(&self) -> Program {
        let Built { module, map, name, hosts, slices, .. } = &self.built;
        Program {
            module: module.clone(),
            map: map.clone(),
            name: name.clone(),
            hosts: hosts.clone(),
            slices: slices.clone(),
        }
    }

    fn optimizer(&self) -> Optimizer {
        optimizer(&self.built.hosts)
    }

    fn errors(&self, diagnostics: Vec<Diagnostic>) -> Errors {
        Errors { diagnostics, map: self.built.map.clone() }
    }
}

/// The optimizer, which turns calls of the host into calls of imports in the end.
fn optimizer(hosts: &[HostFunction]) -> Optimizer {
    let mut optimizer = Optimizer::level("2").expect("there is a level 2");
    let lower = |phase: Phase, host: &HostFunction| {
        let name = host.name.clone();
        phase.lower(&host.name, move |site| {
            let func = import(site.b.module, &name);
            let args = site.args().to_vec();
            site.b.call(func.into(), &args).to_vec()
        })
    };
    optimizer.options.phases = vec![hosts.iter().fold(Phase::new(HOST_PHASE), lower)];
    optimizer
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
        let instances = Instances::compile(self, function.built.module.clone(), function.outline())?;
        Ok(Compiled { instances, signature: PhantomData })
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
    instances: Instances,
    signature: PhantomData<fn(A) -> R>,
}

impl<A: Params, R: Staged> Compiled<A, R> {
    /// Calls the function with its parameters as a tuple.
    ///
    /// # Errors
    /// A trap: an integer divided by zero, [`trap`], a recursion without end.
    pub fn call_with(&self, args: A::Host<'_>) -> Result<R::Host, Stopped> {
        self.instances.call(|bits, slices| A::pass(args, bits, slices), |bits| R::from_host_bits(bits))
    }
}

impl<A, R> fmt::Debug for Compiled<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").field("name", &self.instances.name).finish_non_exhaustive()
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
        #[cfg(not(target_family = "wasm"))]
        calls!(Parallel $($name $arg)*);
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
