//! Runs the compiler over the corpus, in this process, on several threads.

use std::path::Path;
use std::time::{Duration, Instant};

use planish::Target;
use xtask::corpus::Program;
use xtask::{Failure, pool};

use crate::engine::{self, Compiled};
use crate::outcome::{Outcome, Reason};
use crate::outputs;

/// Timeout: no program of the corpus needs a second.
const PATIENCE: Duration = Duration::from_secs(60);

/// Compiles every program to every target. Outputs for external checkers are left in files.
pub(crate) fn check(folder: &Path, programs: &[Program], jobs: usize) -> Result<Vec<Outcome>, Failure> {
    outputs::prepare(folder, programs)?;
    let one = |program: &Program| {
        let mut outcome = Outcome::new(program.clone());
        one(folder, &mut outcome).map(|()| outcome)
    };
    pool::run(programs, jobs, PATIENCE, Program::name, one).into_iter().collect()
}

/// One program to every target.
fn one(folder: &Path, outcome: &mut Outcome) -> Result<(), Failure> {
    let program = outcome.program.clone();
    let source = std::fs::read_to_string(program.path(&folder.join("programs")))?;
    let start = Instant::now();
    let compiled = guarded(|| engine::compile(&program.stage, &source));
    outcome.accepted.and(compiled.as_ref().map(|_| ()).map_err(Clone::clone));
    let Ok(compiled) = compiled else { return Ok(()) };
    let glsl = guarded(|| compiled.text(Target::Glsl));
    let wgsl = guarded(|| compiled.text(Target::Wgsl));
    let spirv = guarded(|| compiled.emit(Target::Spirv));
    outcome.msl.and(guarded(|| compiled.emit(Target::Msl)).map(|_| ()));
    outcome.hlsl.and(guarded(|| compiled.emit(Target::Hlsl)).map(|_| ()));
    outcome.micros = start.elapsed().as_micros() as u64;

    outcome.wgsl.and(wgsl.and_then(|text| outputs::check_wgsl(&text)));
    match glsl {
        Ok(text) => {
            std::fs::write(program.path(&outputs::glsl_folder(folder)), &text)?;
            outcome.glsl.and(guarded(|| again(&program.stage, &text)));
        }
        Err(reason) => outcome.glsl.and(Err(reason)),
    }
    match spirv {
        Ok(bytes) => {
            std::fs::write(outputs::spirv_path(folder, &program), bytes)?;
            outcome.spirv.and(Ok(()));
        }
        Err(reason) => outcome.spirv.and(Err(reason)),
    }
    Ok(())
}

/// Our own GLSL must be GLSL to us.
fn again(stage: &str, text: &str) -> Result<(), Reason> {
    let said = engine::compile(stage, text).map(|_: Compiled| ());
    said.map_err(|reason| Reason { who: format!("{} on our output", reason.who), ..reason })
}

/// Runs `action`, and turns a panic into a reason with its location.
pub(crate) fn guarded<T>(action: impl FnOnce() -> Result<T, Reason>) -> Result<T, Reason> {
    pool::guarded(action).unwrap_or_else(|said| Err(Reason::new("panic", said)))
}
