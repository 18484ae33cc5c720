//! Every op of the table on values, and every feature of GLSL that a target may lack: code, or an error that names the
//! construct and its place. `E0699`, that the back end made something invalid, is never the answer.

use std::collections::{BTreeMap, BTreeSet};

use planish_back_naga::{Lowered, Options, Target, write_spirv, write_wgsl};
use planish_ir::arena::Id;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::function::Function;
use planish_ir::module::{EntryPoint, Language, Module, Stage, StageProperties};
use planish_ir::ops::{Class, Op};
use planish_ir::source::SourceMap;
use planish_testkit::{glsl_features, op_cases};

use crate::legal::lower;

const TARGETS: [Target; 2] = [Target::Wgsl, Target::Spirv];

fn written(lowered: &Lowered) -> Result<usize, Vec<Diagnostic>> {
    match lowered.target {
        Target::Wgsl => write_wgsl(lowered).map(|text| text.len()),
        Target::Spirv => write_spirv(lowered).map(|words| words.len()),
    }
}

/// The fault in how a target takes a module, if there is one; `placed`: errors must have a place.
fn fault(module: &Module, target: Target, placed: bool) -> Option<String> {
    let errors = match lower(module, &Options::new(target)).and_then(|lowered| written(&lowered)) {
        Ok(0) => return Some(format!("{}: nothing is written", target.name())),
        Ok(_) => return None,
        Err(errors) => errors,
    };
    let bad = |e: &&Diagnostic| e.code == Code::E0699 || placed && e.span.is_none();
    errors.iter().find(bad).map(|e| format!("{}: {} {} {:?}", target.name(), e.code, e.message, e.notes))
}

/// As [`fault`], panics included.
fn fault_or_panic(module: &Module, target: Target) -> Option<String> {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| fault(module, target, false)));
    caught.unwrap_or_else(|_| Some(format!("{}: panicked", target.name())))
}

/// A module of one function.
fn alone(empty: &Module, function: &Function) -> Module {
    let mut module = empty.clone();
    let func = module.funcs.push(function.clone());
    module.entry_points =
        vec![EntryPoint { names: vec!["main".into()], func, stage: None, properties: StageProperties::default() }];
    module
}

#[test]
fn every_op_is_written_or_refused() {
    let mut faults = BTreeMap::new();
    for op in Op::all() {
        let mut module = Module::new(Language::Glsl { version: 450, es: false });
        if op_cases::cannot_run(op) {
            continue;
        }
        let cases = op_cases::cases_of(&mut module, &|other| other == op);
        let functions: Vec<Function> = std::mem::take(&mut module.funcs).into_entries().map(|(_, f)| f).collect();
        let empty = module.clone();
        let mut seen = BTreeSet::new();
        for case in &cases {
            let whole = |&ty: &Type| module.types.vector_size(ty) == Some(1);
            let wide = |&ty: &Type| module.types.scalar_of(ty).is_some_and(|s| s.bits() == 64);
            let mut types = case.operands.iter().chain(&case.results);
            // Vectors of doubles and 64-bit integers are refused or written as their scalars are.
            if types.clone().any(wide) && !types.all(whole) && op.info().class != Class::Construct {
                continue;
            }
            // One of each list of scalars, of vectors and without; of a constructor's operands, the first.
            let scalar = |&ty: &Type| module.types.scalar_of(ty);
            let known = if op.info().class == Class::Construct { 1 } else { case.operands.len() };
            let kinds: Vec<_> = case.operands[..known].iter().chain(&case.results).map(scalar).collect();
            if !seen.insert((kinds, case.operands.iter().chain(&case.results).all(whole))) {
                continue;
            }
            let alone = alone(&empty, &functions[case.func.index()]);
            for target in TARGETS {
                if let Some(fault) = fault_or_panic(&alone, target) {
                    let operands: Vec<_> = case.operands.iter().map(|&ty| module.types[ty].clone()).collect();
                    faults.entry((op.text(), target.name())).or_insert(format!("{fault} on {operands:?}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults: {faults:#?}", faults.len());
}

fn compiled(stage: Stage, text: &str) -> Result<Module, String> {
    let mut map = SourceMap::new();
    let file = map.add("feature", text).expect("small");
    let output = planish_front_glsl::compile(&mut map, &file, &mut planish_front_glsl::Options::new(stage));
    output.module.ok_or_else(|| output.diagnostics.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("; "))
}

#[test]
fn every_feature_is_written_or_refused_with_its_place() {
    let mut faults = Vec::new();
    for (stage, declarations, statements) in glsl_features::all() {
        let text = glsl_features::shader(stage, declarations, statements);
        let module = match compiled(stage, &text) {
            Ok(module) => module,
            Err(message) => {
                faults.push(format!("{}: {declarations} {statements}\n    not accepted: {message}", stage.name()));
                continue;
            }
        };
        for target in TARGETS {
            let check = || fault(&module, target, true);
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check));
            let fault = caught.unwrap_or_else(|_| Some(format!("{}: panicked", target.name())));
            faults.extend(fault.map(|fault| format!("{}: {declarations} {statements}\n    {fault}", stage.name())));
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Atomics of 64 bits come from WGSL: GLSL has them by an extension.
#[test]
fn atomics_of_64_bits_are_refused_where_they_are() {
    for (ty, one) in [("i64", "1l"), ("u64", "1ul")] {
        for op in [
            "atomic_add",
            "atomic_min",
            "atomic_max",
            "atomic_and",
            "atomic_or",
            "atomic_xor",
            "atomic_exchange",
            "atomic_compare_exchange",
        ] {
            let operands = if op == "atomic_compare_exchange" { format!("{one}, {one}") } else { one.to_owned() };
            let text = format!(
                "module wgsl\nvar workgroup @a: {ty}\n\nfn @main() {{\nb0:\n  %0 = {op} @a, {operands}\n  return\n}}\nentry compute @main \"main\"\n"
            );
            let module = planish_ir::text::parse_str(&text).unwrap_or_else(|e| panic!("{text}\n{e:#?}"));
            for target in TARGETS {
                assert_eq!(fault(&module, target, true), None, "{text}");
                let errors = lower(&module, &Options::new(target)).expect_err("no target has them");
                assert!(matches!(errors[0].code, Code::E0602 | Code::E0604), "{}: {errors:#?}", target.name());
            }
        }
    }
}
