//! Compilation of the functions of a module, on several threads.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::Function;
use cranelift_frontend::FunctionBuilderContext;
use planish_ir::arena::SideTable;
use planish_ir::decoration::Decoration;
use planish_ir::diagnostic::{Code as ErrorCode, Diagnostic};
use planish_ir::entity::{Func, Type, Var};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_machine::isa::{Kind, Machine, TableJumps, works_on_registers};
use planish_machine::{Lowering, Nodes, Signature, Signatures};
use rustc_hash::FxHashMap;

use crate::avx::{self, Lowered};
use crate::body::{self, Environment, Rest};
use crate::cache::{Cache, Key};
use crate::host::Host;
use crate::link::{Made, Piece, Unit};
use crate::{Operation, Stop};

/// Checks in code that the program does not ask for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {
    /// Whether it consumes fuel: about one unit an operation.
    pub fuel: bool,
    /// Whether it stops soon after the embedder asks for it.
    pub interruptible: bool,
    /// Whether functions over several invocations use vectors of 256 bits, where the processor has them.
    pub wide_vectors: bool,
    /// Whether all other functions are compiled as those are, too: for tests.
    pub wide_everywhere: bool,
    /// Whether all memories have guard pages ([`crate::abi::RESERVATION`]), so that accesses need no comparison.
    pub guard_pages: bool,
}

/// A machine that can do all that words can do: what has no instruction is left to the runtime.
pub(crate) struct Processor;

impl Machine for Processor {
    const WORD_BITS: u32 = 64;

    fn supports(&self, op: Op, operand: Kind, result: Kind) -> bool {
        works_on_registers(op, operand, result)
    }

    fn table_jumps(&self) -> TableJumps {
        TableJumps::TableWithDefault
    }

    fn takes_immediate(&self, _op: Op, _kind: Kind, _operand: usize, _bits: u64) -> bool {
        true
    }

    fn indexes_frames(&self) -> bool {
        true
    }
}

/// A function between its two compilers.
struct Built {
    func: Func,
    function: Function,
    stops: Stops,
}

/// The stops of a function.
#[derive(Clone)]
pub(crate) struct Stops {
    /// By number.
    pub(crate) all: Vec<Stop>,
    /// Numbers of those of accesses that may fault, in order of the accesses.
    pub(crate) of_accesses: Vec<u32>,
}

/// Compiles functions of one module into a [`Unit`].
pub struct Compiler<'m> {
    host: &'m Host,
    module: &'m Module,
    options: Options,
    /// See [`Environment::rounds`].
    rounds: bool,
    /// See [`Environment::blends`].
    blends: bool,
    /// By variable: the number of its first word among those of all.
    globals: &'m SideTable<Var, u32>,
    lowering: Lowering<'m, Processor>,
    signatures: SideTable<Type, Option<Signature>>,
    tables: Tables,
    built: Vec<Built>,
}

/// Tables that the functions of a unit share, and memory that is reused.
#[derive(Default)]
struct Tables {
    operations: Vec<Operation>,
    numbers: FxHashMap<Operation, u32>,
    scratch: FunctionBuilderContext,
}

impl Tables {
    fn build(&mut self, environment: Environment<'_>, nodes: Nodes<'_>, func: Func) -> Built {
        let (operations, numbers) = (&mut self.operations, &mut self.numbers);
        let mut number = |operation: Operation| {
            *numbers.entry(operation).or_insert_with(|| {
                operations.push(operation);
                operations.len() as u32 - 1
            })
        };
        let (function, stops) = body::build(environment, nodes, func, &mut self.scratch, &mut number);
        Built { func, function, stops }
    }
}

impl<'m> Compiler<'m> {
    /// A compiler for functions of `module`. `globals` gives the number of a variable's first word among the words of
    /// all variables ([`crate::abi::Context::globals`]).
    pub fn new(host: &'m Host, module: &'m Module, globals: &'m SideTable<Var, u32>, options: Options) -> Self {
        let host = if module.facts.scheduled { host.as_placed() } else { host };
        let of_types = Signatures::new(module);
        let mut signatures = SideTable::new();
        for (ty, _) in module.types.iter() {
            signatures[ty] = of_types.of(ty);
        }
        Compiler {
            host,
            module,
            options,
            rounds: host.rounds(),
            blends: host.blends(),
            globals,
            lowering: Lowering::new(&Processor, module),
            signatures,
            tables: Tables::default(),
            built: Vec::new(),
        }
    }

    /// Translates a function that has a placed body.
    ///
    /// # Errors
    /// E0604 if it has no body, or an operation that no machine with registers has.
    pub fn add(&mut self, func: Func) -> Result<(), Box<Diagnostic>> {
        let Compiler { host, module, options, rounds, blends, globals, lowering, signatures, tables, built } = self;
        let nodes = lowering.nodes(func)?;
        let environment = Environment {
            module,
            globals,
            signatures,
            options: *options,
            isa: &*host.0,
            rounds: *rounds,
            blends: *blends,
            object: None,
            rest: None,
        };
        built.push(tables.build(environment, nodes, func));
        Ok(())
    }

    /// Translates the rest of a function from the head of an outermost loop on: code with the convention of C, which takes
    /// the context, and the address of words that hold the values at the head, and in the end the results. `machine` gets the
    /// same list of nodes as for the code that ran until then; `label` is the loop's in that list, `values` are the
    /// numbers of the values in the list, each with the number of its first word. Calls go through references: a unit with
    /// such code has no other.
    ///
    /// # Errors
    /// As [`Compiler::add`].
    pub fn add_loop(
        &mut self,
        machine: &impl Machine,
        func: Func,
        label: u32,
        values: &[(u32, u32)],
    ) -> Result<(), Box<Diagnostic>> {
        let mut lowering = Lowering::new(machine, self.module);
        let nodes = lowering.nodes(func)?;
        let environment = Environment {
            module: self.module,
            globals: self.globals,
            signatures: &self.signatures,
            options: self.options,
            isa: &*self.host.0,
            rounds: self.rounds,
            blends: self.blends,
            object: None,
            rest: Some(Rest { label, values }),
        };
        self.built.push(self.tables.build(environment, nodes, func));
        Ok(())
    }

    /// Generates the code of all functions added, on a number of threads; or takes it from a cache, which keeps it
    /// otherwise. `None` if another thread has set `cancelled`, which is looked at before each function.
    ///
    /// # Errors
    /// If Cranelift refuses one, for its size, say.
    pub fn finish(
        self,
        cache: Option<&Cache>,
        threads: usize,
        cancelled: Option<&AtomicBool>,
    ) -> Result<Option<Unit>, Box<Diagnostic>> {
        let Compiler { host, module, options, mut built, tables: Tables { operations, .. }, .. } = self;
        built.sort_unstable_by_key(|built| built.func);
        let functions: Vec<Func> = built.iter().map(|built| built.func).collect();
        let all_wide = module.facts.on_lanes || options.wide_everywhere;
        let is_wide = |func: Func| all_wide || module.funcs[func].decorations.has(Decoration::Vectorized);
        let wide = options.wide_vectors && host.has_wide_vectors() && functions.iter().any(|&func| is_wide(func));
        let key = cache.map(|cache| {
            let functions = built.iter().map(|built| (built.func, &built.function));
            (cache, Key::new(host, wide, functions))
        });
        if let Some((cache, key)) = &key
            && let Some(made) = cache.get(key, &functions)
        {
            let piece = |(built, made): (Built, Made)| Piece { func: built.func, made, stops: built.stops };
            return Unit::link(host, built.into_iter().zip(made).map(piece).collect(), operations).map(Some);
        }
        let is_cancelled = || cancelled.is_some_and(|cancelled| cancelled.load(Ordering::Relaxed));
        let (made, vectors) = match wide {
            true if all_wide => generate_wide(&built, options, threads, &is_cancelled)?,
            true => generate_some_wide(&built, is_wide),
            false => (Vec::new(), Vectors::Narrow),
        };
        let of_both = built.into_iter().zip(made.into_iter().chain(std::iter::repeat_with(|| None)));
        let size = |(built, made): &(Built, Option<Made>)| if made.is_some() { 0 } else { size_of(&built.function) };
        let pieces = in_parallel(of_both.collect(), threads, size, |(built, made), context| match made {
            _ if is_cancelled() => Ok(None),
            Some(made) => Ok(Some(Piece { func: built.func, made, stops: built.stops })),
            None => generate(host, module, built, context).map(Some),
        })?;
        let Some(mut pieces) = pieces.into_iter().collect::<Option<Vec<Piece>>>() else { return Ok(None) };
        pieces.sort_unstable_by_key(|piece: &Piece| piece.func);
        if let Some((cache, key)) = &key {
            cache.insert(key, pieces.iter().map(|piece| (piece.func, &piece.made)));
        }
        let unit = Unit::link(host, pieces, operations)?;
        Ok(Some(Unit { vectors, ..unit }))
    }
}

/// The vectors of the code of a unit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Vectors {
    /// At most 128 bits; or the code was found in a cache.
    #[default]
    Narrow,
    /// 256 bits, with the number of pairs of operations that are one.
    Wide(usize),
    /// At most 128 bits, since there is an operation that is missing for 256 bits, or a function has too many values.
    Missing(String),
}

/// The code of the functions of a unit on vectors of 256 bits; none if one of them has an operation that is missing or too many
/// values, or there is nothing to gain.
fn generate_wide(
    built: &[Built],
    options: Options,
    threads: usize,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<(Vec<Option<Made>>, Vectors), Box<Diagnostic>> {
    let direct = avx::directs(built.iter().map(|built| (built.func, &built.function)));
    let numbered: Vec<(usize, &Built)> = built.iter().enumerate().collect();
    let lowered = in_parallel(
        numbered,
        threads,
        |(_, built)| size_of(&built.function),
        |(i, built), _| Ok((i, avx::lower(&built.function, &built.stops.of_accesses, (&direct, built.func)))),
    )?;
    let mut all: Vec<(usize, Lowered)> = Vec::with_capacity(lowered.len());
    for (i, lowered) in lowered {
        match lowered {
            Ok(lowered) => all.push((i, lowered)),
            Err(missing) => return Ok((Vec::new(), Vectors::Missing(missing.what))),
        }
    }
    let pairs = all.iter().map(|(_, lowered)| lowered.pairs).sum();
    if pairs == 0 && !options.wide_everywhere {
        return Ok((Vec::new(), Vectors::Narrow));
    }
    let size = |(i, _): &(usize, Lowered)| size_of(&built[*i].function);
    let made = in_parallel(all, threads, size, |(i, lowered), _| match is_cancelled() {
        true => Ok((i, Err("it was cancelled".to_owned()))),
        false => Ok((i, avx::generate(&lowered))),
    })?;
    let mut all: Vec<(usize, Made)> = Vec::with_capacity(made.len());
    for (i, made) in made {
        match made {
            Ok(made) => all.push((i, made)),
            Err(reason) => return Ok((Vec::new(), Vectors::Missing(reason))),
        }
    }
    all.sort_unstable_by_key(|(i, _)| *i);
    Ok((all.into_iter().map(|(_, made)| Some(made)).collect(), Vectors::Wide(pairs)))
}

/// The code of single functions on vectors of 256 bits, where that is possible and something is to be gained.
fn generate_some_wide(built: &[Built], is_wide: impl Fn(Func) -> bool) -> (Vec<Option<Made>>, Vectors) {
    let (mut all, mut pairs, mut missing) = (Vec::with_capacity(built.len()), 0, None);
    for built in built {
        let made = is_wide(built.func).then(|| {
            let lowered = avx::lower(&built.function, &built.stops.of_accesses, (&avx::Directs::default(), built.func));
            let lowered = lowered.map_err(|missing| missing.what)?;
            let made = if lowered.pairs == 0 { None } else { Some(avx::generate(&lowered)?) };
            pairs += lowered.pairs;
            Ok(made)
        });
        all.push(match made.transpose() {
            Ok(made) => made.flatten(),
            Err(reason) => {
                missing = Some(reason);
                None
            }
        });
    }
    match missing {
        Some(reason) if pairs == 0 => (all, Vectors::Missing(reason)),
        _ if pairs == 0 => (all, Vectors::Narrow),
        _ => (all, Vectors::Wide(pairs)),
    }
}

/// Number of threads that the machine has.
pub(crate) fn all_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Instructions that are worth a thread: they take a millisecond or more, its start less than a tenth of one.
const WORTH_A_THREAD: usize = 512;

/// The size of a function for [`in_parallel`]: its number of instructions.
pub(crate) fn size_of(function: &Function) -> usize {
    function.dfg.num_insts()
}

/// Compiles on a number of threads at most, and on no more than the sizes of the items in instructions are worth. Results are in no order.
pub(crate) fn in_parallel<T: Send, R: Send>(
    mut items: Vec<T>,
    threads: usize,
    size: impl Fn(&T) -> usize,
    compile: impl Fn(T, &mut Context) -> Result<R, Box<Diagnostic>> + Sync,
) -> Result<Vec<R>, Box<Diagnostic>> {
    let threads = threads.min(items.len()).min(items.iter().map(&size).sum::<usize>() / WORTH_A_THREAD);
    // Taken one by one, the largest first, so that no thread waits long for another one's last.
    items.sort_by_cached_key(|item| Reverse(size(item)));
    let items = Mutex::new(items.into_iter());
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        let (mut done, mut context) = (Vec::new(), Context::new());
        while let Some(item) = next() {
            done.push(compile(item, &mut context)?);
        }
        Ok(done)
    };
    let results: Vec<Result<Vec<R>, Box<Diagnostic>>> = if threads <= 1 {
        vec![work()]
    } else {
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            handles.into_iter().map(|h| h.join().unwrap_or_else(|p| std::panic::resume_unwind(p))).collect()
        })
    };
    let mut done = Vec::new();
    for result in results {
        done.extend(result?);
    }
    Ok(done)
}

/// Generates the code of one function.
fn generate(host: &Host, module: &Module, built: Built, context: &mut Context) -> Result<Piece, Box<Diagnostic>> {
    context.clear();
    context.func = built.function;
    context.compile(&*host.0, &mut ControlPlane::default()).map_err(|error| {
        let function = &module.funcs[built.func];
        let message = format!("`{}` cannot be compiled: {:?}", function.name.text, error.inner);
        Box::new(Diagnostic::error(ErrorCode::E0604, function.span, message))
    })?;
    let code = context.compiled_code().expect("it was compiled just now");
    let alignment = host.0.function_alignment().preferred;
    let made = Made::new(code, &context.func, alignment, built.stops.of_accesses.len());
    Ok(Piece { func: built.func, made, stops: built.stops })
}
