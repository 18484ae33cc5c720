//! `cargo xtask size`: the size of our output for a shader, against that of `spirv-opt` for the same one.

mod peer;
mod show;
mod table;
mod time;
mod words;

use planish::module::Module;
use planish::{EmitOptions, Target};
use xtask::corpus::Program;
use xtask::{Failure, pool};

use crate::options::Options;
use crate::subject::{self, PATIENCE};
pub(crate) use peer::{file, glslang, spirv_opt, tools, twin};

use peer::Peer;
pub(crate) use table::is_peers;
pub(crate) use words::{Counts, count};

/// The result of one program.
struct Row {
    program: Program,
    /// Sizes of the peer's output.
    peer: Peer,
    /// Sizes of our output at the two levels, and at that for speed with `--fast-math`.
    ours: [Counts; 3],
    /// Bytes of GLSL.
    glsl: Bytes,
}

/// Bytes of a program as GLSL of the version that it came in.
#[derive(Clone, Copy, Default)]
struct Bytes {
    source: usize,
    /// Not optimized, with short names and no spaces.
    minified: usize,
    /// At the two levels.
    plain: [usize; 2],
    /// At the two levels, with short names and no spaces.
    small: [usize; 2],
}

/// The whole run. Ends in `Broken` if an output is invalid.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let tools = tools().map_err(Failure::Missing)?;
    let programs = subject::programs(options)?;
    if options.show {
        return show::show(&programs);
    }
    if options.time {
        return time::run(&programs, &tools, options);
    }
    let outcomes = pool::run(&programs, options.jobs, PATIENCE, Program::name, |program| {
        pool::guarded(|| check(program, &tools)).unwrap_or_else(|panic| Err(format!("panic: {panic}")))
    });
    let (mut rows, mut failures) = (vec![], vec![]);
    for (program, result) in programs.iter().zip(outcomes) {
        match result {
            Ok(row) => rows.push(row),
            Err(why) => failures.push((program.name(), why)),
        }
    }
    let report = table::Report { rows: &rows, failures: &failures, tools: &tools };
    print!("{}", report.summary());
    let list = xtask::conformance_folder().join("size/worse.txt");
    std::fs::create_dir_all(list.parent().expect("a file in a folder"))?;
    std::fs::write(&list, report.worse())?;
    println!("\nevery shader that is larger: {}", list.display());
    if options.bless {
        std::fs::write(xtask::root().join("docs/size.md"), report.document())?;
    }
    // Programs that the peer cannot read do not count.
    let ours: Vec<_> = failures.iter().filter(|(_, why)| !is_peers(why)).collect();
    for (name, why) in &ours {
        eprintln!("error: {name}: {why}");
    }
    if ours.is_empty() { Ok(()) } else { Err(Failure::Broken(format!("{} programs have no valid output", ours.len()))) }
}

fn check(program: &Program, tools: &str) -> Result<Row, String> {
    let (module, source) = subject::compile(program)?;
    let peer = peer::peer(program, &module, tools)?;
    let mut glsl = Bytes { source, minified: glsl_bytes(&module, true)?, ..Bytes::default() };
    let mut ours = [Counts::default(); 3];
    for (i, level) in subject::levels().into_iter().enumerate() {
        let optimized = subject::optimized(&module, level);
        ours[i] = spirv(program, &optimized, level)?;
        glsl.plain[i] = glsl_bytes(&optimized, false)?;
        glsl.small[i] = glsl_bytes(&optimized, true)?;
    }
    let mut fast = subject::optimizer(subject::levels()[0]);
    fast.options.fast_math = true;
    let mut optimized = module.clone();
    fast.run(&mut optimized, &mut |_, _| {});
    ours[2] = spirv(program, &optimized, "fast")?;
    Ok(Row { program: program.clone(), peer, ours, glsl })
}

/// Writes, validates and counts a module.
fn spirv(program: &Program, module: &Module, level: &str) -> Result<Counts, String> {
    let bytes = subject::write(module, Target::Spirv, &EmitOptions::default())?;
    validated(program, &format!("planish-O{level}.spv"), &bytes).map_err(|why| format!("-O{level}: {why}"))?;
    count(&bytes)
}

/// Asks spirv-val about bytes, in a file with this extension.
pub(crate) fn validated(program: &Program, extension: &str, bytes: &[u8]) -> Result<(), String> {
    let file = file(program, extension);
    std::fs::create_dir_all(file.parent().expect("a file in a folder")).map_err(|e| e.to_string())?;
    std::fs::write(&file, bytes).map_err(|e| e.to_string())?;
    let valid = peer::validate(&file);
    std::fs::remove_file(&file).map_err(|e| e.to_string())?;
    valid
}

fn glsl_bytes(module: &Module, minify: bool) -> Result<usize, String> {
    subject::write(module, Target::Glsl, &EmitOptions { minify, ..EmitOptions::default() }).map(|bytes| bytes.len())
}
