//! Evaluator of a single module.

use std::sync::Arc;

use planish_ir::arena::Id;
use planish_ir::entity::{Func, Memory, Type, Var};
use planish_ir::function::Direction;
use planish_ir::meaning::Shape;
use planish_ir::module::Module;

use crate::machine::Machine;
use crate::machine::host::{HostCall, on_module_values};
use crate::program::Program;
use crate::stop::{Limits, Stop};
use crate::texture::{SamplerState, StorageImage, Texture, Textures};
use crate::value::EvalValue;

/// Runs functions of one module. Its variables, memories and tables keep their contents between calls.
///
/// Imported variables, memories and tables are created as if declared in the module; functions are set by
/// [`Evaluator::provide`]. For modules that import from each other see [`crate::world::World`].
pub struct Evaluator<'m> {
    machine: Machine<'m>,
    started: bool,
}

impl<'m> Evaluator<'m> {
    /// An evaluator with one lane. Derivatives are zero.
    ///
    /// # Errors
    /// If the module's memory exceeds the limit, or an active segment does not fit.
    pub fn new(module: &'m Module, limits: Limits) -> Result<Self, Stop> {
        Self::with_lanes(module, limits, 1)
    }

    /// An evaluator that runs `lanes` invocations in lockstep (at most [`crate::MAX_LANES`]). Four consecutive lanes
    /// are a quad, in the order `x0y0 x1y0 x0y1 x1y1`.
    ///
    /// # Errors
    /// See [`Evaluator::new`].
    pub fn with_lanes(module: &'m Module, limits: Limits, lanes: usize) -> Result<Self, Stop> {
        let lanes = lanes.clamp(1, crate::MAX_LANES);
        let program = Arc::new(Program::new(module)?);
        Ok(Evaluator { machine: Machine::new(program, limits, lanes)?, started: false })
    }

    /// The module.
    pub fn module(&self) -> &'m Module {
        self.machine.instances[0].program.module
    }

    /// Steps since the creation of the evaluator.
    pub fn steps(&self) -> u64 {
        self.machine.steps
    }

    /// Runs the module's start function in every lane, if it has one that has not run yet. Otherwise the first call
    /// does, so that host functions can be set before.
    ///
    /// # Errors
    /// See [`Evaluator::call`].
    pub fn start(&mut self) -> Result<(), Stop> {
        if !std::mem::replace(&mut self.started, true)
            && let Some(start) = self.module().start
        {
            self.machine.invoke(start, &[], self.machine.n)?;
        }
        Ok(())
    }

    /// Calls a function in the first lane.
    ///
    /// An argument for a pointer parameter is the value of its pointee.
    ///
    /// # Errors
    /// If the program traps, exceeds a limit, or uses an unsupported operation.
    pub fn call(&mut self, func: Func, args: &[EvalValue]) -> Result<Vec<EvalValue>, Stop> {
        let mut args = args.to_vec();
        self.call_with(func, &mut args)
    }

    /// Like [`Evaluator::call`]; arguments for pointer parameters are written back.
    ///
    /// # Errors
    /// See [`Evaluator::call`].
    pub fn call_with(&mut self, func: Func, args: &mut [EvalValue]) -> Result<Vec<EvalValue>, Stop> {
        let lanes = vec![args.to_vec()];
        let (mut results, mut out) = self.run(func, &lanes)?;
        args.clone_from_slice(&out.remove(0));
        Ok(results.remove(0))
    }

    /// Calls a function in several lanes at once, each with its own arguments; returns the results by lane.
    ///
    /// # Errors
    /// See [`Evaluator::call`]; also if there are more calls than lanes.
    pub fn call_lanes(&mut self, func: Func, lanes: &[Vec<EvalValue>]) -> Result<Vec<Vec<EvalValue>>, Stop> {
        Ok(self.run(func, lanes)?.0)
    }

    /// Calls a function in some lanes at once, of which some may be helper invocations. Arguments and results are given by component, each with a word for every lane; words of
    /// lanes that are not active are not read, and results there mean nothing.
    ///
    /// # Errors
    /// See [`Evaluator::call`]; also if the function has no body, or takes other components.
    pub fn call_active(
        &mut self,
        func: Func,
        active: &[bool],
        helpers: &[bool],
        components: &[Vec<u64>],
    ) -> Result<Vec<Vec<u64>>, Stop> {
        self.start()?;
        let module = self.module();
        let function = &module.funcs[func];
        let unfit = |what: &str| Stop::unsupported(what, function.span);
        let mut rest = components;
        let mut args = Vec::new();
        for param in &function.params {
            let size = module.types.components(param.ty).ok_or_else(|| unfit("a parameter without a size"))?;
            let (own, after) = rest.split_at_checked(size).ok_or_else(|| unfit("too few arguments"))?;
            rest = after;
            if own.iter().any(|column| column.len() != self.machine.n) {
                return Err(unfit("an argument of the wrong size"));
            }
            args.push(own.concat());
        }
        let n = self.machine.n;
        let mask = |lanes: &[bool]| {
            let mut mask = crate::mask::Mask::NONE;
            lanes.iter().enumerate().take(n).filter(|(_, set)| **set).for_each(|(lane, _)| mask.insert(lane));
            mask
        };
        self.machine.steps = 0;
        self.machine.helpers_at_first = mask(helpers);
        let number = self.machine.instances[0].funcs[func.index()];
        self.machine.call_in(number, &args, mask(active))
    }

    /// Results and arguments after the call, by lane.
    #[allow(clippy::type_complexity)]
    fn run(
        &mut self,
        func: Func,
        lanes: &[Vec<EvalValue>],
    ) -> Result<(Vec<Vec<EvalValue>>, Vec<Vec<EvalValue>>), Stop> {
        self.start()?;
        let module = self.module();
        let function = &module.funcs[func];
        let unfit = |what: &str| Stop::unsupported(what, function.span);
        if lanes.is_empty() || lanes.len() > self.machine.n {
            return Err(unfit("as many calls as lanes, and at least one"));
        }
        let mut columns: Vec<Vec<u64>> = Vec::new();
        let mut cells = Vec::new();
        for (i, param) in function.params.iter().enumerate() {
            let behind = if param.direction == Direction::In && module.types.pointee(param.ty).is_none() {
                param.ty
            } else {
                module.types.pointee(param.ty).map_or(param.ty, |(ty, _)| ty)
            };
            let size = module.types.components(behind).ok_or_else(|| unfit("a parameter without a size"))?;
            let mut column = vec![0; size * self.machine.n];
            for (lane, args) in lanes.iter().enumerate() {
                let arg = args.get(i).ok_or_else(|| unfit("too few arguments"))?;
                if arg.bits.len() != size {
                    return Err(unfit("an argument of the wrong size"));
                }
                for (c, &bits) in arg.bits.iter().enumerate() {
                    column[c * self.machine.n + lane] = bits;
                }
            }
            if behind == param.ty {
                columns.push(column);
            } else {
                let pointer = self.machine.temporary(&column)?;
                cells.push((i, behind, pointer));
                columns.push(vec![pointer]);
            }
        }
        let outcome = self.machine.invoke(func, &columns, lanes.len());
        let mut after = lanes.to_vec();
        for (lane, args) in after.iter_mut().enumerate() {
            for &(i, ty, pointer) in &cells {
                let size = module.types.components(ty).unwrap_or(0);
                args[i] = EvalValue { ty, bits: self.machine.read_temporary(pointer, size, lane) };
            }
        }
        self.machine.drop_temporaries();
        let results = outcome?;
        let results = (0..lanes.len()).map(|lane| {
            let mut at = 0;
            let take = |ty: Type| {
                let size = module.types.components(ty).unwrap_or(0);
                at += size;
                EvalValue { ty, bits: results[at - size..at].iter().map(|column| column[lane]).collect() }
            };
            function.results.iter().map(|r| r.ty).map(take).collect()
        });
        Ok((results.collect(), after))
    }

    /// Sets a host function for every import with these two names. It is called once per invocation, and returns the
    /// results or stops the program. Returns false if there is no such import.
    pub fn provide(
        &mut self,
        module: &str,
        name: &str,
        function: impl FnMut(HostCall<'_>) -> Result<Vec<EvalValue>, Stop> + 'm,
    ) -> bool {
        let is = |import: &planish_ir::module::Import| &*import.module == module && &*import.name == name;
        let imports = self.module().func_imports.iter().filter(|(_, import)| is(import));
        let imports: Vec<Func> = imports.map(|(func, _)| *func).collect();
        self.machine.provide(&imports, on_module_values(function));
        !imports.is_empty()
    }

    /// Sets a variable of the module, in every lane. A shorter value sets the first components only.
    pub fn set(&mut self, var: Var, value: &EvalValue) {
        self.machine.set_global(var, &value.bits);
    }

    /// Sets a storage block that ends with a runtime-sized array: the components of its fixed members, followed by
    /// those of the elements.
    pub fn set_buffer(&mut self, var: Var, words: Vec<u64>) {
        self.machine.replace_shared(var, words);
    }

    /// The components of a variable of the module, in one lane.
    pub fn get(&self, var: Var, lane: usize) -> Vec<u64> {
        if let Some(words) = self.machine.shared_ref(var) {
            return words.to_vec();
        }
        (0..).map_while(|c| self.machine.lane_column(var, c).map(|column| column[lane])).collect()
    }

    /// Binds a texture and a sampler to element `index` of a variable (0 for other types).
    pub fn bind_texture(&mut self, var: Var, index: usize, texture: Arc<dyn Texture>, sampler: SamplerState) {
        let image = self.machine.textures.add(texture);
        let sampler = self.machine.textures.add_sampler(sampler);
        self.bind(var, index, Textures::combine(image, sampler));
    }

    /// Binds a sampler to element `index` of a variable.
    pub fn bind_sampler(&mut self, var: Var, index: usize, sampler: SamplerState) {
        let sampler = self.machine.textures.add_sampler(sampler);
        self.bind(var, index, sampler);
    }

    /// Binds a storage image to element `index` of a variable.
    pub fn bind_storage(&mut self, var: Var, index: usize, image: StorageImage) {
        let handle = self.machine.textures.add_storage(image);
        self.bind(var, index, handle);
    }

    /// The storage image in element `index` of a variable.
    pub fn storage(&self, var: Var, index: usize) -> Option<&StorageImage> {
        let handle = *self.machine.shared_ref(var)?.get(index)?;
        self.machine.textures.storage.get(handle as usize)
    }

    fn bind(&mut self, var: Var, index: usize, handle: u64) {
        if let Some(slot) = self.machine.shared_mut(var).and_then(|words| words.get_mut(index)) {
            *slot = handle;
        }
    }

    /// The bytes of a memory.
    pub fn memory(&self, memory: Memory) -> Option<&[u8]> {
        let &number = self.machine.instances[0].memories.get(memory.index())?;
        Some(&self.machine.store.memories[number as usize].bytes)
    }

    /// The bytes of a memory, mutable.
    pub fn memory_mut(&mut self, memory: Memory) -> Option<&mut Vec<u8>> {
        let &number = self.machine.instances[0].memories.get(memory.index())?;
        Some(&mut self.machine.store.memories[number as usize].bytes)
    }

    /// Access for the shader runners of this crate.
    pub(crate) fn machine(&mut self) -> &mut Machine<'m> {
        &mut self.machine
    }

    /// An evaluator of a decoded program.
    pub(crate) fn on(program: Arc<Program<'m>>, limits: Limits, lanes: usize) -> Result<Self, Stop> {
        Ok(Evaluator { machine: Machine::new(program, limits, lanes)?, started: false })
    }
}
