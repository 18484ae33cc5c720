//! Programs from their files to the bytes of each target and their interface.

use std::fs;
use std::path::{Path, PathBuf};

use planish::module::{Module, Stage};
use planish::reflection::Reflection;
use planish::{Compiler, Prelude, Settings, Target, override_all};
use planish_files::Includes;

use crate::error::Messages;
use crate::inputs::{Group, Source};
use crate::{Build, Error, code};

/// All programs of a build.
pub(crate) struct Compiled {
    pub(crate) programs: Vec<Program>,
    /// The module of Rust.
    pub(crate) code: String,
    /// The files that were read, each once.
    pub(crate) read: Vec<PathBuf>,
    pub(crate) warnings: Vec<String>,
}

/// A program: a module of Rust.
pub(crate) struct Program {
    pub(crate) name: String,
    pub(crate) units: Vec<Unit>,
}

/// A file, and what became of it.
pub(crate) struct Unit {
    /// Its path below the folder that was given.
    pub(crate) source: PathBuf,
    /// The name of its own module, if the program has several or one by stage.
    pub(crate) module: Option<String>,
    pub(crate) files: Vec<OutputFile>,
    /// The interface; `None` if it has none to a host of shaders.
    pub(crate) interface: Option<Interface>,
}

/// An output: its path below `OUT_DIR`.
pub(crate) struct OutputFile {
    pub(crate) target: Target,
    pub(crate) name: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

/// The interface of a file, and of each stage in it.
pub(crate) struct Interface {
    pub(crate) whole: Reflection,
    pub(crate) stages: Vec<(Stage, Reflection)>,
}

/// A build that is under way.
struct Session<'a> {
    build: &'a Build,
    targets: Vec<Target>,
    settings: Settings,
    messages: Messages,
    read: Vec<PathBuf>,
    /// Overrides that no program so far has, with messages.
    unknown: Option<Vec<(String, String)>>,
}

/// Compiles all programs.
///
/// # Errors
/// The errors of all of them.
pub(crate) fn compile(build: &Build, groups: &[Group]) -> Result<Compiled, Error> {
    let mut read = vec![];
    let settings = settings(build, &mut read)?;
    let targets = build.all_targets();
    let mut session = Session { build, targets, settings, messages: Messages::default(), read, unknown: None };
    let mut programs = vec![];
    for group in groups {
        programs.extend(session.program(group)?);
    }
    for (_, message) in session.unknown.take().unwrap_or_default() {
        session.messages.fail(&message);
    }
    let mut code = String::new();
    if session.messages.errors() == 0 {
        match code::write(build, &programs) {
            Ok(text) => code = text,
            Err(errors) => errors.iter().for_each(|error| session.messages.fail(error)),
        }
    }
    let warnings = session.messages.finish()?;
    Ok(Compiled { programs, code, read: session.read, warnings })
}

/// The settings, with macros from the environment and preludes from files.
fn settings(build: &Build, read: &mut Vec<PathBuf>) -> Result<Settings, Error> {
    let mut settings = build.settings.clone();
    for name in &build.environment {
        match std::env::var(name) {
            Ok(value) => settings.read.defines.push((name.clone(), value)),
            Err(std::env::VarError::NotPresent) => {}
            Err(error) => return Err(Error::new(format!("the environment variable {name}: {error}"))),
        }
    }
    for file in &build.preludes {
        let text = String::from_utf8_lossy(&read_file(file)?).into();
        settings.read.preludes.push(Prelude::Text { name: file.display().to_string().into(), text });
        read.push(file.clone());
    }
    Ok(settings)
}

fn read_file(file: &Path) -> Result<Vec<u8>, Error> {
    fs::read(file).map_err(|error| Error::new(format!("cannot read {}: {error}", file.display())))
}

impl Session<'_> {
    /// Compiles the files of one program; `None` if there are errors.
    fn program(&mut self, group: &Group) -> Result<Option<Program>, Error> {
        let mut files = vec![];
        for source in &group.sources {
            files.push((source.path.display().to_string(), read_file(&source.path)?));
        }
        let sources: Vec<planish::Source<'_>> =
            files.iter().map(|(name, bytes)| planish::Source { name, bytes }).collect();
        let mut settings = self.settings.clone();
        settings.read.overrides = self.overrides(&sources);
        let mut includes = Includes::new(self.build.includes.clone(), &settings.read);
        let compiled = planish::Program::stages(&sources, &settings, Some(&mut includes));
        let sources = group.sources.iter().map(|source| source.path.clone());
        for file in sources.chain(includes.into_found()) {
            if !self.read.contains(&file) {
                self.read.push(file);
            }
        }
        let compiled = match compiled {
            Ok(compiled) => compiled,
            Err(error) => {
                self.messages.add(error.diagnostics, &error.map);
                return Ok(None);
            }
        };
        // They are those of all stages.
        if let Some(first) = compiled.first() {
            self.messages.add(first.warnings.clone(), &first.map);
        }
        let before = self.messages.errors();
        let sources = group.sources.iter();
        let units: Vec<Unit> =
            sources.zip(compiled).map(|(source, compiled)| self.unit(group, source, compiled)).collect();
        Ok((self.messages.errors() == before).then(|| Program { name: group.name.clone(), units }))
    }

    /// The overrides that a program has. Another one may have the others.
    fn overrides(&mut self, sources: &[planish::Source<'_>]) -> Vec<(String, String)> {
        let mut known = self.settings.read.overrides.clone();
        if known.is_empty() {
            return known;
        }
        let mut includes = Includes::new(self.build.includes.clone(), &self.settings.read);
        let mut compiler =
            Compiler { options: self.settings.read.clone(), includes: Some(&mut includes), ..Compiler::default() };
        let modules = sources.iter().map(|source| compiler.compile(source.name, source.bytes).module);
        // Errors are reported when it is compiled.
        let Some(mut modules) = modules.collect::<Option<Vec<Module>>>() else { return known };
        let Ok(unknown) = override_all(&mut modules, &known) else { return known };
        known.retain(|(name, _)| unknown.iter().all(|(other, _)| other != name));
        match &mut self.unknown {
            None => self.unknown = Some(unknown),
            Some(all) => all.retain(|(name, _)| unknown.iter().any(|(other, _)| other == name)),
        }
        known
    }

    /// Writes one file to all targets.
    fn unit(&mut self, group: &Group, source: &Source, mut compiled: planish::Program) -> Unit {
        let folder = Path::new(&self.build.name);
        let mut files = vec![];
        for target in self.targets.clone() {
            let mut name = folder.join(&source.name).into_os_string();
            name.push(format!(".{}", target.info().extensions[0]));
            let name = PathBuf::from(name);
            let header = name.with_extension("h");
            names_in_c(&mut compiled, &self.settings, group, source, &header);
            match compiled.emit(target) {
                Ok(artifact) => {
                    self.messages.add(artifact.diagnostics, &compiled.map);
                    let beside = artifact.header.filter(|_| !self.targets.contains(&Target::Header));
                    files.extend(beside.map(|text| OutputFile {
                        target: Target::Header,
                        name: header,
                        bytes: text.into_bytes(),
                    }));
                    files.push(OutputFile { target, name, bytes: artifact.bytes });
                }
                Err(error) => self.messages.add(error.diagnostics, &error.map),
            }
        }
        let stages = stages_of(&compiled.module);
        let module = self.build.group_stages.then(|| match (&stages[..], source.name.extension()) {
            ([stage], _) if group.sources.len() > 1 || has_stage(source) => {
                Some(planish::rust_identifier(stage.name()))
            }
            (_, Some(kind)) if group.sources.len() > 1 => Some(planish::rust_identifier(&kind.to_string_lossy())),
            _ => None,
        });
        let wants = self.targets.iter().any(|target| target.is_shading_language()) && !stages.is_empty();
        let interface = match wants.then(|| interface(&compiled, &stages)) {
            Some(Ok(interface)) => Some(interface),
            // The targets have reported them, too.
            Some(Err(error)) if files.len() >= self.targets.len() => {
                self.messages.add(error.diagnostics, &error.map);
                None
            }
            _ => None,
        };
        Unit { source: source.name.clone(), module: module.flatten(), files, interface }
    }
}

/// Sets the prefix of names in C, unless the user has, and the name of the header.
fn names_in_c(compiled: &mut planish::Program, settings: &Settings, group: &Group, source: &Source, header: &Path) {
    let emit = &mut compiled.settings_mut().emit;
    emit.header_name = header.file_name().map(|name| name.to_string_lossy().into_owned());
    if settings.emit.prefix.is_empty() {
        emit.prefix = match group.sources.len() {
            1 => group.name.clone(),
            _ => planish::rust_identifier(&source.name.to_string_lossy()),
        };
    }
}

fn has_stage(source: &Source) -> bool {
    planish::stage_from_file(&source.name.to_string_lossy()).is_some()
}

/// The stages of a module, each once.
fn stages_of(module: &Module) -> Vec<Stage> {
    let mut stages = vec![];
    for stage in module.entry_points.iter().filter_map(|entry| entry.stage) {
        if !stages.contains(&stage) {
            stages.push(stage);
        }
    }
    stages
}

/// The interface of a program, and of each of its stages.
fn interface(compiled: &planish::Program, stages: &[Stage]) -> Result<Interface, planish::Error> {
    let whole = compiled.reflect()?;
    let of_stage = |&stage: &Stage| {
        if let [_] = stages {
            return Ok((stage, whole.clone()));
        }
        let mut alone = compiled.clone();
        alone.module.entry_points.retain(|entry| entry.stage == Some(stage));
        Ok((stage, alone.reflect()?))
    };
    let stages = stages.iter().map(of_stage).collect::<Result<_, planish::Error>>()?;
    Ok(Interface { whole, stages })
}
