//! `planish compile --variants`: a program for all combinations of the values of macros and specialization constants.
//!
//! Each combination goes through the front end. What it becomes there identifies it: of those that are the same, one is optimized and
//! written, or taken from the cache. Files are named by their contents.

mod axes;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use planish::diagnostic::{Code, Diagnostic};
use planish::render::{MessageFormat, render};
use planish::source::{SourceMap, Span};
use planish::{Draft, Error, Rule, Settings, Source, Target, depfile};
use planish_files::{Includes, Texts, folder};
use serde_json::{Map, Value, json};

use self::axes::{Axes, Variant};
use crate::Stop;
use crate::args::Compile;
use crate::cache::{Cache, digest};
use crate::compile;
use crate::files::{self, Output};
use crate::input;
use crate::output;
use crate::parallel::in_order;
use crate::plan::{self, Job, Outputs};
use crate::report::{Reporter, count};
use crate::unused::unused_options;

/// Digits of a digest in the name of a file.
const DIGITS: usize = 16;

/// A program whose stages have been read from their files.
struct Program {
    job: Job,
    /// The name and the bytes of each stage.
    stages: Vec<(String, Vec<u8>)>,
    manifest: PathBuf,
}

/// The result of a combination.
struct Outcome {
    messages: Vec<Arc<Error>>,
    /// The name of the file of each target, by stage.
    files: Option<Arc<Vec<Vec<String>>>>,
    unknown_overrides: Vec<(String, String)>,
    sources: Vec<PathBuf>,
    /// A file could not be written.
    unwritten: Option<String>,
}

/// The result of a draft.
#[derive(Clone)]
struct Made {
    files: Option<Arc<Vec<Vec<String>>>>,
    messages: Arc<Error>,
    unwritten: Option<String>,
}

pub(crate) fn compile(file: &Path, args: &Compile, reporter: &Reporter) -> Result<(), Stop> {
    let text = fs::read_to_string(file).map_err(|e| Stop::usage(format!("cannot read {}: {e}", file.display())))?;
    let axes = Axes::parse(&text).map_err(|e| Stop::usage(format!("{}: {e}", file.display())))?;
    let jobs = plan::jobs(args)?;
    let mut targets: Vec<Target> = jobs.iter().flat_map(Job::targets).collect();
    targets.sort_by_key(|target| target.info().name);
    targets.dedup();
    let has_two = |target: &&Target| compile::has_interface(**target) || **target == Target::Header;
    if let Some(target) = targets.iter().find(has_two) {
        let reason = "their outputs name each other, and those of --variants are named by their contents";
        return Err(Stop::usage(format!("--variants has no {target}: source and header are two files, and {reason}")));
    }
    if targets.contains(&Target::Analysis) {
        return Err(Stop::usage("--variants has no analysis: macros and constants are not in VL"));
    }
    reporter.show(&unused_options(args, &targets), &SourceMap::new());
    if reporter.errors() > 0 {
        return reporter.finish(false);
    }
    let mut settings = compile::settings(args)?;
    settings.levels = reporter.levels().clone();
    settings.emit.function = compile::graph_function(args, &targets)?;
    if targets.iter().all(|target| target.is_graph()) {
        settings.fuse_for_graphs();
    }
    let programs = jobs.into_iter().map(|job| Program::read(job, args)).collect::<Result<Vec<_>, _>>()?;
    let manifests = programs.iter().map(|program| Output::new("the manifest", Some(&program.manifest)));
    let outputs: Vec<Output> =
        manifests.chain(args.depfile.as_deref().map(|file| Output::new("the depfile", Some(file)))).collect();
    files::check(args.files.iter().map(PathBuf::as_path).chain([file]), &outputs)?;
    let cache = args.cache.as_deref().map(Cache::open).transpose()?;
    let work = Work {
        args,
        axes: &axes,
        settings,
        targets,
        outputs: &outputs,
        cache: cache.as_ref(),
        made: Mutex::default(),
        texts: Arc::default(),
        written: Mutex::default(),
    };
    let result = work.run(&programs, file, reporter);
    if let Some(cache) = &cache {
        cache.tidy();
    }
    result
}

impl Program {
    fn read(job: Job, args: &Compile) -> Result<Self, Stop> {
        let stages = job.files.iter().map(|file| input::read_bytes(file, &args.input)).collect::<Result<_, _>>()?;
        let (target, output) = &job.outputs[0][0];
        let mut output = unextended(output.as_deref().expect("there is a folder"), *target);
        if args.group_stages {
            output.set_extension("");
        }
        let mut manifest = output.into_os_string();
        manifest.push(".variants.json");
        Ok(Program { job, stages, manifest: manifest.into() })
    }

    /// The name of each stage in the manifest.
    fn names(&self) -> impl Iterator<Item = String> {
        self.job.outputs.iter().map(|outputs: &Outputs| {
            let (target, output) = &outputs[0];
            let output = unextended(output.as_deref().expect("there is a folder"), *target);
            output.file_name().unwrap_or_default().to_string_lossy().into_owned()
        })
    }
}

/// The path of an output without the extension of its target.
fn unextended(output: &Path, target: Target) -> PathBuf {
    let text = output.to_string_lossy();
    let extension = format!(".{}", target.info().extensions[0]);
    text.strip_suffix(&extension).map_or_else(|| output.to_owned(), PathBuf::from)
}

/// The work on all combinations.
struct Work<'a> {
    args: &'a Compile,
    axes: &'a Axes,
    settings: Settings,
    targets: Vec<Target>,
    /// Files that are written besides the results.
    outputs: &'a [Output],
    cache: Option<&'a Cache>,
    /// By the digest of a draft's identity, and the program.
    made: Mutex<HashMap<String, Arc<OnceLock<Made>>>>,
    /// The files that were included so far.
    texts: Arc<Texts>,
    /// The files that this run has written, or found as they should be.
    written: Mutex<HashSet<PathBuf>>,
}

/// A message with the combinations that it is about.
struct Said {
    diagnostic: Diagnostic,
    map: SourceMap,
    times: usize,
    first: String,
}

impl Work<'_> {
    fn run(&self, programs: &[Program], file: &Path, reporter: &Reporter) -> Result<(), Stop> {
        let numbers = self.axes.numbers();
        let items: Vec<(usize, u64)> =
            (0..programs.len()).flat_map(|program| numbers.iter().map(move |&number| (program, number))).collect();
        let mut said: Vec<Said> = vec![];
        let mut index: HashMap<String, usize> = HashMap::new();
        let mut manifests: Vec<(Map<String, Value>, Vec<Value>)> =
            programs.iter().map(|_| Default::default()).collect();
        let mut sources: Vec<Vec<PathBuf>> = programs.iter().map(|_| vec![]).collect();
        let mut unknown: Option<Vec<(String, String)>> = None;
        let (mut done, mut unwritten) = (0, None);
        in_order(
            &items,
            self.args.jobs,
            |&(program, number)| {
                let variant = self.axes.variant(number);
                let outcome = self.one(&programs[program], &variant);
                (program, variant.key, outcome)
            },
            |(program, key, outcome)| {
                let outcome = outcome?;
                for (diagnostic, map) in outcome.messages.iter().flat_map(|e| e.diagnostics.iter().map(|d| (d, &e.map)))
                {
                    let text = render(diagnostic, map, MessageFormat::Json, false);
                    let at = *index.entry(text).or_insert(said.len());
                    if at == said.len() {
                        let (diagnostic, map, first) = (diagnostic.clone(), map.clone(), key.clone());
                        said.push(Said { diagnostic, map, times: 0, first });
                    }
                    said[at].times += 1;
                }
                for source in outcome.sources {
                    if !sources[program].contains(&source) {
                        sources[program].push(source);
                    }
                }
                unwritten = unwritten.take().or(outcome.unwritten);
                let (variants, failed) = &mut manifests[program];
                let Some(files) = outcome.files else {
                    failed.push(key.into());
                    return Ok(());
                };
                done += 1;
                match &mut unknown {
                    None => unknown = Some(outcome.unknown_overrides),
                    Some(all) => all.retain(|(name, _)| outcome.unknown_overrides.iter().any(|(new, _)| new == name)),
                }
                variants.insert(key, self.entry(&programs[program], &files));
                Ok(())
            },
        )?;
        for Said { mut diagnostic, map, times, first } in said {
            if items.len() > 1 {
                let which = if times == 1 { "it is" } else { "the first is" };
                diagnostic.notes.push(format!("in {times} of {}; {which} {first}", count(items.len(), "variant")));
            }
            reporter.show(&[diagnostic], &map);
        }
        if let Some((_, message)) = unknown.iter().flatten().next() {
            return Err(Stop::usage(message));
        }
        if let Some(message) = unwritten {
            return Err(Stop::Usage(message));
        }
        for (program, (variants, failed)) in programs.iter().zip(manifests) {
            let values: Map<String, Value> =
                self.axes.describe().map(|(name, values)| (name.to_owned(), json!(values))).collect();
            let mut manifest = json!({"version": 1, "values": values, "variants": variants});
            if !failed.is_empty() {
                manifest["failed"] = failed.into();
            }
            output::make_folder(folder(&program.manifest))?;
            output::write(&program.manifest, format!("{manifest:#}\n").as_bytes(), false)?;
        }
        self.depfile(programs, &sources, file)?;
        self.finish(programs.len(), items.len(), done, reporter)
    }

    /// The entry of a combination in the manifest: by stage and target the name of the file, which is in the same folder.
    fn entry(&self, program: &Program, files: &[Vec<String>]) -> Value {
        let of_stage = |outputs: &Outputs, files: &Vec<String>| -> Map<String, Value> {
            let names = outputs.iter().map(|(target, _)| target.to_string());
            names.zip(files.iter().map(|name| name.as_str().into())).collect()
        };
        let stages =
            program.job.outputs.iter().zip(files).map(|(outputs, files)| Value::Object(of_stage(outputs, files)));
        Value::Object(program.names().zip(stages).collect())
    }

    /// Compiles a program in one combination.
    fn one(&self, program: &Program, variant: &Variant) -> Result<Outcome, Stop> {
        let mut settings = self.settings.clone();
        settings.read.defines.extend(variant.defines.iter().cloned());
        settings.read.overrides.extend(variant.overrides.iter().cloned());
        let mut includes = Includes::new(self.args.input.include_paths.clone(), &settings.read).sharing(&self.texts);
        let stages: Vec<Source<'_>> = program.stages.iter().map(|(name, bytes)| Source { name, bytes }).collect();
        let draft = Draft::new(&stages, &settings, Some(&mut includes));
        let sources = input::sources(&program.job.files, &self.args.input, includes);
        let none = Outcome { messages: vec![], files: None, unknown_overrides: vec![], sources, unwritten: None };
        let draft = match draft {
            Ok(draft) => draft,
            Err(error) => return Ok(Outcome { messages: vec![error.into()], ..none }),
        };
        files::check_sources(draft.map(), self.outputs)?;
        let own = Error { diagnostics: draft.warnings().to_vec(), map: draft.map().clone() };
        let unknown_overrides = draft.unknown_overrides().to_vec();
        let made = self.make(program, draft);
        Ok(Outcome {
            messages: vec![own.into(), made.messages],
            files: made.files,
            unknown_overrides,
            unwritten: made.unwritten,
            ..none
        })
    }

    /// The result of a draft: one thread makes it, and others that need the same wait for it.
    fn make(&self, program: &Program, draft: Draft) -> Made {
        let identity = digest(draft.identity(&self.targets).as_bytes());
        // Files of two programs have different names.
        let key = format!("{identity} {}", program.manifest.display());
        let made = Arc::clone(self.made.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        made.get_or_init(|| self.find_or_finish(program, draft, &identity)).clone()
    }

    fn find_or_finish(&self, program: &Program, draft: Draft, identity: &str) -> Made {
        let map = draft.map().clone();
        let key = self.cache.map(|cache| (cache, cache.key(identity)));
        let of_all = program.job.outputs.iter().map(Vec::len).sum::<usize>();
        if let Some((cache, key)) = &key
            && let Some(found) = cache.get(key).filter(|found| found.len() == of_all)
        {
            return self.write(program, &found, Error { diagnostics: vec![], map });
        }
        let warnings = draft.warnings().len();
        let programs = match draft.finish() {
            Ok(programs) => programs,
            Err(error) => return Made { files: None, messages: error.into(), unwritten: None },
        };
        let (mut bytes, mut diagnostics) = (vec![], vec![]);
        for (compiled, outputs) in programs.iter().zip(&program.job.outputs) {
            diagnostics.extend(compiled.warnings.iter().skip(warnings).cloned());
            for (target, _) in outputs {
                match compiled.emit(*target) {
                    Ok(artifact) => {
                        bytes.push(artifact.bytes);
                        diagnostics.extend(artifact.diagnostics);
                    }
                    Err(error) => return Made { files: None, messages: error.into(), unwritten: None },
                }
            }
        }
        // A result with warnings is made again, so that they are shown.
        if let Some((cache, key)) = key.filter(|_| diagnostics.is_empty()) {
            cache.put(&key, &bytes.iter().map(Vec::as_slice).collect::<Vec<_>>());
        }
        self.write(program, &bytes, Error { diagnostics, map })
    }

    /// Writes the outputs of a program, by stage and target, under names that their contents give them.
    fn write(&self, program: &Program, outputs: &[Vec<u8>], messages: Error) -> Made {
        let mut outputs = outputs.iter();
        let mut files = vec![];
        for of_stage in &program.job.outputs {
            let mut names = vec![];
            for ((target, output), bytes) in of_stage.iter().zip(&mut outputs) {
                let output = output.as_deref().expect("there is a folder");
                let mut path = unextended(output, *target).into_os_string();
                path.push(format!(".{}.{}", &digest(bytes)[..DIGITS], target.info().extensions[0]));
                let path = PathBuf::from(path);
                if let Err(stop) = self.write_file(&path, bytes, target.info().binary) {
                    let Stop::Usage(message) = stop else { unreachable!("only files are written") };
                    return Made { files: None, messages: messages.into(), unwritten: Some(message) };
                }
                names.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
            }
            files.push(names);
        }
        Made { files: Some(files.into()), messages: messages.into(), unwritten: None }
    }

    /// Writes a file, unless it is there already.
    fn write_file(&self, path: &Path, bytes: &[u8], binary: bool) -> Result<(), Stop> {
        let is_new = self.written.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        if !is_new || fs::read(path).is_ok_and(|old| old == bytes) {
            return Ok(());
        }
        output::make_folder(folder(path))?;
        output::write(path, bytes, binary)
    }

    /// Writes what the manifests depend on.
    fn depfile(&self, programs: &[Program], sources: &[Vec<PathBuf>], file: &Path) -> Result<(), Stop> {
        let Some(to) = &self.args.depfile else { return Ok(()) };
        let text = |path: &Path| path.display().to_string();
        let rule = |(program, sources): (&Program, &Vec<PathBuf>)| Rule {
            outputs: vec![text(&program.manifest)],
            inputs: sources.iter().map(PathBuf::as_path).chain([file]).map(text).collect(),
        };
        let rules: Vec<Rule> = programs.iter().zip(sources).map(rule).collect();
        let text = depfile(&rules).map_err(compile::no_depfile)?;
        output::write(to, text.as_bytes(), false)
    }

    /// Writes one line about all combinations.
    fn finish(&self, programs: usize, all: usize, done: usize, reporter: &Reporter) -> Result<(), Stop> {
        if let Some(error) = self.cache.and_then(Cache::failure) {
            let message = format!("the cache was not used to the end: {error}");
            reporter.show(&[Diagnostic::warning(Code::W0151, Span::NONE, message)], &SourceMap::new());
        }
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner).len();
        let mut line = format!("compiled {}", count(done, "variant"));
        if done < all {
            line = format!("compiled {done} of {}", count(all, "variant"));
        }
        if programs > 1 {
            line += &format!(" of {}", count(programs, "program"));
        }
        line += &format!(" to {}", count(written, "output"));
        if let Some(cache) = self.cache {
            let different = self.made.lock().unwrap_or_else(PoisonError::into_inner).len();
            line += &format!("; {} of {different} from the cache", cache.hits());
        }
        let counts = reporter.counts();
        if !counts.is_empty() {
            line += &format!("; {counts}");
        }
        if reporter.is_human() {
            reporter.write(&format!("{line}\n"));
        }
        if done < all || reporter.errors() > 0 { Err(Stop::Errors) } else { Ok(()) }
    }
}
