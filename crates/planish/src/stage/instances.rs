//! A program on an engine, with instances that calls take in turn.

use std::sync::{Mutex, PoisonError};

use planish_front_stage::{Errors, HOST_PHASE, HostFunction, Slice};
use planish_ir::arena::Id;
use planish_ir::decoration::{Decoration, SliceLength};
use planish_ir::host::SliceParam;
use planish_ir::module::Module;
use planish_ir::source::SourceMap;
use planish_ir::types::Scalar;
use planish_vm::{Engine, Error, Func, FuncType, Lent, Linker, Memory, Store, Strategy, Val, ValType};
use smallvec::SmallVec;

use super::{Stopped, for_processors};
use crate::optimizer::Optimizer;

/// Slices of a call, with the memory of each by its number.
pub(super) type Slices<'a> = SmallVec<[(usize, Slice<'a>); 8]>;

/// A program on an engine. It may be called from several threads at once.
pub(super) struct Instances {
    engine: Engine,
    module: planish_vm::Module,
    pub(super) name: String,
    map: SourceMap,
    hosts: Vec<HostFunction>,
    /// Number of slices among the parameters; each has a memory.
    slices: usize,
    params: Vec<Scalar>,
    results: Vec<Scalar>,
    /// Instances that no call uses. They are large, and each call takes one out.
    #[expect(clippy::vec_box, reason = "an instance is not moved when a call takes it")]
    idle: Mutex<Vec<Box<Instance>>>,
}

/// An instance of the program, with memory for the arguments and results of a call.
struct Instance {
    store: Store<()>,
    instance: planish_vm::Instance,
    func: Func,
    /// For the slices of the parameters, in order.
    memories: Vec<Memory>,
    bits: Vec<u64>,
    args: Vec<Val>,
    results: Vec<Val>,
}

/// The interface of a program.
pub(super) struct Outline<'a> {
    pub(super) name: &'a str,
    pub(super) map: &'a SourceMap,
    pub(super) hosts: &'a [HostFunction],
    pub(super) slices: &'a [SliceParam],
    pub(super) params: Vec<Scalar>,
    pub(super) results: Vec<Scalar>,
}

impl Instances {
    /// Optimizes and compiles a program.
    ///
    /// # Errors
    /// A function too large for the engine.
    pub(super) fn compile(engine: &Engine, mut module: Module, outline: Outline<'_>) -> Result<Self, Errors> {
        let mut optimizer: Optimizer = super::optimizer(outline.hosts);
        if engine.strategy() == Strategy::Native {
            for_processors(&mut optimizer);
            mark_lengths(&mut module, &outline);
        }
        Instances::optimized(engine, module, &optimizer, outline)
    }

    /// Compiles a program, with an optimizer of the caller's.
    ///
    /// # Errors
    /// As [`Instances::compile`].
    pub(super) fn optimized(
        engine: &Engine,
        mut module: Module,
        optimizer: &Optimizer,
        outline: Outline<'_>,
    ) -> Result<Self, Errors> {
        module.facts.scheduled = engine.strategy() == Strategy::Native;
        let module = crate::load::load(engine, module, Some(optimizer));
        Ok(Instances {
            engine: engine.clone(),
            module: module.map_err(|diagnostics| Errors { diagnostics, map: outline.map.clone() })?,
            name: outline.name.to_owned(),
            map: outline.map.clone(),
            hosts: outline.hosts.to_vec(),
            slices: outline.slices.len(),
            params: outline.params,
            results: outline.results,
            idle: Mutex::new(Vec::new()),
        })
    }

    /// Calls the function: `pass` gives the bits of the parameters and the slices among them, `read` reads the bits of the results.
    ///
    /// # Errors
    /// A trap, and slices of 4 GiB or more.
    pub(super) fn call<'a, R>(
        &self,
        pass: impl FnOnce(&mut Vec<u64>, &mut dyn FnMut(Slice<'a>)),
        read: impl FnOnce(&mut dyn Iterator<Item = u64>) -> R,
    ) -> Result<R, Stopped> {
        self.on_instance(|instance| {
            instance.call(&self.params, pass)?;
            Ok(read(&mut instance.results.iter().map(bits_of)))
        })
    }

    /// Does something on an instance that no other call uses.
    fn on_instance<T>(&self, work: impl FnOnce(&mut Instance) -> Result<T, Error>) -> Result<T, Stopped> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut instance = match idle {
            Some(instance) => instance,
            None => Box::new(self.instance().map_err(|error| self.stopped(error))?),
        };
        let result = work(&mut instance);
        // (A program that has stopped leaves its growable arrays behind.)
        if result.is_ok() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(instance);
        }
        result.map_err(|error| self.stopped(error))
    }

    /// The arguments of a call, and its slices.
    ///
    /// # Errors
    /// Slices of 4 GiB or more.
    pub(super) fn arguments<'a>(
        &self,
        pass: impl FnOnce(&mut Vec<u64>, &mut dyn FnMut(Slice<'a>)),
    ) -> Result<(Vec<Val>, Slices<'a>), Stopped> {
        let mut bits = Vec::new();
        let slices = passed(&mut bits, pass).map_err(|error| self.stopped(error))?;
        let args = self.params.iter().zip(bits).map(|(&scalar, bits)| val(scalar, bits)).collect();
        Ok((args, slices.into_iter().enumerate().collect()))
    }

    /// Calls an exported function of the module: `slices` are those of the memories that it uses, and `types` those of its results.
    ///
    /// # Errors
    /// A trap.
    pub(super) fn run(
        &self,
        name: &str,
        args: &[Val],
        slices: Slices<'_>,
        types: &[Scalar],
    ) -> Result<Vec<Val>, Stopped> {
        let mut results: Vec<Val> = types.iter().map(|&scalar| val(scalar, 0)).collect();
        self.on_instance(|instance| instance.run(name, args, slices, &mut results))?;
        Ok(results)
    }

    /// Calls an exported function of the module that gives the results of the function.
    ///
    /// # Errors
    /// A trap.
    pub(super) fn run_last(&self, name: &str, args: &[Val], slices: Slices<'_>) -> Result<Vec<Val>, Stopped> {
        self.run(name, args, slices, &self.results)
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
        Ok(Instance { store, instance, func, memories, bits: Vec::new(), args: Vec::new(), results })
    }
}

impl Instance {
    fn call<'a>(
        &mut self,
        params: &[Scalar],
        pass: impl FnOnce(&mut Vec<u64>, &mut dyn FnMut(Slice<'a>)),
    ) -> Result<(), Error> {
        let Instance { store, func, memories, bits, args, results, .. } = self;
        let slices = passed(bits, pass)?;
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

    fn run(&mut self, name: &str, args: &[Val], slices: Slices<'_>, results: &mut [Val]) -> Result<(), Error> {
        let func = self.instance.get_func(&self.store, name).expect("the module exports it");
        if slices.is_empty() {
            return func.call(&mut self.store, args, results);
        }
        let lent = slices.into_iter().map(|(number, slice)| match slice {
            Slice::In(bytes) => (self.memories[number], Lent::ToRead(bytes)),
            Slice::Out(bytes) => (self.memories[number], Lent::ToWrite(bytes)),
        });
        Memory::lend(lent, &mut self.store, |store| func.call(store, args, results))?
    }
}

/// Marks the parameters of the function that are lengths of slices, which each call lends whole.
fn mark_lengths(module: &mut Module, outline: &Outline<'_>) {
    let Some(func) = module.entry_points.first().map(|entry| entry.func) else { return };
    let function = &mut module.funcs[func];
    // Parameters that are vectors are several in the end.
    if function.params.len() != outline.params.len() {
        return;
    }
    for slice in outline.slices.iter().filter(|slice| slice.stride() > 0) {
        let (param, memory) = (slice.param as u32, slice.memory.index() as u32);
        function.decorations.add(Decoration::Length(SliceLength { param, memory, stride: slice.stride() }));
    }
}

/// The slices of a call, whose bits it adds.
fn passed<'a>(
    bits: &mut Vec<u64>,
    pass: impl FnOnce(&mut Vec<u64>, &mut dyn FnMut(Slice<'a>)),
) -> Result<SmallVec<[Slice<'a>; 8]>, Error> {
    bits.clear();
    let (mut slices, mut is_large) = (SmallVec::<[Slice<'a>; 8]>::new(), false);
    pass(bits, &mut |slice| {
        let size = match &slice {
            Slice::In(bytes) => bytes.len(),
            Slice::Out(bytes) => bytes.len(),
        };
        is_large |= u32::try_from(size).is_err();
        slices.push(slice);
    });
    if is_large { Err(Error::Type("a slice has less than 4 GiB".into())) } else { Ok(slices) }
}

fn val(scalar: Scalar, bits: u64) -> Val {
    match scalar {
        Scalar::I64 | Scalar::U64 => Val::I64(bits as i64),
        Scalar::F16 | Scalar::F32 => Val::F32(bits as u32),
        Scalar::F64 => Val::F64(bits),
        _ => Val::I32(bits as i32),
    }
}

pub(super) fn bits_of(val: &Val) -> u64 {
    match *val {
        Val::I32(x) => u64::from(x as u32),
        Val::I64(x) => x as u64,
        Val::F32(bits) => bits.into(),
        Val::F64(bits) => bits,
        _ => unreachable!("a function of scalars gives scalars"),
    }
}
