//! The engine that `planish run` runs programs on.

use planish_vm::{Config, Engine, Strategy};

use crate::Stop;
use crate::args::{EngineName, Run};

/// Bytes of the stack of calls: as much as programs get from most systems.
const STACK_SIZE: usize = 8 << 20;

/// The engine of the command line, for WebAssembly and VL.
///
/// # Errors
/// If the evaluator is asked for: it has no host functions.
pub(crate) fn of(args: &Run) -> Result<Engine, Stop> {
    strategy(args).map(with)
}

/// An engine that stops a shader which does not end.
///
/// # Errors
/// As [`of`].
pub(crate) fn with_fuel(args: &Run) -> Result<Engine, Stop> {
    Ok(Engine::new(Config::default().strategy(strategy(args)?).consume_fuel(true)))
}

fn strategy(args: &Run) -> Result<Strategy, Stop> {
    Ok(match args.engine {
        // The virtual machine's code is what --verify checks.
        None if args.verify => Strategy::Vm,
        Some(EngineName::Native) if args.verify => {
            return Err(Stop::usage("--verify checks the code of the virtual machine: use --engine vm"));
        }
        Some(EngineName::Vm) => Strategy::Vm,
        Some(EngineName::Eval) => {
            return Err(Stop::usage("--engine eval runs shaders; programs run with --engine native or vm"));
        }
        Some(EngineName::Native) => {
            if let Err(reason) = Engine::supports_native() {
                eprintln!("warning: no machine code on this host: {reason}; the virtual machine runs the program");
            }
            Strategy::Native
        }
        None => Strategy::Native,
    })
}

/// An engine with the command's limits.
pub(crate) fn with(strategy: Strategy) -> Engine {
    Engine::new(Config::default().strategy(strategy).stack_size(STACK_SIZE))
}
