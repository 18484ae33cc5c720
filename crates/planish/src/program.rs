//! Whole compilations in one call: programs that are read, optimized, and ready to be written for targets, or run.

#[cfg(feature = "vl")]
mod gradient;
mod run;

use std::fmt;

#[cfg(feature = "vl")]
use planish_front_vl::Answer;
use planish_interface::Reflection;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::module::Module;
use planish_ir::source::{IncludeResolver, SourceMap, Span};
use planish_ir::text;

use crate::comments::keep_comments;
use crate::compiler::{Compilation, Compiler, Options};
use crate::emit::{Artifact, EmitOptions, emit, reflect};
use crate::flip::flip_all;
use crate::hints::colors;
use crate::kind::Target;
use crate::levels::Levels;
use crate::link::{Linked, Locations, link};
use crate::overrides::override_all;
use crate::render::human;
use crate::settings::Settings;

pub use run::{Functions, NumberType};

/// Diagnostics with the source that they are about, at least one of them an error. Displayed as for people, with the lines of the source.
#[derive(Clone, Debug)]
pub struct Error {
    /// Errors and warnings in the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The source of all that was read.
    pub map: SourceMap,
}

impl Error {
    /// An error about what was asked for, not about a place in the source.
    #[cfg(feature = "vl")]
    fn usage(message: impl Into<String>) -> Self {
        Error { diagnostics: vec![usage(message)], map: SourceMap::new() }
    }

    /// The first error.
    pub fn first(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|diagnostic| diagnostic.is_error())
    }
}

fn usage(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Code::E0712, Span::NONE, message)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostics.iter().try_for_each(|diagnostic| f.write_str(&human(diagnostic, &self.map, false)))
    }
}

impl std::error::Error for Error {}

/// The source of a program, or of a stage of one.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// Its name in messages; the extension selects the language and the stage unless the settings do.
    pub name: &'s str,
    /// Text, or the bytes of SPIR-V or WebAssembly.
    pub bytes: &'s [u8],
}

/// A program that was read and optimized, or a stage of one.
///
/// # Example
/// ```
/// use planish::{Program, Settings, Target};
/// let source = "precision mediump float;\nuniform float level;\nvoid main() { gl_FragColor = vec4(level); }";
/// let program = Program::new("grey.frag", source, &Settings::default()).unwrap();
/// let wgsl = program.emit(Target::Wgsl).unwrap();
/// assert!(String::from_utf8(wgsl.bytes).unwrap().contains("@fragment"));
/// assert_eq!(program.reflect().unwrap().uniforms.unwrap().members[0].name, "level");
///
/// let error = Program::new("grey.frag", "void main() { gl_FragColor = vec4(0.5; }", &Settings::default()).unwrap_err();
/// assert!(error.to_string().contains("grey.frag:1:38"));
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    /// The program after the passes.
    pub module: Module,
    /// The source of all that was read.
    pub map: SourceMap,
    /// Warnings of the front end and the linker.
    pub warnings: Vec<Diagnostic>,
    /// The values of its functions' results, if it is VL.
    #[cfg(feature = "vl")]
    pub answer: Option<Answer>,
    settings: Settings,
}

impl Program {
    /// Reads, optimizes and flattens a program. Every `#include` is an error.
    ///
    /// # Errors
    /// Errors of the program, and settings that it has no use for, such as an override of nothing.
    pub fn new(name: &str, source: impl AsRef<[u8]>, settings: &Settings) -> Result<Self, Error> {
        let stages = Self::stages(&[Source { name, bytes: source.as_ref() }], settings, None)?;
        Ok(stages.into_iter().next().expect("one for each source"))
    }

    /// The same for all stages of a program, whose varyings get the same locations, with a resolver of `#include`.
    ///
    /// # Errors
    /// As [`Program::new`], of all stages, and stages that do not fit together.
    pub fn stages(
        sources: &[Source<'_>],
        settings: &Settings,
        includes: Option<&mut dyn IncludeResolver>,
    ) -> Result<Vec<Self>, Error> {
        let mut draft = Draft::new(sources, settings, includes)?;
        let unknown = std::mem::take(&mut draft.unknown_overrides);
        draft.read.add(unknown.into_iter().map(|(_, message)| usage(message)).collect())?;
        draft.finish()
    }

    /// Errors and warnings of a program, which is not optimized.
    pub fn check(
        source: Source<'_>,
        settings: &Settings,
        includes: Option<&mut dyn IncludeResolver>,
    ) -> (Vec<Diagnostic>, SourceMap) {
        let Read { diagnostics, map, .. } = Read::new(&[source], settings, includes);
        (diagnostics, map)
    }

    /// The settings that it is written with: those that it was read with, and what linking adds to them.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Writes it for a target.
    ///
    /// # Errors
    /// Constructs that the target does not support, and warnings that are errors by the settings.
    pub fn emit(&self, target: Target) -> Result<Artifact, Error> {
        let mut artifact = self.shown(emit(&self.module, target, &self.options(target)))?;
        artifact.diagnostics = self.settings.levels.apply(artifact.diagnostics);
        if artifact.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(Error { diagnostics: artifact.diagnostics, map: self.map.clone() });
        }
        Ok(artifact)
    }

    /// Its interface, with the numbers that [`Program::emit`] gives.
    ///
    /// # Errors
    /// As [`reflect`](crate::reflect()).
    pub fn reflect(&self) -> Result<Reflection, Error> {
        self.shown(reflect(&self.module, &self.options(Target::Reflect)))
    }

    /// The options that it is written with.
    fn options(&self, target: Target) -> EmitOptions {
        let settings = self.settings.for_target(target);
        let debug_info = (settings.debug_info || has_places(target)).then(|| self.map.clone());
        EmitOptions { debug_info, ..settings.emit }
    }

    fn shown<T>(&self, result: Result<T, Vec<Diagnostic>>) -> Result<T, Error> {
        result.map_err(|diagnostics| Error { diagnostics, map: self.map.clone() })
    }
}

/// The stages of a program that were read and linked, and not optimized yet. [`Draft::identity`] tells whether it is worth the time: of
/// programs that differ in macros, many are the same.
#[derive(Debug)]
pub struct Draft {
    modules: Vec<Module>,
    read: Read,
    linked: Linked,
    settings: Settings,
    unknown_overrides: Vec<(String, String)>,
}

impl Draft {
    /// Reads and links the stages of a program, and sets the specialization constants that the settings give values.
    ///
    /// # Errors
    /// Errors of the program, stages that do not fit together, and values that specialization constants cannot have.
    pub fn new(
        sources: &[Source<'_>],
        settings: &Settings,
        includes: Option<&mut dyn IncludeResolver>,
    ) -> Result<Self, Error> {
        let mut read = Read::new(sources, settings, includes);
        let modules: Option<Vec<Module>> = read.compilations.iter_mut().map(|read| read.module.take()).collect();
        let Some(mut modules) = modules.filter(|_| !read.is_broken()) else { return Err(read.failed(vec![])) };
        let overridden = override_all(&mut modules, &settings.read.overrides);
        let unknown_overrides = overridden.map_err(|message| read.failed(vec![usage(message)]))?;
        if let Some(height) = &settings.flip_frag_coord {
            read.add(flip_all(&mut modules, height))?;
        }
        let linked = link(&modules.iter().collect::<Vec<_>>()).map_err(|errors| read.failed(errors))?;
        Ok(Draft { modules, read, linked, settings: settings.clone(), unknown_overrides })
    }

    /// The source of all that was read.
    pub fn map(&self) -> &SourceMap {
        &self.read.map
    }

    /// Warnings of the front end and the linker.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.read.diagnostics
    }

    /// The names in the settings that no stage has as a specialization constant, with a message each.
    pub fn unknown_overrides(&self) -> &[(String, String)] {
        &self.unknown_overrides
    }

    /// All that the outputs for targets depend on: two drafts of which it is the same are written alike. (They have different warnings
    /// perhaps.) It is meant to be hashed; it is the same in each process, and changes with the version of Planish. Rules and phases of
    /// the user's own are in it by their names only.
    pub fn identity(&self, targets: &[Target]) -> String {
        let mut settings = self.settings.clone();
        let mut identity = format!("{}\n", env!("CARGO_PKG_VERSION"));
        targets.iter().for_each(|target| identity += &format!("{target}\n"));
        if settings.debug_info || settings.comments || targets.iter().any(|&t| t.is_graph() || has_places(t)) {
            for file in self.read.map.files() {
                identity += &format!("{:?} {}\n{}\n", file.name, file.text.len(), file.text);
            }
        } else {
            // The modules have all of it.
            settings.read = Options { leaves: settings.read.leaves, ..Options::default() };
        }
        settings.read.overrides.clear();
        settings.levels = Levels::default();
        identity += &format!("{settings:?}\n");
        #[cfg(feature = "shaders")]
        for compilation in &self.read.compilations {
            identity += &format!("{:?}\n", compilation.version);
        }
        for module in &self.modules {
            identity += &text::print(module);
        }
        identity
    }

    /// Optimizes and flattens the stages.
    ///
    /// # Errors
    /// Constructs that cannot be flattened.
    pub fn finish(self) -> Result<Vec<Program>, Error> {
        let Draft { mut modules, mut read, linked, settings, .. } = self;
        let flattener = settings.flattener();
        for module in &mut modules {
            let flat = flattener.mark(module).and_then(|()| {
                settings.optimizer.run(module, &mut |_, _| {});
                flattener.run(module, &mut |_, _| {})
            });
            read.add(flat.err().unwrap_or_default())?;
            if settings.comments {
                keep_comments(module, &read.map);
            }
        }
        let Read { compilations, map, diagnostics, .. } = read;
        #[cfg_attr(
            not(any(feature = "shaders", feature = "vl")),
            expect(unused_variables, reason = "other languages have nothing beside the module")
        )]
        let program = |((module, compilation), locations): ((Module, Compilation), Locations)| {
            let mut settings = settings.clone();
            settings.emit.locations = locations.into_iter().chain(settings.emit.locations).collect();
            settings.emit.uniforms = settings.emit.uniforms.or_else(|| linked.uniforms.clone());
            #[cfg(feature = "shaders")]
            {
                settings.emit.version = settings.emit.version.or(compilation.version);
            }
            settings.emit.colors.extend(colors(&module, &map));
            Program {
                module,
                map: map.clone(),
                warnings: diagnostics.clone(),
                #[cfg(feature = "vl")]
                answer: compilation.answer,
                settings,
            }
        };
        Ok(modules.into_iter().zip(compilations).zip(linked.locations.clone()).map(program).collect())
    }
}

/// Whether an output has the places of its source, whatever the settings say: listings for people, and interfaces in C.
fn has_places(target: Target) -> bool {
    matches!(target, Target::Asm | Target::Alloc | Target::C) || target.is_object()
}

/// Compiles a program to one target: [`Program::new`] with the settings for it, and [`Program::emit`]. The artifact has the warnings of both.
///
/// # Errors
/// As these.
pub fn compile(name: &str, source: impl AsRef<[u8]>, target: Target, settings: &Settings) -> Result<Artifact, Error> {
    let (mut artifact, warnings) = compile_with(Source { name, bytes: source.as_ref() }, target, settings, None)?;
    artifact.diagnostics = warnings.diagnostics;
    Ok(artifact)
}

/// The same with a resolver of `#include`. Besides the artifact, it returns its warnings with the source that they are about.
///
/// # Errors
/// As [`compile`].
pub fn compile_with(
    source: Source<'_>,
    target: Target,
    settings: &Settings,
    includes: Option<&mut dyn IncludeResolver>,
) -> Result<(Artifact, Error), Error> {
    if target == Target::Analysis {
        return analysis(source, settings, includes);
    }
    let program = Program::stages(&[source], &settings.for_target(target), includes)?.remove(0);
    let mut artifact = program.emit(target)?;
    let mut diagnostics = program.warnings;
    diagnostics.append(&mut artifact.diagnostics);
    Ok((artifact, Error { diagnostics, map: program.map }))
}

/// The flow analysis of a program in VL, which needs no module.
#[cfg(feature = "vl")]
fn analysis(
    source: Source<'_>,
    settings: &Settings,
    includes: Option<&mut dyn IncludeResolver>,
) -> Result<(Artifact, Error), Error> {
    let Ok(text) = std::str::from_utf8(source.bytes) else {
        return Err(Error::usage(format!("{} is not UTF-8 text", source.name)));
    };
    let mut compiler = Compiler { options: settings.read.clone(), includes, map: SourceMap::new() };
    match compiler.analyze(source.name, text, planish_front_vl::Report::Page) {
        Ok(page) => {
            let artifact = Artifact { bytes: page.into_bytes(), diagnostics: vec![], header: None };
            Ok((artifact, Error { diagnostics: vec![], map: compiler.map }))
        }
        Err(diagnostics) => Err(Error { diagnostics, map: compiler.map }),
    }
}

#[cfg(not(feature = "vl"))]
fn analysis(_: Source<'_>, _: &Settings, _: Option<&mut dyn IncludeResolver>) -> Result<(Artifact, Error), Error> {
    let diagnostics = Target::Analysis.check().expect_err("its feature is off");
    Err(Error { diagnostics, map: SourceMap::new() })
}

/// Sources that were read.
#[derive(Debug)]
struct Read {
    compilations: Vec<Compilation>,
    map: SourceMap,
    levels: Levels,
    diagnostics: Vec<Diagnostic>,
}

impl Read {
    fn new(sources: &[Source<'_>], settings: &Settings, includes: Option<&mut dyn IncludeResolver>) -> Self {
        let mut compiler = Compiler { options: settings.read.clone(), includes, map: SourceMap::new() };
        let (mut compilations, mut diagnostics) = (vec![], vec![]);
        for source in sources {
            let mut compilation = compiler.compile(source.name, source.bytes);
            diagnostics.append(&mut compilation.diagnostics);
            compilations.push(compilation);
        }
        let diagnostics = settings.levels.apply(diagnostics);
        Read { compilations, map: compiler.map, levels: settings.levels.clone(), diagnostics }
    }

    fn is_broken(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// The error of these diagnostics with those before.
    fn failed(&self, diagnostics: Vec<Diagnostic>) -> Error {
        let diagnostics = self.diagnostics.iter().cloned().chain(self.levels.apply(diagnostics)).collect();
        Error { diagnostics, map: self.map.clone() }
    }

    /// Adds warnings.
    ///
    /// # Errors
    /// If one is an error.
    fn add(&mut self, diagnostics: Vec<Diagnostic>) -> Result<(), Error> {
        self.diagnostics.extend(self.levels.apply(diagnostics));
        if self.is_broken() { Err(self.failed(vec![])) } else { Ok(()) }
    }
}
