//! `planish compile`.

use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use planish::diagnostic::Diagnostic;
use planish::module::Module;
use planish::source::SourceMap;
use planish::vl::Report;
use planish::{
    EmitOptions, Rule, Settings, Target, Version, depfile, emit, flip_all, keep_comments, link, override_all,
};

use crate::Stop;
use crate::args::Compile;
use crate::files::{self, Output};
use crate::input::{self, ReadAll};
use crate::optimize::{self, Reports, Work};
use crate::output;
use crate::parallel::in_order;
use crate::plan::{self, Job, header_beside};
use crate::report::{Reporter, count};
use crate::unused::{unknown_names, unused_options};
use crate::variants;
use crate::verify;
use crate::watch::{self, Watch};

pub(crate) fn compile(args: &Compile, reporter: &Reporter) -> Result<(), Stop> {
    if let Some(file) = &args.variants {
        return variants::compile(file, args, reporter);
    }
    let plan = Plan::new(args)?;
    match args.watch {
        true => plan.watch(args, reporter),
        false => plan.run(args, reporter, &mut vec![]),
    }
}

/// The work that a command line asks for.
struct Plan {
    jobs: Vec<Job>,
    /// Of all jobs.
    outputs: Vec<Output>,
    targets: Vec<Target>,
    settings: Common,
}

impl Plan {
    fn new(args: &Compile) -> Result<Self, Stop> {
        let jobs = plan::jobs(args)?;
        let depfile = args.depfile.as_deref().map(|file| Output::new("the depfile", Some(file)));
        let others: Vec<Output> = args.passes.outputs().into_iter().chain(depfile).collect();
        let outputs: Vec<Output> = jobs.iter().flat_map(Job::written).chain(others).collect();
        files::check(args.files.iter().map(PathBuf::as_path), &outputs)?;
        let targets: Vec<Target> = jobs.iter().flat_map(Job::targets).collect();
        let settings = Common::new(args, &targets)?;
        Ok(Plan { jobs, outputs, targets, settings })
    }

    /// Does all jobs, and adds the files that were read to `sources`.
    fn run(&self, args: &Compile, reporter: &Reporter, sources: &mut Vec<PathBuf>) -> Result<(), Stop> {
        let Plan { jobs, outputs, targets, settings } = self;
        let mut rules = Rules::new(args, jobs)?;
        reporter.show(&unused_options(args, targets), &SourceMap::new());
        if reporter.errors() > 0 {
            return reporter.finish(false);
        }
        let mut total = Total::default();
        let mut reports = Reports::default();
        in_order(
            jobs,
            args.jobs,
            |job| {
                let own = reporter.fork();
                let done = Run { args, settings, outputs, reporter: &own }.job(job);
                (own, done)
            },
            |(own, (done, result))| {
                let is_done = result.is_ok() && own.errors() == 0;
                sources.extend_from_slice(&done.sources);
                match result {
                    Ok(()) | Err(Stop::Errors) => {}
                    Err(Stop::Usage(message)) if args.out_dir.is_some() => {
                        own.failed(&message);
                        total.unreadable = true;
                    }
                    Err(stop) => {
                        reporter.join(&own);
                        return Err(stop);
                    }
                }
                reporter.join(&own);
                rules.add(is_done, &done.sources);
                total.add(done, is_done, &mut reports);
                Ok(())
            },
        )?;
        reporter.show(&total.unknown, &SourceMap::new());
        if let Some((_, message)) = total.unknown_overrides.first() {
            return Err(Stop::usage(message));
        }
        reports.write(&args.passes, reporter)?;
        rules.write()?;
        match args.out_dir {
            Some(_) => total.finish(jobs, reporter),
            None => reporter.finish(false),
        }
    }

    /// Runs, and again whenever a file has changed. Errors of programs and files do not end it.
    ///
    /// # Errors
    /// If standard error is closed; if standard input is to be watched, or a document is to be written at the end.
    fn watch(&self, args: &Compile, reporter: &Reporter) -> Result<(), Stop> {
        if args.files.iter().any(|file| file.as_os_str() == "-") {
            return Err(Stop::usage("--watch looks at files, and standard input is none"));
        }
        if reporter.is_document() {
            return Err(Stop::usage("a document in SARIF is written at the end, and --watch has none; use json"));
        }
        let mut watch = Watch::new(args.files.iter().cloned());
        loop {
            let begin = SystemTime::now();
            let (own, mut sources) = (reporter.anew(), vec![]);
            let state = match self.run(args, &own, &mut sources) {
                Ok(()) => "compiled",
                Err(Stop::Usage(message)) => {
                    own.failed(&message);
                    "not compiled"
                }
                Err(Stop::Errors | Stop::Exit(_)) => "not compiled",
                Err(stop) => return Err(stop),
            };
            watch.add(sources, begin);
            note(reporter, &format!("{state}; watching {}", count(watch.len(), "file")))?;
            let changed = loop {
                std::thread::sleep(watch::EVERY);
                let changed = watch.changed(Instant::now());
                if !changed.is_empty() {
                    break changed;
                }
            };
            let names: Vec<String> = changed.iter().map(|file| file.display().to_string()).collect();
            note(reporter, &format!("changed: {}", names.join(", ")))?;
        }
    }
}

/// Writes a line for people.
///
/// # Errors
/// If standard error is closed.
fn note(reporter: &Reporter, line: &str) -> Result<(), Stop> {
    match !reporter.is_human() || reporter.write(&format!("{line}\n")) {
        true => Ok(()),
        false => Err(Stop::Closed),
    }
}

/// Settings that all jobs share.
struct Common {
    /// The function whose graph is written.
    function: Option<String>,
    /// Whether all targets are graphs.
    only_graphs: bool,
}

impl Common {
    fn new(args: &Compile, targets: &[Target]) -> Result<Self, Stop> {
        if args.verify && !targets.iter().any(|target| matches!(target, Target::Asm | Target::Alloc)) {
            return Err(Stop::usage("--verify checks the machine's code, which --emit=asm and --emit=alloc show"));
        }
        check_object_options(args, targets)?;
        let mut modules = targets.iter().filter(|&&target| target != Target::Analysis);
        // Values that are wrong are told before anything is read.
        emit_options(args, None)?;
        Ok(Common { function: graph_function(args, targets)?, only_graphs: modules.all(|target| target.is_graph()) })
    }
}

/// The rules of the depfile: one for each job that is done.
struct Rules<'a> {
    file: Option<&'a Path>,
    /// Those that are not added yet, without inputs.
    pending: std::vec::IntoIter<Rule>,
    rules: Vec<Rule>,
}

impl<'a> Rules<'a> {
    fn new(args: &'a Compile, jobs: &[Job]) -> Result<Self, Stop> {
        let outputs = |job: &Job| job.written().into_iter().map(|output| output.path.display().to_string()).collect();
        let pending: Vec<Rule> = jobs.iter().map(|job| Rule { outputs: outputs(job), inputs: vec![] }).collect();
        if args.depfile.is_some() && pending.iter().flat_map(|rule| &rule.outputs).any(|output| output == "-") {
            return Err(Stop::usage(
                "--depfile says what files are made from: give them with -o FILE or --out-dir DIR",
            ));
        }
        Ok(Rules { file: args.depfile.as_deref(), pending: pending.into_iter(), rules: vec![] })
    }

    /// Adds the rule of the next job.
    fn add(&mut self, is_done: bool, sources: &[PathBuf]) {
        let Some(mut rule) = self.pending.next().filter(|_| is_done) else { return };
        rule.inputs = sources.iter().map(|source| source.display().to_string()).collect();
        self.rules.push(rule);
    }

    fn write(&self) -> Result<(), Stop> {
        let Some(file) = self.file.filter(|_| !self.rules.is_empty()) else { return Ok(()) };
        let text = depfile(&self.rules).map_err(no_depfile)?;
        output::write(file, text.as_bytes(), false)
    }
}

/// The error of a name that a depfile cannot hold.
pub(crate) fn no_depfile(name: String) -> Stop {
    Stop::usage(format!("a depfile cannot hold the name {name:?}, which has a line break"))
}

/// The result of a job besides its files.
#[derive(Default)]
struct Done {
    reports: Reports,
    /// Number of files that were written.
    written: usize,
    /// Warnings about names that the program has not; some other one may have them.
    unknown: Vec<Diagnostic>,
    /// Messages about overrides that the program has not, with their names.
    unknown_overrides: Vec<(String, String)>,
    /// The files that were read.
    sources: Vec<PathBuf>,
    /// Whether a module is there that was compiled.
    is_compiled: bool,
}

/// The sum of all jobs.
#[derive(Default)]
struct Total {
    done: usize,
    written: usize,
    compiled: usize,
    /// A file could not be read or written.
    unreadable: bool,
    /// Warnings about names that none of the programs so far has.
    unknown: Vec<Diagnostic>,
    unknown_overrides: Vec<(String, String)>,
}

impl Total {
    fn add(&mut self, done: Done, is_done: bool, reports: &mut Reports) {
        reports.add(done.reports);
        self.done += usize::from(is_done);
        self.written += done.written;
        if !done.is_compiled {
            return;
        }
        match self.compiled {
            0 => (self.unknown, self.unknown_overrides) = (done.unknown, done.unknown_overrides),
            _ => {
                self.unknown.retain(|old| done.unknown.iter().any(|new| new.message == old.message));
                self.unknown_overrides.retain(|(old, _)| done.unknown_overrides.iter().any(|(new, _)| new == old));
            }
        }
        self.compiled += 1;
    }

    /// Writes one line about all jobs.
    fn finish(&self, jobs: &[Job], reporter: &Reporter) -> Result<(), Stop> {
        let files: usize = jobs.iter().map(|job| job.files.len()).sum();
        let what = if files == jobs.len() { "file" } else { "program" };
        let failed = jobs.len() - self.done;
        let mut line = format!("compiled {}", count(self.done, what));
        if failed > 0 {
            line = format!("compiled {} of {}", self.done, count(jobs.len(), what));
        }
        line += &format!(" to {}", count(self.written, "output"));
        let counts = reporter.counts();
        if !counts.is_empty() {
            line += &format!("; {counts}");
        }
        if reporter.is_human() {
            reporter.write(&format!("{line}\n"));
        }
        match (self.unreadable, failed) {
            (false, 0) if reporter.errors() == 0 => Ok(()),
            (false, _) => Err(Stop::Errors),
            (true, _) => Err(Stop::Exit(2)),
        }
    }
}

/// One job that is being done.
struct Run<'a> {
    args: &'a Compile,
    settings: &'a Common,
    /// Of all jobs.
    outputs: &'a [Output],
    reporter: &'a Reporter,
}

impl Run<'_> {
    fn job(&self, job: &Job) -> (Done, Result<(), Stop>) {
        let mut done = Done::default();
        let result = self.analyses(job, &mut done).and_then(|job| match job.targets().next() {
            Some(_) => self.modules(&job, &mut done),
            None => Ok(()),
        });
        (done, result)
    }

    /// Writes the flow analyses, which need no module; the rest of the job.
    fn analyses(&self, job: &Job, done: &mut Done) -> Result<Job, Stop> {
        let mut job = job.clone();
        for (file, outputs) in job.files.iter().zip(&mut job.outputs) {
            let is_page = |(target, _): &mut (Target, _)| *target == Target::Analysis;
            for (target, output) in outputs.extract_if(.., is_page) {
                let (name, bytes) = input::read_bytes(file, &self.args.input)?;
                let (map, page) = input::analyze(&name, &bytes, &self.args.input, Report::Page)?;
                files::check_sources(&map, self.outputs)?;
                match page {
                    Ok(page) => self.write(output.as_deref(), page.as_bytes(), target.info().binary, done)?,
                    Err(diagnostics) => {
                        self.reporter.show(&diagnostics, &map);
                        return Err(Stop::Errors);
                    }
                }
            }
        }
        Ok(job)
    }

    fn modules(&self, job: &Job, done: &mut Done) -> Result<(), Stop> {
        let Run { args, reporter, .. } = *self;
        let mut work = Work::new(&args.passes, &args.input)?;
        if self.settings.only_graphs {
            work.fuse_for_graphs();
        }
        let ReadAll { map, compilations, sources, overrides } = input::read_all(&job.files, &args.input, reporter)?;
        done.sources = sources;
        files::check_sources(&map, self.outputs)?;
        work.times.lap("front end");
        let versions: Vec<_> = compilations.iter().map(|c| c.version).collect();
        if reporter.errors() > 0 {
            return Err(Stop::Errors);
        }
        let Some(mut modules) = compilations.into_iter().map(|c| c.module).collect::<Option<Vec<Module>>>() else {
            return Err(Stop::Errors);
        };
        done.unknown_overrides = override_all(&mut modules, &overrides).map_err(Stop::Usage)?;
        if let (None, Some((_, message))) = (&args.out_dir, done.unknown_overrides.first()) {
            return Err(Stop::usage(message));
        }
        if let Some(height) = &args.flip_frag_coord {
            let diagnostics = flip_all(&mut modules, height);
            let (errors, unknown) = diagnostics.into_iter().partition(Diagnostic::is_error);
            done.unknown.extend::<Vec<_>>(unknown);
            self.stop_at(errors, &map)?;
        }
        let linked = link(&modules.iter().collect::<Vec<_>>());
        let linked = linked.or_else(|errors| self.stop_at(errors, &map).and(Err(Stop::Errors)))?;
        for (i, mut locations) in linked.locations.into_iter().enumerate() {
            locations.extend(args.locations.iter().cloned());
            if let Err(diagnostics) = work.run(&mut modules[i], &mut |_, _| {}) {
                reporter.show(&diagnostics, &map);
                continue;
            }
            done.is_compiled = true;
            if args.comments {
                keep_comments(&mut modules[i], &map);
            }
            let uniforms = linked.uniforms.clone();
            let function = self.settings.function.clone();
            let options = EmitOptions { locations, uniforms, function, ..emit_options(args, versions[i])? };
            self.emit(job, i, &modules[i], options, &map, &mut work, done)?;
        }
        done.reports = work.close(&map, reporter);
        Ok(())
    }

    /// Writes one program to all of its targets.
    fn emit(
        &self,
        job: &Job,
        index: usize,
        module: &Module,
        mut options: EmitOptions,
        map: &SourceMap,
        work: &mut Work<'_>,
        done: &mut Done,
    ) -> Result<(), Stop> {
        let Run { args, reporter, .. } = *self;
        let outputs = &job.outputs[index];
        options.debug_info = args.debug_info.then(|| map.clone());
        if args.passes.stats && outputs.iter().any(|(target, _)| target.is_graph()) {
            work.count_graph(module, &options);
        }
        if args.verify {
            verify::report(planish::check_machine_code(module), map, reporter)?;
            work.times.lap("check");
        }
        if outputs.iter().any(|(target, _)| target.numbers_resources() || target.is_graph()) {
            done.unknown.extend(unknown_names(args, module, &options));
        }
        options.colors.extend(planish::colors(module, map));
        for (target, file) in outputs {
            // Assembly listings always have source locations.
            let for_people = matches!(target, Target::Asm | Target::Alloc);
            options.debug_info = (args.debug_info || for_people || has_interface(*target)).then(|| map.clone());
            options.prefix = args.prefix.clone().unwrap_or_else(|| prefix(file.as_deref(), &job.files[index]));
            options.header_name = file.as_deref().map(header_name);
            // Names are a third of some modules.
            let wants_small = matches!(target, Target::Wasm | Target::Wat) && args.passes.level == "s";
            options.minify = args.minify || wants_small && !args.debug_info;
            let written = emit(module, *target, &options);
            work.times.lap(&format!("write {}", target.info().name));
            match written {
                Ok(artifact) => {
                    let errors = reporter.errors();
                    reporter.show(&artifact.diagnostics, map);
                    if reporter.errors() > errors {
                        // Warnings that are denied.
                        continue;
                    }
                    self.write(file.as_deref(), &artifact.bytes, target.info().binary, done)?;
                    let beside = file.as_deref().and_then(|file| header_beside(file, *target, outputs));
                    if let (Some(header), Some(beside)) = (&artifact.header, beside) {
                        self.write(Some(&beside), header.as_bytes(), false, done)?;
                    }
                }
                Err(diagnostics) => reporter.show(&diagnostics, map),
            }
            work.times.skip();
        }
        Ok(())
    }

    /// Shows errors, and stops if there are any.
    fn stop_at(&self, errors: Vec<Diagnostic>, map: &SourceMap) -> Result<(), Stop> {
        self.reporter.show(&errors, map);
        if errors.is_empty() { Ok(()) } else { Err(Stop::Errors) }
    }

    /// Writes an output; `None` is standard output.
    fn write(&self, file: Option<&Path>, bytes: &[u8], binary: bool, done: &mut Done) -> Result<(), Stop> {
        done.written += 1;
        let Some(file) = file else { return output::write_stdout(bytes, binary) };
        if self.args.out_dir.is_some() {
            output::make_folder(planish_files::folder(file))?;
        }
        output::write(file, bytes, binary)
    }
}

/// Refuses options of object files where none is written.
fn check_object_options(args: &Compile, targets: &[Target]) -> Result<(), Stop> {
    let any_object = targets.iter().any(|target| target.is_object());
    let any_interface = targets.iter().any(|target| has_interface(*target));
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
    Ok(())
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

/// The function whose graph is written, if the command line names one.
pub(crate) fn graph_function(args: &Compile, targets: &[Target]) -> Result<Option<String>, Stop> {
    let named = args.passes.flatten.iter().flatten().filter(|n| !n.is_empty()).collect::<Vec<_>>();
    let any_graph = targets.iter().any(|target| target.is_graph());
    match &named[..] {
        [_, _, ..] if any_graph => Err(Stop::usage("a graph is that of one function; name one with --flatten")),
        [one] => Ok(Some((*one).clone())),
        _ => Ok(None),
    }
}

/// The options to emit a program of this version with.
fn emit_options(args: &Compile, version: Option<Version>) -> Result<EmitOptions, Stop> {
    let options = settings(args)?.emit;
    Ok(EmitOptions { version: options.version.or(version), ..options })
}

/// The library's settings from the command line's.
pub(crate) fn settings(args: &Compile) -> Result<Settings, Stop> {
    let mut settings = input::settings(&args.input)?;
    optimize::add_settings(&args.passes, &mut settings)?;
    let flags = [
        ("vulkan", args.vulkan),
        ("minify", args.minify),
        ("flip-y", args.flip_y),
        ("adjust-depth", args.adjust_depth),
        ("approximate", args.approximate),
        ("msl-argument-buffers", args.msl_argument_buffers),
    ];
    for (name, _) in flags.into_iter().filter(|(_, is_given)| *is_given) {
        input::set(&mut settings, name, "true")?;
    }
    let texts = [
        ("glsl-version", &args.glsl_version),
        ("spirv-version", &args.spirv_version),
        ("msl-version", &args.msl_version),
        ("shader-model", &args.shader_model),
        ("target", &args.target),
    ];
    for (name, text) in texts {
        input::set_all(&mut settings, name, text)?;
    }
    for (name, texts) in [("msl-index", &args.msl_index), ("uniform", &args.defaults), ("hint", &args.hints)] {
        input::set_all(&mut settings, name, texts)?;
    }
    settings.emit.group = args.group;
    settings.emit.bindings = args.bindings.iter().cloned().collect();
    settings.emit.locations = args.locations.iter().cloned().collect();
    settings.emit.lanes = args.lanes;
    settings.flip_frag_coord = args.flip_frag_coord.clone();
    settings.comments = args.comments;
    settings.debug_info = args.debug_info;
    Ok(settings)
}
