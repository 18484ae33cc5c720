//! Reading programs and what they include.

use std::io::Read;
use std::path::{Path, PathBuf};

use planish::diagnostic::Diagnostic;
use planish::source::SourceMap;
use planish::vl::Report;
use planish::{Compilation, Compiler, InputKind, Options, PRELUDES, Prelude, Settings, WebGl, override_all};
use planish_files::Includes;

use crate::Stop;
use crate::args::{Input, WebGlVersion};
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
    /// Values of specialization constants, which are to be set.
    pub(crate) overrides: Vec<(String, String)>,
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
    let Compiler { options, map, .. } = compiler;
    Ok(ReadAll { map, compilations: all, sources: sources(files, args, includes), overrides: options.overrides })
}

/// The files that a compilation has read, each once: the programs, preludes, and what they include.
pub(crate) fn sources(files: &[PathBuf], args: &Input, includes: Includes) -> Vec<PathBuf> {
    let given = files.iter().filter(|file| file.as_os_str() != "-").cloned();
    let preludes = args.preludes.iter().filter(|prelude| named_prelude(prelude).is_none()).cloned();
    let mut sources: Vec<PathBuf> = vec![];
    for source in given.chain(preludes).chain(includes.into_found()) {
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    sources
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

/// Compiles bytes under these options, and sets the specialization constants that they give values.
pub(crate) fn compile(name: &str, bytes: &[u8], options: Options, args: &Input) -> Result<Program, Stop> {
    let mut includes = Includes::new(args.include_paths.clone(), &options);
    let kind = options.from.unwrap_or_else(|| InputKind::detect(name, bytes));
    let mut compiler = Compiler { options, includes: Some(&mut includes), ..Compiler::default() };
    let mut compilation = compiler.compile(name, bytes);
    let Compiler { options, map, .. } = compiler;
    let unknown = override_all(compilation.module.as_mut_slice(), &options.overrides).map_err(Stop::Usage)?;
    if let (Some(_), Some((_, message))) = (&compilation.module, unknown.first()) {
        return Err(Stop::usage(message));
    }
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
    settings(args).map(|settings| settings.read)
}

/// The library's settings for reading programs.
pub(crate) fn settings(args: &Input) -> Result<Settings, Stop> {
    let mut settings = Settings::default();
    if let Some(name) = &args.from {
        settings.read.from = Some(InputKind::from_name(name).ok_or_else(|| {
            let near = suggest(name, names::languages());
            Stop::usage(format!("unknown language `{name}`, see `planish targets`{near}"))
        })?);
    }
    settings.read.stage = args.stage;
    settings.read.webgl = match args.webgl {
        None => WebGl::Off,
        Some(WebGlVersion::Any) => WebGl::Rules,
        Some(WebGlVersion::One) => WebGl::One,
        Some(WebGlVersion::Two) => WebGl::Two,
    };
    set_all(&mut settings, "define", &args.defines)?;
    set_all(&mut settings, "override", &args.overrides)?;
    set_all(&mut settings, "leaf", &args.leaves)?;
    set_all(&mut settings, "default-version", &args.default_version)?;
    settings.read.preludes = args.preludes.iter().map(|prelude| read_prelude(prelude)).collect::<Result<_, _>>()?;
    Ok(settings)
}

/// Sets a setting of the library by the name of its option.
pub(crate) fn set(settings: &mut Settings, name: &str, text: &str) -> Result<(), Stop> {
    // The library's messages name settings, those of the command options.
    let own = |message: String| message.replace(&format!("`{name}` takes"), &format!("--{name} takes"));
    settings.set(name, text).map_err(|message| Stop::Usage(own(message)))
}

/// The same for each text that is given.
pub(crate) fn set_all<'t>(
    settings: &mut Settings,
    name: &str,
    texts: impl IntoIterator<Item = &'t String>,
) -> Result<(), Stop> {
    texts.into_iter().try_for_each(|text| set(settings, name, text))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory;
    use planish::SETTINGS;

    /// Options of `compile` about files, reports and the work as a whole, which the library has no setting for.
    const OTHERS: [&str; 22] = [
        "cache",
        "chaos-seed",
        "color",
        "depfile",
        "emit",
        "group-stages",
        "include-path",
        "jobs",
        "log-cse",
        "message-format",
        "no-fast-math",
        "out-base",
        "out-dir",
        "output",
        "remarks",
        "remarks-yaml",
        "stats",
        "stdin-name",
        "time-passes",
        "variants",
        "verify",
        "watch",
    ];

    #[test]
    fn the_library_has_a_setting_for_each_option() {
        let mut cli = Cli::command();
        cli.build();
        let compile = cli.find_subcommand("compile").expect("there is the command");
        let mut options: Vec<&str> = compile.get_arguments().filter_map(clap::Arg::get_long).collect();
        options.retain(|name| !OTHERS.contains(name) && !matches!(*name, "help" | "version"));
        options.push("level");
        options.sort_unstable();
        let mut settings: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
        settings.sort_unstable();
        assert_eq!(options, settings);
    }

    #[test]
    fn messages_name_options() {
        let wrong = |name: &str, text: &str| match set(&mut Settings::default(), name, text) {
            Err(Stop::Usage(message)) => message,
            _ => panic!("`{text}` is taken"),
        };
        assert_eq!(wrong("uniform", "a"), "--uniform takes NAME=VALUE, not `a`");
        assert_eq!(
            wrong("glsl-version", "x"),
            "`x` is no GLSL version; there are 100es, 300es, 310es, 320es and 110 to 460"
        );
    }
}
