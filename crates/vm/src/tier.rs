//! Tiers: a module begins on the virtual machine, and goes on as machine code, which other threads compile meanwhile.
//!
//! ```text
//!  code counts its calls and iterations ─► request: a job for the engine's thread ─► machine code of the whole module
//!                                                                                     every function gets an entrance
//!  a loop that still runs on the machine counts on ─► request_loop ─► machine code of this loop, entered at its head
//! ```
//!
//! One thread of an engine does one job after the other, and compiles functions on the processors that are left. It holds no module
//! while it compiles: one that is dropped cancels its jobs.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use planish_ir::arena::{Id, SideTable};
use planish_ir::entity::{Func, Var};
use planish_ir::module as ir;
use rustc_hash::FxHashMap;

use crate::engine::Engine;
use crate::error::Error;
use crate::module::ModuleInner;
use crate::native::{Native, NativeCode, Work};

/// Progress of a module towards machine code.
#[derive(Default)]
pub(crate) struct Tier {
    requested: AtomicBool,
    /// Set when nobody wants the code any more.
    cancelled: Arc<AtomicBool>,
    progress: Mutex<Progress>,
    changed: Condvar,
}

#[derive(Default)]
struct Progress {
    /// Whether the job of the module has ended.
    ended: bool,
    /// The reason why there is no code.
    error: Option<Error>,
    /// The loops for which a job has been asked, by function and label; their code.
    loops: FxHashMap<(Func, u32), Option<Arc<NativeCode>>>,
}

impl Tier {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes of the code of loops.
    pub(crate) fn size_of_loops(&self) -> usize {
        self.progress().loops.values().flatten().map(|code| code.size()).sum()
    }
}

impl Drop for Tier {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

/// Machine code to make.
#[derive(Debug)]
struct Job {
    module: Weak<ModuleInner>,
    cancelled: Arc<AtomicBool>,
    /// A function and the label of its loop; `None` for the whole module.
    of_loop: Option<(Func, u32)>,
}

/// The priority of threads that compile: a third of the time of one that runs a program on the same processor.
#[cfg(any(target_os = "linux", target_os = "android"))]
const BACKGROUND: i32 = 5;

/// The jobs of an engine.
#[derive(Debug, Default)]
pub(crate) struct Jobs(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Job>,
    /// Whether a thread takes them.
    has_thread: bool,
}

impl Jobs {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks for the machine code of a module, once.
pub(crate) fn request(module: &Arc<ModuleInner>) {
    if !module.tier.requested.swap(true, Ordering::Relaxed) {
        submit(module, None);
    }
}

/// Asks for the machine code of a loop, once, when its module has machine code. A function that the host cannot call stays
/// where it is.
pub(crate) fn request_loop(module: &Arc<ModuleInner>, func: Func, label: u32) {
    if module.native.get().is_none() || module.signature(func).is_none() {
        return;
    }
    let is_known = {
        let loops = &mut module.tier.progress().loops;
        let is_known = loops.contains_key(&(func, label));
        loops.entry((func, label)).or_default();
        is_known
    };
    if !is_known {
        submit(module, Some((func, label)));
    }
}

/// The machine code of a loop, if there is some by now.
pub(crate) fn loop_code(module: &ModuleInner, func: Func, label: u32) -> Option<Arc<NativeCode>> {
    module.tier.progress().loops.get(&(func, label)).cloned().flatten()
}

/// Waits until a module has machine code, or cannot have any: the reason.
pub(crate) fn wait(module: &Arc<ModuleInner>) -> Option<Error> {
    request(module);
    let mut progress = module.tier.progress();
    while !progress.ended {
        progress = module.tier.changed.wait(progress).unwrap_or_else(PoisonError::into_inner);
    }
    let no_code = || Error::Limit("the module has no machine code".into());
    module.native.get().is_none().then(|| progress.error.take().unwrap_or_else(no_code))
}

/// Has a job done: by the engine's thread, or here if there is none.
fn submit(module: &Arc<ModuleInner>, of_loop: Option<(Func, u32)>) {
    let Some(native) = module.engine.native() else { return };
    let job = Job { module: Arc::downgrade(module), cancelled: Arc::clone(&module.tier.cancelled), of_loop };
    if !module.engine.config().tiers_in_background {
        return with_room(|| run(&module.engine, native, &job));
    }
    let mut queue = native.jobs.queue();
    queue.waiting.push_back(job);
    if queue.has_thread {
        return;
    }
    let engine = module.engine.clone();
    queue.has_thread = true;
    let spawned = std::thread::Builder::new().name("planish-tier".into()).spawn(move || work(&engine));
    if spawned.is_err() {
        queue.has_thread = false;
        let waiting = std::mem::take(&mut queue.waiting);
        drop(queue);
        with_room(|| waiting.iter().for_each(|job| run(&module.engine, native, job)));
    }
}

/// Compiles on a stack with room for it: programs may have used up most of theirs.
pub(crate) fn with_room<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(1 << 20, 4 << 20, f)
}

/// Does all jobs.
fn work(engine: &Engine) {
    // Programs come first, where there are more threads than processors. (Elsewhere than here it is the priority of a process; the
    // threads that compile have that of this one.)
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let _ = rustix::process::setpriority_process(None, BACKGROUND);
    let Some(native) = engine.native() else { return };
    loop {
        let job = {
            let mut queue = native.jobs.queue();
            let job = queue.waiting.pop_front();
            queue.has_thread = job.is_some();
            job
        };
        let Some(job) = job else { return };
        run(engine, native, &job);
    }
}

fn run(engine: &Engine, native: &Native, job: &Job) {
    let done = catch_unwind(AssertUnwindSafe(|| match job.of_loop {
        None => compile_module(engine, native, job),
        Some((func, label)) => compile_loop(native, job, func, label),
    }));
    let Some(module) = job.module.upgrade() else { return };
    if job.of_loop.is_none() {
        let mut progress = module.tier.progress();
        progress.ended = true;
        progress.error = match done {
            Ok(result) => result.err(),
            Err(_) => Some(Error::Limit("the compiler has panicked: the module stays on the virtual machine".into())),
        };
        module.tier.changed.notify_all();
    }
}

/// Makes the code of a module, and has calls enter it.
fn compile_module(engine: &Engine, native: &Native, job: &Job) -> Result<(), Error> {
    let Some((source, globals)) = copy(job)? else { return Ok(()) };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if engine.config().tiers_in_background { processors.saturating_sub(1).max(1) } else { processors };
    let work = Work { threads, cancelled: Some(&job.cancelled) };
    let funcs: Vec<Func> = source.funcs.iter().filter(|(_, f)| f.body.is_some()).map(|(func, _)| func).collect();
    let unit = native.unit(engine.config(), &source, &globals, &funcs, work)?;
    drop(source);
    let (Some(unit), Some(module)) = (unit, job.module.upgrade()) else { return Ok(()) };
    for func in module.defined() {
        if let Some(ty) = module.signature(func) {
            native.adapters(ty)?;
        }
    }
    module.go_on_as(NativeCode::new(&module, unit)?);
    Ok(())
}

/// A module with all bodies, and the numbers of its variables.
type Copied = (ir::Module, SideTable<Var, u32>);

/// Copies all that code is made of; `None` if nobody wants it any more.
fn copy(job: &Job) -> Result<Option<Copied>, Error> {
    let Some(funcs) = job.module.upgrade().map(|module| module.defined().collect::<Vec<_>>()) else { return Ok(None) };
    // Body by body, so that a program that needs the workshop waits for one function at most.
    let mut bodies = Vec::with_capacity(funcs.len());
    for func in funcs {
        let Some(module) = job.module.upgrade() else { return Ok(None) };
        let mut workshop = module.workshop_in_background();
        workshop.source.provide(func)?;
        bodies.push((func, workshop.source.module().funcs[func].body.clone()));
    }
    let Some(module) = job.module.upgrade() else { return Ok(None) };
    let mut source = copy_without_bodies(module.workshop_in_background().source.module());
    for (func, body) in bodies {
        source.funcs[func].body = body;
    }
    Ok(Some((source, module.globals.clone())))
}

fn copy_without_bodies(module: &mut ir::Module) -> ir::Module {
    let funcs: Vec<Func> = module.funcs.keys().collect();
    let bodies: Vec<_> = funcs.iter().map(|&func| module.funcs[func].body.take()).collect();
    let copy = module.clone();
    for (func, body) in funcs.into_iter().zip(bodies) {
        module.funcs[func].body = body;
    }
    copy
}

/// Makes the code of a loop of a function that runs on the virtual machine.
fn compile_loop(native: &Native, job: &Job, func: Func, label: u32) -> Result<(), Error> {
    let Some(module) = job.module.upgrade() else { return Ok(()) };
    let code = &module.codes[func.index()];
    let head = code.compiled().and_then(|compiled| compiled.heads.iter().find(|head| head.label == label));
    let Some(head) = head else { return Ok(()) };
    let unit = {
        let mut workshop = module.workshop();
        let source = workshop.source.module();
        if source.funcs[func].body.is_none() {
            return Ok(());
        }
        let isa = module.encoder(crate::encode::State::default());
        native.unit_of_loop(module.engine.config(), source, &module.globals, &isa, func, (label, &head.values))?
    };
    let made = Arc::new(NativeCode::new(&module, unit)?);
    module.tier.progress().loops.insert((func, label), Some(made));
    head.has_code.store(true, Ordering::Release);
    Ok(())
}
