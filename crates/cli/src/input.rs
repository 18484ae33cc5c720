//! Reading programs and what they include.

use std::io::Read;
use std::path::{Path, PathBuf};

use planish::diagnostic::Diagnostic;
use planish::flatten::Leaf;
use planish::module::Stage;
use planish::source::SourceMap;
use planish::vl::Report;
use planish::{Compilation, Compiler, InputKind, Options, PRELUDES, Prelude, Version, WebGl};
use planish_files::Includes;

use crate::Stop;
use crate::args::{Input, StageName, WebGlVersion};
use crate::names::{self, suggest};
use crate::report::Reporter;

/// A program that was read and compiled.
pub(crate) struct Program {
    pub(crate) compiler: Compiler<'static>,
    pub(crate) compilation: Compilation,
    /// The language.
    pub(crate) kind: InputKind,
}

/// Reads and compiles a program, and shows its errors and warnings.
pub(crate) fn read(file: &Path, args: &Input, reporter: &Reporter) -> Result<Program, Stop> {
    let (name, bytes) = read_bytes(file, args)?;
    let program = compile(&name, &bytes, options(args)?, args)?;
    reporter.show(&program.compilation.diagnostics, &program.compiler.map);
    Ok(program)
}

/// Programs with a shared source map.
pub(crate) struct ReadAll {
    pub(crate) map: SourceMap,
    /// One for each file.
    pub(crate) compilations: Vec<Compilation>,
    /// All files that were read, each once: the programs, preludes, and what they include.
    pub(crate) sources: Vec<PathBuf>,
}

/// Reads and compiles files with a shared source map, and shows their errors and warnings.
pub(crate) fn read_all(files: &[PathBuf], args: &Input, reporter: &Reporter) -> Result<ReadAll, Stop> {
    let options = options(args)?;
    let mut includes = Includes::new(args.include_paths.clone(), &options);
    let mut compiler = Compiler { options, includes: Some(&mut includes), ..Compiler::default() };
    let mut all = vec![];
    for file in files {
        let (name, bytes) = read_bytes(file, args)?;
        let compilation = compiler.compile(&name, bytes);
        reporter.show(&compilation.diagnostics, &compiler.map);
        all.push(compilation);
    }
    let map = compiler.map;
    let given = files.iter().filter(|file| file.as_os_str() != "-").cloned();
    let preludes = args.preludes.iter().filter(|prelude| named_prelude(prelude).is_none()).cloned();
    let mut sources: Vec<PathBuf> = vec![];
    for source in given.chain(preludes).chain(includes.into_found()) {
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    Ok(ReadAll { map, compilations: all, sources })
}

/// The name to show and the bytes; `-` is standard input.
pub(crate) fn read_bytes(file: &Path, args: &Input) -> Result<(String, Vec<u8>), Stop> {
    if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|e| Stop::usage(format!("cannot read standard input: {e}")))?;
        return Ok((args.stdin_name.clone().unwrap_or_else(|| "<stdin>".into()), bytes));
    }
    let bytes = std::fs::read(file).map_err(|e| Stop::usage(format!("cannot read {}: {e}", file.display())))?;
    Ok((file.display().to_string(), bytes))
}

/// Compiles bytes under these options.
pub(crate) fn compile(name: &str, bytes: &[u8], options: Options, args: &Input) -> Result<Program, Stop> {
    let mut includes = Includes::new(args.include_paths.clone(), &options);
    let kind = options.from.unwrap_or_else(|| InputKind::detect(name, bytes));
    let mut compiler = Compiler { options, includes: Some(&mut includes), ..Compiler::default() };
    let compilation = compiler.compile(name, bytes);
    let Compiler { options, map, .. } = compiler;
    Ok(Program { compiler: Compiler { options, includes: None, map }, compilation, kind })
}

/// The flow analysis of a VL program, or the program's errors.
pub(crate) fn analyze(
    name: &str,
    bytes: &[u8],
    args: &Input,
    report: Report,
) -> Result<(SourceMap, Result<String, Vec<Diagnostic>>), Stop> {
    let options = options(args)?;
    if options.from.unwrap_or_else(|| InputKind::detect(name, bytes)) != InputKind::Vl {
        return Err(Stop::usage("only programs in VL have a flow analysis"));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Stop::usage(format!("{name} is not UTF-8 text")))?;
    let mut includes = Includes::new(args.include_paths.clone(), &options);
    let mut compiler = Compiler { options, includes: Some(&mut includes), ..Compiler::default() };
    let result = compiler.analyze(name, text, report);
    Ok((compiler.map, result))
}

/// The library's options from the command line's.
pub(crate) fn options(args: &Input) -> Result<Options, Stop> {
    let from = match &args.from {
        None => None,
        Some(name) => Some(InputKind::from_name(name).ok_or_else(|| {
            let near = suggest(name, names::languages());
            Stop::usage(format!("unknown language `{name}`, see `planish targets`{near}"))
        })?),
    };
    let stage = args.stage.map(|s| match s {
        StageName::Vertex => Stage::Vertex,
        StageName::Fragment => Stage::Fragment,
        StageName::Compute => Stage::Compute,
    });
    let webgl = match args.webgl {
        None => WebGl::Off,
        Some(WebGlVersion::Any) => WebGl::Rules,
        Some(WebGlVersion::One) => WebGl::One,
        Some(WebGlVersion::Two) => WebGl::Two,
    };
    let mut options = Options { from, stage, webgl, ..Options::default() };
    options.defines = args.defines.iter().map(|d| define(d)).collect();
    options.leaves = leaves(args)?.into_iter().map(|leaf| leaf.name).collect();
    options.preludes = args.preludes.iter().map(|prelude| read_prelude(prelude)).collect::<Result<_, _>>()?;
    if let Some(text) = &args.default_version {
        options.default_version = version(text)?;
    }
    Ok(options)
}

/// One of the preludes that are there.
fn named_prelude(name: &Path) -> Option<Prelude> {
    Prelude::from_name(name.to_str()?)
}

/// A prelude by its name, or from a file.
fn read_prelude(name: &Path) -> Result<Prelude, Stop> {
    if let Some(known) = named_prelude(name) {
        return Ok(known);
    }
    let shown = name.display().to_string();
    let text = std::fs::read(name).map_err(|error| {
        let known = || PRELUDES.iter().map(|(name, _)| *name);
        let there = known().collect::<Vec<_>>().join(" and ");
        let near = suggest(&shown, known());
        Stop::usage(format!("cannot read the prelude {shown}: {error}{near}; {there} need no file"))
    })?;
    Ok(Prelude::Text { name: shown.into(), text: String::from_utf8_lossy(&text).into() })
}

/// The functions that the target has.
pub(crate) fn leaves(args: &Input) -> Result<Vec<Leaf>, Stop> {
    let leaf = |text: &String| {
        Leaf::parse(text)
            .ok_or_else(|| Stop::usage(format!("`{text}` is no leaf: write FUNCTION, or FUNCTION:barrier")))
    };
    args.leaves.iter().map(leaf).collect()
}

/// `NAME=VALUE`, or `NAME` for 1.
pub(crate) fn define(text: &str) -> (String, String) {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    (name.into(), value.into())
}

/// A GLSL version as `300es`, `es300`, `300 es`, `450`.
pub(crate) fn version(text: &str) -> Result<Version, Stop> {
    Version::parse(text).ok_or_else(|| {
        Stop::usage(format!("`{text}` is no GLSL version; there are 100es, 300es, 310es, 320es and 110 to 460"))
    })
}
