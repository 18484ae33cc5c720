//! Programs from their files to the bytes of each target and their interface.

use std::fs;
use std::path::{Path, PathBuf};

use planish::diagnostic::Diagnostic;
use planish::module::{Module, Stage};
use planish::reflection::Reflection;
use planish::source::SourceMap;
use planish::{
    Compiler, EmitOptions, Optimizer, Options, Prelude, Target, Version, emit, flip_frag_coord, link, reflect,
    set_overrides, unknown_override,
};
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
    options: Options,
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
    let options = options(build, &mut read)?;
    let targets = build.all_targets();
    let mut session = Session { build, targets, options, messages: Messages::default(), read, unknown: None };
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

/// The options of reading, with macros from the environment and preludes from files.
fn options(build: &Build, read: &mut Vec<PathBuf>) -> Result<Options, Error> {
    let mut options = build.options.clone();
    for name in &build.environment {
        match std::env::var(name) {
            Ok(value) => options.defines.push((name.clone(), value)),
            Err(std::env::VarError::NotPresent) => {}
            Err(error) => return Err(Error::new(format!("the environment variable {name}: {error}"))),
        }
    }
    for file in &build.preludes {
        let text = String::from_utf8_lossy(&read_file(file)?).into();
        options.preludes.push(Prelude::Text { name: file.display().to_string().into(), text });
        read.push(file.clone());
    }
    Ok(options)
}

fn read_file(file: &Path) -> Result<Vec<u8>, Error> {
    fs::read(file).map_err(|error| Error::new(format!("cannot read {}: {error}", file.display())))
}

impl Session<'_> {
    /// Compiles the files of one program; `None` if there are errors.
    fn program(&mut self, group: &Group) -> Result<Option<Program>, Error> {
        let mut includes = Includes::new(self.build.includes.clone(), &self.options);
        let mut compiler =
            Compiler { options: self.options.clone(), includes: Some(&mut includes), ..Compiler::default() };
        let mut compilations = vec![];
        for source in &group.sources {
            let bytes = read_file(&source.path)?;
            let mut compilation = compiler.compile(&source.path.display().to_string(), bytes);
            self.messages.add(std::mem::take(&mut compilation.diagnostics), &compiler.map);
            compilations.push(compilation);
        }
        let map = compiler.map;
        let sources = group.sources.iter().map(|source| source.path.clone());
        for file in sources.chain(includes.into_found()) {
            if !self.read.contains(&file) {
                self.read.push(file);
            }
        }
        let versions: Vec<Option<Version>> = compilations.iter().map(|c| c.version).collect();
        let modules: Option<Vec<Module>> = compilations.into_iter().map(|c| c.module).collect();
        let Some(mut modules) = modules else { return Ok(None) };
        Ok(self.modules(group, &mut modules, &versions, &map))
    }

    fn modules(
        &mut self,
        group: &Group,
        modules: &mut [Module],
        versions: &[Option<Version>],
        map: &SourceMap,
    ) -> Option<Program> {
        let before = self.messages.errors();
        self.set_overrides(modules);
        if let Some(height) = &self.build.flip_frag_coord {
            for module in &mut *modules {
                if let Err(diagnostics) = flip_frag_coord(module, height) {
                    self.messages.add(diagnostics, map);
                }
            }
        }
        let linked = match link(&modules.iter().collect::<Vec<_>>()) {
            Ok(linked) => linked,
            Err(errors) => {
                self.messages.add(errors, map);
                return None;
            }
        };
        let optimizer = Optimizer::level(&self.build.level).expect("the level was checked");
        let mut units = vec![];
        for (i, (source, mut locations)) in group.sources.iter().zip(linked.locations).enumerate() {
            let module = &mut modules[i];
            optimizer.run(module, &mut |_, _| {});
            locations.extend(self.build.emit_options.locations.clone());
            let mut options = EmitOptions { locations, ..emit_options(self.build, module, map) };
            options.uniforms = options.uniforms.or_else(|| linked.uniforms.clone());
            options.version = options.version.or(versions[i]);
            units.push(self.unit(group, source, module, options, map));
        }
        (self.messages.errors() == before).then(|| Program { name: group.name.clone(), units })
    }

    fn set_overrides(&mut self, modules: &mut [Module]) {
        let given = &self.build.overrides;
        let mut unknown: Vec<(String, String)> =
            given.iter().map(|(name, _)| (name.clone(), unknown_override(name, modules))).collect();
        for module in modules {
            match set_overrides(module, given) {
                Ok(missing) => unknown.retain(|(name, _)| missing.contains(name)),
                Err(message) => self.messages.fail(&message),
            }
        }
        match &mut self.unknown {
            None => self.unknown = Some(unknown),
            Some(all) => all.retain(|(name, _)| unknown.iter().any(|(other, _)| other == name)),
        }
    }

    /// Writes one file to all targets.
    fn unit(
        &mut self,
        group: &Group,
        source: &Source,
        module: &Module,
        mut options: EmitOptions,
        map: &SourceMap,
    ) -> Unit {
        let folder = Path::new(&self.build.name);
        let mut files = vec![];
        for target in self.targets.clone() {
            let mut name = folder.join(&source.name).into_os_string();
            name.push(format!(".{}", target.info().extensions[0]));
            let name = PathBuf::from(name);
            let header = name.with_extension("h");
            let is_c = target.is_object() || target == Target::C;
            if options.prefix.is_empty() {
                options.prefix = match group.sources.len() {
                    1 => group.name.clone(),
                    _ => planish::rust_identifier(&source.name.to_string_lossy()),
                };
            }
            options.header_name = header.file_name().map(|name| name.to_string_lossy().into_owned());
            options.debug_info = (self.build.debug_info || is_c).then(|| map.clone());
            match emit(module, target, &options) {
                Ok(artifact) => {
                    self.messages.add(artifact.diagnostics, map);
                    let beside = artifact.header.filter(|_| !self.targets.contains(&Target::Header));
                    files.extend(beside.map(|text| OutputFile {
                        target: Target::Header,
                        name: header,
                        bytes: text.into_bytes(),
                    }));
                    files.push(OutputFile { target, name, bytes: artifact.bytes });
                }
                Err(errors) => self.messages.add(errors, map),
            }
        }
        let stages = stages_of(module);
        let module_name = self.build.group_stages.then(|| match (&stages[..], source.name.extension()) {
            ([stage], _) if group.sources.len() > 1 || has_stage(source) => Some(planish::rust_identifier(stage.name())),
            (_, Some(kind)) if group.sources.len() > 1 => Some(planish::rust_identifier(&kind.to_string_lossy())),
            _ => None,
        });
        let wants = self.targets.iter().any(|target| target.is_shading_language()) && !stages.is_empty();
        let interface = match wants.then(|| interface(module, &stages, &options)) {
            Some(Ok(interface)) => Some(interface),
            // The targets have reported them, too.
            Some(Err(errors)) if files.len() == self.targets.len() => {
                self.messages.add(errors, map);
                None
            }
            _ => None,
        };
        Unit { source: source.name.clone(), module: module_name.flatten(), files, interface }
    }
}

/// The options of writing a module, but for what linking gives.
fn emit_options(build: &Build, module: &Module, map: &SourceMap) -> EmitOptions {
    let mut options = build.emit_options.clone();
    options.optimize |= build.level != "0";
    options.colors.extend(planish::colors(module, map));
    options
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

/// The interface of a module, and of each of its stages.
fn interface(module: &Module, stages: &[Stage], options: &EmitOptions) -> Result<Interface, Vec<Diagnostic>> {
    let whole = reflect(module, options)?;
    let of_stage = |&stage: &Stage| {
        if let [_] = stages {
            return Ok((stage, whole.clone()));
        }
        let mut alone = module.clone();
        alone.entry_points.retain(|entry| entry.stage == Some(stage));
        Ok((stage, reflect(&alone, options)?))
    };
    let stages = stages.iter().map(of_stage).collect::<Result<_, Vec<Diagnostic>>>()?;
    Ok(Interface { whole, stages })
}
