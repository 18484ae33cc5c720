//! Functions that are written as Metal are compiled as C++ (clang, with the header in `xtask/msl/shim` for the library), with the sanitizer
//! that finds undefined behaviour, and give the evaluator's bits: random programs, and every op on values.
//!
//! Usage: `msl-check FOLDER [LIST [--shaders]]` with a folder for the output, and a list of shaders that clang reads besides, or alone. Exit 0: all agree; 1: something does not; 2: there is no clang.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use planish_back_msl::{Options, scalar_name, write};
use planish_eval::{EvalValue, Evaluator, Limits};
use planish_generate::Choices;
use planish_ir::arena::Id;
use planish_ir::decoration::Name;
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Func, Type};
use planish_ir::meaning::Shape as _;
use planish_ir::module::{EntryPoint, Language, Module, StageProperties};
use planish_ir::ops::{Class, OPS, Op};
use planish_ir::types::{Scalar, TypeKind};
use planish_opt::{Context, Goal, legalize, pipeline, run_passes};
use planish_testkit::op_cases::{self, Case};
use planish_testkit::random_programs;

/// Calls of each function.
const TIMES: usize = 4;

/// Shaders that are read at once.
const SHADERS: usize = 50;

/// Types of each op.
const MOST_CASES: usize = 5;

/// Greatest difference of an elementary function, in units in the last place: it is computed by another library.
const TOLERANCE: i64 = 4;

/// Result of a call.
struct Want {
    /// The call, for messages.
    call: String,
    words: Vec<u64>,
    /// Whether floats may differ a little.
    about: bool,
}

/// Programs that are compiled together.
#[derive(Default)]
struct Batch {
    text: String,
    calls: Vec<String>,
    want: Vec<Want>,
    programs: usize,
    refused: Vec<String>,
}

impl Batch {
    /// Adds a module and calls of its functions.
    fn add(&mut self, module: &Module, calls: &[(Func, Vec<EvalValue>)]) {
        let mut named = module.clone();
        named.entry_points.clear();
        let funcs: Vec<Func> = named.funcs.iter().filter(|(_, f)| f.body.is_some()).map(|(func, _)| func).collect();
        for func in funcs {
            let name = format!("f{}", func.index());
            named.funcs[func].name = Name::temporary(name.as_str());
            let properties = StageProperties::default();
            named.entry_points.push(EntryPoint { names: vec![name.into()], func, stage: None, properties });
        }
        let text = match written(&mut named) {
            Ok(text) => text,
            Err(errors) => {
                self.refused.push(errors[0].message.clone());
                return;
            }
        };
        let program = format!("p{}", self.programs);
        self.programs += 1;
        let _ = writeln!(self.text, "namespace {program} {{ using namespace metal;\n{}\n}}", as_cpp(&text));
        let limits = Limits { steps: 200_000, depth: 500, ..Limits::default() };
        let Ok(mut evaluator) = Evaluator::new(module, limits) else { return };
        for (func, args) in calls {
            let Ok(results) = evaluator.call(*func, args) else { continue };
            let types = || args.iter().chain(&results).map(|v| v.ty);
            if types().any(|ty| !is_plain(module, ty)) {
                continue;
            }
            let given: Vec<String> =
                args.iter().map(|arg| value(module, arg.ty, &mut arg.bits.iter().copied())).collect();
            let call = format!("{program}::f{}({})", func.index(), given.join(", "));
            let mut line = format!("{{ auto r = {call}; ");
            for i in 0..results.len() {
                let part = if results.len() == 1 { "r".into() } else { format!("r.r{i}") };
                let _ = write!(line, "show({part}); ");
            }
            if results.is_empty() {
                continue;
            }
            self.calls.push(line + "end(); }");
            let words = results.iter().flat_map(|v| canonical(module, v)).collect();
            let about = module.funcs.values().filter_map(|f| f.body.as_ref()).any(|body| {
                body.nodes().any(|(_, data)| data.op.is_transcendental() || data.op.info().class == Class::BuiltIn)
            });
            self.want.push(Want { call, words, about });
        }
    }

    /// Compiles and runs all programs; the differences.
    fn check(&self, name: &str, folder: &Path, shim: &Path) -> Result<Vec<String>, String> {
        let mut text = String::from("#include \"metal_stdlib\"\n#include \"show.h\"\n");
        text.push_str(&self.text);
        let mut main = String::new();
        for (i, chunk) in self.calls.chunks(100).enumerate() {
            let _ = writeln!(text, "static void calls_{i}() {{\n{}\n}}", chunk.join("\n"));
            let _ = writeln!(main, "calls_{i}();");
        }
        let _ = writeln!(text, "int main() {{\n{main}}}");
        let (file, program) = (folder.join(format!("{name}.cpp")), folder.join(name));
        std::fs::write(&file, text).map_err(|e| e.to_string())?;
        let mut clang = Command::new("clang++");
        clang.args(["-std=c++17", "-O0", "-ffp-contract=off", "-fsanitize=undefined,float-cast-overflow"]);
        clang.args(["-fsanitize-trap=all", "-Wno-everything", "-I"]).arg(shim).arg(&file).arg("-o").arg(&program);
        let output = clang.output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(errors.lines().take(60).collect::<Vec<_>>().join("\n"));
        }
        let output = Command::new(&program).output().map_err(|e| e.to_string())?;
        let got = String::from_utf8_lossy(&output.stdout).into_owned();
        let got: Vec<&str> = got.lines().collect();
        let mut wrong = vec![];
        for (want, got) in self.want.iter().zip(&got) {
            let words: Vec<u64> = got.split_whitespace().map(|w| u64::from_str_radix(w, 16).unwrap_or(1)).collect();
            if !agree(want, &words) {
                wrong.push(format!("{}: {:x?}, not {:x?}", want.call, words, want.words));
            }
        }
        if got.len() != self.want.len() {
            let call = self.want.get(got.len()).map_or("", |w| &w.call);
            wrong.push(format!("the program ended in {call}: undefined behaviour ({})", output.status));
        }
        Ok(wrong)
    }
}

fn agree(want: &Want, got: &[u64]) -> bool {
    let near = |(&a, &b): (&u64, &u64)| {
        let order = |bits: u64| if bits >> 31 == 1 { -((bits & 0x7fff_ffff) as i64) } else { bits as i64 };
        a == b || want.about && (order(a) - order(b)).abs() <= TOLERANCE
    };
    want.words.len() == got.len() && want.words.iter().zip(got).all(near)
}

fn written(module: &mut Module) -> Result<String, Vec<Diagnostic>> {
    legalize::run(module, &planish_back_msl::info(), &mut Context::default())?;
    Ok(write(module, &Options::default())?.text)
}

/// Metal as C++: floats have a suffix, as literals without one are doubles there.
fn as_cpp(text: &str) -> String {
    let text = text.replace("#include <metal_stdlib>\nusing namespace metal;\n", "");
    // Constants of the host are zero.
    let mut text = text;
    while let Some(at) = text.find("[[function_constant(") {
        let end = text[at..].find("]]").map_or(text.len(), |n| at + n + 2);
        text.replace_range(at..end, "= 0");
    }
    let mut out = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let start = at;
        let is_number =
            bytes[at].is_ascii_digit() || bytes[at] == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        if !is_number {
            at += 1;
            while is_word(bytes[start]) && at < bytes.len() && is_word(bytes[at]) {
                at += 1;
            }
            let word = &text[start..at];
            let is_swizzle = (2..=4).contains(&word.len()) && word.bytes().all(|b| b"xyzw".contains(&b));
            // Components that are read are a vector; those that are assigned are memory.
            if is_swizzle && out.ends_with('.') && !is_assigned(&text[at..]) {
                let _ = write!(out, "get_{word}()");
            } else {
                out.push_str(word);
            }
            continue;
        }
        let is_hex = text[at..].starts_with("0x");
        while at < bytes.len() {
            let is_exponent_sign = !is_hex && matches!(bytes[at], b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E');
            if !(is_word(bytes[at]) || bytes[at] == b'.' || is_exponent_sign && at > start) {
                break;
            }
            at += 1;
        }
        let number = &text[start..at];
        out.push_str(number);
        if !is_hex && number.contains(['.', 'e']) && !number.ends_with('h') {
            out.push('f');
        }
    }
    out
}

/// Whether an assignment follows.
fn is_assigned(rest: &str) -> bool {
    let rest = rest.trim_start();
    let operator = rest.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']);
    operator.starts_with('=') && !operator.starts_with("==") && !["<=", ">="].iter().any(|op| rest.starts_with(op))
}

fn is_plain(module: &Module, ty: Type) -> bool {
    match module.types[ty] {
        TypeKind::Scalar(s) | TypeKind::Vector(s, _) | TypeKind::Matrix { scalar: s, .. } => {
            matches!(s, Scalar::Bool | Scalar::F32) || s.is_integer()
        }
        TypeKind::Array { element, .. } => is_plain(module, element),
        _ => false,
    }
}

/// A value as an expression of C++.
fn value(module: &Module, ty: Type, words: &mut dyn Iterator<Item = u64>) -> String {
    let scalar = |of: Scalar, word: u64| match of {
        Scalar::Bool => (word != 0).to_string(),
        Scalar::F32 => format!("as_float({:#x}u)", word as u32),
        Scalar::U32 => format!("{}u", word as u32),
        _ => format!("{}({word:#x}ul)", scalar_name(of)),
    };
    let mut list =
        |of: Scalar, n: u8| -> Vec<String> { (0..n).map(|_| scalar(of, words.next().unwrap_or(0))).collect() };
    match module.types[ty] {
        TypeKind::Scalar(of) => list(of, 1).remove(0),
        TypeKind::Vector(of, n) => format!("metal::{}{n}({})", scalar_name(of), list(of, n).join(", ")),
        TypeKind::Matrix { scalar: of, columns, rows } => {
            let parts: Vec<String> =
                (0..columns).map(|_| format!("metal::float{rows}({})", list(of, rows).join(", "))).collect();
            format!("metal::float{columns}x{rows}({})", parts.join(", "))
        }
        TypeKind::Array { element, len } => {
            let parts: Vec<String> = (0..len).map(|_| value(module, element, words)).collect();
            format!("{{{{{}}}}}", parts.join(", "))
        }
        _ => "0".into(),
    }
}

/// The words of a value, with one NaN.
fn canonical(module: &Module, value: &EvalValue) -> Vec<u64> {
    let mut scalars = Vec::new();
    module.types.for_each_run(value.ty, &mut |scalar, n| scalars.extend(std::iter::repeat_n(scalar, n)));
    let word = |(&bits, scalar): (&u64, Scalar)| match scalar {
        Scalar::F32 if f32::from_bits(bits as u32).is_nan() => 0x7fc0_0000,
        _ => bits & u64::MAX >> (64 - scalar.bits()),
    };
    value.bits.iter().zip(scalars).map(word).collect()
}

fn optimized(module: &mut Module, level: &str) {
    let goal = if level == "s" { Goal::Size } else { Goal::Speed };
    let options = planish_opt::Options { goal, ..planish_opt::Options::default() };
    run_passes(module, &pipeline(level).unwrap_or_default(), &mut Context::new(options), &mut |_, _| {});
}

fn ops() -> Batch {
    batch_of(&|module, op| op_cases::cases_of(module, &|other| other == op))
}

/// Every op on integers of 8 and 16 bits.
fn small_ops() -> Batch {
    let small = [Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U16];
    batch_of(&|module, op| op_cases::small_cases_of(module, &small, &|other| other == op))
}

/// Some of the cases that `of` has of each op.
fn batch_of(of: &dyn Fn(&mut Module, Op) -> Vec<Case>) -> Batch {
    let mut batch = Batch::default();
    for info in OPS.iter().filter(|info| info.class != Class::Simd) {
        let mut module = Module::new(Language::Ir);
        let cases = of(&mut module, info.op);
        // One module a case: another may be of types that Metal lacks.
        for case in cases.iter().step_by(cases.len().div_ceil(MOST_CASES).max(1)) {
            let mut module = Module::new(Language::Ir);
            let all = of(&mut module, info.op);
            let Some(at) = all.iter().position(|c| c.func == case.func) else { continue };
            let questions = op_cases::questions(&module, &all[at..=at], TIMES);
            let calls: Vec<_> = questions.into_iter().map(|q| (case.func, q.args)).collect();
            let others: Vec<Func> = module.funcs.keys().filter(|&func| func != case.func).collect();
            others.into_iter().for_each(|func| module.funcs[func].body = None);
            batch.add(&module, &calls);
        }
    }
    batch
}

/// Numbers of random programs.
const SCALARS: [Scalar; 8] =
    [Scalar::U32, Scalar::F32, Scalar::I32, Scalar::I64, Scalar::U64, Scalar::I16, Scalar::U16, Scalar::I8];

fn random() -> Batch {
    let mut batch = Batch::default();
    for seed in 0..64u64 {
        let mut module = random_programs::generate_of(SCALARS[seed as usize % SCALARS.len()], seed, 300);
        module.entry_points.clear();
        let funcs: Vec<Func> = module.funcs.keys().collect();
        for func in &funcs {
            let names = vec![format!("f{}", func.index()).into()];
            let properties = StageProperties::default();
            module.entry_points.push(EntryPoint { names, func: *func, stage: None, properties });
        }
        optimized(&mut module, ["0", "1", "2", "s"][seed as usize / SCALARS.len() % 4]);
        let mut choices = Choices::from_seed(seed);
        let mut calls = vec![];
        for func in module.funcs.keys().collect::<Vec<_>>() {
            for _ in 0..TIMES {
                let params = &module.funcs[func].params;
                calls.push((func, params.iter().map(|p| op_cases::value(&mut choices, &module, p.ty)).collect()));
            }
        }
        batch.add(&module, &calls);
    }
    batch
}

/// Lets clang read the files of a list; whether all are C++.
fn syntax(folder: &Path, list: &Path, shim: &Path) -> bool {
    let files: Vec<String> = std::fs::read_to_string(list).unwrap_or_default().lines().map(str::to_owned).collect();
    let mut good = !files.is_empty();
    for files in files.chunks(SHADERS) {
        let mut text = String::from("#include \"metal_stdlib\"\n");
        for (i, file) in files.iter().enumerate() {
            let shader = as_cpp(&std::fs::read_to_string(file).unwrap_or_default());
            let _ = writeln!(text, "#line 1 \"{file}\"\nnamespace s{i} {{ using namespace metal;\n{shader}\n}}");
        }
        let source = folder.join("shaders.cpp");
        let mut clang = Command::new("clang++");
        clang.args(["-std=c++17", "-fsyntax-only", "-ferror-limit=0", "-Wno-everything", "-I"]).arg(shim).arg(&source);
        let output = std::fs::write(&source, text).and_then(|()| clang.output());
        match output {
            Ok(output) if output.status.success() => {}
            Ok(output) => {
                let errors = String::from_utf8_lossy(&output.stderr).into_owned();
                let of =
                    |file: &String| errors.lines().find(|l| l.contains("error:") && l.starts_with(&format!("{file}:")));
                files.iter().filter_map(of).for_each(|line| println!("{line}"));
                good = false;
            }
            Err(error) => {
                println!("{error}");
                good = false;
            }
        }
    }
    println!("{} shaders are {}C++", files.len(), if good { "" } else { "not all " });
    good
}

/// A kind of programs: its name, how they are made, and how many there are at least.
type Kind = (&'static str, fn() -> Batch, usize);

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1).map(PathBuf::from) else { return ExitCode::from(2) };
    if Command::new("clang++").arg("--version").output().is_err() {
        eprintln!("there is no `clang++`; on Debian: apt-get install clang");
        return ExitCode::from(2);
    }
    let shim = Path::new(env!("CARGO_MANIFEST_DIR")).join("shim");
    let batches: [Kind; 3] = [("random", random, 800), ("ops", ops, 500), ("small", small_ops, 500)];
    let only_shaders = std::env::args().nth(3).is_some_and(|arg| arg == "--shaders");
    let batches = batches.into_iter().filter(|_| !only_shaders);
    let mut failed = match std::env::args().nth(2) {
        Some(list) => !syntax(&folder, Path::new(&list), &shim),
        None => false,
    };
    for (name, batch, least) in batches {
        let batch = batch();
        let count = batch.want.len();
        println!("{name}: {} programs, {count} calls, {} refused", batch.programs, batch.refused.len());
        match batch.check(name, &folder, &shim) {
            Ok(wrong) => {
                wrong.iter().take(20).for_each(|w| println!("{w}"));
                println!("{name}: {} of {count} differ", wrong.len());
                failed |= !wrong.is_empty() || count < least;
            }
            Err(errors) => {
                println!("{name}: {errors}");
                failed = true;
            }
        }
    }
    if failed { ExitCode::from(1) } else { ExitCode::SUCCESS }
}
