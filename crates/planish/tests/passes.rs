//! The file tests of the passes (`crates/opt/tests/passes`) with the evaluator: every function that takes and gives scalars
//! gives the same after the pass, and after whole levels, as before.

use std::fs;
use std::path::Path;

use planish::eval::{EvalValue, Evaluator, Limits, Stop};
use planish::ir::entity::Func;
use planish::ir::function::TrapKind;
use planish::ir::text::parse_str;
use planish::ir::types::{Scalar, TypeKind};
use planish::module::Module;
use planish::{Optimizer, PASSES};

const INTS: [u64; 7] = [0, 1, 2, 3, 5, 16, 0xffff_fffd];
const FLOATS: [f32; 7] = [0.0, -0.0, 1.0, 2.0, 3.5, -7.25, f32::NAN];

/// What a function gives for rows of arguments; `None` if it takes something else than scalars, or does not end.
fn results(module: &Module, name: &str) -> Option<Vec<Result<Vec<EvalValue>, TrapKind>>> {
    let func: Func = module.funcs.iter().find(|(_, f)| &*f.name.text == name)?.0;
    let function = &module.funcs[func];
    (0..49)
        .map(|row| {
            let args = function.params.iter().enumerate().map(|(i, param)| {
                let pick = if i % 2 == 0 { row % 7 } else { (row / 7 + i / 2) % 7 };
                let bits = match module.types[param.ty] {
                    TypeKind::Scalar(Scalar::I32 | Scalar::U32) => INTS[pick],
                    TypeKind::Scalar(Scalar::F32) => FLOATS[pick].to_bits().into(),
                    TypeKind::Scalar(Scalar::Bool) => pick as u64 % 2,
                    _ => return None,
                };
                Some(EvalValue { ty: param.ty, bits: vec![bits] })
            });
            let args: Vec<EvalValue> = args.collect::<Option<_>>()?;
            let limits = Limits { steps: 100_000, depth: 1_000, ..Limits::default() };
            match Evaluator::new(module, limits).ok()?.call(func, &args) {
                Ok(values) => Some(Ok(values)),
                Err(Stop::Trap { kind, .. }) => Some(Err(kind)),
                Err(_) => None,
            }
        })
        .collect()
}

/// Whether a module gives for a function what was expected; where calls became too deep, it may now go on.
fn agrees(module: &Module, name: &str, expected: &[Result<Vec<EvalValue>, TrapKind>]) -> bool {
    let bits = |values: &[EvalValue]| values.iter().map(|v| v.bits.clone()).collect::<Vec<_>>();
    let Some(got) = results(module, name) else { return expected.contains(&Err(TrapKind::StackOverflow)) };
    got.iter().zip(expected).all(|pair| match pair {
        (_, Err(TrapKind::StackOverflow)) => true,
        (Ok(got), Ok(expected)) => bits(got) == bits(expected),
        (got, expected) => got == expected,
    })
}

#[test]
fn file_tests_mean_the_same_after_as_before() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../opt/tests/passes");
    let mut compared = 0;
    for pass in PASSES {
        for case in fs::read_dir(root.join(pass.name)).expect("every pass has cases") {
            let path = case.expect("can be listed").path();
            let text = fs::read_to_string(&path).expect("can be read");
            let module = parse_str(text.split("// after").next().expect("a part")).expect("it is well-formed");
            let names: Vec<String> = module.funcs.values().map(|f| f.name.text.to_string()).collect();
            for name in names {
                let Some(expected) = results(&module, &name) else { continue };
                let only = Optimizer { passes: vec![pass], options: planish::opt::Options::default() };
                let levels = ["1", "2", "s"].map(|level| Optimizer::level(level).expect("it is a level"));
                for optimizer in std::iter::once(only).chain(levels) {
                    let mut after = module.clone();
                    optimizer.run(&mut after, &mut |_, _| {});
                    // Parameters may have gone.
                    let params = |m: &Module| {
                        let function = m.funcs.values().find(|f| *f.name.text == *name);
                        function.map(|f| (f.params.len(), f.results.len()))
                    };
                    if params(&after) == params(&module) {
                        assert!(
                            agrees(&after, &name, &expected),
                            "{}: @{name}: {:?}",
                            path.display(),
                            optimizer.passes
                        );
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 20, "only {compared} comparisons");
}

/// A function that calls itself last is a loop, and runs as long as it likes.
#[test]
fn deep_recursion_is_a_loop() {
    let text = "module ir\n\nfn @sum(%0 n: i32, %1 sum: u32) -> (u32) {\nb0:\n  %2 = equal %0, 0\n  if %2 {\n  then b1:\n    return %1\n  \
        else b2:\n    merge\n  }\nb3:\n  %3 = subtract %0, 1\n  %4 : u32 = construct_scalar_from_scalar %0\n  %5 = add %1, %4\n  \
        %6 = call @sum, %3, %5\n  return %6\n}\n\nfn @main(%0 n: i32) -> (u32) {\nb0:\n  %1 = call @sum, %0, 0u\n  return %1\n}\n\
        export @main \"main\"\n";
    let module = parse_str(text).expect("it is well-formed");
    let call = |module: &Module| {
        let (func, function) = module.funcs.iter().find(|(_, f)| &*f.name.text == "main").expect("it is there");
        let n = EvalValue { ty: function.params[0].ty, bits: vec![100_000] };
        let mut evaluator = Evaluator::new(module, Limits::default()).expect("instantiates");
        evaluator.call(func, &[n]).map(|values| values[0].bits.clone())
    };
    assert!(matches!(call(&module), Err(Stop::Trap { kind: TrapKind::StackOverflow, .. })));
    for level in ["2", "s"] {
        let mut looped = module.clone();
        let told = Optimizer::level(level).expect("it is a level").run(&mut looped, &mut |_, _| {});
        assert_eq!(call(&looped), Ok(vec![5_000_050_000 & 0xffff_ffff]), "-O{level}");
        assert_eq!(looped.funcs.len(), 1, "-O{level}: it is inlined");
        assert!(told.remarks.iter().all(|r| r.name != "NotInlined"), "{:?}", told.remarks);
    }
}
