//! `cargo xtask spirv`: binaries that glslang and spirv-opt wrote of the corpus, through Planish and back.
//!
//! For each program glslang writes three binaries: with debug information, and after `spirv-opt -O` and `-Os`. Each is read; all that is
//! written of it, at `-O0`, `-O2` and `-Os`, is valid, and draws the same picture when it is read again. What is read from the first draws
//! the picture of the GLSL that it came from.

use std::fmt::Write as _;

use planish::ir::function::Body;
use planish::ir::ops::Op;
use planish::ir::types::Scalar;
use planish::module::Module;
use planish::render::short;
use planish::{Compiler, EmitOptions, Target};
use xtask::corpus::Program;
use xtask::{Failure, pool};

use crate::meaning::{Expected, pictures_of};
use crate::options::Options;
use crate::size::{self, Counts, count, file, glslang, spirv_opt, twin};
use crate::subject::{self, PATIENCE};

/// Versions of Vulkan for which glslang writes, in turn.
const ENVIRONMENTS: [&str; 4] = ["vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3"];
/// Most of a number by which two compilers may differ: glslang computes constants itself.
const TOLERANCE: f32 = 1e-3;
/// Number of faults shown; all are in a file.
const SHOWN: usize = 20;

/// A binary of a program.
const FORMS: [&str; 3] = ["glslang -g", "spirv-opt -O", "spirv-opt -Os"];

/// Comparison of a picture from SPIR-V with that from GLSL.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Likeness {
    Bits,
    Close,
    Other,
    /// Another picture, of a program with remainders of signed integers, which GLSL leaves undefined where one is negative: glslang rounds the
    /// quotient down, we do so towards zero.
    Undefined,
    /// One of the two is not drawn.
    Unknown,
}

/// Results of a program.
struct Row {
    package: String,
    /// By form: whether it is read.
    read: [bool; 3],
    likeness: Likeness,
    /// Instructions in bodies: ours at `-O2` from the first form, and the fewest of spirv-opt.
    sizes: Option<[u32; 2]>,
    faults: Vec<String>,
}

/// The whole run. Ends in `Broken` if a binary is refused, or something written of it is invalid or means something else.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    size::tools().map_err(Failure::Missing)?;
    let programs: Vec<(usize, Program)> = subject::programs(options)?.into_iter().enumerate().collect();
    let name = |(_, program): &(usize, Program)| program.name();
    let outcomes = pool::run(&programs, options.jobs, PATIENCE, name, |(number, program)| {
        let environment = ENVIRONMENTS[number % ENVIRONMENTS.len()];
        pool::guarded(|| check(program, environment)).unwrap_or_else(|panic| Err(format!("panic: {panic}")))
    });
    let (mut rows, mut faults, mut left_out) = (vec![], String::new(), 0);
    for ((_, program), outcome) in programs.iter().zip(outcomes) {
        match outcome {
            Ok(row) => {
                for fault in &row.faults {
                    let _ = writeln!(faults, "{}: {fault}", program.name());
                }
                rows.push(row);
            }
            // (glslang or spirv-opt do not take it.)
            Err(why) if size::is_peers(&why) => left_out += 1,
            Err(why) => {
                let _ = writeln!(faults, "{}: {why}", program.name());
            }
        }
    }
    let table = table(&rows);
    println!("{table}\n{} programs, {left_out} that glslang or spirv-opt do not take", rows.len());
    let list = xtask::conformance_folder().join("spirv-faults.txt");
    std::fs::write(&list, &faults)?;
    if options.bless {
        let document = DOCUMENT.replace("{count}", &rows.len().to_string()).replace("{table}", &table);
        std::fs::write(xtask::root().join("docs/spirv-corpus.md"), document.replace("{out}", &left_out.to_string()))?;
    }
    faults.lines().take(SHOWN).for_each(|fault| eprintln!("error: {fault}"));
    match faults.lines().count() {
        0 => Ok(()),
        n => Err(Failure::Broken(format!("{n} faults; all of them: {}", list.display()))),
    }
}

fn check(program: &Program, environment: &str) -> Result<Row, String> {
    let (from_glsl, _) = subject::compile(program)?;
    let path = |end: &str| file(program, &format!("spirv-{end}"));
    let (source, paths) = (path("450.glsl"), ["g.spv", "O.spv", "Os.spv"].map(path));
    std::fs::create_dir_all(source.parent().expect("a file in a folder")).map_err(|e| e.to_string())?;
    std::fs::write(&source, twin(&from_glsl)?).map_err(|e| e.to_string())?;
    let made = glslang(&program.stage, &["-g", "--target-env", environment], &source, &paths[0])
        .and_then(|()| spirv_opt(&paths[0], &["-O"], &paths[1]))
        .and_then(|()| spirv_opt(&paths[0], &["-Os"], &paths[2]));
    let binaries = made.and_then(|()| {
        let read = |path: &std::path::PathBuf| std::fs::read(path).map_err(|e| e.to_string());
        paths.iter().map(read).collect::<Result<Vec<_>, _>>()
    });
    for path in paths.iter().chain([&source]) {
        // (Not all of them were made if a tool has failed.)
        let _ = std::fs::remove_file(path);
    }
    let binaries = binaries?;
    let mut row = Row {
        package: program.package.clone(),
        read: [false; 3],
        likeness: Likeness::Unknown,
        sizes: None,
        faults: vec![],
    };
    let mut ours = None;
    for (form, binary) in binaries.iter().enumerate() {
        let module = match read(binary) {
            Ok(module) => module,
            Err(why) => {
                row.faults.push(format!("{}: refused: {why}", FORMS[form]));
                continue;
            }
        };
        row.read[form] = true;
        if form == 0 {
            row.likeness = compare(&from_glsl, &module);
            if row.likeness == Likeness::Other {
                row.faults.push("the picture is not that of the GLSL".to_owned());
            }
        }
        match through(program, &module) {
            Ok(counts) => ours = ours.or(Some(counts.body)),
            Err(why) => row.faults.push(format!("{}: {why}", FORMS[form])),
        }
    }
    let peer = count(&binaries[1])?.body.min(count(&binaries[2])?.body);
    row.sizes = ours.map(|ours| [ours, peer]);
    Ok(row)
}

/// A binary as a module whose rows of pixels are counted as in GLSL.
fn read(binary: &[u8]) -> Result<Module, String> {
    let mut compiler = Compiler::default();
    let compilation = compiler.compile("binary.spv", binary);
    let error = compilation.diagnostics.iter().find(|d| d.is_error()).map(|d| short(d, &compiler.map));
    let mut module = compilation.module.ok_or_else(|| error.unwrap_or_else(|| "there is no module".into()))?;
    module.entry_points.iter_mut().for_each(|entry| entry.properties.origin_upper_left = false);
    Ok(module)
}

/// Writes a module at each level, asks spirv-val, and reads it again. The counts at the level for speed.
fn through(program: &Program, module: &Module) -> Result<Counts, String> {
    let mut expected = Expected::of(module).ok();
    let [speed, size] = subject::levels();
    let mut counts = Counts::default();
    for level in ["0", size, speed] {
        let optimized = if level == "0" { module.clone() } else { subject::optimized(module, level) };
        let at = |why: String| format!("-O{level}: {why}");
        let bytes = subject::write(&optimized, Target::Spirv, &EmitOptions::default()).map_err(at)?;
        size::validated(program, "spirv-written.spv", &bytes).map_err(at)?;
        let again = read(&bytes).map_err(|why| at(format!("what is written is not read: {why}")))?;
        for (what, module) in [("optimized", &optimized), ("read again", &again)] {
            if let Some(why) = expected.as_mut().and_then(|expected| expected.compare(module)) {
                return Err(at(format!("{what}: {why}")));
            }
        }
        counts = count(&bytes)?;
    }
    Ok(counts)
}

fn compare(from_glsl: &Module, from_spirv: &Module) -> Likeness {
    let Ok([a, b]) = pictures_of(from_glsl, from_spirv) else { return Likeness::Unknown };
    let is_close = |(a, b): (&u64, &u64)| {
        let [x, y] = [a, b].map(|&bits| f32::from_bits(bits as u32));
        a == b || (x - y).abs() <= TOLERANCE * x.abs().max(y.abs()).max(1.0)
    };
    match a.len() == b.len() {
        true if a == b => Likeness::Bits,
        true if a.iter().zip(&b).all(is_close) => Likeness::Close,
        _ if has_remainders(from_glsl) => Likeness::Undefined,
        _ => Likeness::Other,
    }
}

/// Whether remainders of signed integers are computed.
fn has_remainders(module: &Module) -> bool {
    let bodies = module.funcs.values().filter_map(|f| f.body.as_ref());
    let is_signed = |body: &Body, node| {
        let ty = body.result(node).map(|result| body.local_type(result));
        ty.and_then(|ty| module.types.scalar_of(ty)) == Some(Scalar::I32)
    };
    bodies.into_iter().any(|body| body.nodes().any(|(node, data)| data.op == Op::Remainder && is_signed(body, node)))
}

fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| package | programs | `-g` read | `-O` read | `-Os` read | same bits as GLSL | close | undefined | other | instructions, of spirv-opt's |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut groups: Vec<(&str, Vec<&Row>)> =
        rows.chunk_by(|a, b| a.package == b.package).map(|rows| (&*rows[0].package, rows.iter().collect())).collect();
    groups.push(("**all**", rows.iter().collect()));
    for (name, rows) in groups {
        let read = |form: usize| rows.iter().filter(|row| row.read[form]).count();
        let like = |wanted: Likeness| rows.iter().filter(|row| row.likeness == wanted).count();
        let sum = |side: usize| rows.iter().filter_map(|row| Some(row.sizes?[side])).sum::<u32>();
        let [g, speed, size] = [0, 1, 2].map(read);
        let [bits, close, undefined, other] =
            [Likeness::Bits, Likeness::Close, Likeness::Undefined, Likeness::Other].map(like);
        let ratio = f64::from(sum(0)) / f64::from(sum(1));
        let _ = writeln!(
            text,
            "| {name} | {} | {g} | {speed} | {size} | {bits} | {close} | {undefined} | {other} | {ratio:.3} |",
            rows.len()
        );
    }
    text
}

const DOCUMENT: &str = "\
# SPIR-V of other compilers

`cargo xtask spirv --bless` writes this page. glslang compiles each program of the conformance corpus (as GLSL 4.50, which Planish writes of it
unoptimized) with `-g`, for Vulkan 1.0 to 1.3 in turn; spirv-opt optimizes the result with `-O` and with `-Os`. Planish reads all three. What it writes of each at `-O0`, `-Os`
and `-O2` is valid by spirv-val, draws the same picture, bit by bit, and does so when it is read again. {count} programs; {out} are not taken by glslang or spirv-opt.

{table}
The pictures in the middle are of the first binary, beside those of the GLSL: glslang computes constant expressions itself, so some may differ in the
last place; remainders of negative integers are undefined in GLSL, and glslang takes others than we do. Programs that are in none of the four columns do not
run within the limit of steps. Instructions are those in bodies, ours at `-O2` over the fewer of `-O` and `-Os`.
";
