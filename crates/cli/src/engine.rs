//! The engine that `planish run` runs programs on.

use planish::eval::shade::ShadeError;
use planish::lanes::{DrawError, LaneOptions};
use planish::module::Module;
use planish::opt::cost::{Costs, NATIVE};
use planish::source::SourceMap;
use planish_vm::{Config, Engine, Strategy};

use crate::Stop;
use crate::args::{EngineName, Run};
use crate::limits;
use crate::output;
use crate::report::Reporter;
use crate::run::place_of;

/// Bytes of the stack of calls: as much as programs get from most systems.
const STACK_SIZE: usize = 8 << 20;

/// The engine of the command line, for WebAssembly and VL.
///
/// # Errors
/// If the evaluator is asked for: it has no host functions.
pub(crate) fn of(args: &Run) -> Result<Engine, Stop> {
    Ok(engine(&config(strategy(args)?, args, Some(STACK_SIZE))))
}

/// The engine for shaders, which stops one that does not end; `None` for the evaluator.
///
/// # Errors
/// As [`of`].
pub(crate) fn for_shaders(args: &Run) -> Result<Option<Engine>, Stop> {
    match args.engine {
        Some(EngineName::Eval) => return Ok(None),
        None if Engine::supports_native().is_err() => return Ok(None),
        _ => {}
    }
    // (With fuel there are no tiers.)
    let strategy = if args.engine == Some(EngineName::Tiered) { Strategy::Native } else { strategy(args)? };
    Ok(Some(engine(config(strategy, args, None).consume_fuel(true))))
}

/// Runs a shader on lanes, or on the evaluator if it is asked for, or if lanes cannot run it.
pub(crate) fn shade<T>(
    args: &Run,
    (map, reporter): (&SourceMap, &Reporter),
    on_lanes: impl FnOnce(&Engine, &LaneOptions) -> Result<T, DrawError>,
    on_evaluator: impl FnOnce() -> Result<T, ShadeError>,
) -> Result<T, Stop> {
    if let Some(engine) = for_shaders(args)? {
        match on_lanes(&engine, &lane_options(args, &engine, None)) {
            Err(error @ DrawError::Unsupported(_)) => fall_back(args, &error, map),
            other => return other.map_err(|error| draw_error(args, &error, (map, reporter))),
        }
    }
    on_evaluator().map_err(|error| limits::stop_shader(args, &error, reporter))
}

/// Invocations of a fragment shader from which on 16 lanes pay: their code takes longer to make than that of 8, by as much as they then
/// save in so many on average.
const MANY: u64 = 1 << 20;

/// The options of lanes on the command line; `invocations`: how many there will be, if that is known.
pub(crate) fn lane_options(args: &Run, engine: &Engine, invocations: Option<u64>) -> LaneOptions {
    // Two vectors at a time: the processor works on one while the other one waits.
    let pays = invocations.is_none_or(|count| count >= MANY);
    let lanes = args.lanes.unwrap_or(if engine.has_wide_vectors() && pays { 16 } else { 8 });
    // On the virtual machine a polynomial takes longer than the calls of the exact function.
    LaneOptions { lanes, exact: args.exact || args.engine == Some(EngineName::Vm) }
}

/// Warns that the evaluator runs a shader, if another engine was asked for.
pub(crate) fn fall_back(args: &Run, error: &DrawError, map: &SourceMap) {
    if args.engine.is_some() {
        let place = place(error, map);
        output::write_message(&format!("warning: {error}; the evaluator runs the shader{place}\n"));
    }
}

/// A message with the place of the error.
pub(crate) fn draw_error(args: &Run, error: &DrawError, (map, reporter): (&SourceMap, &Reporter)) -> Stop {
    limits::stop_lanes(args, error, reporter, &place(error, map))
}

fn place(error: &DrawError, map: &SourceMap) -> String {
    let DrawError::Unsupported(diagnostics) = error else { return String::new() };
    diagnostics.first().map_or_else(String::new, |diagnostic| place_of(diagnostic.span, map))
}

/// The costs of ops where a program runs as machine code; `None` for those of its target.
pub(crate) fn costs(args: &Run, module: &Module) -> Option<Costs> {
    let asked = !args.verify && !matches!(args.engine, Some(EngineName::Vm | EngineName::Eval));
    (module.facts.processor && asked && Engine::supports_native().is_ok()).then(|| (&NATIVE).into())
}

fn strategy(args: &Run) -> Result<Strategy, Stop> {
    Ok(match args.engine {
        // The virtual machine's code is what --verify checks.
        None if args.verify => Strategy::Vm,
        Some(EngineName::Native | EngineName::Tiered) if args.verify => {
            return Err(Stop::usage("--verify checks the code of the virtual machine: use --engine vm"));
        }
        Some(EngineName::Vm) => Strategy::Vm,
        Some(EngineName::Eval) => {
            return Err(Stop::usage("--engine eval runs shaders; programs run with --engine native, tiered or vm"));
        }
        Some(name @ (EngineName::Native | EngineName::Tiered)) => {
            if let Err(reason) = Engine::supports_native() {
                let warning = format!("no machine code on this host: {reason}; the virtual machine runs the program");
                output::write_message(&format!("warning: {warning}\n"));
            }
            if name == EngineName::Native { Strategy::Native } else { Strategy::Tiered }
        }
        None => Strategy::Native,
    })
}

/// The configuration of an engine, with a stack of this size if it is not the default.
fn config(strategy: Strategy, args: &Run, stack: Option<usize>) -> Config {
    let mut config = Config::default();
    config.strategy(strategy);
    limits::configure(&mut config, args, stack);
    if let Some(directory) = &args.cache {
        config.cache(directory);
    }
    config
}

/// An engine, with a warning if it keeps no code although that is asked for.
fn engine(config: &Config) -> Engine {
    let engine = Engine::new(config);
    if let Some(error) = engine.cache_error() {
        output::write_message(&format!("warning: {error}; code is made for this run alone\n"));
    }
    engine
}

/// An engine with the command's limits.
#[cfg_attr(target_family = "wasm", expect(dead_code, reason = "the interactive interpreter needs a terminal"))]
pub(crate) fn with(strategy: Strategy) -> Engine {
    Engine::new(Config::default().strategy(strategy).stack_size(STACK_SIZE))
}
