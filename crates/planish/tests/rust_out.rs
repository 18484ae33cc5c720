//! Rust out: programs are compiled in batches, without a warning, with and without optimization and checks of overflow, and give
//! the evaluator's bits.

mod modules;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use planish::eval::{EvalValue, Evaluator, Limits, Stop};
use planish::ir::arena::Id;
use planish::ir::entity::{Func, Type};
use planish::ir::meaning::Shape as _;
use planish::ir::ops::{Class, OPS};
use planish::ir::types::{Scalar, TypeKind};
use planish::module::{EntryPoint, Language, Module, StageProperties};
use planish::opt::build_records;
use planish::stage::{In, Rep, function, if_};
use planish::{Compiler, EmitOptions, Optimizer, Target, emit};
use planish_generate::Choices;
use planish_testkit::vl::{Beside, programs};
use planish_testkit::{folder, has_tool, op_cases, random_programs, run_lines, runs_all, scratch, seeds, share};

use crate::objects::programs::are_nans;

/// Calls of each function.
const TIMES: usize = 4;

/// Programs that are compiled together, and what their functions give.
struct Batch {
    name: &'static str,
    modules: String,
    /// A line for each instance.
    calls: String,
    /// A line for each call, and its text.
    want: Vec<(String, String)>,
    programs: usize,
}

/// A call of an exported function.
type Call = (Func, Vec<EvalValue>);

/// The newest library `libm` among the test's dependencies, which the evaluator uses.
pub(crate) fn libm() -> PathBuf {
    let program = std::env::current_exe().expect("a test has a path");
    let files = program.parent().expect("it is in a folder").read_dir().expect("it can be read");
    let is_it = |name: &str| name.starts_with("liblibm-") && name.ends_with(".rlib");
    let found = files.flatten().filter(|file| is_it(&file.file_name().to_string_lossy()));
    let newest = found.max_by_key(|file| file.metadata().and_then(|data| data.modified()).ok());
    newest.expect("libm is built before this test").path()
}

/// The begin of programs that show what functions give.
pub(crate) const HEAD: &str = "#![forbid(unsafe_code)]
#[allow(unused_imports)]
use std::io::Write as _;
trait Word { fn word(self) -> u64; }
impl Word for bool { fn word(self) -> u64 { self.into() } }
impl Word for i32 { fn word(self) -> u64 { (self as u32).into() } }
impl Word for u32 { fn word(self) -> u64 { self.into() } }
impl Word for i64 { fn word(self) -> u64 { self as u64 } }
impl Word for u64 { fn word(self) -> u64 { self } }
impl Word for f32 { fn word(self) -> u64 { if self.is_nan() { 0x7fc00000 } else { self.to_bits().into() } } }
impl Word for f64 { fn word(self) -> u64 { if self.is_nan() { 0x7ff8000000000000 } else { self.to_bits() } } }
impl Word for Option<u32> { fn word(self) -> u64 { self.map_or(0, |x| u64::from(x) + 1) } }
fn show(out: &mut impl std::io::Write, words: &[u64]) { writeln!(out, \"{words:x?}\").unwrap(); }
";

impl Batch {
    fn new(name: &'static str) -> Batch {
        Batch { name, modules: String::new(), calls: String::new(), want: vec![], programs: 0 }
    }

    /// Adds a module and calls of its exports; the errors if Rust out refuses it.
    fn add(&mut self, module: &Module, seed: u64) -> Result<(), Vec<planish::diagnostic::Diagnostic>> {
        let mut random = Choices::from_seed(seed);
        let calls = |func: Func| -> Vec<Vec<EvalValue>> {
            let params = &module.funcs[func].params;
            let times = if params.is_empty() { 1 } else { TIMES };
            (0..times).map(|_| params.iter().map(|p| op_cases::value(&mut random, module, p.ty)).collect()).collect()
        };
        let funcs: Vec<Func> = module.entry_points.iter().map(|entry| entry.func).collect();
        let calls: Vec<Call> = funcs
            .iter()
            .copied()
            .zip(funcs.iter().copied().map(calls))
            .flat_map(|(f, c)| c.into_iter().map(move |c| (f, c)))
            .collect();
        self.add_calls(module, &calls)
    }

    /// Adds a module and calls, of a program with a state each on an instance of its own.
    fn add_calls(&mut self, module: &Module, calls: &[Call]) -> Result<(), Vec<planish::diagnostic::Diagnostic>> {
        let each: Vec<&[Call]> = calls.chunks(1).collect();
        self.add_instances(module, &each)
    }

    /// Adds a module, and instances with the calls of each.
    fn add_instances(
        &mut self,
        module: &Module,
        instances: &[&[Call]],
    ) -> Result<(), Vec<planish::diagnostic::Diagnostic>> {
        let artifact = emit(module, Target::Rust, &EmitOptions::default())?;
        let text = String::from_utf8(artifact.bytes).expect("a text");
        // The public functions have records and lists for the scalars that the evaluator takes.
        let mut shown = module.clone();
        build_records::run(&mut shown, build_records::Words::Tuples, build_records::Lists::Any);
        let program = format!("p{}", self.programs);
        let structs = Structs { module: &shown, text: &text, program: &program };
        self.programs += 1;
        let _ = writeln!(self.modules, "#[allow(dead_code)]\nmod {program} {{\n{text}}}");
        // (Functions of the host are in other tests.)
        if text.contains("pub trait Imports") {
            return Ok(());
        }
        for calls in instances {
            self.add_instance(module, calls, &structs);
        }
        Ok(())
    }

    fn add_instance(&mut self, module: &Module, calls: &[Call], structs: &Structs<'_>) {
        let (program, text, shown) = (structs.program, structs.text, structs.module);
        let limits = Limits { steps: 3_000_000, depth: 500, ..Limits::default() };
        let mut evaluator = Evaluator::new(module, limits).expect("memory is small");
        let has_state = text.contains("\npub struct Module {");
        let mut line = String::new();
        if has_state {
            let mark = if text.contains("pub fn new() -> Self") { "" } else { ".unwrap()" };
            let _ = write!(line, "let mut m = {program}::Module::new(){mark}; ");
        }
        for (func, args) in calls {
            let entry = module.entry_points.iter().find(|entry| entry.func == *func).expect("an export");
            // The entry point of a shader is no function for others to call.
            if entry.stage.is_some() {
                continue;
            }
            let comment = format!("/// The function `{}`.", entry.names[0]);
            let after = &text[text.find(&comment).unwrap_or_else(|| panic!("{comment}:\n{text}"))..];
            let head = after.lines().map(str::trim_start).find(|line| line.starts_with("pub fn"));
            let head = head.expect("a function");
            let name = &head["pub fn ".len()..head.find('(').expect("parameters")];
            let want = match evaluator.call(*func, args) {
                Ok(results) => {
                    let words = results.iter().flat_map(|value| canonical(module, value)).collect::<Vec<u64>>();
                    format!("{words:x?}")
                }
                Err(Stop::Trap { kind, .. }) if kind != planish::ir::function::TrapKind::StackOverflow => {
                    format!("trap {}", kind.name().replace('_', " "))
                }
                Err(_) => continue,
            };
            let function =
                &shown.funcs[shown.entry_points.iter().find(|e| e.names == entry.names).expect("it stays").func];
            let mut bits = args.iter().flat_map(|arg| arg.bits.iter().copied());
            let given: Vec<String> = function.params.iter().map(|param| structs.value(param.ty, &mut bits)).collect();
            let results: Vec<Type> = function.results.iter().map(|result| result.ty).collect();
            let mut words = Vec::new();
            match results[..] {
                [ty] => structs.parts(ty, "r", &mut words),
                _ => results.iter().enumerate().for_each(|(i, &ty)| structs.parts(ty, &format!("r.{i}"), &mut words)),
            }
            let words: String = words.iter().map(|word| format!("{word}.word(), ")).collect();
            let owner = if has_state { "m.".to_owned() } else { format!("{program}::") };
            let call = format!("{owner}{name}({})", given.join(", "));
            let _ = match head.contains("Result<") {
                true => write!(
                    line,
                    "match {call} {{ Ok(r) => {{ let _ = r; show(&mut out, &[{words}]) }} Err(e) => writeln!(out, \"trap {{e}}\").unwrap() }} "
                ),
                false if results.is_empty() => write!(line, "{call}; show(&mut out, &[]); "),
                false => write!(line, "let r = {call}; show(&mut out, &[{words}]); "),
            };
            self.want.push((want, format!("{program}: {call}")));
        }
        let _ = match has_state {
            true => writeln!(self.calls, "{{ {line} }}"),
            false => writeln!(self.calls, "{line}"),
        };
    }

    /// Compiles and runs all programs in both ways.
    fn check(&self) {
        let folder = scratch(&format!("rust-{}", self.name));
        // (A function of many calls takes long to compile.)
        let lines: Vec<&str> = self.calls.lines().collect();
        let (mut functions, mut main) = (String::new(), String::new());
        for (i, chunk) in lines.chunks(100).enumerate() {
            let _ = writeln!(
                functions,
                "fn calls_{i}(out: &mut impl std::io::Write) {{ let mut out = out;\n{}\n}}",
                chunk.join("\n")
            );
            let _ = writeln!(main, "calls_{i}(&mut out);");
        }
        let text = format!(
            "{HEAD}{}{functions}fn main() {{ let mut out = Vec::new();\n{main}std::io::stdout().write_all(&out).unwrap(); }}\n",
            self.modules
        );
        std::fs::write(folder.join("main.rs"), &text).expect("writable");
        // (Random programs compare constants and the like.)
        if ["vl", "ir", "workloads"].contains(&self.name) && has_tool("clippy-driver") {
            let mut clippy = Command::new("clippy-driver");
            clippy.args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--extern"]);
            // The calls of the test are none of the output.
            std::fs::write(folder.join("lib.rs"), format!("#![forbid(unsafe_code)]\n{}", self.modules))
                .expect("writable");
            clippy.arg(format!("libm={}", libm().display())).args(["-Dclippy::all", "-Dwarnings"]);
            output_of(clippy.args(["-o", "lib.rmeta", "lib.rs"]).current_dir(&folder));
        }
        for options in [["-Copt-level=1", "-Cdebug-assertions=off"], ["-Copt-level=0", "-Coverflow-checks=on"]] {
            let mut rustc = Command::new("rustc");
            rustc.args(["--edition=2024", "-Dwarnings", "--extern"]).arg(format!("libm={}", libm().display()));
            output_of(rustc.args(options).args(["-o", "run", "main.rs"]).current_dir(&folder));
            let output = output_of(&mut Command::new(folder.join("run")));
            let got: Vec<&str> = output.lines().collect();
            for ((want, call), got) in self.want.iter().zip(&got) {
                assert!(is_same(got, want), "{call} gives {got}, not {want}, in {}", folder.display());
            }
            assert_eq!(got.len(), self.want.len());
        }
    }
}

/// Whether a line has these words. A NaN may be any, and be read as an integer (`docs/numerics.md`).
fn is_same(got: &str, want: &str) -> bool {
    let parts = |line: &str| line.trim_matches(['[', ']']).split(", ").map(str::to_owned).collect::<Vec<_>>();
    let (a, b) = (parts(got), parts(want));
    got == want || a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a == b || are_nans(a, b))
}

pub(crate) fn output_of(command: &mut Command) -> String {
    let output = command.output().expect("it can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    let first: Vec<&str> = errors.lines().take(60).collect();
    assert!(output.status.success(), "{}\n{}", output.status, first.join("\n"));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The words of a value, with one NaN.
fn canonical(module: &Module, value: &EvalValue) -> Vec<u64> {
    let mut scalars = Vec::new();
    module.types.for_each_run(value.ty, &mut |scalar, n| scalars.extend(std::iter::repeat_n(scalar, n)));
    let word = |(&bits, scalar): (&u64, Scalar)| match scalar {
        Scalar::F32 if f32::from_bits(bits as u32).is_nan() => 0x7fc0_0000,
        Scalar::F64 if f64::from_bits(bits).is_nan() => 0x7ff8_0000_0000_0000,
        _ => bits,
    };
    value.bits.iter().zip(scalars).map(word).collect()
}

/// The public structs of a program.
struct Structs<'a> {
    module: &'a Module,
    text: &'a str,
    program: &'a str,
}

impl Structs<'_> {
    /// The name in Rust and the fields of a struct, as the text declares them; `None` for a tuple.
    fn declared(&self, name: &str) -> Option<(String, Vec<String>)> {
        if name.is_empty() {
            return None;
        }
        let comment = format!("/// The record `{name}`.\n");
        let after = self.text.split_once(&comment).unwrap_or_else(|| panic!("{comment}{}", self.text)).1;
        let own = after.split_once("pub struct ").expect("a struct").1;
        let (name, fields) = own.split_once(" {\n").expect("fields");
        let fields = fields.split_once("\n}").expect("an end").0.lines();
        let fields = fields.filter_map(|line| Some(line.trim().strip_prefix("pub ")?.split_once(':')?.0.to_owned()));
        Some((format!("{}::{name}", self.program), fields.collect()))
    }

    /// A value as an expression of Rust.
    fn value(&self, ty: Type, words: &mut dyn Iterator<Item = u64>) -> String {
        let mut list = |types: &mut dyn Iterator<Item = Type>| -> Vec<String> {
            types.map(|ty| self.value(ty, words)).collect::<Vec<_>>()
        };
        let scalar = |of: Scalar, word: u64| match of {
            Scalar::Bool => (word != 0).to_string(),
            // Of 16 bits they are lowered before.
            Scalar::F16 | Scalar::F32 => format!("f32::from_bits({:#x})", word as u32),
            Scalar::F64 => format!("f64::from_bits({word:#x})"),
            Scalar::I8 | Scalar::I16 | Scalar::I32 => format!("{}i32", word as i32),
            Scalar::I64 => format!("{}i64", word as i64),
            Scalar::U8 | Scalar::U16 | Scalar::U32 => format!("{}u32", word as u32),
            Scalar::U64 => format!("{word}u64"),
        };
        let array = |of: Scalar, n: u8, words: &mut dyn Iterator<Item = u64>| {
            let parts: Vec<String> = (0..n).map(|_| scalar(of, words.next().expect("a word"))).collect();
            format!("[{}]", parts.join(", "))
        };
        match &self.module.types[ty] {
            &TypeKind::Scalar(of) => scalar(of, words.next().expect("a word")),
            &TypeKind::Vector(of, n) => array(of, n, words),
            &TypeKind::Matrix { scalar: of, columns, rows } => {
                let columns: Vec<String> = (0..columns).map(|_| array(of, rows, words)).collect();
                format!("[{}]", columns.join(", "))
            }
            &TypeKind::Array { element, len } => format!("[{}]", list(&mut (0..len).map(|_| element)).join(", ")),
            TypeKind::Struct(s) => {
                let parts = list(&mut s.members.iter().map(|member| member.ty));
                match self.declared(&s.name) {
                    Some((name, fields)) => {
                        let fields: Vec<String> =
                            fields.iter().zip(parts).map(|(field, part)| format!("{field}: {part}")).collect();
                        format!("{name} {{ {} }}", fields.join(", "))
                    }
                    None if parts.len() == 1 => format!("({},)", parts[0]),
                    None => format!("({})", parts.join(", ")),
                }
            }
            other => panic!("no value of {other:?}"),
        }
    }

    /// The numbers of a value.
    fn parts(&self, ty: Type, value: &str, out: &mut Vec<String>) {
        match &self.module.types[ty] {
            TypeKind::Vector(_, n) => out.extend((0..*n).map(|i| format!("{value}[{i}]"))),
            TypeKind::Matrix { columns, rows, .. } => {
                (0..*columns).for_each(|c| out.extend((0..*rows).map(|r| format!("{value}[{c}][{r}]"))));
            }
            TypeKind::Array { element, len } => {
                (0..*len).for_each(|i| self.parts(*element, &format!("{value}[{i}]"), out));
            }
            TypeKind::Struct(s) => {
                let fields = self.declared(&s.name).map(|(_, fields)| fields);
                let field = |i: usize| fields.as_ref().map_or_else(|| i.to_string(), |fields| fields[i].clone());
                s.members.iter().enumerate().for_each(|(i, m)| self.parts(m.ty, &format!("{value}.{}", field(i)), out));
            }
            _ => out.push(value.to_owned()),
        }
    }
}

/// Exports every function with a body.
fn export_all(module: &mut Module) {
    module.entry_points.clear();
    let funcs: Vec<Func> = module.funcs.iter().filter(|(_, f)| f.body.is_some()).map(|(func, _)| func).collect();
    for func in funcs {
        let names = vec![format!("f{}", func.index()).into()];
        module.entry_points.push(EntryPoint { names, func, stage: None, properties: StageProperties::default() });
    }
}

#[test]
fn programs_in_vl_give_the_evaluators_bits() {
    let mut batch = Batch::new("vl");
    let mut refused = 0;
    let all = programs(&folder("tests/vl"), &["bad", "parts"]);
    let step = if runs_all() { 1 } else { 10 };
    for (number, path) in all.iter().enumerate().step_by(step) {
        let mut includes = Beside(path.clone());
        let mut compiler = Compiler { includes: Some(&mut includes), ..Compiler::default() };
        let text = std::fs::read_to_string(path).expect("a program can be read");
        let mut module = compiler.compile(&path.to_string_lossy(), text).module.expect("a program");
        Optimizer::level(["0", "1", "2"][number / step % 3]).expect("a level").run(&mut module, &mut |_, _| {});
        if let Err(errors) = batch.add(&module, number as u64) {
            let is_told = |error: &planish::diagnostic::Diagnostic| {
                error.code == planish::diagnostic::Code::E0604 && !error.help.is_empty()
            };
            assert!(errors.iter().all(is_told), "{}: {errors:?}", path.display());
            refused += 1;
        }
    }
    assert!(refused * 20 < batch.programs, "{refused} refused, {} not", batch.programs);
    batch.check();
}

#[test]
fn random_programs_give_the_evaluators_bits() {
    let mut batch = Batch::new("random");
    for seed in seeds(0..24) {
        let scalars = [Scalar::I64, Scalar::U32, Scalar::F64, Scalar::F32, Scalar::U64];
        let mut module = random_programs::generate_of(scalars[seed as usize % 5], seed, 300);
        export_all(&mut module);
        let level = ["0", "1", "2", "s"][seed as usize / 5 % 4];
        Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
        batch.add(&module, seed).unwrap_or_else(|errors| panic!("{seed}: {errors:?}"));
    }
    batch.check();
}

#[test]
fn every_op_on_values_gives_the_evaluators_bits() {
    let mut batch = Batch::new("ops");
    let mut refused = Vec::new();
    for info in share(OPS).filter(|info| info.class != Class::Simd) {
        let mut module = Module::new(Language::Ir);
        let all = op_cases::cases_of(&mut module, &|op| op == info.op);
        let step = all.len().div_ceil(16).max(1);
        let cases: Vec<op_cases::Case> = all.into_iter().step_by(step).collect();
        if cases.is_empty() {
            continue;
        }
        for case in &cases {
            let names = vec![format!("f{}", case.func.index()).into()];
            module.entry_points.push(EntryPoint {
                names,
                func: case.func,
                stage: None,
                properties: StageProperties::default(),
            });
        }
        let questions = op_cases::questions(&module, &cases, TIMES);
        let calls: Vec<(Func, Vec<EvalValue>)> =
            questions.into_iter().map(|question| (cases[question.case].func, question.args)).collect();
        if let Err(errors) = batch.add_calls(&module, &calls) {
            refused.push((info.text, errors[0].message.clone()));
        }
    }
    assert!(refused.len() * 3 < batch.programs, "{} of {} refused: {refused:?}", refused.len(), batch.programs);
    batch.check();
}

#[test]
fn programs_of_the_ir_give_what_their_lines_say() {
    let mut batch = Batch::new("ir");
    for (name, text, mut module) in run_lines::programs() {
        let mut calls = Vec::new();
        for line in run_lines::lines(&module, &text) {
            let types = module.funcs[line.func].params.iter().map(|param| param.ty);
            let args = types.zip(&line.args).map(|(ty, bits)| EvalValue { ty, bits: bits.clone() }).collect();
            calls.push((line.func, args));
        }
        export_all(&mut module);
        let called: Vec<Func> = calls.iter().map(|call| call.0).collect();
        module.entry_points.retain(|entry| called.contains(&entry.func));
        if let Err(errors) = batch.add_calls(&module, &calls) {
            let is_told = |error: &planish::diagnostic::Diagnostic| error.span != planish::source::Span::NONE;
            assert!(errors.iter().all(is_told), "{name}: {errors:?}");
        }
    }
    assert!(batch.want.iter().any(|want| want.0.starts_with("trap")), "some trap");
    batch.check();
}

/// The output of `docs/targets/rust.md`.
#[test]
fn a_function_is_written_as_a_person_would() {
    let text = "(define (hypotenuse x y) (sqrt (+ (* x x) (* y y))))\n(export hypotenuse (real real))";
    let mut module = Compiler::default().compile("h.vl", text).module.expect("a program");
    Optimizer::level("2").expect("a level").run(&mut module, &mut |_, _| {});
    let artifact = emit(&module, Target::Rust, &EmitOptions::default()).expect("it is Rust");
    let page = std::fs::read_to_string(folder("docs/targets/rust.md")).expect("the page is there");
    let text = String::from_utf8(artifact.bytes).expect("a text");
    assert!(page.contains(&text), "{text}");
}

#[test]
fn staged_functions_are_written() {
    let steps = function("steps", |x: Rep<i32>, y: Rep<f32>| (if_(y.lt(0.0), || x + 1, || x - 1), y * 2.0));
    let steps = steps.unwrap_or_else(|errors| panic!("{errors}"));
    let artifact = steps.emit(Target::Rust, &EmitOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
    let text = String::from_utf8(artifact.bytes).expect("a text");
    assert!(text.contains("pub fn steps(x0: i32, x1: f32) -> (i32, f32) {"), "{text}");
    let sum = function("sum", |x: In<[f64]>| x.iter().sum()).unwrap_or_else(|errors| panic!("{errors}"));
    let artifact = sum.emit(Target::Rust, &EmitOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
    let text = String::from_utf8(artifact.bytes).expect("a text");
    assert!(text.contains("pub fn sum(x0: &[f64]) -> Result<f64, Trap> {"), "{text}");
}

#[test]
fn what_rust_lacks_is_an_error_with_its_place() {
    let table = "(module (import \"env\" \"t\" (table 1 funcref)) (func (export \"f\") (call_indirect (i32.const 0))))";
    let vector =
        "(module (func (export \"f\") (param v128) (result i32) (i32x4.extract_lane 1 (i32x4.neg (local.get 0)))))";
    let variable =
        "(module (import \"env\" \"n\" (global $n (mut i32))) (func (export \"f\") (result i32) (global.get $n)))";
    for text in [table, vector, variable] {
        let module = Compiler::default().compile("m.wat", text).module.expect("a program");
        let errors = emit(&module, Target::Rust, &EmitOptions::default()).expect_err("Rust out has none");
        assert!(errors.iter().all(|e| !e.help.is_empty() && e.span != planish::source::Span::NONE), "{errors:?}");
    }
}

#[test]
fn output_is_for_crates_without_the_standard_library() {
    let text = "module ir\n\nfn @f(%0 x: i32, %1 y: i32) -> (i32, f64) {\nb0:\n  %2 = divide_trapping %0, %1\n  %3: f64 = construct_scalar_from_scalar %2\n  %4 = floor %3\n  return %2, %4\n}\nexport @f \"f\"\n";
    let module = Compiler::default().compile("f.ir", text).module.expect("valid");
    let artifact = emit(&module, Target::Rust, &EmitOptions::default()).expect("it is Rust");
    let written = String::from_utf8(artifact.bytes).expect("a text");
    assert!(written.contains("Result<(i32, f64), Trap>"), "{written}");
    let folder = scratch("rust-no-std");
    std::fs::write(folder.join("lib.rs"), format!("#![no_std]\n#![forbid(unsafe_code)]\n{written}")).expect("writable");
    let mut rustc = Command::new("rustc");
    output_of(rustc.args(["--edition=2024", "-Dwarnings", "--crate-type=lib", "lib.rs"]).current_dir(&folder));
}
