//! One translation, phase by phase.

use std::hint::black_box;

use cpu_time::ThreadTime;
use planish_bench_wasm::engines::Error;
use planish_front_wasm::{Options, Parsed};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::Func;
use planish_ir::function::Body;
use planish_ir::source::SourceMap;
use planish_opt::{Context, pipeline, run_passes};
use planish_vm::{Engine, Module, Source};

/// Seconds by phase; passes that run several times are counted together.
pub struct Phases(pub Vec<(&'static str, f64)>);

impl Phases {
    pub fn total(&self) -> f64 {
        self.0.iter().map(|(_, seconds)| seconds).sum()
    }

    fn add(&mut self, phase: &'static str, start: &mut ThreadTime) {
        let seconds = start.elapsed().as_secs_f64();
        match self.0.iter_mut().find(|(name, _)| *name == phase) {
            Some((_, sum)) => *sum += seconds,
            None => self.0.push((phase, seconds)),
        }
        *start = ThreadTime::now();
    }

    pub fn keep_best(&mut self, other: &Phases) {
        for ((_, mine), (_, theirs)) in self.0.iter_mut().zip(&other.0) {
            *mine = mine.min(*theirs);
        }
    }
}

fn to_error(errors: Vec<Diagnostic>) -> Error {
    errors.first().map_or_else(String::new, |e| e.message.clone()).into()
}

/// Translates each function on demand.
struct Functions(Parsed);

impl Source for Functions {
    fn module(&mut self) -> &mut planish_ir::module::Module {
        self.0.module_mut()
    }

    fn provide(&mut self, func: Func) -> Result<(), planish_vm::Error> {
        self.0.translate_function(func).map_err(planish_vm::Error::Compile)
    }

    fn reuse(&mut self, body: Body) {
        self.0.reuse(body);
    }
}

/// Seconds of decoding, validation and building of all functions, which is the first part of translating them.
pub fn build(wasm: &[u8]) -> Result<f64, Error> {
    let file = SourceMap::new().add_binary("a.wasm", wasm.len()).map_err(|_| "too large")?;
    let options = Options { threads: 1, check_lazily: true, ..Options::default() };
    let mut parsed = Parsed::new(&file, wasm, &options).map_err(to_error)?;
    let start = ThreadTime::now();
    for func in parsed.defined() {
        parsed.translate_function(func).map_err(|diagnostic| diagnostic.message)?;
        if let Some(body) = parsed.module_mut().funcs[func].body.take() {
            parsed.reuse(body);
        }
    }
    Ok(start.elapsed().as_secs_f64())
}

/// Seconds of decoding and validation alone, which is a part of a phase.
pub fn validate(wasm: &[u8]) -> Result<f64, Error> {
    let file = SourceMap::new().add_binary("a.wasm", wasm.len()).map_err(|_| "too large")?;
    let options = Options { threads: 1, check_lazily: true, ..Options::default() };
    let mut parsed = Parsed::new(&file, wasm, &options).map_err(to_error)?;
    let start = ThreadTime::now();
    parsed.check().map_err(to_error)?;
    Ok(start.elapsed().as_secs_f64())
}

/// All that is done until code can run.
pub fn translate(wasm: &[u8], level: &str) -> Result<Phases, Error> {
    let engine = Engine::default();
    let file = SourceMap::new().add_binary("a.wasm", wasm.len()).map_err(|_| "too large")?;
    let options = Options { threads: 1, check_lazily: true, ..Options::default() };
    let mut phases = Phases(vec![]);
    let mut start = ThreadTime::now();
    let parsed = Parsed::new(&file, wasm, &options).map_err(to_error)?;
    phases.add("sections", &mut start);
    if level == "0" {
        let module = Module::new(&engine, Functions(parsed))?;
        phases.add("module", &mut start);
        module.compile_all()?;
        phases.add("functions, one by one", &mut start);
        drop(black_box(module));
        phases.add("drop", &mut start);
        return Ok(phases);
    }
    let mut module = parsed.into_module().map_err(to_error)?;
    phases.add("decode, validate, build", &mut start);
    let passes = pipeline(level).ok_or("no such level")?;
    let mut context = Context::new(planish_opt::Options::default());
    run_passes(&mut module, &passes, &mut context, &mut |pass, _| phases.add(pass, &mut start));
    let module = Module::new(&engine, module)?;
    phases.add("module", &mut start);
    module.compile_all()?;
    phases.add("code", &mut start);
    drop(black_box(module));
    phases.add("drop", &mut start);
    Ok(phases)
}
