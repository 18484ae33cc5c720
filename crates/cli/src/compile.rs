//! `planish compile` and `planish check`.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;

use planish::diagnostic::{Code, Diagnostic};
use planish::ir::source::Span;
use planish::module::Module;
use planish::vl::Report;
use planish::{
    EmitOptions, FrameHeight, MslVersion, ShaderModel, SpirvVersion, Target, Version, emit, flip_frag_coord,
    keep_comments, link,
};

use crate::args::{Check, Compile};
use crate::files::{self, Output};
use crate::input;
use crate::optimize::{self, Work};
use crate::output;
use crate::report::Reporter;
use crate::unused::{unknown_names, unused_options};
use crate::verify;
use crate::{STACK_SIZE, Stop};

pub(crate) fn compile(args: &Compile, reporter: &mut Reporter) -> Result<(), Stop> {
    let mut jobs = jobs(args)?;
    let outputs = outputs(args, &jobs);
    files::check(args.files.iter().map(PathBuf::as_path), &outputs)?;
    for (file, jobs) in args.files.iter().zip(&mut jobs) {
        write_analysis(file, args, jobs, &outputs, reporter)?;
    }
    if jobs.iter().all(Vec::is_empty) {
        return reporter.finish(false);
    }
    let shows_code = |(target, _): &(Target, _)| matches!(target, Target::Asm | Target::Alloc);
    if args.verify && !jobs.iter().flatten().any(shows_code) {
        return Err(Stop::usage("--verify checks the machine's code, which --emit=asm and --emit=alloc show"));
    }
    check_object_options(args, &jobs)?;
    let mut work = Work::new(&args.passes, &args.input)?;
    let function = graph_function(args, &jobs)?;
    if jobs.iter().flatten().all(|(target, _)| target.is_graph()) {
        work.fuse_for_graphs();
    }
    let (map, compilations) = input::read_all(&args.files, &args.input, reporter)?;
    files::check_sources(&map, &outputs)?;
    let targets: Vec<Target> = jobs.iter().flatten().map(|(target, _)| *target).collect();
    reporter.show(&unused_options(args, &targets), &map);
    work.times.lap("front end");
    let versions: Vec<_> = compilations.iter().map(|c| c.version).collect();
    let Some(mut modules) = compilations.into_iter().map(|c| c.module).collect::<Option<Vec<Module>>>() else {
        return reporter.finish(false).and(Err(Stop::Errors));
    };
    if let Some(height) = &args.flip_frag_coord {
        let diagnostics = flip(&mut modules, height);
        reporter.show(&diagnostics, &map);
        if diagnostics.iter().any(Diagnostic::is_error) {
            return reporter.finish(false);
        }
    }
    let linked = match link(&modules.iter().collect::<Vec<_>>()) {
        Ok(linked) => linked,
        Err(diagnostics) => {
            reporter.show(&diagnostics, &map);
            return reporter.finish(false);
        }
    };
    for (i, mut locations) in linked.locations.into_iter().enumerate() {
        locations.extend(args.locations.iter().cloned());
        if let Err(diagnostics) = work.run(&mut modules[i], &mut |_, _| {}) {
            reporter.show(&diagnostics, &map);
            continue;
        }
        if args.comments {
            keep_comments(&mut modules[i], &map);
        }
        let debug_info = args.debug_info.then(|| map.clone());
        let function = function.clone();
        let uniforms = linked.uniforms.clone();
        let mut options = EmitOptions { locations, uniforms, debug_info, function, ..emit_options(args, versions[i])? };
        if args.passes.stats && jobs[i].iter().any(|(target, _)| target.is_graph()) {
            work.count_graph(&modules[i], &options);
        }
        if args.verify {
            verify::report(planish::check_machine_code(&modules[i]), &map, reporter)?;
            work.times.lap("check");
        }
        if jobs[i].iter().any(|(target, _)| target.numbers_resources() || target.is_graph()) {
            reporter.show(&unknown_names(args, &modules[i], &options), &map);
        }
        options.colors.extend(planish::colors(&modules[i], &map));
        for (target, file) in &jobs[i] {
            // Assembly listings always have source locations.
            let for_people = matches!(target, Target::Asm | Target::Alloc);
            options.debug_info = (args.debug_info || for_people || has_interface(*target)).then(|| map.clone());
            options.prefix = args.prefix.clone().unwrap_or_else(|| prefix(file.as_deref(), &args.files[i]));
            options.header_name = file.as_deref().map(header_name);
            // Names are a third of some modules.
            let wants_small = matches!(target, Target::Wasm | Target::Wat) && args.passes.level == "s";
            options.minify = args.minify || wants_small && !args.debug_info;
            let written = emit(&modules[i], *target, &options);
            work.times.lap(&format!("write {}", target.info().name));
            match written {
                Ok(artifact) => {
                    reporter.show(&artifact.diagnostics, &map);
                    match file {
                        Some(file) => output::write(file, &artifact.bytes, target.info().binary)?,
                        None => output::write_stdout(&artifact.bytes, target.info().binary)?,
                    }
                    let beside = file.as_deref().and_then(|file| header_beside(file, *target, &jobs[i]));
                    if let (Some(header), Some(beside)) = (&artifact.header, beside) {
                        output::write(&beside, header.as_bytes(), false)?;
                    }
                }
                Err(diagnostics) => reporter.show(&diagnostics, &map),
            }
            work.times.skip();
        }
    }
    work.report(&map, reporter)?;
    reporter.finish(false)
}

/// Counts rows of all fragment shaders from the other end.
fn flip(modules: &mut [Module], height: &FrameHeight) -> Vec<Diagnostic> {
    let (mut diagnostics, mut any) = (vec![], false);
    for module in modules {
        match flip_frag_coord(module, height) {
            Ok(is_fragment) => any |= is_fragment,
            Err(found) => diagnostics.extend(found),
        }
    }
    if !any && diagnostics.is_empty() {
        let message = "--flip-frag-coord has no effect: there is no fragment shader";
        diagnostics.push(Diagnostic::warning(Code::W0151, Span::NONE, message));
    }
    diagnostics
}

/// Refuses options of object files where none is written.
fn check_object_options(args: &Compile, jobs: &[Jobs]) -> Result<(), Stop> {
    let any_object = jobs.iter().flatten().any(|(target, _)| target.is_object());
    let any_interface = jobs.iter().flatten().any(|(target, _)| has_interface(*target));
    if args.prefix.is_some() && !any_interface {
        return Err(Stop::usage(
            "--prefix is of object files and C: give -o FILE.o, -o FILE.c, --emit=object or --emit=c",
        ));
    }
    let given =
        [("--target", args.target.is_some()), ("--lanes", args.lanes.is_some()), ("--approximate", args.approximate)];
    if let Some((option, _)) = given.into_iter().find(|&(_, is_given)| is_given && !any_object) {
        return Err(Stop::usage(format!("{option} is of object files: give -o FILE.o or --emit=object")));
    }
    let Some(triple) = &args.target else { return Ok(()) };
    planish::check_triple(triple).map_err(|reason| {
        let examples = "`x86_64-unknown-linux-gnu`, `aarch64-apple-darwin`, `x86_64-pc-windows-msvc`";
        Stop::usage(format!("no object files for `{triple}`: {reason}; names are as in {examples}"))
    })
}

/// The first part of the names in an object file: the output's name without extension and folder.
fn prefix(output: Option<&Path>, input: &Path) -> String {
    let name = output.unwrap_or(input).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    name.filter(|name| name != "-").unwrap_or_else(|| "program".to_owned())
}

/// Whether a target has a header in C, or is one.
pub(crate) fn has_interface(target: Target) -> bool {
    target.is_object() || target == Target::C
}

/// The name of the header of a program in C, which lies beside it.
fn header_name(file: &Path) -> String {
    let header = file.with_extension("h");
    header.file_name().map_or_else(|| "program.h".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The header that is written beside an object file, unless it is one of the outputs itself. There is none for a device.
fn header_beside(file: &Path, target: Target, jobs: &Jobs) -> Option<PathBuf> {
    let has_header = jobs.iter().any(|(target, _)| *target == Target::Header);
    let header = file.with_extension("h");
    (matches!(target, Target::Object | Target::C) && !has_header && file.extension().is_some()).then_some(header)
}

/// Writes the flow analysis of a program, which needs no module, and removes it from the jobs.
fn write_analysis(
    file: &Path,
    args: &Compile,
    jobs: &mut Jobs,
    outputs: &[Output],
    reporter: &mut Reporter,
) -> Result<(), Stop> {
    let is_page = |(target, _): &mut (Target, _)| *target == Target::Analysis;
    for (target, output) in jobs.extract_if(.., is_page) {
        let (name, bytes) = input::read_bytes(file)?;
        let (map, page) = input::analyze(&name, &bytes, &args.input, Report::Page)?;
        files::check_sources(&map, outputs)?;
        match (page, output) {
            (Ok(page), Some(output)) => output::write(&output, page.as_bytes(), target.info().binary)?,
            (Ok(page), None) => output::write_stdout(page.as_bytes(), target.info().binary)?,
            (Err(diagnostics), _) => {
                reporter.show(&diagnostics, &map);
                return reporter.finish(false);
            }
        }
    }
    Ok(())
}

/// The files that are written.
fn outputs(args: &Compile, jobs: &[Jobs]) -> Vec<Output> {
    let of_job = |(target, file): &(Target, Option<PathBuf>)| {
        Output::new(format!("the {} output", target.info().name), file.as_deref())
    };
    let headers = jobs.iter().flat_map(|jobs| {
        let of_job = |(target, file): &(Target, Option<PathBuf>)| header_beside(file.as_deref()?, *target, jobs);
        jobs.iter().filter_map(of_job)
    });
    let headers = headers.map(|file| Output::new("the header output".to_owned(), Some(&file)));
    jobs.iter().flatten().map(of_job).chain(headers).chain(args.passes.outputs()).collect()
}

/// The function whose graph is written, if the command line names one.
fn graph_function(args: &Compile, jobs: &[Jobs]) -> Result<Option<String>, Stop> {
    let named = args.passes.flatten.iter().flatten().filter(|n| !n.is_empty()).collect::<Vec<_>>();
    let any_graph = jobs.iter().flatten().any(|(target, _)| target.is_graph());
    match &named[..] {
        [_, _, ..] if any_graph => Err(Stop::usage("a graph is that of one function; name one with --flatten")),
        [one] => Ok(Some((*one).clone())),
        _ => Ok(None),
    }
}

/// The options to emit a program of this version with.
fn emit_options(args: &Compile, version: Option<Version>) -> Result<EmitOptions, Stop> {
    let asked = args.glsl_version.as_deref().map(input::version).transpose()?;
    let spirv_version = match &args.spirv_version {
        Some(text) => SpirvVersion::from_name(text)
            .ok_or_else(|| Stop::usage(format!("there is no SPIR-V {text}; use 1.0 to 1.6")))?,
        None => SpirvVersion::default(),
    };
    let msl_version = match &args.msl_version {
        Some(text) => MslVersion::parse(text)
            .ok_or_else(|| Stop::usage(format!("there is no MSL {text}; use 2.0 to 2.4, or 3.0 to 3.2")))?,
        None => MslVersion::default(),
    };
    let msl_indices = args.msl_index.iter().map(|text| msl_index(text)).collect::<Result<_, _>>()?;
    let shader_model = match &args.shader_model {
        Some(text) => ShaderModel::parse(text)
            .ok_or_else(|| Stop::usage(format!("there is no shader model {text}; use 5.0, 5.1, 6.0 to 6.6")))?,
        None => ShaderModel::default(),
    };
    Ok(EmitOptions {
        shader_model,
        version: asked.or(version),
        vulkan: args.vulkan,
        minify: args.minify,
        flip_y: args.flip_y,
        adjust_depth: args.adjust_depth,
        group: args.group,
        bindings: args.bindings.iter().cloned().collect(),
        spirv_version,
        msl_version,
        msl_indices,
        optimize: args.passes.level != "0",
        ops: optimize::ops(&args.passes)?,
        defaults: args.defaults.iter().map(|text| default_of(text)).collect::<Result<_, _>>()?,
        colors: args.hints.iter().map(|text| color(text)).collect::<Result<_, _>>()?,
        leaves: input::leaves(&args.input)?.into_iter().map(|leaf| leaf.name).collect(),
        triple: args.target.clone(),
        lanes: args.lanes,
        approximate: args.approximate,
        ..EmitOptions::default()
    })
}

/// `NAME=VALUE,…`.
fn default_of(text: &str) -> Result<(String, String), Stop> {
    match text.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err(Stop::usage(format!("--uniform takes NAME=VALUE, not `{text}`"))),
    }
}

/// `NAME=color`.
fn color(text: &str) -> Result<String, Stop> {
    match text.split_once('=') {
        Some((name, "color" | "colour")) => Ok(name.to_owned()),
        _ => Err(Stop::usage(format!("--hint takes NAME=color, not `{text}`"))),
    }
}

/// `NAME=NUMBER`.
fn msl_index(text: &str) -> Result<(String, u32), Stop> {
    let (name, number) = text.split_once('=').unwrap_or((text, ""));
    match number.parse() {
        Ok(number) => Ok((name.to_owned(), number)),
        Err(_) => Err(Stop::usage(format!("--msl-index takes NAME=NUMBER, not `{text}`"))),
    }
}

/// Targets of a file, each with its output; `None` is standard output.
type Jobs = Vec<(Target, Option<PathBuf>)>;

/// The jobs of each file.
fn jobs(args: &Compile) -> Result<Vec<Jobs>, Stop> {
    let named = args.emit.iter().map(|n| target(n)).collect::<Result<Vec<_>, _>>()?;
    match &args.files[..] {
        [file] => Ok(vec![jobs_of_one(file, &args.outputs, &named)?]),
        files => jobs_of_stages(files, &args.outputs, &named),
    }
}

fn jobs_of_one(file: &Path, outputs: &[PathBuf], named: &[Target]) -> Result<Jobs, Stop> {
    match (outputs, named) {
        ([], []) => Err(Stop::usage("give a target: -o FILE with the target's extension, or --emit=TARGET")),
        ([], [one]) => Ok(vec![(*one, None)]),
        ([], many) => Ok(many.iter().map(|t| (*t, Some(beside(file, *t)))).collect()),
        (files, []) => files.iter().map(|f| Ok((target_of(f)?, Some(f.clone())))).collect(),
        (files, targets) if files.len() == targets.len() => {
            Ok(targets.iter().copied().zip(files.iter().cloned().map(Some)).collect())
        }
        _ => Err(Stop::usage("give as many -o as --emit targets, or only one of the two")),
    }
}

/// Several files are written to one output each, or beside themselves for each target: `a.vert` to `a.vert.wgsl`.
fn jobs_of_stages(files: &[PathBuf], outputs: &[PathBuf], named: &[Target]) -> Result<Vec<Jobs>, Stop> {
    let at = |file: &PathBuf, target: Target| {
        let mut name = file.clone().into_os_string();
        name.push(format!(".{}", target.info().extensions[0]));
        (target, Some(PathBuf::from(name)))
    };
    if files.iter().any(|file| file.as_os_str() == "-") {
        return Err(Stop::usage("standard input can only be compiled by itself"));
    }
    match (outputs, named) {
        ([], []) => Err(Stop::usage("give targets: as many -o as there are files, or --emit=TARGET")),
        ([], targets) => Ok(files.iter().map(|file| targets.iter().map(|t| at(file, *t)).collect()).collect()),
        (outputs, targets) if outputs.len() == files.len() && targets.len() <= 1 => {
            let target = |f: &PathBuf| targets.first().map_or_else(|| target_of(f), |t| Ok(*t));
            outputs.iter().map(|f| Ok(vec![(target(f)?, Some(f.clone()))])).collect()
        }
        _ => Err(Stop::usage("give as many -o as there are files, or only --emit targets")),
    }
}

fn target(name: &str) -> Result<Target, Stop> {
    Target::from_name(name).ok_or_else(|| Stop::usage(format!("unknown target `{name}`; see `planish targets`")))
}

fn target_of(file: &Path) -> Result<Target, Stop> {
    Target::from_file(&file.to_string_lossy()).ok_or_else(|| {
        Stop::usage(format!("the extension of {} names no target; select one with --emit", file.display()))
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
            // `check` has no other result: when standard error is closed, the remaining files are skipped.
            if reporter.write(&messages?) { Ok(()) } else { Err(Stop::Errors) }
        },
    )?;
    reporter.finish(args.deny_warnings)
}

/// Maps all items on as many threads as there are cores, and passes on the results in the order of the items, up to the
/// first error.
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
        let spawn = |_| {
            let done = done.clone();
            let thread = std::thread::Builder::new().stack_size(STACK_SIZE);
            thread.spawn_scoped(scope, || worker(done)).map_err(|e| Stop::usage(format!("cannot start a thread: {e}")))
        };
        let threads = (0..cores).map(spawn).collect::<Result<Vec<_>, _>>()?;
        drop(done);
        let (mut pending, mut wanted) = (BTreeMap::new(), 0);
        let taken = results.iter().try_for_each(|(index, result)| {
            pending.insert(index, result);
            while let Some(result) = pending.remove(&wanted) {
                take(result)?;
                wanted += 1;
            }
            Ok(())
        });
        drop(results);
        for thread in threads {
            // The panic is passed on unchanged.
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
        taken
    })
}
