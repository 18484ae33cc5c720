//! `planish compile` and `planish check`.

use std::path::{Path, PathBuf};

use planish::{EmitOptions, Target, emit};

use crate::Stop;
use crate::args::{Check, Compile};
use crate::input;
use crate::optimize::Work;
use crate::output;
use crate::report::Reporter;

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

pub(crate) fn check(args: &Check, reporter: &mut Reporter) -> Result<(), Stop> {
    for file in &args.files {
        input::read(file, &args.input, reporter)?;
    }
    reporter.finish(args.deny_warnings)
}
