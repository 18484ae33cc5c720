//! The programs of `tests/ir` in JavaScript: every `// run:` line gives its results, as written and after `-O2`, in a
//! module and, where there are only 32 bits, in asm.js. Those of `examples/wasm` have the results of the evaluator in a
//! module.

use std::path::Path;

use planish_back_js::{Options, info, write_asm, write_module};
use planish_eval::{EvalValue, Evaluator, Limits};
use planish_ir::module::{EntryPoint, Module, StageProperties};
use planish_ir::source::SourceMap;
use planish_ir::types::{Scalar, TypeKind};
use planish_opt::{Context, lower_to_scalars, pipeline, remove_unreachable_functions};
use planish_testkit::node::{self, Call, Program};

use planish_testkit::run_lines::{RunLine, for_each_line};

/// Calls and their expected results.
#[derive(Default)]
struct Asked {
    programs: Vec<Program>,
    calls: Vec<Call>,
    want: Vec<(String, Result<Vec<u64>, String>)>,
}

fn prepared(module: &Module, line: &RunLine<'_>, level: &str) -> Option<Module> {
    let mut module = module.clone();
    let entry =
        EntryPoint { names: vec!["it".into()], func: line.func, stage: None, properties: StageProperties::default() };
    module.entry_points = vec![entry];
    let mut context = Context::default();
    remove_unreachable_functions::run(&mut module, &mut context);
    for pass in pipeline(level).expect("a level") {
        (pass.run)(&mut module, &mut context);
    }
    if lower_to_scalars::is_needed(&module, &info()) {
        lower_to_scalars::run(&mut module, &info(), &mut Context::default()).ok()?;
    }
    Some(module)
}

fn ask(asked: &mut Asked, module: &Module, line: &RunLine<'_>, level: &str, asm: bool) {
    if module.funcs.values().any(|f| f.body.as_ref().is_some_and(|b| b.form == planish_ir::function::Form::Floating)) {
        return;
    }
    // Made a loop, it runs for ever; left a call, a long loop ends the stack.
    let endless = line.results == Err("stack_overflow");
    // The heap of asm.js never grows.
    let grows = asm && line.text.contains("grow");
    if grows
        || level == "2" && endless
        || level == "0" && ["count_down", "parity"].iter().any(|n| line.text.starts_with(n))
    {
        return;
    }
    let Some(module) = prepared(module, line, level) else { return };
    let options = Options::default();
    let output = match if asm { write_asm(&module, &options) } else { write_module(&module, &options) } {
        Ok(output) => output,
        Err(errors) => {
            let known = ["E0602", "E0604", "E0608"];
            assert!(errors.iter().all(|e| known.contains(&e.code.0)), "{}: {errors:#?}", line.text);
            return;
        }
    };
    let func = module.entry_points[0].func;
    let is_number = |ty| matches!(module.types[ty], TypeKind::Scalar(_));
    if !module.funcs[func].params.iter().all(|p| is_number(p.ty)) {
        return;
    }
    let pages = module.memories.values().map(|m| m.min_pages).sum();
    asked.programs.push(Program { text: output.text, asm, pages, fresh: false });
    let args = line.args.iter().flatten().copied().collect();
    asked.calls.push(Call::new(asked.programs.len() - 1, &module, func, "it", args));
    let want = line.results.clone().map(|words| words.into_iter().flatten().collect()).map_err(str::to_owned);
    asked.want.push((format!("{} at -O{level}", line.text), want));
}

/// Equal bits, or both NaN, of which JavaScript has one.
fn same(scalar: Scalar, got: u64, want: u64) -> bool {
    match scalar {
        Scalar::F32 if f32::from_bits(want as u32).is_nan() => f32::from_bits(got as u32).is_nan(),
        Scalar::F64 if f64::from_bits(want).is_nan() => f64::from_bits(got).is_nan(),
        _ => got == want,
    }
}

fn compare(test: &str, asm: bool, least: usize) {
    let mut asked = Asked::default();
    for level in ["0", "2"] {
        for_each_line(&mut |module, line| ask(&mut asked, module, line, level, asm));
    }
    assert!(asked.calls.len() >= least, "only {} run lines", asked.calls.len());
    let Some(outcomes) = node::run(test, &asked.programs, &asked.calls) else { return };
    for ((call, (name, want)), got) in asked.calls.iter().zip(&asked.want).zip(outcomes) {
        let right = match (&got, want) {
            (Ok(got), Ok(want)) => {
                let pairs = got.iter().zip(want);
                got.len() == want.len() && call.results.iter().zip(pairs).all(|(&s, (&g, &w))| same(s, g, w))
            }
            (Err(got), Err(want)) => got == want,
            _ => false,
        };
        assert!(right, "{name}: {got:x?}, not {want:x?}\n{}", asked.programs[call.program].text);
    }
}

#[test]
fn every_run_line_gives_its_results_in_a_module() {
    compare("lines", false, 210);
}

#[test]
fn every_run_line_that_can_be_gives_its_results_in_asm_js() {
    compare("lines-asm", true, 120);
}

/// Programs of `examples/wasm` with 128-bit values, which JavaScript lacks.
const WIDE: &[&str] = &["blend"];

#[test]
fn real_programs_give_what_the_evaluator_gives() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/wasm");
    let (mut programs, mut calls, mut want) = (Vec::new(), Vec::new(), Vec::new());
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("it is there").map(|e| e.expect("listed").path()).collect();
    files.sort();
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e == "wat")) {
        let text = std::fs::read_to_string(path).expect("can be read");
        let mut map = SourceMap::new();
        let file = map.add(path.to_string_lossy().as_ref(), text.as_str()).expect("it is small");
        let read = planish_front_wasm::translate(&file, text.as_bytes(), &planish_front_wasm::Options::default());
        let (mut module, _) = read.unwrap_or_else(|e| panic!("{}: {e:#?}", path.display()));
        let mut context = Context::default();
        for pass in pipeline("2").expect("a level") {
            (pass.run)(&mut module, &mut context);
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if lower_to_scalars::is_needed(&module, &info()) {
            lower_to_scalars::run(&mut module, &info(), &mut Context::default())
                .unwrap_or_else(|e| panic!("{name}: {e:#?}"));
        }
        let output = match write_module(&module, &Options::default()) {
            Ok(output) if !WIDE.contains(&name.as_str()) => output,
            Err(_) if WIDE.contains(&name.as_str()) => continue,
            other => panic!("{name}: {other:#?}"),
        };
        programs.push(Program { text: output.text, asm: false, pages: 0, fresh: false });
        let func = module.entry_points.iter().find(|e| &*e.names[0] == "run").expect("it runs").func;
        let arg = 2;
        let limits = Limits { steps: 500_000_000, ..Limits::default() };
        let mut evaluator = Evaluator::new(&module, limits).unwrap_or_else(|e| panic!("{name}: {e}"));
        let results = evaluator.call(func, &[EvalValue::i32(arg)]).unwrap_or_else(|e| panic!("{name}: {e}"));
        want.push((name, results.into_iter().flat_map(|r| r.bits).collect::<Vec<u64>>()));
        calls.push(Call::new(programs.len() - 1, &module, func, "run", vec![arg as u64]));
    }
    assert!(calls.len() > 12, "only {} programs", calls.len());
    let Some(outcomes) = node::run("real", &programs, &calls) else { return };
    for ((name, want), got) in want.into_iter().zip(outcomes) {
        assert_eq!(got, Ok(want), "{name}");
    }
}
