//! A module whose sections are read: complete but for the bodies of its functions, which are translated one by one or
//! all at once.

use std::sync::Arc;

use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::Func;
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::source::SourceFile;
use wasmparser::{
    BinaryReader, FuncToValidate, FuncValidator, FuncValidatorAllocations, FunctionBody, ValidatorResources,
};

use crate::environment::Environment;
use crate::function;
use crate::liveness::Liveness;
use crate::places::Places;
use crate::scan::Scan;
use crate::{Options, parallel, report, sections, text};

/// A module whose sections are read. Its functions are declared; their bodies are translated on demand.
///
/// # Example
/// ```
/// use planish_front_wasm::{Options, Parsed};
/// use planish_ir::source::SourceMap;
///
/// let text = r#"(module (func (export "one") (result i32) i32.const 1))"#;
/// let file = SourceMap::new().add("one.wat", text).expect("small");
/// let mut parsed = Parsed::new(&file, text.as_bytes(), &Options::default()).expect("valid");
/// let func = parsed.module().entry_points[0].func;
/// assert!(parsed.module().funcs[func].body.is_none());
/// parsed.translate_function(func).expect("valid");
/// assert!(parsed.module().funcs[func].body.is_some());
/// ```
#[derive(Debug)]
pub struct Parsed {
    pub(crate) bytes: Arc<[u8]>,
    pub(crate) module: Module,
    pub(crate) env: Environment,
    /// By function with a body: state for its validation; `None` once it is valid.
    pub(crate) unchecked: Vec<Option<FuncToValidate<ValidatorResources>>>,
    threads: usize,
    /// Scratch memory of functions translated on demand.
    worker: Worker<'static>,
}

impl Parsed {
    /// Reads the sections of a module and validates all of it, including the bodies of functions unless the options
    /// defer that. `bytes` are the contents of `file`: a binary, or a text.
    ///
    /// # Errors
    /// All errors of the module.
    pub fn new(file: &SourceFile, bytes: &[u8], options: &Options) -> Result<Self, Vec<Diagnostic>> {
        let is_text = !file.is_binary() && !bytes.starts_with(b"\0asm");
        let (bytes, places) = if is_text {
            let (bytes, places) = text::encode(file).map_err(|error| vec![*error])?;
            (bytes.into(), Places::Text(places))
        } else {
            (Arc::from(bytes), Places::Binary(file.start))
        };
        let mut parsed = sections::read(bytes, places, options).map_err(|error| vec![*error])?;
        file.set_parts(parsed.named_parts());
        if !options.check_lazily {
            parsed.check()?;
        }
        Ok(parsed)
    }

    pub(crate) fn from_parts(
        bytes: Arc<[u8]>,
        module: Module,
        env: Environment,
        unchecked: Vec<Option<FuncToValidate<ValidatorResources>>>,
        threads: usize,
    ) -> Self {
        Parsed { bytes, module, env, unchecked, threads, worker: Worker::default() }
    }

    /// The module so far.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The module so far, with functions that have no body yet.
    pub fn module_mut(&mut self) -> &mut Module {
        &mut self.module
    }

    /// The functions that are not imported.
    pub fn defined(&self) -> impl ExactSizeIterator<Item = Func> + use<> {
        let imported = self.env.imported_funcs;
        (imported..imported + self.env.bodies.len()).map(|index| Func::from_u32(index as u32))
    }

    /// Bytes of a function's body in the file; 0 for imported ones.
    pub fn size_of(&self, func: Func) -> usize {
        let index = (func.as_u32() as usize).checked_sub(self.env.imported_funcs);
        index.and_then(|index| self.env.bodies.get(index)).map_or(0, |range| range.len())
    }

    /// Translates the body of a function, unless it has one or is imported.
    ///
    /// # Errors
    /// If it is invalid (only possible with lazy checks), or exceeds a limit.
    pub fn translate_function(&mut self, func: Func) -> Result<(), Box<Diagnostic>> {
        let Some(index) = (func.as_u32() as usize).checked_sub(self.env.imported_funcs) else { return Ok(()) };
        if index >= self.env.bodies.len() || self.module.funcs[func].body.is_some() {
            return Ok(());
        }
        let job = Job { bytes: &self.bytes, env: &self.env };
        let mut worker = std::mem::take(&mut self.worker);
        let check = self.unchecked[index].take();
        let mut done = job.look(&mut worker, index, check.as_ref());
        if done.is_ok() {
            done = job.build(&mut worker, &mut self.module, index);
        }
        self.worker = worker.into_scratch();
        done
    }

    /// Takes back the memory of a body that is no longer needed.
    pub fn reuse(&mut self, body: Body) {
        self.worker.scratch.reuse(body);
    }

    /// Checks the bodies of all functions that are not checked yet.
    ///
    /// # Errors
    /// The errors in order, up to a number that a user would read.
    pub fn check(&mut self) -> Result<(), Vec<Diagnostic>> {
        let errors = parallel::check(self, self.threads);
        if errors.is_empty() {
            self.unchecked.iter_mut().for_each(|check| *check = None);
            Ok(())
        } else {
            Err(errors)
        }
    }

    /// The whole module: translates all remaining functions, on several threads.
    ///
    /// # Errors
    /// As [`Parsed::translate_function`], for several functions.
    pub fn into_module(mut self) -> Result<Module, Vec<Diagnostic>> {
        let threads = self.threads;
        parallel::translate(&mut self, threads)?;
        Ok(self.module)
    }

    /// Names for places in the file: the offsets of each function, and its name.
    fn named_parts(&self) -> Vec<(u32, u32, Arc<str>)> {
        let part = |(index, range): (usize, &std::ops::Range<usize>)| {
            let func = Func::from_u32((self.env.imported_funcs + index) as u32);
            let name = format!("function ${}", self.module.funcs[func].name.text);
            (range.start as u32, range.end as u32, name.into())
        };
        self.env.bodies.iter().enumerate().map(part).collect()
    }
}

/// State shared by the translation of all functions.
#[derive(Clone, Copy)]
pub(crate) struct Job<'j> {
    pub(crate) bytes: &'j [u8],
    pub(crate) env: &'j Environment,
}

/// Scratch memory reused from one function to the next.
#[derive(Default)]
pub(crate) struct Worker<'j> {
    scan: Scan<'j>,
    liveness: Liveness,
    allocations: FuncValidatorAllocations,
    scratch: function::Scratch,
}

impl Worker<'_> {
    fn into_scratch(self) -> Worker<'static> {
        let Worker { scan, liveness, allocations, scratch } = self;
        Worker { scan: scan.into_scratch(), liveness, allocations, scratch }
    }
}

impl std::fmt::Debug for Worker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Worker")
    }
}

impl<'j> Job<'j> {
    /// Checks the function with this number, and discards the result of decoding.
    pub(crate) fn check(
        self,
        worker: &mut Worker<'j>,
        index: usize,
        check: &FuncToValidate<ValidatorResources>,
    ) -> Result<(), Box<Diagnostic>> {
        let mut validator = validator(check, &mut worker.allocations);
        let valid = validator.validate(&self.body(index));
        worker.allocations = validator.into_allocations();
        let Err(error) = valid else { return Ok(()) };
        // Validating instruction by instruction locates the error most precisely.
        self.look(worker, index, Some(check))?;
        Err(Box::new(report::function_error(&error, self.bytes, self.env, index)))
    }

    fn body(self, index: usize) -> FunctionBody<'j> {
        let range = self.env.bodies[index].clone();
        let reader = BinaryReader::new_features(&self.bytes[range.clone()], range.start as u64, self.env.features);
        FunctionBody::new(reader)
    }

    /// Decodes the function with this number, and checks it on request.
    pub(crate) fn look(
        self,
        worker: &mut Worker<'j>,
        index: usize,
        check: Option<&FuncToValidate<ValidatorResources>>,
    ) -> Result<(), Box<Diagnostic>> {
        let body = self.body(index);
        let places = self.env.places.function(index);
        let mut validator = check.map(|check| validator(check, &mut worker.allocations));
        let looked = worker.scan.look(&body, validator.as_mut(), places);
        if let Some(validator) = validator {
            worker.allocations = validator.into_allocations();
        }
        looked.map_err(|error| Box::new(report::function_error(&error, self.bytes, self.env, index)))
    }

    /// Builds the function that was looked at.
    pub(crate) fn build(
        self,
        worker: &mut Worker<'j>,
        module: &mut Module,
        index: usize,
    ) -> Result<(), Box<Diagnostic>> {
        let func = Func::from_u32((self.env.imported_funcs + index) as u32);
        let span = module.funcs[func].span;
        let signature = self.env.signature_of(func.as_u32());
        let params = signature.params.len();
        let locals = params + worker.scan.locals.iter().map(|(count, _)| *count as usize).sum::<usize>();
        let Worker { scan, liveness, scratch, .. } = worker;
        liveness
            .find(scan, locals)
            .map_err(|_| Box::new(report::too_large(span, "local variables for its number of blocks")))?;
        function::translate(module, self.env, func, (params, &signature.results), scan, liveness, scratch)
            .map_err(|_| Box::new(report::too_large(span, "block arguments")))
    }
}

fn validator(
    check: &FuncToValidate<ValidatorResources>,
    allocations: &mut FuncValidatorAllocations,
) -> FuncValidator<ValidatorResources> {
    let FuncToValidate { resources, index, ty, features } = check;
    let check = FuncToValidate { resources: resources.clone(), index: *index, ty: *ty, features: *features };
    check.into_validator(std::mem::take(allocations))
}
