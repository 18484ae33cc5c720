//! `cargo xtask wgsl-size`: bytes of our WGSL for shaders of the corpus, against naga's writer and against wgsl-minifier.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use planish::module::Module;
use planish::{Compiler, EmitOptions, Target};
use xtask::corpus::Program;
use xtask::{Failure, conformance_folder, pool};

use crate::options::Options;
use crate::subject::{self, PATIENCE};

/// The peer that minifies: `cargo install wgsl-minifier --features bin`.
const MINIFIER: &str = "wgsl-minifier";

/// Bytes, and bytes after `gzip -9`.
#[derive(Clone, Copy, Default)]
struct Size {
    plain: usize,
    packed: usize,
}

impl Size {
    fn of(text: &[u8]) -> Size {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let packed = encoder.write_all(text).and_then(|()| encoder.finish());
        Size { plain: text.len(), packed: packed.expect("memory takes all").len() }
    }
}

/// One shader, in all columns.
struct Row {
    package: String,
    naga: Size,
    /// `-O0`, `-O2`, `-Os`.
    plain: [Size; 3],
    /// The same with `--minify`.
    small: [Size; 3],
    /// wgsl-minifier on naga's text, and on ours at `-Os`.
    peer: Option<[Size; 2]>,
}

/// A column over another.
struct Column {
    title: &'static str,
    ratio: fn(&Row) -> Option<(Size, Size)>,
}

const COLUMNS: [Column; 9] = [
    Column { title: "`-O0`", ratio: |r| Some((r.plain[0], r.naga)) },
    Column { title: "`-O2`", ratio: |r| Some((r.plain[1], r.naga)) },
    Column { title: "`-Os`", ratio: |r| Some((r.plain[2], r.naga)) },
    Column { title: "`-O0 --minify`", ratio: |r| Some((r.small[0], r.naga)) },
    Column { title: "`-O2 --minify`", ratio: |r| Some((r.small[1], r.naga)) },
    Column { title: "`-Os --minify`", ratio: |r| Some((r.small[2], r.naga)) },
    Column { title: "minified, not optimized", ratio: |r| Some((r.small[0], r.peer?[0])) },
    Column { title: "minified, optimized", ratio: |r| Some((r.small[2], r.peer?[0])) },
    Column { title: "minified from our `-Os`", ratio: |r| Some((r.small[2], r.peer?[1])) },
];

/// The whole run. Ends in `Broken` if naga does not read one of ours.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let programs = subject::programs(options)?;
    let has_peer = Command::new(MINIFIER).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !has_peer {
        eprintln!("SKIPPED: there is no {MINIFIER}; `cargo install {MINIFIER} --features bin` brings it");
    }
    let outcomes = pool::run(&programs, options.jobs, PATIENCE, Program::name, |program| {
        pool::guarded(|| check(program, has_peer)).unwrap_or_else(|panic| Err(format!("panic: {panic}")))
    });
    let (mut rows, mut failures, mut left_out) = (vec![], vec![], 0);
    for (program, result) in programs.iter().zip(outcomes) {
        match result {
            Ok(Some(row)) => rows.push(row),
            Ok(None) => left_out += 1,
            Err(why) => failures.push(format!("{}: {why}", program.name())),
        }
    }
    let table = table(&rows);
    println!("{table}\n{} shaders compared, {left_out} are no WGSL", rows.len());
    if options.bless {
        let document = DOCUMENT.replace("{count}", &rows.len().to_string()).replace("{table}", &table);
        std::fs::write(xtask::root().join("docs/size-wgsl.md"), document.replace("{out}", &left_out.to_string()))?;
    }
    for failure in &failures {
        eprintln!("error: {failure}");
    }
    if failures.is_empty() { Ok(()) } else { Err(Failure::Broken(format!("{} shaders failed", failures.len()))) }
}

/// `None`: it cannot be WGSL.
fn check(program: &Program, has_peer: bool) -> Result<Option<Row>, String> {
    let (module, _) = subject::compile(program)?;
    let written = |module: &Module, minify: bool| {
        subject::write(module, Target::Wgsl, &EmitOptions { minify, optimize: true, ..EmitOptions::default() })
    };
    let Ok(first) = written(&module, false) else { return Ok(None) };
    let naga = by_naga(&first)?;
    let [speed, size] = subject::levels().map(|level| subject::optimized(&module, level));
    let texts = [first, written(&speed, false)?, written(&size, false)?];
    let small = [written(&module, true)?, written(&speed, true)?, written(&size, true)?];
    let peer = match has_peer {
        true => match (minified(program, "naga", naga.as_bytes()), minified(program, "planish", &texts[2])) {
            (Ok(a), Ok(b)) => Some([Size::of(&a), Size::of(&b)]),
            // (It refuses some of what naga writes.)
            _ => None,
        },
        false => None,
    };
    let sizes = |texts: &[Vec<u8>; 3]| [0, 1, 2].map(|i| Size::of(&texts[i]));
    let (plain, small) = (sizes(&texts), sizes(&small));
    // The size of a text that cannot be read is of no interest.
    for text in texts.iter() {
        let source = std::str::from_utf8(text).map_err(|e| e.to_string())?;
        let compilation = Compiler::default().compile("written.wgsl", source);
        if let Some(error) = compilation.diagnostics.iter().find(|d| d.is_error()) {
            return Err(format!("our WGSL is not read again: {}", error.message));
        }
    }
    Ok(Some(Row { package: program.package.clone(), naga: Size::of(naga.as_bytes()), plain, small, peer }))
}

/// Naga's text of a program in WGSL.
fn by_naga(text: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(text).map_err(|e| e.to_string())?;
    let module = naga::front::wgsl::parse_str(text).map_err(|e| format!("naga: {}", e.message()))?;
    let mut validator = naga::valid::Validator::new(Default::default(), naga::valid::Capabilities::all());
    let info = validator.validate(&module).map_err(|e| format!("naga: {e}"))?;
    let flags = naga::back::wgsl::WriterFlags::empty();
    naga::back::wgsl::write_string(&module, &info, flags).map_err(|e| format!("naga: {e}"))
}

/// The text after wgsl-minifier.
fn minified(program: &Program, writer: &str, text: &[u8]) -> Result<Vec<u8>, String> {
    let folder = conformance_folder().join("wgsl-size");
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let path = |end: &str| folder.join(format!("{}.{writer}.{end}", program.name().replace('/', "_")));
    let (from, to) = (path("wgsl"), path("min.wgsl"));
    let run = |from: &Path, to: &Path| -> Result<Vec<u8>, String> {
        std::fs::write(from, text).map_err(|e| e.to_string())?;
        let output = Command::new(MINIFIER).arg(from).arg(to).output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        std::fs::read(to).map_err(|e| e.to_string())
    };
    let result = run(&from, &to);
    for file in [&from, &to] {
        let _ = std::fs::remove_file(file);
    }
    result
}

/// Quotients of the sums, package by package; in brackets those after gzip.
fn table(rows: &[Row]) -> String {
    let titles: Vec<&str> = COLUMNS.iter().map(|column| column.title).collect();
    let mut text = format!("| package | shaders | naga, bytes | {} |\n", titles.join(" | "));
    let _ = writeln!(text, "| --- | ---: | ---: |{}", " ---: |".repeat(COLUMNS.len()));
    let mut groups: Vec<(String, Vec<&Row>)> = rows
        .chunk_by(|a, b| a.package == b.package)
        .map(|rows| (rows[0].package.clone(), rows.iter().collect()))
        .collect();
    groups.push(("**all**".into(), rows.iter().collect()));
    for (name, rows) in groups {
        let naga: usize = rows.iter().map(|row| row.naga.plain).sum();
        let _ = write!(text, "| {name} | {} | {naga} |", rows.len());
        for column in &COLUMNS {
            let pairs: Vec<(Size, Size)> = rows.iter().filter_map(|row| (column.ratio)(row)).collect();
            let quotient = |of: fn(&Size) -> usize| {
                let [ours, theirs] =
                    [pairs.iter().map(|p| of(&p.0)).sum::<usize>(), pairs.iter().map(|p| of(&p.1)).sum()];
                ours as f64 / theirs as f64
            };
            match pairs.len() {
                0 => text.push_str(" – |"),
                _ => drop(write!(text, " {:.3} ({:.3}) |", quotient(|s| s.plain), quotient(|s| s.packed))),
            }
        }
        text.push('\n');
    }
    text
}

const DOCUMENT: &str = "\
# Size of WGSL

`cargo xtask wgsl-size --bless` writes this page. Each shader of the conformance corpus is written as WGSL by Planish at three levels, for people and
with `--minify`; by naga, which reads our text of `-O0` and writes it again; and by wgsl-minifier 0.7.0 from naga's text and from ours at `-Os`. All of ours is read again
by naga. {count} shaders are compared; {out} cannot be WGSL.

{table}
Quotients of the sums of bytes; in brackets those after `gzip -9`. The first six columns are over naga's text, the last three over wgsl-minifier's: our minified text of
the unoptimized module over its text of the same; our optimized and minified text over its text of the unoptimized module; and both minifiers on the same program, which our
optimizer has gone over.
";
