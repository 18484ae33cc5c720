//! `planish compile` and `planish check`.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;

use planish::{EmitOptions, Target, emit};

use crate::args::{Check, Compile};
use crate::input;
use crate::optimize::Work;
use crate::output;
use crate::report::Reporter;
use crate::{STACK_SIZE, Stop};

pub(crate) fn compile(args: &Compile, reporter: &mut Reporter) -> Result<(), Stop> {
    let jobs = jobs(args)?;
    let mut work = Work::new(&args.passes)?;
    let program = input::read(&args.file, &args.input, reporter)?;
    work.times.lap("front end");
    let Some(mut module) = program.compilation.module else { return reporter.finish(false).and(Err(Stop::Errors)) };
    let map = &program.compiler.map;
    let context = work.run(&mut module, &mut |_, _| {});
    let mut options = EmitOptions {
        version: program.compilation.version,
        vulkan: args.vulkan,
        minify: args.minify,
        flip_y: args.flip_y,
        adjust_depth: args.adjust_depth,
        ..EmitOptions::default()
    };
    if let Some(text) = &args.glsl_version {
        options.version = Some(input::version(text)?);
    }
    for (target, file) in jobs {
        let written = emit(&module, target, &options);
        work.times.lap(&format!("write {}", target.info().name));
        match written {
            Ok(artifact) => {
                reporter.show(&artifact.diagnostics, map);
                match file {
                    Some(file) => output::write(&file, &artifact.bytes, target.info().binary)?,
                    None => output::write_stdout(&artifact.bytes, target.info().binary)?,
                }
            }
            Err(diagnostics) => reporter.show(&diagnostics, map),
        }
        work.times.skip();
    }
    work.report(&context, map, reporter)?;
    reporter.finish(false)
}

/// What to write where: the outputs with their targets, or one target to standard output.
fn jobs(args: &Compile) -> Result<Vec<(Target, Option<PathBuf>)>, Stop> {
    let named = args.emit.iter().map(|n| target(n)).collect::<Result<Vec<_>, _>>()?;
    match (&args.outputs[..], &named[..]) {
        ([], []) => Err(Stop::usage("say what to make: -o FILE with the target's extension, or --emit=TARGET")),
        ([], [one]) => Ok(vec![(*one, None)]),
        ([], many) => Ok(many.iter().map(|t| (*t, Some(beside(&args.file, *t)))).collect()),
        (files, []) => files.iter().map(|f| Ok((target_of(f)?, Some(f.clone())))).collect(),
        (files, targets) if files.len() == targets.len() => {
            Ok(targets.iter().copied().zip(files.iter().cloned().map(Some)).collect())
        }
        _ => Err(Stop::usage("give as many -o as --emit targets, or only one of the two")),
    }
}

fn target(name: &str) -> Result<Target, Stop> {
    Target::from_name(name).ok_or_else(|| Stop::usage(format!("unknown target `{name}`; see `planish targets`")))
}

fn target_of(file: &Path) -> Result<Target, Stop> {
    Target::from_file(&file.to_string_lossy()).ok_or_else(|| {
        Stop::usage(format!("the extension of {} names no target; say which with --emit", file.display()))
    })
}

/// The input's name with the target's extension.
fn beside(file: &Path, target: Target) -> PathBuf {
    let stem = if file.as_os_str() == "-" { Path::new("out") } else { file };
    stem.with_extension(target.info().extensions[0])
}

/// Checks files on all cores; the messages come in the order of the files.
pub(crate) fn check(args: &Check, reporter: &mut Reporter) -> Result<(), Stop> {
    let rules = *reporter;
    in_order(
        &args.files,
        |file| input::messages(file, &args.input, &rules),
        |messages| {
            reporter.write(&messages?);
            Ok(())
        },
    )?;
    reporter.finish(args.deny_warnings)
}

/// Works on all items, as many at a time as there are cores, and hands on the results in the order of the items, until
/// one is an error.
fn in_order<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get).min(items.len());
    if cores < 2 {
        return items.iter().try_for_each(|item| take(work(item)));
    }
    let (next, (done, results)) = (AtomicUsize::new(0), mpsc::channel());
    let worker = |done: mpsc::Sender<(usize, R)>| {
        while let Some(index) = Some(next.fetch_add(1, Relaxed)).filter(|&i| i < items.len()) {
            if done.send((index, work(&items[index]))).is_err() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..cores {
            let done = done.clone();
            let thread = std::thread::Builder::new().stack_size(STACK_SIZE);
            thread
                .spawn_scoped(scope, || worker(done))
                .map_err(|e| Stop::usage(format!("cannot start a thread: {e}")))?;
        }
        drop(done);
        let mut waiting: BTreeMap<usize, R> = BTreeMap::new();
        let mut wanted = 0;
        for (index, result) in results {
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&wanted) {
                take(result)?;
                wanted += 1;
            }
        }
        Ok(())
    })
}
