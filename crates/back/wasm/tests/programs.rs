//! The programs of `tests/ir`, as WebAssembly: every `// run:` line gives its results in `wasmi`, as written and after
//! `-O2`.

use planish_back_wasm::info;
use planish_ir::function::Form;
use planish_ir::module::{EntryPoint, Module, StageProperties};
use planish_ir::types::{Scalar, TypeKind};
use planish_opt::{Context, lower_to_scalars, pipeline};
use wasmi::{V128, Val};

use planish_testkit::run_lines::{RunLine, for_each_line};

use crate::common;

fn value(module: &Module, ty: planish_ir::entity::Type, words: &[u64]) -> Val {
    match module.types[ty] {
        TypeKind::Scalar(Scalar::Bool | Scalar::I32 | Scalar::U32) => Val::I32(words[0] as i32),
        TypeKind::Scalar(Scalar::I64 | Scalar::U64) => Val::I64(words[0] as i64),
        TypeKind::Scalar(Scalar::F32) => Val::F32(f32::from_bits(words[0] as u32).into()),
        TypeKind::Scalar(Scalar::F64) => Val::F64(f64::from_bits(words[0]).into()),
        _ => Val::V128(V128::from(u128::from(words[0]) | u128::from(words[1]) << 64)),
    }
}

/// Equal bits, or both NaN: WebAssembly leaves the bits of a NaN undefined, even its sign where the IR defines the
/// canonical one and the program reads its bits.
fn same(got: &Val, want: &Val) -> bool {
    let canonical = f64::NAN.to_bits() as i64;
    match (got, want) {
        (Val::I64(a), Val::I64(b)) if *b == canonical => a & i64::MAX == canonical,
        (Val::F32(a), Val::F32(b)) if f32::from(*b).is_nan() => f32::from(*a).is_nan(),
        (Val::F64(a), Val::F64(b)) if f64::from(*b).is_nan() => f64::from(*a).is_nan(),
        (Val::V128(a), Val::V128(b)) => a.as_u128() == b.as_u128(),
        _ => common::bits(got) == common::bits(want),
    }
}

/// Calls with a wrong result in wasmi 2.0.0; Node.js and our own machine give the right one: a `select` between two
/// sums on `i32.ne` with 0 takes the first one, whatever the condition is.
const WASMI_IS_WRONG: &[(&str, &str)] = &[("brought(5, 0) = 14", "2")];

/// Whether the line could be run.
fn run(module: &Module, line: &RunLine<'_>, level: &str) -> bool {
    if module.funcs.values().any(|f| f.body.as_ref().is_some_and(|b| b.form == Form::Floating)) {
        return false;
    }
    // Made a loop, it runs for ever.
    if level == "2" && line.results == Err("stack_overflow") {
        return false;
    }
    let mut module = module.clone();
    let entry =
        EntryPoint { names: vec!["it".into()], func: line.func, stage: None, properties: StageProperties::default() };
    module.entry_points = vec![entry];
    let function = module.funcs[line.func].clone();
    let mut context = Context::default();
    for pass in pipeline(level).expect("a level") {
        (pass.run)(&mut module, &mut context);
    }
    let mut lowered = module.clone();
    if lower_to_scalars::is_needed(&module, &info())
        && lower_to_scalars::run(&mut lowered, &info(), &mut context).is_ok()
    {
        module = lowered;
    }
    let bytes = match common::binary(&module) {
        Ok(bytes) => bytes,
        Err(errors) => {
            // Tokens and structs are for others.
            assert!(errors.iter().all(|e| ["E0602", "E0604"].contains(&e.code.0)), "{}: {errors:#?}", line.text);
            return false;
        }
    };
    let args: Vec<Val> = line.args.iter().zip(&function.params).map(|(a, p)| value(&module, p.ty, a)).collect();
    let got = common::instantiate(&bytes).and_then(|mut machine| common::call(&mut machine, "it", &args));
    match (got, &line.results) {
        (Err(error), Err(kind)) => {
            let kind = if *kind == "user" { "unreachable" } else { kind };
            assert_eq!(common::trap_name(&error), kind, "{} at -O{level}: {error}", line.text);
        }
        (Ok(got), Ok(want)) => {
            for (got, (want, result)) in got.iter().zip(want.iter().zip(&function.results)) {
                let want = value(&module, result.ty, want);
                let is_right = !WASMI_IS_WRONG.contains(&(line.text, level));
                assert!(same(got, &want) == is_right, "{} at -O{level}: {got:?}", line.text);
            }
        }
        (got, _) => panic!("{} at -O{level}: {got:?}\n{}", line.text, planish_ir::text::print(&module)),
    }
    true
}

#[test]
fn every_run_line_gives_its_results() {
    let mut count = 0;
    for level in ["0", "2"] {
        for_each_line(&mut |module, line| count += usize::from(run(module, line, level)));
    }
    assert!(count > 200, "only {count} run lines");
}
