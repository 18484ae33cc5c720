//! Programs in C, in one batch each, have the results of the evaluator: the run lines of `tests/ir`, and random modules. They are
//! compiled without a warning, and run with sanitizers.

use std::fmt::Write as _;

use planish::eval::{EvalValue, Evaluator, Limits, Stop};
use planish::ir::function::{Form as FunctionForm, TrapKind};
use planish::ir::types::{Scalar, TypeKind};
use planish::module::{EntryPoint, Module, StageProperties};
use planish::source::SourceMap;
use planish::{Compiler, Optimizer, Target};
use planish_generate::modules;
use planish_generate::{Choices, for_each_seed};
use planish_testkit::run_lines::{RunLine, for_each_line};
use planish_testkit::vl::{Beside, programs};
use planish_testkit::{folder, op_cases, random_programs, runs_all, seeds};

use super::{Form, Project, Source};

pub(crate) const BEGIN: &str = r#"#pragma GCC diagnostic ignored "-Wunused-function"
#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
static jmp_buf here;
_Noreturn void planish_trap(int code, const char *function, uint32_t line, uint32_t column) {
    (void)function, (void)line, (void)column;
    longjmp(here, code);
}
static void show(uint64_t bits) { printf(" %" PRIx64, bits); }
static inline void show_f32(float x) { uint32_t bits; memcpy(&bits, &x, 4); show(x == x ? bits : 0x7fc00000u); }
static inline void show_f64(double x) { uint64_t bits; memcpy(&bits, &x, 8); show(x == x ? bits : 0x7ff8000000000000u); }
static inline float f32(uint32_t bits) { float x; memcpy(&x, &bits, 4); return x; }
static inline double f64(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }
#define TRY(call) do { int code = setjmp(here); if (code == 0) { call; } else printf(" trap %d", code); puts(""); } while (0)
"#;

/// An argument as an expression.
fn argument(scalar: Scalar, bits: u64) -> String {
    match scalar {
        Scalar::Bool => bits.to_string(),
        Scalar::I8 | Scalar::I16 | Scalar::I32 => format!("(int32_t){}u", bits as u32),
        Scalar::U8 | Scalar::U16 | Scalar::U32 => format!("{}u", bits as u32),
        Scalar::I64 => format!("(int64_t)UINT64_C({bits})"),
        Scalar::U64 => format!("UINT64_C({bits})"),
        // Of 16 bits they are lowered before.
        Scalar::F16 | Scalar::F32 => format!("f32({}u)", bits as u32),
        Scalar::F64 => format!("f64(UINT64_C({bits}))"),
    }
}

/// A statement that shows a result.
fn shown(scalar: Scalar, text: &str) -> String {
    match scalar {
        Scalar::F32 => format!("show_f32({text})"),
        Scalar::F64 => format!("show_f64({text})"),
        Scalar::I32 => format!("show((uint32_t){text})"),
        _ => format!("show((uint64_t){text})"),
    }
}

/// A result as the program shows it.
fn wanted(scalar: Scalar, bits: u64) -> String {
    let bits = match scalar {
        Scalar::F32 if f32::from_bits(bits as u32).is_nan() => 0x7fc0_0000,
        Scalar::F64 if f64::from_bits(bits).is_nan() => 0x7ff8_0000_0000_0000,
        _ => bits,
    };
    format!(" {bits:x}")
}

/// Whether two words are bits of NaNs, which may differ: `docs/numerics.md`.
pub(crate) fn are_nans(got: &str, want: &str) -> bool {
    let [got, want] = [got, want].map(|word| u64::from_str_radix(word, 16).unwrap_or(0));
    let single = |bits: u64| u32::try_from(bits).is_ok_and(|bits| f32::from_bits(bits).is_nan());
    single(got) && single(want) || f64::from_bits(got).is_nan() && f64::from_bits(want).is_nan()
}

/// Whether two words are bits of doubles that differ by what rounding leaves.
fn are_near(got: &str, want: &str) -> bool {
    let [got, want] = [got, want].map(|word| f64::from_bits(u64::from_str_radix(word, 16).unwrap_or(0)));
    (got - want).abs() <= 1e-9 * want.abs().max(1e-3)
}

fn scalars(module: &Module, types: impl Iterator<Item = planish::ir::entity::Type>) -> Option<Vec<Scalar>> {
    types.map(|ty| if let TypeKind::Scalar(scalar) = module.types[ty] { Some(scalar) } else { None }).collect()
}

/// A program under construction.
struct Batch {
    project: Project,
    includes: String,
    calls: String,
    want: String,
    count: usize,
    /// Elementary functions may differ in their last places, and what is computed of them.
    is_near: bool,
}

impl Batch {
    fn new(test: &str) -> Option<Batch> {
        let project = Project::of(test, Form::C)?;
        Some(Batch {
            project,
            includes: String::new(),
            calls: String::new(),
            want: String::new(),
            count: 0,
            is_near: false,
        })
    }

    /// Adds a module; its prefix, and whether it has an instance. `None` if C refuses it.
    fn add(&mut self, module: &Module) -> Option<(String, bool)> {
        let prefix = format!("m{}", self.count);
        let source = Source { module: module.clone(), map: SourceMap::new() };
        let artifact = match source.source_in_c(&prefix) {
            Ok(artifact) => artifact,
            Err(errors) => {
                let known = ["E0602", "E0604", "E0608"];
                assert!(errors.iter().all(|error| known.contains(&error.code.0)), "{errors:#?}");
                return None;
            }
        };
        // (Imports are in other tests.)
        let header = artifact.header.as_deref().expect("C has a header");
        if !module.func_imports.is_empty() || header.contains("_init(") && !header.contains("void *user);") {
            return None;
        }
        self.count += 1;
        let has_instance = header.contains("_init(");
        self.project.link(&prefix, artifact);
        let _ = writeln!(self.includes, "#include \"{prefix}.h\"");
        Some((prefix, has_instance))
    }

    fn check(self) {
        let calls: Vec<&str> = self.calls.lines().collect();
        // Functions of a bounded size, so that compilers are fast.
        let parts = calls
            .chunks(200)
            .enumerate()
            .map(|(i, lines)| format!("static void part_{i}(void) {{\n{}\n}}\n", lines.join("\n")));
        let functions: String = parts.collect();
        let runs: String = (0..calls.len().div_ceil(200)).map(|i| format!("    part_{i}();\n")).collect();
        let program = format!("{}{BEGIN}{functions}int main(void) {{\n{runs}    return 0;\n}}\n", self.includes);
        let got = self.project.run(&program, false);
        for (number, (got, want)) in got.lines().zip(self.want.lines()).enumerate() {
            let equal = |(got, want)| got == want || are_nans(got, want) || self.is_near && are_near(got, want);
            let same = got.split(' ').zip(want.split(' ')).all(equal);
            assert!(same, "call {number}: {got} is not {want}: {}", calls[number]);
        }
        assert_eq!(got.lines().count(), self.want.lines().count());
    }
}

/// Statements that call a function and show its results.
fn call_of(prefix: &str, name: &str, results: &[Scalar], mut args: Vec<String>) -> String {
    match results {
        [] => format!("{prefix}_{name}({})", args.join(", ")),
        [scalar] => shown(*scalar, &format!("{prefix}_{name}({})", args.join(", "))),
        several => {
            args.push("&r".to_owned());
            let shows: Vec<String> =
                several.iter().enumerate().map(|(i, &scalar)| shown(scalar, &format!("r.r{i}"))).collect();
            format!("{prefix}_{name}_result r; {prefix}_{name}({}); {}", args.join(", "), shows.join("; "))
        }
    }
}

fn add_line(batch: &mut Batch, module: &Module, line: &RunLine<'_>, level: &str) {
    let is_floating = |body: &planish::ir::function::Body| body.form == FunctionForm::Floating;
    if module.funcs.values().any(|f| f.body.as_ref().is_some_and(is_floating)) {
        return;
    }
    // C has no limit of the stack unless the embedder sets one.
    let is_deep =
        line.results == Err("stack_overflow") || ["count_down", "parity"].iter().any(|n| line.text.starts_with(n));
    let Some(params) = scalars(module, module.funcs[line.func].params.iter().map(|p| p.ty)).filter(|_| !is_deep) else {
        return;
    };
    let Some(results) = scalars(module, module.funcs[line.func].results.iter().map(|r| r.ty)) else { return };
    let mut module = module.clone();
    let properties = StageProperties::default();
    module.entry_points = vec![EntryPoint { names: vec!["it".into()], func: line.func, stage: None, properties }];
    Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
    let Some((prefix, has_instance)) = batch.add(&module) else { return };
    let mut args: Vec<String> = has_instance.then(|| "&i".to_owned()).into_iter().collect();
    args.extend(params.iter().zip(line.args.iter().flatten()).map(|(&scalar, &bits)| argument(scalar, bits)));
    let call = call_of(&prefix, "it", &results, args);
    let call = match has_instance {
        true => format!("static {prefix} i; {prefix}_init(&i, NULL); {call}"),
        false => call,
    };
    let free = if has_instance { format!(" {prefix}_free(&i);") } else { String::new() };
    let call = if has_instance { call.replacen(&format!("static {prefix} i; "), "", 1) } else { call };
    let declared = if has_instance { format!("static {prefix} i; ") } else { String::new() };
    let _ = writeln!(batch.calls, "    {{ {declared}TRY({call});{free} }}");
    match &line.results {
        Ok(words) => {
            for (&scalar, &bits) in results.iter().zip(words.iter().flatten()) {
                batch.want.push_str(&wanted(scalar, bits));
            }
        }
        Err(name) => {
            let code = TrapKind::ALL.iter().position(|kind| kind.name() == *name).expect("a trap") + 1;
            let _ = write!(batch.want, " trap {code}");
        }
    }
    batch.want.push('\n');
}

#[test]
fn run_lines_give_their_results_in_c() {
    let Some(mut batch) = Batch::new("lines") else { return };
    let mut number = 0;
    for_each_line(&mut |module, line| {
        number += 1;
        if !runs_all() && number % 8 >= 2 {
            return;
        }
        add_line(&mut batch, module, line, if number % 2 == 0 { "0" } else { "2" });
    });
    assert!(batch.count > if runs_all() { 100 } else { 20 }, "only {} run lines", batch.count);
    batch.check();
}

fn add_module(batch: &mut Batch, module: &Module, program: &modules::Module) {
    let Some((prefix, has_instance)) = batch.add(module) else { return };
    let limits = Limits { steps: 3_000_000, ..Limits::default() };
    let mut evaluator = Evaluator::new(module, limits).unwrap_or_else(|e| panic!("{e}"));
    let mut calls = String::new();
    if has_instance {
        let _ = write!(calls, "static {prefix} i; {prefix}_init(&i, NULL); ");
    }
    for call in &program.calls {
        let export = &program.exports[call.export];
        let func = module.funcs_named(&export.name).next().expect("it is there");
        let types: Vec<_> = module.funcs[func].params.iter().map(|p| p.ty).collect();
        let params = scalars(module, types.iter().copied()).expect("exports take numbers");
        let result = scalars(module, module.funcs[func].results.iter().map(|r| r.ty)).expect("exports give numbers")[0];
        let values: Vec<EvalValue> =
            types.iter().zip(&call.args).map(|(&ty, &word)| EvalValue { ty, bits: vec![word] }).collect();
        let results = evaluator.call(func, &values).unwrap_or_else(|e| panic!("{e}\n{}", program.text));
        batch.want.push_str(&wanted(result, results[0].bits[0]));
        let mut args: Vec<String> = has_instance.then(|| "&i".to_owned()).into_iter().collect();
        args.extend(params.iter().zip(&call.args).map(|(&scalar, &bits)| argument(scalar, bits)));
        let _ = write!(calls, "{}; ", shown(result, &format!("{prefix}_{}({})", export.name, args.join(", "))));
    }
    let free = if has_instance { format!("{prefix}_free(&i); ") } else { String::new() };
    let _ = writeln!(batch.calls, "    {{ {calls}{free}puts(\"\"); }}");
    batch.want.push('\n');
}

fn check_modules(test: &str, make: fn(&mut Choices<'_>) -> modules::Module, least: usize) {
    let Some(mut batch) = Batch::new(test) else { return };
    for_each_seed(seeds(0..if runs_all() { 40 } else { 6 }), 1400, |bytes| {
        let program = make(&mut Choices::from_bytes(bytes));
        let mut module =
            planish::ir::text::parse_str(&program.text).unwrap_or_else(|e| panic!("{e:#?}\n{}", program.text));
        add_module(&mut batch, &module, &program);
        Optimizer::level("2").expect("a level").run(&mut module, &mut |_, _| {});
        add_module(&mut batch, &module, &program);
    });
    assert!(batch.count >= least, "only {} modules as {}", batch.count, Target::C.info().name);
    batch.check();
}

#[test]
fn random_modules_give_what_the_evaluator_gives_in_c() {
    check_modules("random", modules::plain, 6);
}

#[test]
fn modules_with_narrow_numbers_give_what_the_evaluator_gives_in_c() {
    check_modules("narrow", modules::narrow, 6);
}

#[test]
fn modules_with_pointers_that_alias_give_what_the_evaluator_gives_in_c() {
    check_modules("aliasing", modules::aliasing, 4);
}

/// Adds calls of the functions that a program exports, under names of their own.
fn add_exports(batch: &mut Batch, mut module: Module, seed: u64) {
    for (i, entry) in module.entry_points.iter_mut().enumerate() {
        entry.names = vec![format!("f{i}").into()];
        // Results as they are computed: `tests/records.rs` has those with names.
        module.funcs[entry.func].signature = None;
    }
    let Some((prefix, has_instance)) = batch.add(&module) else { return };
    let mut random = Choices::from_seed(seed);
    let limits = Limits { steps: 200_000, depth: 500, ..Limits::default() };
    // (Shaders are in other tests.)
    for entry in module.entry_points.iter().filter(|entry| entry.stage.is_none()) {
        let function = &module.funcs[entry.func];
        let params = scalars(&module, function.params.iter().map(|p| p.ty));
        let results = scalars(&module, function.results.iter().map(|r| r.ty));
        let (Some(params), Some(results)) = (params, results) else { continue };
        for _ in 0..if params.is_empty() { 1 } else { 4 } {
            let values: Vec<EvalValue> =
                function.params.iter().map(|p| op_cases::value(&mut random, &module, p.ty)).collect();
            let mut evaluator = Evaluator::new(&module, limits).expect("memory is small");
            let want = match evaluator.call(entry.func, &values) {
                Ok(found) => {
                    let bits = found.iter().flat_map(|value| &value.bits);
                    results.iter().zip(bits).map(|(&scalar, &bits)| wanted(scalar, bits)).collect()
                }
                Err(Stop::Trap { kind, .. }) if kind != TrapKind::StackOverflow => {
                    format!(" trap {}", TrapKind::ALL.iter().position(|&other| other == kind).expect("a trap") + 1)
                }
                // Endless recursion, or many steps.
                Err(_) => continue,
            };
            let mut args: Vec<String> = has_instance.then(|| "&i".to_owned()).into_iter().collect();
            args.extend(params.iter().zip(&values).map(|(&scalar, value)| argument(scalar, value.bits[0])));
            let call = call_of(&prefix, &entry.names[0], &results, args);
            let (begin, end) = match has_instance {
                true => (format!("static {prefix} i; {prefix}_init(&i, NULL); "), format!(" {prefix}_free(&i);")),
                false => Default::default(),
            };
            let _ = writeln!(batch.calls, "    {{ {begin}TRY({call});{end} }}");
            batch.want.push_str(&want);
            batch.want.push('\n');
        }
    }
}

/// Functions of another generator: many operations on values of one type, and loops, that traps end.
#[test]
fn random_programs_give_what_the_evaluator_gives_in_c() {
    let Some(mut batch) = Batch::new("functions") else { return };
    for seed in seeds(0..24) {
        let scalars = [Scalar::I64, Scalar::U32, Scalar::F64, Scalar::F32, Scalar::U64];
        let mut module = random_programs::generate_of(scalars[seed as usize % 5], seed, 300);
        module.entry_points.clear();
        let funcs: Vec<_> = module.funcs.iter().filter(|(_, f)| f.body.is_some()).map(|(func, _)| func).collect();
        for func in funcs {
            // (Names come later.)
            let name = format!("f{}", func.as_u32());
            let properties = StageProperties::default();
            module.entry_points.push(EntryPoint { names: vec![name.into()], func, stage: None, properties });
        }
        let level = ["0", "1", "2", "s"][seed as usize / 5 % 4];
        Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
        add_exports(&mut batch, module, seed);
    }
    assert!(batch.count >= 4, "only {} programs", batch.count);
    batch.check();
}

#[test]
fn programs_in_vl_give_the_evaluators_values_in_c() {
    let Some(mut batch) = Batch::new("vl") else { return };
    batch.is_near = true;
    let all = programs(&folder("tests/vl"), &["bad", "parts"]);
    let step = if runs_all() { 1 } else { 12 };
    for (number, path) in all.iter().enumerate().step_by(step) {
        let mut includes = Beside(path.clone());
        let mut compiler = Compiler { includes: Some(&mut includes), ..Compiler::default() };
        let text = std::fs::read_to_string(path).expect("a program can be read");
        let mut module = compiler.compile(&path.to_string_lossy(), text).module.expect("a program");
        Optimizer::level(["0", "1", "2"][number / step % 3]).expect("a level").run(&mut module, &mut |_, _| {});
        add_exports(&mut batch, module, number as u64);
    }
    assert!(batch.count * step * 2 > all.len(), "only {} of {} programs", batch.count, all.len());
    batch.check();
}
