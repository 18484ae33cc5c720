//! Compiles every shader of some directories to GLSL of the same version (or of `--es N`, `--desktop N`), writes it to
//! `--out DIR`, and validates it with `glslangValidator`; or (`--draw`) reads it back and compares what both draw.
//!
//! `cargo run --release -p planish-back-glsl --example roundtrip -- [--out DIR] [--es 300] [--minify] [--draw] [--time] FILE-OR-DIR…`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use planish_back_glsl::{Options, Output, info};
use planish_eval::Limits;
use planish_eval::shade::{DrawOptions, draw};
use planish_front_glsl::{Options as FrontOptions, compile};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::{Language, Module, Stage};
use planish_ir::source::SourceMap;
use planish_opt::{Context, legalize};

/// Legalizes a copy of a module and writes it.
fn write(module: &Module, options: &Options) -> Result<Output, Vec<Diagnostic>> {
    let mut legal = module.clone();
    if let Some(info) = info(options.version, options.es) {
        legalize::run(&mut legal, &info, &mut Context::default())?;
    }
    planish_back_glsl::write(&legal, options)
}

#[derive(Default)]
struct Arguments {
    out: Option<PathBuf>,
    target: Option<(u16, bool)>,
    minify: bool,
    /// Compare pictures instead of asking glslangValidator.
    draw: bool,
    /// Measure instead.
    time: bool,
    inputs: Vec<PathBuf>,
}

fn main() {
    let mut arguments = Arguments::default();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|w| w.parse().ok()).unwrap_or(300);
        match word.as_str() {
            "--es" => arguments.target = Some((number(), true)),
            "--desktop" => arguments.target = Some((number(), false)),
            "--minify" => arguments.minify = true,
            "--draw" => arguments.draw = true,
            "--time" => arguments.time = true,
            "--out" => arguments.out = words.next().map(Into::into),
            _ => arguments.inputs.push(word.into()),
        }
    }
    let mut files = Vec::new();
    arguments.inputs.iter().for_each(|i| collect(i, &mut files));
    files.sort();
    if arguments.time {
        return measure(&files, &arguments);
    }
    let mut counts: BTreeMap<&'static str, u32> = BTreeMap::new();
    let mut reasons: BTreeMap<String, u32> = BTreeMap::new();
    for file in &files {
        let (verdict, reason) = one(file, &arguments);
        *counts.entry(verdict).or_default() += 1;
        if let Some(reason) = reason {
            println!("{}: {verdict}: {reason}", file.display());
            *reasons.entry(format!("{verdict}: {reason}")).or_default() += 1;
        }
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    println!("-- {} files", files.len());
    reasons.iter().take(40).for_each(|(reason, n)| println!("{n:5}  {reason}"));
    println!("{counts:?}");
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let Ok(entries) = std::fs::read_dir(path) else { return };
        entries.flatten().for_each(|e| collect(&e.path(), files));
    } else if stage_of(path).is_some() {
        files.push(path.into());
    }
}

fn stage_of(path: &Path) -> Option<(Stage, &'static str)> {
    Some(match path.extension()?.to_str()? {
        "vert" => (Stage::Vertex, "vert"),
        "frag" => (Stage::Fragment, "frag"),
        "comp" => (Stage::Compute, "comp"),
        _ => return None,
    })
}

fn one(file: &Path, arguments: &Arguments) -> (&'static str, Option<String>) {
    let Some((stage, extension)) = stage_of(file) else { return ("not a shader", None) };
    let Ok(text) = std::fs::read_to_string(file) else { return ("unreadable", None) };
    let mut map = SourceMap::new();
    let Ok(source) = map.add(file.to_string_lossy(), text) else { return ("too large", None) };
    let output = compile(&mut map, &source, &mut FrontOptions::new(stage));
    let errors = output.has_errors();
    let Some(module) = output.module.filter(|_| !errors) else {
        let first = output.diagnostics.iter().find(|d| d.is_error());
        return ("front", Some(first.map(|d| d.message.clone()).unwrap_or_default()));
    };
    let (version, es) = arguments.target.unwrap_or(match module.language {
        Language::Glsl { version, es } => (version, es),
        _ => (300, true),
    });
    let mut options = if es { Options::es(version) } else { Options::desktop(version) };
    options.minify = arguments.minify;
    options.stage = Some(stage);
    let written = match write(&module, &options) {
        Ok(written) => written,
        Err(errors) => return ("refused", errors.first().map(|e| e.message.clone())),
    };
    if arguments.draw {
        return compare(&module, &written.text, stage);
    }
    let out = arguments.out.clone().unwrap_or_else(std::env::temp_dir);
    let path = out.join(format!("{}.{extension}", file.file_stem().unwrap_or_default().to_string_lossy()));
    if std::fs::create_dir_all(&out).and_then(|()| std::fs::write(&path, &written.text)).is_err() {
        return ("unwritable", None);
    }
    match Command::new("glslangValidator").arg(&path).output() {
        Err(_) => ("written (no glslangValidator)", None),
        Ok(result) if result.status.success() => ("valid", None),
        Ok(result) => {
            let text = String::from_utf8_lossy(&result.stdout).into_owned();
            let line = text.lines().find(|l| l.starts_with("ERROR")).unwrap_or("").to_owned();
            let reason = line.splitn(4, ':').nth(3).unwrap_or(&line).trim().to_owned();
            ("invalid", Some(reason))
        }
    }
}

/// Best of five times to compile and to write each file, summed up.
fn measure(files: &[PathBuf], arguments: &Arguments) {
    let (mut reading, mut writing, mut bytes, mut count) = (Duration::ZERO, Duration::ZERO, 0, 0u32);
    for file in files {
        let (Some((stage, _)), Ok(text)) = (stage_of(file), std::fs::read_to_string(file)) else { continue };
        let mut best = [Duration::MAX; 2];
        for _ in 0..5 {
            let mut map = SourceMap::new();
            let Ok(source) = map.add("a", text.as_str()) else { return };
            let start = Instant::now();
            let output = compile(&mut map, &source, &mut FrontOptions::new(stage));
            best[0] = best[0].min(start.elapsed());
            let Some(module) = output.module else { continue };
            let Language::Glsl { version, es } = module.language else { continue };
            let (version, es) = arguments.target.unwrap_or((version, es));
            let options = Options { es, minify: arguments.minify, stage: Some(stage), ..Options::es(version) };
            let start = Instant::now();
            if let Ok(output) = write(&module, &options) {
                best[1] = best[1].min(start.elapsed());
                std::hint::black_box(output);
            }
        }
        if best[1] == Duration::MAX {
            continue;
        }
        reading += best[0];
        writing += best[1];
        bytes += text.len();
        count += 1;
    }
    let each = |d: Duration| d.as_secs_f64() * 1e6 / f64::from(count.max(1));
    println!("{count} shaders, {bytes} bytes: read {:.1} µs, write {:.1} µs a shader", each(reading), each(writing));
}

/// Draws a fragment shader before and after.
fn compare(before: &Module, text: &str, stage: Stage) -> (&'static str, Option<String>) {
    let mut map = SourceMap::new();
    let Ok(source) = map.add("written", text) else { return ("too large", None) };
    let output = compile(&mut map, &source, &mut FrontOptions::new(stage));
    let error = output.diagnostics.iter().find(|d| d.is_error()).map(|d| d.message.clone());
    let Some(after) = output.module.filter(|_| error.is_none()) else { return ("not read back", error) };
    if stage != Stage::Fragment {
        return ("read back", None);
    }
    let limits = Limits { steps: 3_000_000, ..Limits::default() };
    let options = DrawOptions { size: [8, 8], time: 1.25, threads: 1, limits, ..DrawOptions::default() };
    let expected = match draw(before, &options) {
        Ok(image) => image,
        Err(error) => return ("not drawn", Some(format!("{error:?}").chars().take(100).collect())),
    };
    match draw(&after, &options) {
        Err(error) => ("not drawn afterwards", Some(format!("{error:?}"))),
        Ok(image) => {
            let same = |a: &f32, b: &f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            let equal = expected.float.iter().flatten().zip(image.float.iter().flatten()).all(|(a, b)| same(a, b));
            let flat = expected.float.iter().all(|p| *p == expected.float[0]);
            match (equal, flat) {
                (false, _) => ("different", Some(String::new())),
                (true, true) => ("same, one colour", None),
                (true, false) => ("same", None),
            }
        }
    }
}
