//! Reading programs and what they include.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use planish::diagnostic::Diagnostic;
use planish::flatten::Leaf;
use planish::module::Stage;
use planish::source::SourceMap;
use planish::vl::Report;
use planish::{Compilation, Compiler, IncludeResolver, InputKind, Options, Version, WebGl};

use crate::Stop;
use crate::args::{Input, StageName, WebGlVersion};
use crate::report::{Messages, Reporter};

/// A program that was read and compiled.
pub(crate) struct Program {
    pub(crate) compiler: Compiler<'static>,
    pub(crate) compilation: Compilation,
    /// The language.
    pub(crate) kind: InputKind,
}

/// Reads and compiles a program, and shows its errors and warnings.
pub(crate) fn read(file: &Path, args: &Input, reporter: &mut Reporter) -> Result<Program, Stop> {
    let (name, bytes) = read_bytes(file)?;
    let program = compile(&name, &bytes, options(args)?, args)?;
    reporter.show(&program.compilation.diagnostics, &program.compiler.map);
    Ok(program)
}

/// Reads and compiles files with a shared source map, and shows their errors and warnings.
pub(crate) fn read_all(
    files: &[PathBuf],
    args: &Input,
    reporter: &mut Reporter,
) -> Result<(SourceMap, Vec<Compilation>), Stop> {
    let mut includes = Includes { paths: args.include_paths.clone() };
    let options = options(args)?;
    let mut compiler = Compiler { options, includes: Some(&mut includes), ..Compiler::default() };
    let mut all = vec![];
    for file in files {
        let (name, bytes) = read_bytes(file)?;
        let compilation = compiler.compile(&name, bytes);
        reporter.show(&compilation.diagnostics, &compiler.map);
        all.push(compilation);
    }
    Ok((compiler.map, all))
}

/// Reads and compiles a program for its messages only.
pub(crate) fn messages(file: &Path, args: &Input, reporter: &Reporter) -> Result<Messages, Stop> {
    let (name, bytes) = read_bytes(file)?;
    let program = compile(&name, &bytes, options(args)?, args)?;
    Ok(reporter.messages(&program.compilation.diagnostics, &program.compiler.map))
}

/// The name to show and the bytes; `-` is standard input.
pub(crate) fn read_bytes(file: &Path) -> Result<(String, Vec<u8>), Stop> {
    if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|e| Stop::usage(format!("cannot read standard input: {e}")))?;
        return Ok(("<stdin>".into(), bytes));
    }
    let bytes = std::fs::read(file).map_err(|e| Stop::usage(format!("cannot read {}: {e}", file.display())))?;
    Ok((file.display().to_string(), bytes))
}

/// Compiles bytes under these options.
pub(crate) fn compile(name: &str, bytes: &[u8], options: Options, args: &Input) -> Result<Program, Stop> {
    let mut includes = Includes { paths: args.include_paths.clone() };
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
    let mut includes = Includes { paths: args.include_paths.clone() };
    let mut compiler = Compiler { options, includes: Some(&mut includes), ..Compiler::default() };
    let result = compiler.analyze(name, text, report);
    Ok((compiler.map, result))
}

/// The library's options from the command line's.
pub(crate) fn options(args: &Input) -> Result<Options, Stop> {
    let from = match &args.from {
        None => None,
        Some(name) => Some(
            InputKind::from_name(name)
                .ok_or_else(|| Stop::usage(format!("unknown language `{name}`; see `planish targets`")))?,
        ),
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
    if let Some(text) = &args.default_version {
        options.default_version = version(text)?;
    }
    Ok(options)
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

/// `#include` from the including file's folder, then from the given paths.
struct Includes {
    paths: Vec<PathBuf>,
}

impl IncludeResolver for Includes {
    fn resolve(&mut self, name: &str, from: &str, system: bool) -> Option<(String, Arc<str>)> {
        let own = (!system).then(|| Path::new(from).parent().map(Path::to_path_buf)).flatten();
        own.iter().chain(&self.paths).find_map(|folder| {
            let path = folder.join(name);
            // Comments may contain any bytes; invalid ones elsewhere are reported by the front end.
            let text = std::fs::read(&path).ok()?;
            Some((path.display().to_string(), String::from_utf8_lossy(&text).into()))
        })
    }
}
