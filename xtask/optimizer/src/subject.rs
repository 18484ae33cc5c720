//! The programs to check, and the compiler in its configuration for checks.

use std::path::PathBuf;
use std::time::Duration;

use planish::module::Module;
use planish::render::short;
use planish::{Compiler, EmitOptions, LEVELS, Optimizer, Target, emit};
use xtask::corpus::{self, Program};
use xtask::{Failure, conformance_folder};

use crate::options::Options;

/// Timeout: no program of the corpus needs that long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(300);

/// The programs that the reference accepts and the user selects.
pub(crate) fn programs(options: &Options) -> Result<Vec<Program>, Failure> {
    let mut programs = corpus::read(&conformance_folder())?;
    programs.retain(|p| p.accepted == Some(true));
    let wanted = |p: &Program| options.only.is_empty() || options.only.iter().any(|only| p.name().contains(only));
    programs.retain(wanted);
    if programs.is_empty() {
        return Err(Failure::Usage(format!("no program is named like {}", options.only.join(" or "))));
    }
    corpus::choose(programs, &[], options.sample)
}

/// The levels for speed and for size, or the highest ones that exist.
pub(crate) fn levels() -> [&'static str; 2] {
    let best = |wanted: &'static str| if LEVELS.contains(&wanted) { wanted } else { LEVELS[LEVELS.len() - 1] };
    [best("2"), best("s")]
}

/// The passes of one of [`levels`].
pub(crate) fn optimizer(level: &str) -> Optimizer {
    Optimizer::level(level).expect("is one of the levels")
}

/// Path of the program.
pub(crate) fn path(program: &Program) -> PathBuf {
    program.path(&conformance_folder().join("programs"))
}

/// The program as the front end reads it, and its length.
pub(crate) fn compile(program: &Program) -> Result<(Module, usize), String> {
    let path = path(program);
    let source = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut compiler = Compiler::default();
    // The extension selects the stage, as on the command line.
    let compilation = compiler.compile(&format!("shader.{}", program.stage), &source);
    let error = || compilation.diagnostics.iter().find(|d| d.is_error()).map(|d| short(d, &compiler.map));
    match &compilation.module {
        Some(module) => Ok((module.clone(), source.len())),
        None => Err(error().unwrap_or_else(|| "there is no module".into())),
    }
}

/// The module as bytes of a target.
pub(crate) fn write(module: &Module, target: Target, options: &EmitOptions) -> Result<Vec<u8>, String> {
    let written = emit(module, target, options);
    let said = |why: &str| format!("{}: {why}", target.info().name);
    written.map(|artifact| artifact.bytes).map_err(|errors| said(errors.first().map_or("?", |e| &e.message)))
}

/// The module after the passes of a level.
pub(crate) fn optimized(module: &Module, level: &str) -> Module {
    let mut module = module.clone();
    optimizer(level).run(&mut module, &mut |_, _| {});
    module
}
