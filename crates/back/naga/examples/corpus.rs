//! Drives shaders through the GLSL front end and every output, and counts what comes out valid.
//!
//! `cargo run --release -p planish-back-naga --example corpus -- [--limit N] [--wgsl-only] [--no-check] [--out DIR] [--show] FILE|DIR...`
//!
//! WGSL is read back by naga and validated; with `--out DIR` text and words are written there, for `tint` and `spirv-val`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use planish_back_naga::{Options, Target, lower, reflect, write_spirv, write_wgsl};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::{Module, Stage};
use planish_ir::source::SourceMap;

/// Whether WGSL is read back. naga's reader takes time in the square of a function's length.
static CHECK: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(true);

#[derive(Default)]
struct Tally {
    ok: BTreeMap<&'static str, usize>,
    bad: BTreeMap<String, (usize, String)>,
    files: usize,
    accepted: usize,
    time: BTreeMap<&'static str, Duration>,
}

impl Tally {
    fn fail(&mut self, what: &str, message: &str, file: &Path) {
        let entry = self.bad.entry(format!("{what}: {message}")).or_insert((0, file.display().to_string()));
        entry.0 += 1;
    }

    fn diagnostics(&mut self, what: &str, errors: &[Diagnostic], file: &Path) {
        for e in errors.iter().take(1) {
            self.fail(what, &format!("{} {} {}", e.code, e.message, e.notes.join("; ")), file);
        }
    }
}

fn main() {
    let mut files = vec![];
    let (mut spirv, mut show, mut wgsl_only, mut limit) = (None, false, false, usize::MAX);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match &*arg {
            "--out" => spirv = args.next().map(PathBuf::from),
            "--show" => show = true,
            "--wgsl-only" => wgsl_only = true,
            "--no-check" => CHECK.store(false, std::sync::atomic::Ordering::Relaxed),
            "--limit" => limit = args.next().and_then(|n| n.parse().ok()).unwrap_or(limit),
            path => collect(Path::new(path), &mut files),
        }
    }
    files.sort();
    // Spread over the whole corpus.
    let step = (files.len() / limit.max(1)).max(1);
    let mut tally = Tally::default();
    for file in files.iter().step_by(step) {
        one(file, &mut tally, spirv.as_deref(), show, wgsl_only);
    }
    println!("{} files, {} accepted, to lower, write and read back: {:?}", tally.files, tally.accepted, tally.time);
    for (what, n) in &tally.ok {
        println!("{what}: {n} valid, {:.2} %", *n as f64 * 100.0 / tally.accepted.max(1) as f64);
    }
    let mut bad: Vec<_> = tally.bad.into_iter().collect();
    bad.sort_by_key(|(_, (n, _))| std::cmp::Reverse(*n));
    for (message, (n, file)) in bad {
        println!("{n:5} {message}\n      {file}");
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            collect(&entry.path(), files);
        }
    } else if matches!(path.extension().and_then(|e| e.to_str()), Some("vert" | "frag" | "comp")) {
        files.push(path.to_path_buf());
    }
}

fn one(file: &Path, tally: &mut Tally, spirv: Option<&Path>, show: bool, wgsl_only: bool) {
    let Ok(text) = std::fs::read_to_string(file) else { return };
    let stage = match file.extension().and_then(|e| e.to_str()) {
        Some("vert") => Stage::Vertex,
        Some("comp") => Stage::Compute,
        _ => Stage::Fragment,
    };
    tally.files += 1;
    let mut map = SourceMap::new();
    let source = map.add(file.display().to_string(), text).expect("small");
    let output = planish_front_glsl::compile(&mut map, &source, &mut planish_front_glsl::Options::new(stage));
    let Some(module) = output.module.filter(|_| !output.diagnostics.iter().any(Diagnostic::is_error)) else {
        let errors: Vec<_> = output.diagnostics.iter().filter(|d| d.is_error()).cloned().collect();
        tally.diagnostics("front", &errors, file);
        return;
    };
    tally.accepted += 1;
    for target in [Target::Wgsl, Target::Spirv] {
        if wgsl_only && target != Target::Wgsl {
            continue;
        }
        let before = Instant::now();
        emit(&module, target, tally, spirv, file, show);
        *tally.time.entry(target.name()).or_default() += before.elapsed();
    }
    if let Err(errors) = reflect(&module, &planish_back_naga::Numbering::default()) {
        tally.diagnostics("reflect", &errors, file);
    }
}

fn emit(module: &Module, target: Target, tally: &mut Tally, spirv: Option<&Path>, file: &Path, show: bool) {
    let options = Options { point_coord_is_centre: true, ..Options::new(target) };
    let lowered = match lower(module, &options) {
        Ok(lowered) => lowered,
        Err(errors) => return tally.diagnostics(target.name(), &errors, file),
    };
    let result = match target {
        Target::Wgsl => write_wgsl(&lowered).and_then(|text| {
            if let Some(dir) = spirv {
                std::fs::write(dir.join(flat_name(file) + ".wgsl"), &text).expect("written");
            }
            if show {
                println!("{text}");
            }
            match check_wgsl(&text) {
                Ok(()) => Ok(()),
                Err(message) => {
                    tally.fail("WGSL read back", &message, file);
                    Err(vec![])
                }
            }
        }),
        Target::Spirv => write_spirv(&lowered).map(|words| {
            if let Some(dir) = spirv {
                let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                std::fs::write(dir.join(flat_name(file) + ".spv"), bytes).expect("written");
            }
        }),
    };
    match result {
        Ok(()) => *tally.ok.entry(target.name()).or_default() += 1,
        Err(errors) => tally.diagnostics(target.name(), &errors, file),
    }
}

fn flat_name(file: &Path) -> String {
    file.display().to_string().chars().map(|c| if c == '/' { '_' } else { c }).collect()
}

fn check_wgsl(text: &str) -> Result<(), String> {
    if !CHECK.load(std::sync::atomic::Ordering::Relaxed) {
        return Ok(());
    }
    let module = naga::front::wgsl::parse_str(text).map_err(|e| e.message().to_string())?;
    use naga::valid::Capabilities as C;
    let allowed = C::default() | C::CLIP_DISTANCES | C::DUAL_SOURCE_BLENDING | C::SHADER_FLOAT16_IN_FLOAT32;
    let flags = naga::valid::ValidationFlags::all();
    match naga::valid::Validator::new(flags, allowed).validate(&module) {
        Ok(_) => Ok(()),
        Err(e) => {
            let mut message = e.as_inner().to_string();
            let mut source = std::error::Error::source(e.as_inner());
            while let Some(s) = source {
                message = format!("{message}: {s}");
                source = s.source();
            }
            Err(message)
        }
    }
}
