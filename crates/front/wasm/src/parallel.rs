//! Many functions at once. Each worker has its own copy of the module's types, constants, variables and signatures, and
//! builds bodies with it; the bodies then move into the module in the order of the functions, and their constants get
//! the module's numbers. So the result is the same for any number of threads.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use planish_ir::arena::Id;
use planish_ir::constant::Consts;
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Const, Func};
use planish_ir::function::Body;
use planish_ir::module::Module;

use crate::parsed::{Job, Parsed, Worker};
use crate::report::MOST_ERRORS;

/// Bytes of functions per unit of work.
const CHUNK: usize = 1 << 15;

/// A module of fewer bytes is not worth a thread.
const WORTH_A_THREAD: usize = 1 << 16;

/// Result of a worker.
struct Output {
    bodies: Vec<(usize, Body)>,
    errors: Vec<(usize, Box<Diagnostic>)>,
    consts: Consts,
}

/// Checks all functions that are not checked yet; returns the errors.
pub(crate) fn check(parsed: &Parsed, threads: usize) -> Vec<Diagnostic> {
    let outputs = run(parsed, threads, false);
    in_order(outputs.into_iter().flat_map(|output| output.errors).collect())
}

/// Translates all functions that have no body yet.
pub(crate) fn translate(parsed: &mut Parsed, threads: usize) -> Result<(), Vec<Diagnostic>> {
    let known = parsed.module.consts.next_id();
    let outputs = run(parsed, threads, true);
    let mut errors = vec![];
    let mut workers = vec![];
    let mut bodies = vec![];
    for (worker, output) in outputs.into_iter().enumerate() {
        errors.extend(output.errors);
        bodies.extend(output.bodies.into_iter().map(|(index, body)| (index, worker, body)));
        let own = output.consts.len() - known.index();
        workers.push((output.consts, vec![None::<Const>; own]));
    }
    if !errors.is_empty() {
        return Err(in_order(errors));
    }
    bodies.sort_unstable_by_key(|(index, ..)| *index);
    for (index, worker, mut body) in bodies {
        let (consts, new) = &mut workers[worker];
        body.renumber_constants(|constant| match constant.index().checked_sub(known.index()) {
            None => constant,
            Some(own) => *new[own].get_or_insert_with(|| parsed.module.consts.intern(consts[constant].clone())),
        });
        parsed.module.funcs[Func::from_u32((parsed.env.imported_funcs + index) as u32)].body = Some(body);
    }
    Ok(())
}

fn in_order(mut errors: Vec<(usize, Box<Diagnostic>)>) -> Vec<Diagnostic> {
    errors.sort_by_key(|(index, _)| *index);
    errors.into_iter().take(MOST_ERRORS).map(|(_, error)| *error).collect()
}

/// Maps all functions in chunks, on `threads` threads.
fn run(parsed: &Parsed, threads: usize, build: bool) -> Vec<Output> {
    let chunks = chunks(parsed);
    let size: usize = parsed.env.bodies.iter().map(std::ops::Range::len).sum();
    let threads = match threads {
        _ if size < WORTH_A_THREAD => 1,
        0 => thread::available_parallelism().map_or(1, NonZero::get),
        threads => threads,
    };
    let next = AtomicUsize::new(0);
    let work = || work(parsed, &chunks, &next, build);
    thread::scope(|scope| {
        // On systems without threads none is started, and this one does all.
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let started: Vec<_> = (1..threads.min(chunks.len())).map_while(start).collect();
        let mut outputs = vec![work()];
        for thread in started {
            // The panic is passed on unchanged.
            outputs.push(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        outputs
    })
}

/// Runs of functions of about equal size.
fn chunks(parsed: &Parsed) -> Vec<std::ops::Range<usize>> {
    let bodies = &parsed.env.bodies;
    let mut chunks = vec![];
    let (mut start, mut size) = (0, 0);
    for (index, body) in bodies.iter().enumerate() {
        size += body.len();
        if size >= CHUNK || index + 1 == bodies.len() {
            chunks.push(start..index + 1);
            (start, size) = (index + 1, 0);
        }
    }
    chunks
}

fn work(parsed: &Parsed, chunks: &[std::ops::Range<usize>], next: &AtomicUsize, build: bool) -> Output {
    let shell = &parsed.module;
    let mut module = Module { facts: shell.facts, ..Module::new(shell.language) };
    if build {
        module.types = shell.types.clone();
        module.consts = shell.consts.clone();
        module.vars = shell.vars.clone();
        module.funcs = shell.funcs.iter().map(|(_, function)| signature_only(function)).collect();
    }
    let types = module.types.len();
    let job = Job { bytes: &parsed.bytes, env: &parsed.env };
    let mut worker = Worker::default();
    let mut output = Output { bodies: vec![], errors: vec![], consts: Consts::new() };
    while let Some(chunk) = chunks.get(next.fetch_add(1, Relaxed)) {
        for index in chunk.clone() {
            let func = Func::from_u32((parsed.env.imported_funcs + index) as u32);
            let check = parsed.unchecked[index].as_ref();
            if output.errors.len() > MOST_ERRORS
                || parsed.module.funcs[func].body.is_some()
                || !build && check.is_none()
            {
                continue;
            }
            let done = match check {
                Some(check) if !build => job.check(&mut worker, index, check),
                check => job.look(&mut worker, index, check).and_then(|()| {
                    let done = job.build(&mut worker, &mut module, index);
                    output.bodies.extend(module.funcs[func].body.take().map(|body| (index, body)));
                    done
                }),
            };
            output.errors.extend(done.err().map(|error| (index, error)));
        }
    }
    assert_eq!(module.types.len(), types, "every type that a function needs is made before workers begin");
    output.consts = module.consts;
    output
}

/// A function as its callers see it.
fn signature_only(function: &planish_ir::function::Function) -> planish_ir::function::Function {
    planish_ir::function::Function {
        name: function.name.clone(),
        params: function.params.clone(),
        results: function.results.clone(),
        decorations: function.decorations.clone(),
        body: None,
        span: function.span,
        ty: function.ty,
        signature: None,
    }
}
