//! Runs the compiler over the corpus, in this process, on several threads. A panic is a failure with a name; a hang ends the run with a name.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use planish::Target;
use xtask::Failure;
use xtask::corpus::Program;

use crate::engine::{self, Compiled};
use crate::outcome::{Outcome, Reason};
use crate::outputs;

/// No program of the corpus needs a second; one that needs this long hangs.
const PATIENCE: Duration = Duration::from_secs(60);
/// The stack that a main thread usually has.
const STACK: usize = 8 << 20;

thread_local! {
    /// Where and why this thread panicked last.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Compiles every program to every target. Outputs that another process has to judge are left in files.
pub(crate) fn check(folder: &Path, programs: Vec<Program>, jobs: usize) -> Result<Vec<Outcome>, Failure> {
    outputs::prepare(folder, &programs)?;
    let outcomes: Vec<Mutex<Outcome>> = programs.into_iter().map(|p| Mutex::new(Outcome::new(p))).collect();
    remember_panics();
    let next = AtomicUsize::new(0);
    let done = AtomicBool::new(false);
    let at: Vec<Mutex<Option<(Instant, String)>>> = (0..jobs).map(|_| Mutex::new(None)).collect();
    let failure = Mutex::new(None);
    std::thread::scope(|scope| -> Result<(), Failure> {
        let work = |place: &Mutex<Option<(Instant, String)>>| {
            while let Some(outcome) = outcomes.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut outcome = outcome.lock().expect("each is taken once");
                let name = format!("{}/{}", outcome.program.package, outcome.program.file);
                *place.lock().expect("never held over a panic") = Some((Instant::now(), name));
                if let Err(error) = one(folder, &mut outcome) {
                    failure.lock().expect("storing does not panic").get_or_insert(error);
                    break;
                }
                *place.lock().expect("never held over a panic") = None;
            }
        };
        let mut workers = vec![];
        for place in &at {
            workers.push(std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || work(place))?);
        }
        scope.spawn(|| watch(&at, &done));
        for worker in workers {
            worker.join().expect("panics of the compiler are caught");
        }
        done.store(true, Ordering::Relaxed);
        Ok(())
    })?;
    if let Some(error) = failure.into_inner().expect("storing does not panic") {
        return Err(error);
    }
    Ok(outcomes.into_iter().map(|outcome| outcome.into_inner().expect("each is taken once")).collect())
}

/// Ends the process when a worker has been at one program for too long.
fn watch(at: &[Mutex<Option<(Instant, String)>>], done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
        for place in at {
            if let Some((since, name)) = &*place.lock().expect("never held over a panic")
                && since.elapsed() > PATIENCE
            {
                eprintln!("error: the compiler has been at {name} for {} seconds", PATIENCE.as_secs());
                std::process::exit(1);
            }
        }
    }
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

/// Runs `action`, and turns a panic into a reason that says where it was.
pub(crate) fn guarded<T>(action: impl FnOnce() -> Result<T, Reason>) -> Result<T, Reason> {
    match catch_unwind(AssertUnwindSafe(action)) {
        Ok(result) => result,
        Err(_) => Err(Reason::new("panic", PANIC.with(|text| text.borrow().clone()))),
    }
}

fn remember_panics() {
    std::panic::set_hook(Box::new(|info| {
        let why = info.payload_as_str().unwrap_or("no message").lines().next().unwrap_or_default().to_string();
        let place = info.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
        PANIC.with(|text| *text.borrow_mut() = why + &place);
    }));
}
