//! `cargo xtask wasm`: every real module is read, verified, optimized, verified again and compiled to code, which is
//! checked; then modules that do not need a browser are run, and their results compared.

mod esbuild;
mod gojs;
mod host;
mod pictures;
mod programs;
mod sqlite;
mod tree_sitter;

use std::fs;
use std::process::ExitCode;
use std::time::Instant;

use planish_front_wasm::Options as ReadOptions;
use planish_ir::module::Module as IrModule;
use planish_ir::source::SourceMap;
use planish_ir::verify::verify;
use planish_opt::{Context, Options as PassOptions, pipeline, run_passes};
use planish_vm::{Engine, Module};

use crate::programs::{PROGRAMS, Program};

struct Options {
    only: Vec<String>,
    level: String,
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options { only: vec![], level: "2".into() };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("`{arg}` wants a value"));
        match arg.as_str() {
            "--only" => options.only.push(value()?),
            "--level" => options.level = value()?,
            _ => return Err(format!("`wasm` has no option `{arg}`")),
        }
    }
    match pipeline(&options.level) {
        Some(_) => Ok(options),
        None => Err(format!("there is no level {}", options.level)),
    }
}

fn main() -> ExitCode {
    let options = match parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("error: {why}");
            return ExitCode::from(2);
        }
    };
    let folder = xtask::wasm_folder().join("node_modules");
    let mut levels = vec!["0"];
    levels.extend(Some(options.level.as_str()).filter(|&level| level != "0"));
    let mut failed = false;
    for program in PROGRAMS {
        if !options.only.is_empty() && !options.only.iter().any(|part| program.path.contains(part.as_str())) {
            continue;
        }
        let wasm = match fs::read(folder.join(program.path)) {
            Ok(wasm) => wasm,
            Err(error) => {
                eprintln!("error: {}: {error}; `cargo xtask wasm` installs it", program.path);
                return ExitCode::from(2);
            }
        };
        println!("{} ({:.3} MB)", program.path, wasm.len() as f64 / 1e6);
        for level in &levels {
            let (summary, good) = match check(program, &wasm, level) {
                Ok(summary) => (summary, program.refused.is_none()),
                Err(why) => (why.clone(), program.refused.is_some_and(|expected| why.contains(expected))),
            };
            failed |= !good;
            println!("  -O{level} {}: {summary}", if good { "good" } else { "BAD" });
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Takes one module through all steps; returns a summary, or the error.
fn check(program: &Program, wasm: &[u8], level: &str) -> Result<String, String> {
    let mut clock = Instant::now();
    let mut lap = || {
        let seconds = clock.elapsed().as_secs_f64();
        clock = Instant::now();
        seconds
    };
    let mut module = read(wasm)?;
    let read = lap();
    valid(&module, "as it is read")?;
    lap();
    let functions = module.funcs.values().filter(|f| f.body.is_some()).count();
    let mut summary = format!("{functions} functions, read in {read:.2} s");
    if level != "0" {
        let passes = pipeline(level).ok_or("no such level")?;
        run_passes(&mut module, &passes, &mut Context::new(PassOptions::default()), &mut |_, _| {});
        summary += &format!(", optimized in {:.2} s", lap());
        valid(&module, "when it is optimized")?;
        lap();
    }
    let engine = Engine::default();
    let module = Module::new(&engine, module).map_err(|e| e.to_string())?;
    let checked = module.check().map_err(|problems| format!("the code is wrong: {problems}"))?;
    summary += &format!(", {checked} checked in {:.2} s", lap());
    module.compile_all().map_err(|e| e.to_string())?;
    summary += &format!(", code in {:.2} s", lap());
    if let Some(run) = program.run {
        let gave = run(&engine, &module)?;
        summary += &format!("; {gave} in {:.2} s", lap());
    }
    Ok(summary)
}

fn read(wasm: &[u8]) -> Result<IrModule, String> {
    let file = SourceMap::new().add_binary("a.wasm", wasm.len()).map_err(|_| "too large")?;
    match planish_front_wasm::translate(&file, wasm, &ReadOptions::default()) {
        Ok((module, _)) => Ok(module),
        Err(errors) => Err(format!("{} errors, the first: {}", errors.len(), errors[0].message)),
    }
}

fn valid(module: &IrModule, when: &str) -> Result<(), String> {
    let errors = verify(module);
    match errors.first() {
        Some(error) => Err(format!("{when}: {} errors of the verifier, the first: {error:?}", errors.len())),
        None => Ok(()),
    }
}
